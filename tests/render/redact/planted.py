"""Fake secrets, generated when the tests run, so that secret scanners find nothing here."""

from __future__ import annotations

from pathlib import Path

import yaml

from logsense.authoring.redaction import grown as grown

TABLES = Path(__file__).parents[3] / "rules" / "_tables"
PATTERNS: list[dict[str, str]] = yaml.safe_load((TABLES / "redaction.yaml").read_text("utf-8"))["rows"]
KEEPS: list[dict[str, str]] = yaml.safe_load((TABLES / "redaction-keeps.yaml").read_text("utf-8"))["rows"]


# Planted texts, and the part that must not appear anywhere afterwards.
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
    "client secret": ('{"clientSecret": "{40}"}', "{40}"),
    "token in a sentence": ("Logging in with token {36}", "{36}"),
    "token option with an underscore": ("train.py --hf_token {36}", "{36}"),
    "keys in an S3 address": ("s3://AKIAIOSFODNN7EXAMPLE:{40}@data/x", "{40}"),
    "request signature": ("Credential=AKIAIOSFODNN7EXAMPLE/20260504, Signature={hex:64}", "{hex:64}"),
    "connection string": ("Server=db;User ID=alovelace;Password=S3cret-{8};", "S3cret"),
    "environment as a dictionary": ("environ({'LANG': 'C', 'WANDB_API_KEY': '{hex:40}'})", "{hex:40}"),
    "variable of a container": ("docker run -e MYSQL_ROOT_PASSWORD=hunter2{8} img", "hunter2"),
    "team of W&B": ("wandb: Currently logged in as: ada (acme-research).", "acme-research"),
    "user of Slurm": ("slurmctld: job 7 user=alovelace account=x", "alovelace"),
    "folder on a scratch disk": ("'/scratch/alovelace/x.pt'", "alovelace"),
    "home by its owner": ("cp ~alovelace/x .", "alovelace"),
    "machine of syslog": ("May  4 03:12:55 gpu-12 kernel: NVRM: Xid", "gpu-12"),
    "machine of Open MPI": ("[gpu-12:04711] *** Process received signal ***", "gpu-12"),
    "machine of c10d": ("failed to connect to [gpu-12.acme.test]:29500 (errno: 110)", "gpu-12"),
    "store": ('TCPStore("gpu-12", 29500)', "gpu-12"),
    "bucket": ("s3://acme-training-data/shard-0001.tar", "acme-training-data"),
    "wandb login in code": ('wandb.login(key="{hex:40}")', "{hex:40}"),
    "login call": ("huggingface_hub.login(token='{40}')", "{40}"),
    "argv list": ("['train.py', '--token', '{32}', '--lr', '0.1']", "{32}"),
    "argv list with quotes": ('sys.argv: ["train.py", "--api-key", "{32}"]', "{32}"),
    "named token": ("my_service_token='{32}'", "{32}"),
    "named token in a Namespace": ("Namespace(lr=0.1, vault_token='{28}', steps=5)", "{28}"),
    "Azure OpenAI": ("AZURE_OPENAI_KEY={hex:32}", "{hex:32}"),
    "subscription header": ("Ocp-Apim-Subscription-Key: {hex:32}", "{hex:32}"),
    "kubeconfig": ("    client-key-data: {120}==", "{120}"),
    "Telegram address": ("https://api.telegram.org/bot123456789:AA{33}/sendMessage", "{33}"),
    "requests auth": ("requests.get(url, auth=('trainer', 'hunter2{8}'))", "hunter2"),
    "basic auth object": ('HTTPBasicAuth("trainer", "hunter2{8}")', "hunter2"),
    "table with boxes": ("│ password │ hunter2{8} │", "hunter2"),
    "table in Markdown": ("| db_password | hunter2{8} |", "hunter2"),
    "table of a token": ("│ api_token   │ {32}   │", "{32}"),
    "Kubernetes YAML": ("- name: DB_PASSWORD\n  value: hunter2{8}", "hunter2"),
    "Kubernetes JSON": ('{"name": "WANDB_API_KEY", "value": "{hex:40}"}', "{hex:40}"),
    "JSON in JSON": (r'{"env": "{\"password\": \"hunter2{8}\"}"}', "hunter2"),
    "JSON in JSON, token": (r'"{\"api_key\": \"{32}\"}"', "{32}"),
    "scratch below lustre": ("/lustre/scratch/alovelace/run/x.pt", "alovelace"),
    "data folder": ("/data/alovelace/run/x.pt", "alovelace"),
    "gpfs": ("/gpfs/work/alovelace/x.pt", "alovelace"),
    "private token header": ("PRIVATE-TOKEN: {20}", "{20}"),
    "X-Auth-Token": ("X-Auth-Token: {32}", "{32}"),
    "XML": ("<password>hunter2{8}</password>", "hunter2"),
    "MySQL": ("MYSQL_PWD=hunter2{8}", "hunter2"),
    "mysql -p": ("mysql -u root -phunter2{8} runs", "hunter2"),
    "docker login -p": ("docker login -u trainer -p hunter2{8} r.acme.test", "hunter2"),
    "aligned variable": ("WANDB_API_KEY                  {hex:40}", "{hex:40}"),
    "aligned with colon": ("HF_TOKEN           : {34}", "{34}"),
    "AWS account": ("arn:aws:iam::123456789012:role/trainer is not authorized", "123456789012"),
    "Azure subscription": ("/subscriptions/5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/resourceGroups/x", "5d5ba0d6"),
    "Google project": ("projects/acme-research-17/locations/us", "acme-research-17"),
    "git author": ("Author: Ada Lovelace <ada@cs.acme.test>", "Lovelace"),
    "git config": ("user.name=Ada Lovelace", "Lovelace"),
    "LDAP": ("uid=alovelace,ou=people,dc=acme,dc=test", "alovelace"),
    "sudo": ("sudo -u alovelace python train.py", "alovelace"),
    "sshd": ("Accepted publickey for alovelace from 203.0.113.9 port 5022", "alovelace"),
    "ls": ("-rw-r--r-- 1 alovelace research 1024 Nov 21 03:12 x.pt", "alovelace"),
    "escaped path": ("redirect=%2Fhome%2Falovelace%2Frun", "alovelace"),
    "node of Slurm": ("NodeName=gpu-12 State=DOWN", "gpu-12"),
    "Pinecone": ("pcsk_{60}", "{60}"),
    "LangSmith": ("lsv2_pt_{hex:32}_{hex:10}", "{hex:32}"),
    "Tavily": ("tvly-{32}", "{32}"),
    "Cerebras": ("csk-{48}", "{48}"),
    "Supabase": ("sbp_{hex:40}", "{hex:40}"),
    "Tailscale": ("tskey-auth-kA17-{32}", "{32}"),
    "Figma": ("figd_{40}", "{40}"),
    "Mailgun": ("key-{hex:32}", "{hex:32}"),
    "Mailchimp": ("{hex:32}-us12", "{hex:32}"),
    "Notion": ("secret_{43}", "{43}"),
    "Firebase": ("AAAA0aB7-xY:APA91b{134}", "{134}"),
    "Tencent": ("AKID{32}", "{32}"),
    "Dropbox": ("sl.{130}", "{130}"),
    "Modal": ("ak-{22} as-{22}", "{22}"),
    "Sentry": ("https://{hex:32}@o1234.ingest.acme.test/5", "{hex:32}"),
    "session id": ("JSESSIONID={hex:32}", "{hex:32}"),
    "CSRF header": ("X-CSRFToken: {32}", "{32}"),
    "export": ('export SERVICE_TOKEN="{24}"', "{24}"),
    "pwd of a connection": ("Uid=trainer;Pwd=hunter2{8};", "hunter2"),
    "secret in YAML": ("  webhook_secret: {24}", "{24}"),
    "sshpass": ("sshpass -p hunter2{8} ssh node", "hunter2"),
    "license": ("license_key: ABCD1-EF2GH-IJ3KL-MN4OP-QR5ST", "EF2GH"),
    "ClearML": ("CLEARML_API_SECRET_KEY={50}", "{50}"),
    "MLflow": ("MLFLOW_TRACKING_PASSWORD=hunter2{8}", "hunter2"),
    "MinIO": ("MINIO_ROOT_PASSWORD=hunter2{8}", "hunter2"),
    "passphrase": ("passphrase: correct-horse{6}", "correct-horse"),
    "SAS token": ("SharedAccessSignature sr=x&sig={43}%3D&se=1", "{43}"),
    "S3 secretAccessKey": ("'secretAccessKey': '{40}'", "{40}"),
    "redis": ("redis://:hunter2{8}@cache.acme.test:6379", "hunter2"),
    "PuTTY": ("Private-MAC: {hex:40}", "{hex:40}"),
    "machine of torchrun in a sentence": ("rank 3 on gpu-12.cluster.acme.edu did not answer", "gpu-12"),
}

