"""Secrets that are none: made when the tests run, so that nothing here looks like one to those who search for them."""

from __future__ import annotations

from pathlib import Path

import yaml

from logsense.authoring.redaction import grown as grown

TABLES = Path(__file__).parents[3] / "rules" / "_tables"
PATTERNS: list[dict[str, str]] = yaml.safe_load((TABLES / "redaction.yaml").read_text("utf-8"))["rows"]
KEEPS: list[dict[str, str]] = yaml.safe_load((TABLES / "redaction-keeps.yaml").read_text("utf-8"))["rows"]


# What is planted, and the part of it that must not be seen anywhere afterwards.
PLANTED: dict[str, tuple[str, str]] = {
    "AWS access key": ("aws_access_key_id = AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    "AWS temporary key": ("ASIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    "AWS secret key": ("AWS_SECRET_ACCESS_KEY={40}", "{40}"),
    "AWS session token": ("aws_session_token: {200}==", "{200}"),
    "signed S3 address": ("https://data.s3.amazonaws.com/x.tar?X-Amz-Expires=60&X-Amz-Signature={hex:64}", "{hex:64}"),
    "Google API key": ("key=AIza{35}", "{35}"),
    "Google OAuth token": ("ya29.{60}", "{60}"),
    "Google service account": ('"private_key_id": "{hex:40}", "x": 1', "{hex:40}"),
    "Azure account key": ("AccountName=a;AccountKey={86}==;EndpointSuffix=core.windows.net", "{86}"),
    "Azure shared access signature": ("https://a.blob.core.windows.net/c?sv=2022&sig={43}%3D", "{43}"),
    "private key": ("-----BEGIN RSA PRIVATE KEY-----\n{64}\n-----END RSA PRIVATE KEY-----", "{64}"),
    "cut private key": ("-----BEGIN PRIVATE KEY-----\\n{64}", "{64}"),
    "GitHub token": ("git clone https://ghp_{36}@github.com/acme/x", "{36}"),
    "GitHub fine-grained token": ("github_pat_{82}", "{82}"),
    "GitLab token": ("glpat-{20}", "{20}"),
    "Hugging Face token": ("huggingface-cli login --token hf_{34}", "{34}"),
    "Hugging Face variable": ("HF_TOKEN='hf_{34}'", "{34}"),
    "W&B key": ("wandb login {hex:40}", "{hex:40}"),
    "W&B variable": ("export WANDB_API_KEY={hex:40}", "{hex:40}"),
    "netrc": ("machine api.wandb.ai\n  login user\n  password {hex:40}", "{hex:40}"),
    "OpenAI key": ("OPENAI_API_KEY=sk-proj-{80}", "{80}"),
    "Anthropic key": ("x-api-key: sk-ant-api03-{93}AA", "{93}"),
    "NGC key": ("docker login -u '$oauthtoken' -p nvapi-{64} nvcr.io", "{64}"),
    "Slack token": ("xoxb-123456789012-123456789012-{24}", "{24}"),
    "Slack webhook": ("https://hooks.slack.com/services/{44}", "{44}"),
    "Discord webhook": ("https://discord.com/api/webhooks/1234567890/{68}", "{68}"),
    "Telegram bot": ("123456789:AA{33}", "{33}"),
    "JSON web token": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{43}", "{43}"),
    "bearer": ("'Authorization': 'Bearer {40}'", "{40}"),
    "basic": ("Authorization: Basic {24}==", "{24}"),
    "cookie": ("Cookie: session={40}; _xsrf=2", "{40}"),
    "Jupyter token": ("http://node-3:8888/?token={hex:48}", "{hex:48}"),
    "database address": ("sqlalchemy: postgresql://trainer:S3cret-{8}@db.acme.test:5432/runs", "S3cret"),
    "password variable": ("DB_PASSWORD=hunter2{8}", "hunter2"),
    "password option": ("mysqldump --password=hunter2{8}", "hunter2"),
    "curl user": ("curl -u trainer:hunter2{8} https://x.acme.test", "hunter2"),
    "Kaggle key": ('{"username":"alovelace","key":"{hex:32}"}', "{hex:32}"),
    "Docker registry": ('{"auths": {"r.acme.test": {"auth": "{30}=="}}}', "{30}"),
    "Databricks token": ("dapi{hex:32}", "{hex:32}"),
    "Vault token": ("VAULT_TOKEN=hvs.{95}", "{95}"),
    "Neptune token": ("NEPTUNE_API_TOKEN={120}", "{120}"),
    "Comet option": ("train.py --comet-api-key {25}", "{25}"),
    "Stripe key": ("sk_live_{24}", "{24}"),
    "PyPI token": ("twine upload -p pypi-{120}", "{120}"),
    "npm token": ("//registry/:_authToken=npm_{36}", "{36}"),
    "SSH public key": ("ssh-ed25519 AAAA{64} x", "{64}"),
    "e-mail address": ("ask ada.lovelace@cs.acme.test", "lovelace"),
    "home folder": ('File "/home/alovelace/run/train.py", line 3', "alovelace"),
    "home folder on a Mac": ("/Users/alovelace/run", "alovelace"),
    "home folder on Windows": (r"C:\Users\alovelace\run", "alovelace"),
    "home folder of a cluster": ("/gpfs/home/alovelace/x", "alovelace"),
    "user variable": ("USER=alovelace", "alovelace"),
    "user of W&B": ("wandb: Currently logged in as: alovelace (acme). Use `wandb login`", "alovelace"),
    "prompt": ("(base) alovelace@gpu-12:~/run$ python train.py", "alovelace"),
    "machine in a prompt": ("[alovelace@gpu-12 run]$ python train.py", "gpu-12"),
    "machine of torchrun": ("  host      : gpu-12.cluster.acme.test", "gpu-12"),
    "machine of NCCL": ("gpu-12:4711:4830 [3] NCCL INFO comm 0x5581", "gpu-12"),
    "machine of Slurm": ("srun: error: gpu-12: task 3: Killed", "gpu-12"),
    "machines of Slurm": ("SLURM_JOB_NODELIST=gpu[011-014]", "gpu[011-014]"),
    "master": ("MASTER_ADDR=gpu-12 MASTER_PORT=29500", "gpu-12"),
    "machine of AWS": ("ip-10-0-1-23.ec2.internal", "10-0-1-23"),
    "IPv4": ("connect to 203.0.113.7:29500", "203.0.113.7"),
    "IPv4 of NCCL": ("NET/Socket : Using [0]eth0:10.24.0.17<0>", "10.24.0.17"),
    "IPv6": ("[fe80::a00:27ff:fe4e:66a1%eth0]:29500", "a00:27ff"),
    "MAC": ("link/ether 02:42:ac:11:00:02 brd", "02:42:ac:11:00:02"),
    "InfiniBand GUID": ("port_guid 0002:c903:00a1:b2c3", "0002:c903"),
    "GPU": ("GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77", "5d5ba0d6"),
    "bucket": ("s3://acme-training-data/shard-0001.tar", "acme-training-data"),
}
