"""No fix is for another framework, scheduler, back end or platform than the log shows, over samples of all messages."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from zlib import crc32

import pytest

from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.load import load_catalog
from logsense.catalog.signatures import decode_samples
from logsense.catalog.yaml_files import read_yaml
from logsense.model.report import Fix, Report
from logsense.pipeline import explain_text

PART = 32  # every so many messages are asked by default
NOTE = re.compile(r"\s#(?!SBATCH)[^\n]*")
FRAMEWORKS = {
    "pytorch": re.compile(r"\btorch\b|\btorchrun\b|\bDataLoader\("),
    "tensorflow": re.compile(r"\btensorflow\b|\btf\.|\bTF_[A-Z]"),
    "jax": re.compile(r"\bjax\b|\bjnp\.|\bXLA_PYTHON|\bJAX_"),
}
SCHEDULERS = {
    "slurm": re.compile(r"#SBATCH|\b(?:sbatch|srun|salloc|scontrol|sacct|sinfo|squeue|scancel)\b"),
    "kubernetes": re.compile(r"\bkubectl\b"),
}
LINUX_ONLY = re.compile(r"\bapt(?:-get)? |\bsudo |/dev/shm|\bdmesg\b")
SETS = re.compile(r"\bexport ((?:[A-Z_]+=\S+ ?)+)")
UNSETS = re.compile(r"\bunset ((?:[A-Z_]+ ?)+)")


class Asked(NamedTuple):
    """A message, a sample of it, and the report on that."""

    message: str
    text: str
    report: Report

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What the first diagnosis advises."""
        return self.report.diagnoses[0].fixes if self.report.diagnoses else ()

    @property
    def shown(self) -> set[str]:
        """The programs of the message and of the facts."""
        return {name.partition(".")[0] for name in (self.message, *self.report.facts)}

    def fact(self, name: str) -> object:
        """The value of a fact; None if it is not known."""
        fact = self.report.facts.get(name)
        return fact.value if fact else None


def ask(every: int) -> list[Asked]:
    """Reports on the first sample of one message in `every`, always the same ones."""
    catalog, root, asked = load_catalog(), built_in("corpus"), []
    for path, _ in listing(root):
        message = path.removesuffix(".yaml").replace(os.sep, ".")
        if os.path.basename(path).startswith("_") or crc32(message.encode()) % every:
            continue
        data, _ = read_yaml(os.path.join(root, path))
        sample = decode_samples(data, Problems())[0][0].text
        asked.append(Asked(message, sample, explain_text(sample.encode(), catalog)))
    return asked


@pytest.fixture(scope="module", params=[PART, pytest.param(1, marks=pytest.mark.whole)])
def asked(request: pytest.FixtureRequest) -> list[Asked]:
    """Reports on samples: of some messages, or of all."""
    found = ask(request.param)
    assert len(found) > 50
    return found


def body(fix: Fix) -> str:
    """The command without the notes behind it."""
    return NOTE.sub("", fix.run or "")


def test_frameworks(asked: list[Asked]) -> None:
    wrong = [
        (one.message, body(fix))
        for one in asked
        for name, words in FRAMEWORKS.items()
        if one.fact("framework") in FRAMEWORKS.keys() - {name}
        for fix in one.fixes
        if words.search(body(fix)) and not FRAMEWORKS[str(one.fact("framework"))].search(body(fix))
    ]
    assert wrong == []


def test_platforms(asked: list[Asked]) -> None:
    wrong = [
        (one.message, fix.run)
        for one in asked
        if one.fact("log.system") in ("windows", "macos")
        for fix in one.fixes
        if LINUX_ONLY.search(body(fix)) and "wsl" not in (fix.do + body(fix)).lower()
    ]
    assert wrong == []


def test_schedulers(asked: list[Asked]) -> None:
    wrong = [
        (one.message, body(fix))
        for one in asked
        for name, words in SCHEDULERS.items()
        if name not in one.shown and name not in one.text.lower()
        for fix in one.fixes
        if words.search(body(fix))
    ]
    assert wrong == []


def test_back_ends(asked: list[Asked]) -> None:
    wrong = [
        (one.message, body(fix))
        for one in asked
        if one.message.partition(".")[0] in ("gloo", "openmpi", "mpich", "ucx", "oneccl", "ascend", "habana", "mlx")
        and "nccl" not in one.text.lower()
        for fix in one.fixes
        if re.search(r"\bNCCL_[A-Z0-9_]+=", body(fix))
    ]
    assert wrong == []


def test_fixes_do_not_undo_each_other(asked: list[Asked]) -> None:
    wrong = []
    for one in asked:
        unset: dict[str, str] = {}
        for fix in one.fixes:
            for name in (name for found in UNSETS.findall(body(fix)) for name in found.split()):
                unset.setdefault(name, fix.do)
            sets = {name.partition("=")[0] for found in SETS.findall(body(fix)) for name in found.split()}
            wrong += [
                (one.message, name)
                for name in sets
                if name in unset and unset[name] != fix.do and not fix.do.startswith(("Or ", "With "))
            ]
    assert wrong == []