# Helps to understand a failure and reveals nothing about anybody.
READABLE = """\
commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b
git commit 9f86d08 of branch main is 3 commits ahead
git+https://github.com/huggingface/transformers@9f86d081884c7d659a2feaa0c55ad015a3bf4f1b
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
checksum mismatch: expected d41d8cd98f00b204e9800998ecf8427e, got 5d41402abc4b2a76b9719d911017c592
etag "33a64df551425fcc55e4d42a148795d9f25f89d4"
cache-key-9f86d081884c7d659a2feaa0c55ad015
snapshots/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b/model-00001-of-00004.safetensors
blob 8ab686eafeb1f44702738c8b0f24f2567c36da6d is missing
torch 2.5.1+cu124, CUDA 12.4, driver 550.54.14, NCCL 2.21.5
nvidia-cublas-cu12==12.4.5.8
cuDNN version 8.9.2.26
libcudnn.so.9.1.0.70: cannot open shared object file
driver 31.0.15.3623
torch-2.5.1+cu124-cp311-cp311-manylinux_2_17_x86_64.whl
Python 3.11.9 (main, Apr  6 2026, 17:59:24) [GCC 11.4.0]
GLIBC_2.34 not found, GLIBCXX_3.4.30 not found
sm_90 sm_80a compute_89
mat1 and mat2 shapes cannot be multiplied (64x512 and 768x10)
torch.Size([8, 3, 224, 224]) does not match torch.Size([8, 1, 224, 224])
size mismatch for transformer.h.0.attn.c_attn.weight
dims [1, 197, 768], strides (151296, 768, 1)
Tried to allocate 6.38 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.11 GiB is free
batch_size=64 seq_len=4096 hidden_size=8192 num_key_value_heads=8
pad_token=<pad> eos_token_id=50256 bos_token_id=1
tokenizer: 50257 tokens, max_tokens=32, token 50256 is out of range
special_tokens_map.json, added_tokens.json, tokenizer_config.json
Token indices sequence length is longer than the specified maximum (1043 > 1024)
KeyError: 'module.encoder.layer.0.attention.self.query.weight'
key: model.layers.0.self_attn.q_proj.weight
Missing key(s) in state_dict: "fc.weight", "fc.bias"
Unexpected key(s) in state_dict: "head.0.weight"
attention key of shape (8, 12, 64)
key_value_cache, sort_key=length, primary key id
secret sauce: warm up for 2000 steps
HF_HUB_ENABLE_HF_TRANSFER=1 HF_HOME=/workspace/hf
hf_hub_download failed in hf_transfer
NCCL_DEBUG=INFO NCCL_SOCKET_IFNAME=eth0 NCCL_P2P_DISABLE=1
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
CUDA_VISIBLE_DEVICES=0,1,2,3 LOCAL_RANK=2 WORLD_SIZE=16
OMP_NUM_THREADS=8 PATH=/usr/local/cuda/bin:/usr/bin PWD=/workspace
WANDB_API_KEY is not set
HF_TOKEN=$HF_TOKEN
password: required
Bearer token is missing
Authorization: required
pwd = os.getcwd(); password=args.password; token = next(it)
self.secret_layer = nn.Linear(10, 2); key = jax.random.PRNGKey(0)
wandb.login(key=key), login(token=token)
auth=(user, password)
train.py --tokenizer gpt2-medium --eos-token endoftext --lr 3e-4
| pad_token | <pad> |
| max_token | 1048576 |
| metric | value |
File "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1736, in _call_impl
File "/opt/conda/lib/python3.11/site-packages/torch/utils/data/sampler/base.py", line 12
File "/workspace/train.py", line 31, in <module>
/data/imagenet/train/n01440764/x.JPEG is truncated
/scratch/datasets/coco/annotations is missing
/home/ubuntu/train.py /root/.cache /kaggle/working ~/train.py
/checkpoints/step-004000/model.pt was saved
bind 127.0.0.1:29500, ::1, 0.0.0.0
http://localhost:8080 tcp://localhost:29500
https://pytorch.org/docs/stable/notes/cuda.html#environment-variables
https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json
0000:3b:00.0 00000000:3B:00.0 PCI:0000:3b:00
NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.
cuda:0 GPU-0 rank 3 local_rank 3 node 1
2026-11-21 03:12:55.123 12:34:56 1763694775.123
step 4120/10000 loss 0.1234 lr 1.0e-4 123456789012 samples
0x7f8b4c000000 0x55d4 +0x1d2
c10::Error at::native::cat std::bad_alloc torch::autograd::Engine::evaluate_function
frame #3: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long> >)
ProcessGroupNCCL.cpp:632 linear.py:120 Loss.cu:240
srun: error: Unable to create step
slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0
JobId=4711 ExitCode=0:9 Partition=gpu
exit status 137, signal 9, errno 110
epoch 3/10: 100%|##########| 625/625 [01:02<00:00, 10.05it/s]
user 12.5 s, sys 0.3 s, real 0m14.2s
gpt2-medium, bert-base-uncased, meta-llama/Llama-3.1-8B, google/vit-base-patch16-224
torch@2.5.1, @torch.no_grad, a @ b
model.layers.31.mlp.down_proj.weight
conv2d_12/kernel:0 dense_1/bias:0
key-value pairs, us-east-1, as-is, ak-47
projects/attention/train.py client_id: 3
Accepted inputs for the model
drop_remainder=True, use_auth_token=True
MD5 (x.tar) = 9e107d9d372bb6826bd81d3542a419d6
""".splitlines()
