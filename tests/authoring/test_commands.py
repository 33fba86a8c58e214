"""Commands of rules: what destroys stands alone, is no check, and its risk is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logsense.authoring.commands import TABLE, weigh
from logsense.authoring.lint import lint
from logsense.catalog.files import built_in
from logsense.catalog.load import load_catalog
from logsense.model.rule import Table
from tests.conftest import Write
from tests.demo import FILES

RULE = "rules/memory/capacity.yaml"


@pytest.fixture(scope="module")
def table() -> Table:
    found = load_catalog().table(TABLE)
    assert found
    return found


@pytest.mark.parametrize(
    "command",
    [
        "nvidia-smi -r -i 0 || sudo reboot",
        "sudo apt-get install -y driver && sudo reboot",
        "sudo apt-get purge -y '^nvidia-.*' && sudo apt-get autoremove -y",
        "ls -l FILE; rm FILE; wget URL",
        "find . -name '*.cache' -delete; ls",
        "df -h; find . -name '*.cache' -exec rm {} +",
        "ls *.o | xargs rm -f; make",
        "nvidia-smi && kill 41234",
        "nvidia-smi\nkill 41234",
        "pgrep -af train   # then: kill PID",
        "pip install x   # or: sudo rm -rf /opt/x",
        "sudo sed -i 's/a/b/' /etc/default/grub && sudo update-grub",
        "sudo chown -R me DIR || chmod -R u+w DIR",
        "ssh node7 'nvidia-smi; sudo reboot'",
        "sh -c 'ls && rm -r DIR'",
        "ls $(rm -r DIR)",
        "sudo systemctl stop manager && sudo nvidia-smi --gpu-reset",
        "sudo rmmod nvidia; sudo modprobe nvidia",
        "squeue; scancel 41",
        "docker system df; docker system prune -f",
        "kubectl get pods; kubectl delete pod POD",
        "lsblk; sudo mkfs.ext4 /dev/nvme1n1",
        "cat x; truncate -s 0 x",
        "uname -m; python -m venv --clear venv && . venv/bin/activate",
        "du -sh x; python -c 'import shutil; shutil.rmtree(\"x\")'",
    ],
)
def test_what_destroys_beside_something_else_is_found(table: Table, command: str) -> None:
    destroys, alone, _ = weigh(command, table)
    assert destroys
    assert not alone


@pytest.mark.parametrize(
    ("command", "risks"),
    [
        ("sudo reboot", {"needs-admin", "reboots"}),
        ("P=PCI:0000:3b:00; sudo nvidia-smi -r -i \"${P#PCI:}.0\"", {"needs-admin", "stops-others"}),
        ("kill 41234", {"stops-others"}),
        ("rm -r ~/.cache/x   # it comes again", {"data-loss"}),
        ("find . -name '*.pyc' -delete", {"data-loss"}),
        ("ls *.o | xargs rm -f", {"data-loss"}),
        ("sudo chown -R me DIR", {"needs-admin", "data-loss"}),
        ("CUDA_VISIBLE_DEVICES=0 sudo systemctl restart docker", {"needs-admin", "stops-others"}),
    ],
)  # fmt: skip
def test_what_destroys_alone_has_its_risks(table: Table, command: str, risks: set[str]) -> None:
    destroys, alone, found = weigh(command, table)
    assert destroys
    assert alone
    assert found == risks


@pytest.mark.parametrize(
    ("command", "risks"),
    [
        ("docker run --rm --gpus all image nvidia-smi; ls", set()),
        ("dmesg -T | grep -iE 'reset|reboot|kill' | tail; last reboot", set()),
        ("sed -i.bak 's/a/b/' train.cfg; python train.py", set()),
        ("mv build build.old; python setup.py build_ext", set()),
        ("kill -0 41; nvidia-smi nvlink -e; systemctl status docker", set()),
        ("systemctl --user restart job; ls", set()),
        ("import os; os.kill(os.getpid(), 9)   # or the menu: Runtime, Restart", set()),
        ("it's a line of no shell; ls", set()),
        ("sudo apt-get update && sudo apt-get install -y gcc", {"needs-admin"}),
        ("ssh node7 'sudo dmesg'; ls", {"needs-admin"}),
        ("echo x | tee /etc/modprobe.d/x.conf", {"needs-admin"}),
    ],
)  # fmt: skip
def test_what_destroys_nothing(table: Table, command: str, risks: set[str]) -> None:
    destroys, _, found = weigh(command, table)
    assert not destroys
    assert found == risks


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('run: "demo --memory', 'run: "ls; reboot; demo --memory', ":19:5: reboot destroys, so it must be a command of its own"),
        ('run: "demo --memory', 'run: "sudo demo --memory', ":21:5: risk leaves out needs-admin of sudo demo"),
        ('run: "demo --memory', 'run: "demo -i --memory', ""),
        ('run: "demo --memory {mem.free}', 'run: "ls; {mem.free} --help', ":19:5: a value of the log would be run"),
        ('run: "demo --memory {mem.free}', 'run: "ssh node7 \'ls; {mem.free} x\'', ":19:5: a value of the log would be run"),
        ('run: "demo --memory {mem.free}', 'run: "demo > out/{mem.free}', ":19:5: a value of the log would name a file"),
        ('run: "demo --memory {mem.free}', 'run: "A={mem.free} demo; ls {mem.free}', ""),
        ("  - do: Look at the memory.\n    run: demo --memory-report", '  - do: Look.\n    run: "rm -r x"', ":27:5: rm destroys, so it is no check"),
        ("  - do: Look at the memory.\n    run: demo --memory-report", '  - do: Look.\n    run: "ls -l x"', ""),
    ],
)  # fmt: skip
def test_lint_tells_it_of_rules(write_catalog: Write, old: str, new: str, expected: str) -> None:
    rule = FILES[RULE]
    assert old in rule
    risks = Path(built_in("rules"), "_tables", f"{TABLE}.yaml").read_text(encoding="utf-8")
    write_catalog({**FILES, RULE: rule.replace(old, new), f"rules/_tables/{TABLE}.yaml": risks})
    found = [f":{p.line}:{p.column}: {p.sentence}" for p in lint() if re.search("destroys|risk|value of", p.sentence)]
    assert any(one.startswith(expected) for one in found) if expected else not found, found
