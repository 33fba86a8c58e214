"""Log text is hostile: it reaches terminals and pages as text only, runs nothing, and nothing leaves the machine."""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt  # what rich reads Markdown with

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.formats import render
from logsense.render.layout import Look

ROOT = Path(__file__).parents[1]
LOG = ROOT / "tests" / "failing" / "torch--key_error.log"
CODE = sorted((ROOT / "logsense").rglob("*.py"))

# Loaded by every Python that is started below, our own children among them.
HOOK = """
import os, sys
WATCHED = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "urllib.Request",
           "socket.gethostbyname", "ftplib.connect", "http.client.connect", "os.system", "pickle.find_class"}
def hook(event, arguments):
    if event in WATCHED:
        with open(os.environ["SEEN"], "a") as file:
            file.write(f"{event} {arguments!r}\\n")
sys.addaudithook(hook)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
@pytest.mark.parametrize(
    "command",
    [
        [str(LOG)],
        [],
        ["run", "sh", "-c", f"cat {LOG}; exit 1"],
        ["watch", str(LOG)],
        ["gpus"],
        ["causes", "gpu-memory.fragmentation"],
        ["signatures", "nccl."],
        ["last"],
        ["runs"],
        ["report", str(LOG), "--live"],
        ["survey", str(LOG)],
        [str(LOG), "--live", "--redact", "--format", "html"],
        [str(LOG), "--against", str(LOG)],
        ["completion", "bash"],
        ["doctor", "--quick"],
        ["rules", "new", "Error: nothing leaves"],
    ],
    ids=lambda command: " ".join(command[:1]).rpartition("/")[2],
)
def test_nothing_leaves_the_machine(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    seen = tmp_path / "seen"
    path = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "SEEN": str(seen), "XDG_STATE_HOME": str(tmp_path / "state")}
    check = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0))"
    subprocess.run([sys.executable, "-c", check], env=env, check=True)
    assert "socket.bind" in seen.read_text()  # the hook works
    seen.unlink()
    subprocess.run(
        [sys.executable, "-m", "logsense", *command],
        env=env, input=LOG.read_bytes(), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert not seen.exists(), seen.read_text()


TRACER = ["strace", "-f", "-qq", "-e", "trace=network", "-o"]


def _can_trace() -> bool:
    try:
        return subprocess.run([*TRACER, os.devnull, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not _can_trace(), reason="needs strace, and the right to use it")
@pytest.mark.parametrize("command", [[str(LOG), "--live"], ["run", "sh", "-c", f"cat {LOG}; exit 1"]], ids=len)
def test_libraries_open_no_connection_either(command: list[str], tmp_path: Path) -> None:
    """What compiled code does, no audit hook sees; the kernel does."""
    traced = tmp_path / "traced"
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    subprocess.run(
        [*TRACER, str(traced), sys.executable, "-c", "import socket; socket.create_server(('127.0.0.1', 0)).close()"],
        check=True,
    )
    assert "AF_INET" in traced.read_text()  # it is seen
    subprocess.run(
        [*TRACER, str(traced), sys.executable, "-m", "logsense", *command],
        env=env, cwd=ROOT, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert not re.findall(r"AF_INET6?|AF_NETLINK.*sendto", traced.read_text())


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
def test_what_is_recorded_is_for_its_owner_alone(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run(
        [sys.executable, "-m", "logsense", "run", "sh", "-c", "echo a secret; exit 1"],
        env=env, cwd=ROOT, capture_output=True, check=False, preexec_fn=lambda: os.umask(0),
    )  # fmt: skip
    made = [path for path in (tmp_path / "state").rglob("*") if path.name != "logsense"]
    assert any("secret" in path.read_text(errors="replace") for path in made if path.is_file())
    runs = tmp_path / "state" / "logsense" / "runs"
    folders = [runs, *(path for path in runs.rglob("*") if path.is_dir()), tmp_path / "cache" / "logsense"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


REFUSED = {
    ("eval",), ("exec",), ("__import__",), ("os", "system"), ("os", "popen"), ("pickle", "load"), ("pickle", "loads"),
    ("marshal", "load"), ("shelve", "open"), ("yaml", "unsafe_load"), ("yaml", "full_load"), ("tempfile", "mktemp"),
}  # fmt: skip

# They read the user's own cache, after a checksum. marshal makes plain values and runs nothing, but may crash on damaged bytes.
OF_THE_CACHE = {("catalog", "stored.py"), ("util", "regexes.py")}


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_no_code_runs_what_it_reads(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = tuple(ast.unparse(node.func).split("."))
        assert name not in REFUSED, f"{path}:{node.lineno}"
        assert name != ("marshal", "loads") or path.parts[-2:] in OF_THE_CACHE, f"{path}:{node.lineno}"
        if name in {("yaml", "load"), ("yaml", "compose"), ("yaml", "parse")}:
            loader = [ast.unparse(one.value) for one in node.keywords if one.arg == "Loader"]
            assert loader, f"{path}:{node.lineno}"
            assert "Safe" in loader[0] or loader == ["_loader()"], f"{path}:{node.lineno}"
        shell = any(one.arg == "shell" for one in node.keywords)
        # In a notebook, `%%logsense` runs what the user typed into the cell.
        assert not shell or path.parent.name == "notebook", f"{path}:{node.lineno}"


def test_the_loader_of_yaml_makes_nothing_but_values(tmp_path: Path) -> None:
    from logsense.catalog.yaml_files import read_yaml

    made = tmp_path / "made"
    for text in (f"!!python/object/apply:os.mkdir [{made}]", f"!!python/object/new:os.mkdir [[{made}]]", "!own x"):
        (tmp_path / "a.yaml").write_text(text)
        data, problems = read_yaml(str(tmp_path / "a.yaml"))
        assert data is None
        assert problems
    assert not made.exists()


PAYLOADS = {
    "terminal": "\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b[2J\x1b[1;1H\x1b]8;;http://evil\x07x\x9b31m\x08\x08\r\u202egpj\u2066\u200b\u2028",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>&lt;b&gt;\"'><svg/onload=1>",
    "markdown": "![x](http://evil.example/a.png) [y](javascript:1) @everyone #1 ``` \n```\n# head\n| a |\n<details>",
    "workflow": "::error::forged\n::set-output name=a::b\n%0A::add-mask::x",
    "shell": "$(touch /tmp/owned)`id`';id;'\";id;\"",
}
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@pytest.mark.parametrize("kind", PAYLOADS)
@pytest.mark.parametrize("place", ["message", "path", "package"])
def test_a_hostile_log(kind: str, place: str, built_in_catalog: Catalog) -> None:
    payload = PAYLOADS[kind]
    last = {
        "message": f"ValueError: {payload}",
        "path": f"FileNotFoundError: [Errno 2] No such file or directory: '/data/{payload}/x.pt'",
        "package": f"ModuleNotFoundError: No module named '{payload}'",
    }[place]
    log = f'Traceback (most recent call last):\n  File "/home/{payload}/train.py", line 4, in f\n    f()\n{last}\n'
    report = explain_text(log.encode(), built_in_catalog, name=f"{payload}.log")
    written = {
        name: render(report, name, Look(verbose=True)) for name in ("text", "markdown", "github", "html", "json")
    }
    for name, text in written.items():
        assert not ACTS.search(text), name
    assert written["json"].isascii()
    assert not re.search(r"<script>alert|<img|<svg/", written["html"])  # it has a script of its own
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in written["github"].splitlines())
    page = MarkdownIt("commonmark").render(written["markdown"])
    assert not re.search(r"<script|<img|<svg|href=\"(?:http://evil|javascript)", page)
    runs = [fix.run for one in report.diagnoses for fix in one.fixes]
    runs += [check.run for one in report.diagnoses for check in one.decide]
    for run in filter(None, runs):
        assert "touch" not in _as_a_shell_runs_it(run), run


def _as_a_shell_runs_it(command: str) -> str:
    """The commands in `command`, without what stands between single quotes, which a shell does not look at."""
    return re.sub(r"'[^']*'", "''", command)
