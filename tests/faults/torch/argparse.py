# cause: code.config
# args: --learning-rate fast
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, default=0.1)
parser.parse_args()
