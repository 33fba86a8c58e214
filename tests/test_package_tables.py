"""Tables made from packages, on an index in memory whose wheels are small and in the form of the real ones."""

from __future__ import annotations

import io
import json
import urllib.error
import zipfile
from collections.abc import Mapping
from email.message import Message

import pytest

from tests import scripts

tables = scripts.script("package_tables")
index = scripts.script("package_index")

CP = "cp311-cp311-manylinux_2_28_x86_64"


class Shelf:
    """A package index: {file name: (its metadata's lines, its other files)}."""

    def __init__(self, metadata_beside: bool = False) -> None:
        self._wheels: dict[str, bytes] = {}
        self._metadata: dict[str, bytes] = {}
        self._beside = metadata_beside
        self.whole = 0

    def put(self, filename: str, *lines: str, files: Mapping[str, bytes] | None = None) -> None:
        project, version = filename.split("-")[:2]
        metadata = "\n".join([f"Name: {project}", f"Version: {version}", *lines]).encode()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (files or {}).items():
                archive.writestr(name, content)
            archive.writestr(f"{project}-{version}.dist-info/METADATA", metadata)
        self._wheels[filename], self._metadata[filename] = packed.getvalue(), metadata

    def get(self, url: str, headers: Mapping[str, str]) -> tuple[bytes, Mapping[str, str]]:
        last = url.rstrip("/").rpartition("/")[2]
        if url.endswith("/"):
            named = [name for name in self._wheels if name.split("-")[0] == last.replace("-", "_")]
            files = [
                {"filename": name, "url": f"https://files.example/{name}", "upload-time": "2031-02-03T04:05:06Z"}
                for name in named
            ]
            return json.dumps({"files": files}).encode(), {}
        if last.endswith(".metadata"):
            if self._beside:
                return self._metadata[last.removesuffix(".metadata")], {}
            raise urllib.error.HTTPError(url, 404, "Not Found", Message(), None)
        first, _, end = headers["Range"].removeprefix("bytes=").partition("-")
        content = self._wheels[last]
        part = content[-int(end) :] if not first else content[int(first) : int(end) + 1]
        return part, {"Content-Range": f"bytes 0-1/{len(content)}"}

    def index(self) -> object:
        return index.Index("https://index.example/simple", self.get)


def torch(shelf: Shelf, version: str, *requires: str, cuda: str = "42.0", archs: bytes = b"") -> None:
    files = {
        "torch/version.py": f"__version__ = '{version}'\ncuda: Optional[str] = '{cuda}'\nhip = None\n".encode(),
        "torch/lib/libtorch_python.so": bytes(range(256)) * 40 + b"\0" + archs + b"\0sm_7\0" + bytes(range(256)) * 40,
    }
    shelf.put(f"torch-{version}-{CP}.whl", *(f"Requires-Dist: {one}" for one in requires), files=files)


def test_a_row_for_each_final_release_with_what_its_wheel_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "TAIL_BYTES", 700)  # so that most is read by ranges
    shelf = Shelf()
    needs = ("nvidia-cudnn-cu42==19.2.1.7; platform_system == 'Linux'", "nvidia-nccl-cu42==3.1.4", "triton~=7.9.0")
    torch(shelf, "9.2.0", *needs, archs=b"sm_75 sm_80 sm_90a compute_90a")
    torch(shelf, "9.1.0", "filelock", archs=b"sm_70 sm_75")
    torch(shelf, "9.3.0rc1")
    shelf.put("torch-9.2.0-cp313-cp313-manylinux_2_28_x86_64.whl")
    shelf.put("torch-9.2.0-cp314-cp314t-manylinux_2_28_x86_64.whl")
    shelf.put("torch-9.2.0-cp314-cp314-win_amd64.whl")
    older, newer = tables.torch_builds(shelf.index())
    assert newer == {
        "torch": "9.2.0",
        "pip": "42.0",
        "cudnn": "19.2.1",
        "nccl": "3.1.4",
        "python": "3.11 to 3.13",
        "archs": "sm_75 sm_80 sm_90a compute_90a",
        "released": "2031-02-03",
        "source": "https://pypi.org/project/torch/9.2.0/",
    }
    assert (older["torch"], older["archs"], older.get("cudnn")) == ("9.1.0", "sm_70 sm_75", None)
    assert [(row["torch"], row["triton"]) for row in tables.torch_triton(shelf.index())] == [("9.2.0", "7.9.0")]


