"""Pods' logs by the real kubectl, from a server that answers as that of Kubernetes does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from logsense.util.errors import InputError
from tests.sources.stores.reading import read, sources_at, whole
from tests.sources.stores.serving import Query, Response, serving

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")
CONFIG = """
apiVersion: v1
kind: Config
clusters: [{{name: here, cluster: {{server: "http://{host}"}}}}]
contexts: [{{name: here, context: {{cluster: here, user: me}}}}, {{name: away, context: {{cluster: away, user: me}}}}]
users: [{{name: me, user: {{}}}}]
current-context: here
"""
RUNNING = {"running": {"startedAt": "2026-11-21T08:00:00Z"}}
KILLED = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-21T08:10:00Z"}}
WAITING = {"waiting": {"reason": "ImagePullBackOff"}}


def pod(name: str, phase: str, state: dict[str, Any], last: dict[str, Any] | None = None) -> dict[str, Any]:
    status = {
        "name": "main",
        "state": state,
        "lastState": last or {},
        "ready": False,
        "restartCount": 1 if last else 0,
        "image": "train:1",
        "imageID": "",
    }
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "labels": {"job-name": "train", "app": "train"}, "uid": name},
        "spec": {"containers": [{"name": "main", "image": "train:1"}], "nodeName": "node7"},
        "status": {"phase": phase, "containerStatuses": [status]},
    }  # fmt: skip


PODS = {
    "train-0": pod("train-0", "Running", RUNNING, KILLED),
    "train-1": pod("train-1", "Running", RUNNING),
    "gone-0": pod("gone-0", "Running", RUNNING, {"terminated": {"exitCode": 0}}),
    "train-2": pod("train-2", "Pending", WAITING),
}


def answer(asked: Query) -> Response:
    words = asked.path.strip("/").split("/")
    if words == ["api"]:
        return Response({"kind": "APIVersions", "versions": ["v1"]})
    if words == ["apis"]:
        return Response({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})
    if words == ["api", "v1"]:
        pods = {"name": "pods", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}
        events = {"name": "events", "namespaced": True, "kind": "Event", "verbs": ["get", "list"]}
        return Response({"kind": "APIResourceList", "groupVersion": "v1", "resources": [pods, events]})
    if words[:4] != ["api", "v1", "namespaces", "ml"]:
        return Response(failure(f"{asked.path} is forbidden", 403), 403)
    if words[4] == "events":
        return Response({"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": []})
    if len(words) == 5:
        return listed(asked)
    found = PODS.get(words[5])
    if found is None:
        return Response(failure(f'pods "{words[5]}" not found', 404), 404)
    if words[-1] != "log":
        return Response(found)
    assert asked.parameters["timestamps"] == "true"
    if words[5] == "gone-0" and "previous" in asked.parameters:
        return Response(failure("previous terminated container not found", 400), 400)
    run = "first" if asked.parameters.get("previous") == "true" else "second"
    return Response(f"2026-11-21T08:00:0{len(run) - 5}.123456789Z {words[5]} {run} run\n")


def listed(asked: Query) -> Response:
    """Two pods a page."""
    wanted = dict(part.split("=") for part in asked.parameters.get("labelSelector", "").split(",") if part)
    names = [
        name for name, one in PODS.items() if name != "gone-0" and wanted.items() <= one["metadata"]["labels"].items()
    ]
    begin = int(asked.parameters.get("continue") or 0)
    more = {"continue": str(begin + 2)} if begin + 2 < len(names) else {}
    return Response(
        {
            "kind": "PodList",
            "apiVersion": "v1",
            "metadata": more,
            "items": [PODS[name] for name in names[begin : begin + 2]],
        }
    )


def failure(message: str, code: int) -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": code}


@pytest.fixture(autouse=True)
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with serving(answer) as host:
        (tmp_path / "config").write_text(CONFIG.format(host=host))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
        monkeypatch.setenv("HOME", str(tmp_path))
        yield


@pytest.mark.slow
def test_each_container_and_what_it_said_before_its_restart() -> None:
    for address in ("kubectl://ml?selector=app=train", "kubectl://ml/job/train"):
        found = read(address)
        logs = {name.removeprefix("kubectl://ml"): lines for name, lines in found.items()}
        assert logs.pop("/train-0/main/previous") == ["2026-11-21T08:00:00.123456789Z train-0 first run"]
        assert logs.pop("/train-0/main") == ["2026-11-21T08:00:01.123456789Z train-0 second run"]
        assert logs.pop("/train-1/main") == ["2026-11-21T08:00:01.123456789Z train-1 second run"]
        assert set(logs) == {"/train-0/describe", "/train-2/describe"}
        assert any("OOMKilled" in line for line in logs["/train-0/describe"])


def test_a_log_that_is_gone_leaves_the_others() -> None:
    sources = {source.name: source for source in sources_at("kubectl://ml/gone-0")}
    assert [whole(source) for source in sources.values()] == ["", "2026-11-21T08:00:01.123456789Z gone-0 second run\n"]
    assert (
        sources["kubectl://ml/gone-0/main/previous"].note
        == "Error from server: previous terminated container not found"
    )


@pytest.mark.slow
def test_it_is_explained() -> None:
    command = [sys.executable, "-m", "logsense", "explain", "kubectl://ml/train-0", "--format", "json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert '"kubernetes.oom-killed"' in told or '"host-memory.' in told


@pytest.mark.slow
def test_wrong_use() -> None:
    for address, why in (
        ("kubectl://ml/none", 'pods "none" not found'),
        ("kubectl://other/x", "is forbidden"),
        ("kubectl://ml?selector=app=none", "there is no such pod"),
        ("kubectl://ml?context=none", 'context "none" does not exist'),
        ("kubectl://ml?namespace=x", "unknown option namespace; known are container, context, selector"),
        ("kubectl://ml/deployment/x", "only pods and jobs are supported"),
        ("kubectl://--all", "write kubectl://NAMESPACE/POD"),
        ("kubectl://ml/a/b/c", "write kubectl://NAMESPACE/POD"),
    ):
        with pytest.raises(InputError) as caught:
            read(address)
        assert why in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_kubectl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert not os.path.exists(tmp_path / "bin")
    with pytest.raises(InputError, match="can't read kubectl://ml/train-0: kubectl is not installed here"):
        read("kubectl://ml/train-0")
