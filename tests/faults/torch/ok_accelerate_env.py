# cause: none
import subprocess

subprocess.run(["accelerate", "env"], check=False)
subprocess.run(["accelerate", "launch", "--help"], check=False)
