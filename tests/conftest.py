"""Shared by all tests: a small catalog, and a machine that shows only what a test provides."""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from logsense.catalog.load import load_catalog
from logsense.incident.incident import correlate
from logsense.incident.signs import Signs
from logsense.match.read import scan_text, with_ends
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident

Write = Callable[..., Catalog]
RUN = pytest.StashKey[pytest.MonkeyPatch]()
FOLDER = pytest.StashKey[str]()
# Variables of the user, a scheduler or a CI server that change logsense's output.
FOREIGN_PREFIXES = ("LOGSENSE_", "SLURM_", "OMPI_", "PMI_", "GITHUB_", "TORCHELASTIC_", "CUDA_", "NCCL_", "KUBERNETES_")
FOREIGN_NAMES = (
    "PYTHONDONTWRITEBYTECODE",  # each process would compile all modules again
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "PAGER",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
)


def incident_of(log: bytes, catalog: Catalog) -> Incident:
    """Return what a log tells of, before a cause is looked for."""
    return correlate(with_ends([scan_text(log, catalog, "input")], catalog), Signs(catalog))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", metavar="N", type=int, default=1, help="run a fixed Nth of the selected tests")


def pytest_configure(config: pytest.Config) -> None:
    """Hide the machine from all tests and the processes that they start; compile the catalog once."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts background jobs like this, and every process that tests start would ignore Ctrl-C too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        _without_network(config)
        return
    patch = config.stash[RUN] = pytest.MonkeyPatch()
    folder = config.stash[FOLDER] = tempfile.mkdtemp(prefix="logsense-tests-")
    for name in os.environ:
        if name.startswith(FOREIGN_PREFIXES) or name in FOREIGN_NAMES:
            patch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "LOGSENSE_ROOT"):
        (Path(folder) / name).mkdir()
        patch.setenv(name, str(Path(folder) / name))
    # Persistent: its key depends on the catalog's files.
    cache = getattr(config, "cache", None)
    patch.setenv("XDG_CACHE_HOME", str(cache.mkdir("compiled")) if cache else str(Path(folder) / "cache"))
    if config.getoption("numprocesses", None):
        load_catalog()
    else:
        _without_network(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if FOLDER in config.stash:
        config.stash[RUN].undo()
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --every N, keep the tests whose names hash into one of N parts."""
    every = config.getoption("every")
    kept = [item for item in items if crc32(item.nodeid.encode()) % every == 0]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _without_network(config: pytest.Config) -> None:
    """Restrict this process to loopback: other names and addresses are unreachable."""
    patch = config.stash.setdefault(RUN, pytest.MonkeyPatch())
    look_up, connect = socket.getaddrinfo, socket.socket.connect

    def local(host: object) -> bool:
        name = host.decode() if isinstance(host, bytes) else host
        try:
            return not name or name == "localhost" or ipaddress.ip_address(str(name)).is_loopback
        except ValueError:
            return False

    def getaddrinfo(host: object, *arguments: object, **named: object) -> object:
        if not local(host):
            raise socket.gaierror(socket.EAI_NONAME, "tests have no network")
        return look_up(host, *arguments, **named)  # type: ignore[arg-type]

    def connect_here(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not local(address[0]):
            raise OSError(f"tests have no network: {address[0]}")
        connect(self, address)  # type: ignore[arg-type]

    patch.setattr(socket, "getaddrinfo", getaddrinfo)
    patch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture
def write_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write files (path → YAML) into a folder that replaces the built-in one, and load it."""

    def write(files: dict[str, str]) -> Catalog:
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "rules").mkdir(exist_ok=True)

        def own(folder: str) -> str:
            return str(tmp_path / folder)

        for module in ("catalog.load", "authoring.lint", "authoring.selftest"):
            monkeypatch.setattr(f"logsense.{module}.built_in", own)
        return load_catalog()

    return write


@pytest.fixture(scope="session")
def built_in_catalog() -> Catalog:
    """The built-in catalog."""
    return load_catalog()