@pytest.mark.parametrize("beside", [True, False])
def test_metadata_is_read_beside_the_wheel_or_in_it(beside: bool) -> None:
    shelf = Shelf(metadata_beside=beside)
    requires = ("torch==9.1.0", "transformers>=5.1,!=5.2,<6.0.0dev", "ray; extra == 'many'")
    shelf.put("vllm-0.33.0-cp38-abi3-manylinux1_x86_64.whl", *(f"Requires-Dist: {one}" for one in requires))
    (row,) = tables.vllm_torch(shelf.index())
    assert (row["torch"], row["transformers"]) == ("9.1.0", ">=5.1,<6")


def test_companions_are_the_newest_whose_requirement_takes_a_pytorch() -> None:
    shelf = Shelf()
    for version in ("9.1.0", "9.2.0", "9.3.0"):
        torch(shelf, version)
    for version, needs in (("0.91.0", "torch==9.1.0"), ("0.91.1", "torch==9.1.0"), ("0.92.0", "torch>=9.2")):
        shelf.put(f"torchvision-{version}-{CP}.whl", f"Requires-Dist: {needs}")
    shelf.put(f"torchaudio-9.2.0-{CP}.whl", "Requires-Dist: torch")  # one that bounds nothing says nothing
    shelf.put(f"xformers-0.9.2-{CP}.whl", "Requires-Dist: torch==9.2.0")
    rows = tables.torch_companions(shelf.index())
    assert [(row["torch"], row["torchvision"]) for row in rows] == [
        ("9.1.0", "0.91.1"), ("9.2.0", "0.92.0"), ("9.3.0", "0.92.0"),
    ]  # fmt: skip
    assert not any("torchaudio" in row for row in rows)
    assert [(row["torch"], row["xformers"]) for row in tables.torch_xformers(shelf.index())] == [("9.2.0", "0.9.2")]


def test_tensorflow_rows_name_what_pip_is_given() -> None:
    shelf = Shelf()
    requires = ("keras>=3.12", "numpy>=1.26", "protobuf<8.0.0,>=6.31.1", "keras-nightly; extra == 'nightly'")
    shelf.put(f"tensorflow-2.21.0-{CP}.whl", *(f"Requires-Dist: {one}" for one in requires))
    (row,) = tables.tensorflow_packages(shelf.index())
    assert (row["keras"], row["numpy"], row["protobuf"]) == ("keras>=3.12", "numpy>=1.26", "protobuf>=6.31.1,<8.0.0")


def test_jax_rows_come_from_the_plugins_and_from_jax_itself_where_they_say_nothing() -> None:
    shelf = Shelf()
    for version in ("0.4.20", "0.4.28", "0.9.0"):
        shelf.put(f"jaxlib-{version}-{CP}.whl")
    for major, version, needs in (("12", "0.4.28", ""), ("12", "0.9.0", "12"), ("13", "0.9.0", "13")):
        line = f'Requires-Dist: nvidia-cudnn-cu{needs}<10,>=9.8; extra == "with-cuda"' if needs else "License: none"
        shelf.put(f"jax_cuda{major}_plugin-{version}-{CP}.whl", line)
    shelf.put("jax-0.4.28-py3-none-any.whl", 'Requires-Dist: nvidia-cudnn-cu12<9,>=8.9.2; extra == "cuda12"')
    rows = tables.jax_cuda(shelf.index())
    assert [(row["jaxlib"], row["cuda"], row["cudnn"]) for row in rows] == [
        ("0.4.28", "12", "8.9"), ("0.9.0", "12 or 13", "9.8"),
    ]  # fmt: skip


def test_bitsandbytes_rows_tell_since_and_until_when_a_library_is_there() -> None:
    shelf = Shelf()
    for version, tags in (("0.45.0", ("118", "125")), ("0.46.0", ("118", "125", "130")), ("0.50.0", ("118", "130"))):
        files = {f"bitsandbytes/libbitsandbytes_cuda{tag}.so": b"" for tag in tags}
        shelf.put(f"bitsandbytes-{version}-py3-none-manylinux_2_24_x86_64.whl", files=files)
    rows = tables.bitsandbytes_cuda(shelf.index())
    assert [(row["tag"], row["cuda"], row["since"], row.get("last")) for row in rows] == [
        ("118", "11.8", "0.45.0", None), ("125", "12.5", "0.45.0", "0.46.0"), ("130", "13.0", "0.46.0", None),
    ]  # fmt: skip
