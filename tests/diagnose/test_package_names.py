"""Which package is offered for a module that is missing: for 200 well-known ones the right one, for others none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.tables import best_row
from logsense.model.rule import Lookup, Table
from logsense.pipeline import explain_text

# The module, and where it differs the package that the documentation of its project tells to install.
WELL_KNOWN = """
numpy scipy pandas torch torchvision torchaudio tensorflow keras jax jaxlib flax optax transformers datasets tokenizers
accelerate peft trl diffusers evaluate safetensors bitsandbytes deepspeed xformers vllm sglang einops timm tqdm
matplotlib seaborn requests httpx fastapi pydantic rich loguru wandb mlflow tensorboard clearml optuna ray omegaconf
sentencepiece tiktoken nltk spacy gensim librosa soundfile torchmetrics kornia albumentations imageio decord xgboost
lightgbm catboost shap statsmodels networkx dgl h5py zarr lmdb pyarrow polars dask fsspec boto3 psutil numba onnx
onnxruntime openvino gymnasium gym mujoco pybullet open3d trimesh pycocotools ultralytics insightface dlib mediapipe
easyocr pytesseract paddleocr speechbrain langchain openai anthropic gradio streamlit chromadb ctranslate2 unsloth
torchao torchdata webdataset horovod redis joblib regex tabulate yacs easydict addict ninja cmake pybind11 cffi sympy
cvxpy hyperopt nevergrad prophet rdkit nibabel pydicom monai torchio resampy lxml openpyxl shapely geopandas xarray
astropy torchdiffeq gpytorch pymc modelscope mpi4py pytest setuptools wheel packaging triton lightning
cv2=opencv-python-headless PIL=pillow yaml=pyyaml sklearn=scikit-learn skimage=scikit-image bs4=beautifulsoup4
git=gitpython dotenv=python-dotenv dateutil=python-dateutil attr=attrs hydra=hydra-core pkg_resources=setuptools<81
faiss=faiss-cpu flash_attn=flash-attn mamba_ssm=mamba-ssm causal_conv1d=causal-conv1d fitz=pymupdf docx=python-docx
transformer_engine=transformer-engine[pytorch] torch_geometric=torch-geometric pytorch_lightning=pytorch-lightning
segmentation_models_pytorch=segmentation-models-pytorch sentence_transformers=sentence-transformers zmq=pyzmq
huggingface_hub=huggingface-hub open_clip=open-clip-torch Crypto=pycryptodome pynvml=nvidia-ml-py tf_keras=tf-keras
umap=umap-learn whisper=openai-whisper serial=pyserial tree=dm-tree absl=absl-py nuscenes=nuscenes-devkit Bio=biopython
llama_cpp=llama-cpp-python awq=autoawq jwt=pyjwt ffmpeg=ffmpeg-python MySQLdb=mysqlclient psycopg2=psycopg2-binary
comet_ml=comet-ml stable_baselines3=stable-baselines3 dm_control=dm-control ale_py=ale-py mmseg=mmsegmentation
mmaction=mmaction2 pytorch_fid=pytorch-fid lm_eval=lm-eval fla=flash-linear-attention streaming=mosaicml-streaming
composer=mosaicml snappy=python-snappy box=python-box grpc=grpcio IPython=ipython Cython=cython pyro=pyro-ppl
skopt=scikit-optimize imblearn=imbalanced-learn esm=fair-esm pywt=PyWavelets ignite=pytorch-ignite nemo=nemo-toolkit
flashinfer=flashinfer-python cuda=cuda-python cuda.bindings=cuda-bindings nvidia.dali=nvidia-dali-cuda120
megatron.core=megatron-core nvshmem=nvshmem4py-cu12 community=python-louvain google.protobuf=protobuf
google.cloud.storage=google-cloud-storage google.genai=google-genai ruamel.yaml=ruamel.yaml
flash_attn_interface=git+https://github.com/Dao-AILab/flash-attention.git#subdirectory=hopper
deep_ep=git+https://github.com/deepseek-ai/DeepEP.git clip=git+https://github.com/openai/CLIP.git
detectron2=git+https://github.com/facebookresearch/detectron2.git apex=git+https://github.com/NVIDIA/apex.git
amp_C=git+https://github.com/NVIDIA/apex.git fused_layer_norm_cuda=git+https://github.com/NVIDIA/apex.git vllm._C=vllm
"""
# What no one package brings, and what is somebody's own: a package of the same name on the index is another project.
NAMELESS = (
    "google",
    "nvidia",
    "azure",
    "google.frobs",
    "nvidia.frobs",
    "frobnicator",
    "my_lib",
    "mylib.parts",
    "pil",
    "Utils2",
)
INSTALLS = re.compile(r"pip install (?:-\S+ )*'?([^\s'#]+(?:#subdirectory\S*?)?)'?(?=\s|$)")


# Modules for which more than the table counts: compiled parts, shared first parts, names that look like another thing.
TRICKY = (
    "flashinfer",
    "nvidia.dali",
    "megatron.core",
    "google.cloud.storage",
    "llama_cpp",
    "vllm._C",
    "amp_C",
    "community",
)


def known() -> dict[str, str]:
    pairs = (entry.partition("=")[::2] for entry in WELL_KNOWN.split())
    return {module: package or module for module, package in pairs}


def looked_up(module: str, lookups: Sequence[tuple[Lookup, Table]]) -> str | None:
    """The package that rules can name for a module."""
    for lookup, table in lookups:
        row = best_row(table, {lookup.where[0][0]: module}, lookup.match)
        if row and row.get(lookup.give):
            return str(row[lookup.give])
    return None


@pytest.fixture(scope="module")
def lookups() -> list[tuple[Lookup, Table]]:
    catalog = load_catalog()
    asked = [catalog.facts()[name].lookup for name in ("python.module_listed", "python.namespace_package")]
    return [(lookup, table) for lookup in asked if lookup and (table := catalog.table(lookup.table))]


def offered(module: str) -> list[str]:
    """What the commands of the answer install, the first fix first; requirement files and placeholders aside."""
    log = f"""Traceback (most recent call last):
  File "/home/ana/proj/train.py", line 3, in <module>
    import {module}
ModuleNotFoundError: No module named '{module}'
"""
    (first, *_) = explain_text(log.encode(), load_catalog()).diagnoses
    named = [INSTALLS.search(fix.run) for fix in first.fixes if fix.run]
    return [one[1] for one in named if one and one[1] not in ("requirements.txt", ".", "PACKAGE")]


def test_well_known_modules_have_the_package_of_their_project(lookups: Sequence[tuple[Lookup, Table]]) -> None:
    assert len(known()) >= 200
    by_parts = {"vllm._C"}  # what a part of a package belongs to is seen in the parts of its name
    wrong = {module for module, package in known().items() if looked_up(module, lookups) != package}
    assert wrong == by_parts


@pytest.mark.parametrize("module", TRICKY)
def test_the_first_command_installs_the_package_of_the_project(module: str) -> None:
    assert offered(module)[0] == known()[module]


@pytest.mark.parametrize("module", NAMELESS)
def test_a_module_that_is_not_in_the_table_is_never_installed_by_its_name(
    module: str, lookups: Sequence[tuple[Lookup, Table]]
) -> None:
    assert looked_up(module, lookups) is None
    assert [package for package in offered(module) if package != "cython"] == []
