"""Read the logs of a job's pods through kubectl, which knows the cluster and credentials.

kubectl://NAMESPACE/POD, kubectl://NAMESPACE/job/NAME, kubectl://NAMESPACE?selector=app=train. Each container is a log,
and so is its output before its last restart, and the description of each pod in trouble.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import Any
from urllib.parse import quote

from logsense.model.source import Raw, Source
from logsense.sources.file import opened
from logsense.sources.folder import natural
from logsense.sources.stores.address import parse
from logsense.sources.stores.json_paths import inside, objects
from logsense.sources.stores.printed import CommandOutput, output_of
from logsense.util.errors import InputError

OPTIONS = ("selector", "container", "context", "since", "tail")
MOST_PODS, MOST_DESCRIBED = 10_000, 16
KINDS = ("initContainerStatuses", "containerStatuses")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


def logs_at(address: str) -> list[Source]:
    """Return a log for each container of the pods that the address names. Raise InputError if there are none."""
    place = parse(address, OPTIONS)
    words = [place.base, *(word for word in place.path.split("/") if word)]
    if len(words) > 3 or not all(map(_NAME.fullmatch, words)):
        raise InputError(f"can't read {place.name}: write kubectl://NAMESPACE/POD or kubectl://NAMESPACE/job/NAME")
    kubectl = ["kubectl", *([f"--context={place.options['context']}"] if "context" in place.options else [])]
    pods = _pods(kubectl, place.name, words, place.options.get("selector", ""))
    only = ["--timestamps"]
    only += [f"--{name}={place.options[name]}" for name in ("since", "tail") if name in place.options]
    commands: dict[str, list[str]] = {}
    for pod, container, previous in _containers(pods, place.options.get("container", "")):
        command = [*kubectl, "logs", f"--namespace={words[0]}", pod, f"--container={container}", *only]
        name = f"kubectl://{words[0]}/{pod}/{container}"
        commands[f"{name}/previous" if previous else name] = [*command, "--previous"] if previous else command
    for pod in [_named(pod) for pod in pods if _has_trouble(pod)][:MOST_DESCRIBED]:
        commands[f"kubectl://{words[0]}/{pod}/describe"] = [*kubectl, "describe", "pod", f"--namespace={words[0]}", pod]
    if not commands:
        raise InputError(f"no logs in {place.name}: no container has started")
    return [Source(name, None, partial(_open, command, len(commands) == 1)) for name, command in commands.items()]


def _open(command: Sequence[str], only_log: bool, source: Source) -> Raw:
    """Return a reader of what `command` prints; of several logs, an unreadable one gets a note instead of an error."""
    try:
        return opened(CommandOutput(command, source), source)
    except InputError as error:
        if only_log:
            raise
        source.note = str(error).removeprefix(f"can't read {source.name}: ")
        return BytesIO()


def _pods(kubectl: Sequence[str], name: str, words: Sequence[str], selector: str) -> list[dict[str, Any]]:
    path = f"/api/v1/namespaces/{words[0]}/pods"
    if len(words) == 3:
        if words[1] not in ("job", "jobs"):
            raise InputError(f"can't read {name}: only pods and jobs are supported; use ?selector=")
        selector = ",".join(part for part in (f"job-name={words[2]}", selector) if part)
    elif len(words) == 2:
        pod = _answer([*kubectl, "get", "--raw", f"{path}/{words[1]}"], name)
        return [pod]
    found: list[dict[str, Any]] = []
    more = ""
    while True:
        question = f"{path}?limit=500&labelSelector={quote(selector)}&continue={quote(more)}"
        answer = _answer([*kubectl, "get", "--raw", question], name)
        found += [pod for pod in objects(answer, "items") if _NAME.fullmatch(_named(pod))]
        more = str(inside(answer, "metadata", "continue") or "")
        if not more or len(found) >= MOST_PODS:
            break
    if not found:
        raise InputError(f"no logs in {name}: there is no such pod")
    return sorted(found, key=lambda pod: natural(_named(pod)))


def _answer(command: Sequence[str], name: str) -> dict[str, Any]:
    try:
        found = json.loads(output_of(command, name))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"can't read {name}: kubectl's response is not JSON")
    return found


def _named(pod: dict[str, Any]) -> str:
    return str(inside(pod, "metadata", "name") or "")


def _has_trouble(pod: dict[str, Any]) -> bool:
    """Return whether `pod` failed, waits, or has a container that ended with a non-zero status."""
    ended = any(
        inside(one, state, "terminated", "exitCode")
        for kind in KINDS
        for one in objects(pod, "status", kind)
        for state in ("state", "lastState")
    )
    return ended or inside(pod, "status", "phase") in ("Failed", "Pending", "Unknown")


def _containers(pods: Sequence[dict[str, Any]], only: str) -> Iterator[tuple[str, str, bool]]:
    """Yield pod and container of each log, and whether it is the one before the last restart, which comes first."""
    for pod in pods:
        for one in [one for kind in KINDS for one in objects(pod, "status", kind)]:
            name = str(one.get("name"))
            if (only and name != only) or not _NAME.fullmatch(name):
                continue
            if inside(one, "lastState", "terminated"):
                yield _named(pod), name, True
            if inside(one, "state", "running") or inside(one, "state", "terminated"):
                yield _named(pod), name, False
