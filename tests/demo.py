"""A small catalog that tests of several stages share: a program called demo, and two causes of its failures."""

from __future__ import annotations

from pathlib import Path


def signature(name: str, kind: str, match: str, more: str = "") -> str:
    """Return a corpus file for one message of the program demo."""
    return f"""
id: demo.{name}
title: demo says {name}
kind: {kind}
printed_by: https://example.org/{name}
match: "{match}"
{more}
"""


CORPUS = {
    "corpus/demo/_program.yaml": "title: Demo\nframework: demonet\npaths: [site-packages/demo/]\n",
    "corpus/demo/full.yaml": signature(
        "full", "failure", "memory full: asked {asked:size} of {total:size}, free {free:size}",
        "facts: {mem.asked: asked, mem.total: total, mem.free: free}",
    ),
    "corpus/demo/lost.yaml": signature("lost", "failure", "lost the device {gpu:int}"),
    "corpus/demo/peer.yaml": signature("peer", "consequence", "peer {rank:int} went away"),
    "corpus/demo/summary.yaml": signature("summary", "consequence", "launcher: all ranks failed", "ends_run: true"),
    "corpus/demo/ended.yaml": signature("ended", "failure", "scheduler: time is up", "ends_run: true"),
    "corpus/demo/old.yaml": signature("old", "hint", "driver {version:version} is old", "facts: {driver.version: version}"),
    "corpus/demo/step.yaml": signature("step", "progress", "step {step:int} loss {loss:float}"),
    "corpus/demo/bar.yaml": signature("bar", "progress", "loop {step:int}/{steps:int} [{elapsed:duration}<"),
    "corpus/demo/use.yaml": signature("use", "progress", "using {memory:size} in epoch {epoch:int}"),
    "corpus/demo/saved.yaml": signature("saved", "checkpoint", "saved step {step:int} to {path:path}"),
    "corpus/demo/begin.yaml": signature("begin", "start", "demo begins a run"),
    "corpus/demo/done.yaml": signature("done", "end", "demo is done"),
    "corpus/demo/chatter.yaml": signature("chatter", "noise", "harmless chatter", "says: it is only chatter"),
}  # fmt: skip

FACTS = """
mem.asked: {type: bytes, title: asked}
mem.total: {type: bytes, title: total}
mem.free: {type: bytes, title: free}
mem.used: {type: bytes, title: used, derive: {difference: [mem.total, mem.free]}}
mem.share: {type: ratio, title: share, derive: {ratio: [mem.used, mem.total]}}
driver.version: {type: version, title: driver}
driver.cuda: {type: version, title: CUDA, derive: {lookup: drivers, where: {driver: driver.version}, give: cuda}}
"""

TABLE = """
title: Drivers
dated: 2026-11-20
source: https://example.org/drivers
columns: {driver: version, cuda: version}
rows:
  - {driver: "470", cuda: "11.4"}
  - {driver: "550", cuda: "12.4"}
"""

CAPACITY = """
cause: memory.capacity
title: "Memory is full"
arguments:
  - id: full
    when: [{found: demo.full}]
    strength: suggests
    says: "{mem.asked} was asked for"
evidence:
  - when: [{fact: mem.share, at_least: 90%}]
    strength: confirms
    says: "{mem.used} of {mem.total} was used"
  - when: [{found: demo.old}]
    strength: doubts
    says: "the driver {driver.version} knows only CUDA {driver.cuda}"
explain: ["{mem.nothing} is not known", "There were {mem.free} left."]
fixes:
  - do: "Ask for less than {anchor.asked}."
    run: "demo --memory {mem.free}"
    why: it fits then
    risk: none
  - do: Only for another framework.
    risk: none
    when: [{framework: other}]
decide:
  - do: Look at the memory.
    run: demo --memory-report
references: [https://example.org/memory]
examples:
  - {name: full, log: "memory full: asked 2 GiB of 8 GiB, free 1 GiB", expect: first}
  - {name: lost, log: "lost the device 1", expect: silent}
"""

PHASES = """
- {phase: saving, says: while saving, when: [{frame: save}]}
- {phase: training, says: during training, when: [{fact: log.last_step, known: true}]}
"""

DEVICE = """
cause: hardware.lost
title: "Device {anchor.gpu} is gone"
arguments:
  - id: lost
    when: [{found: [demo.lost, demo.peer]}]
    strength: points_to
explain: It went away.
fixes: [{do: Reset it., risk: needs-admin}]
rerun:
  - {when: [{fact: log.last_step, at_least: 5}], class: chance, why: "it went well until step {log.last_step}"}
  - machine
references: [https://example.org/device]
examples:
  - {name: lost, log: "lost the device 1", expect: first}
  - {name: chatter, log: "harmless chatter", expect: silent}
"""

RERUNS = """
- {class: deterministic, verdict: fix-first, why: fix it}
- {class: chance, verdict: retry, why: try again}
- {class: machine, verdict: other-node, when: [{fact: log.last_step, at_least: 3}], why: "go elsewhere after step {log.last_step}"}
- {class: machine, verdict: other-node, why: go elsewhere}
"""

ALARM_WORDS, UNKNOWN = "rules/_tables/alarm-words.yaml", "rules/_unknown.yaml"
FILES = {
    **CORPUS,
    **{name: (Path(__file__).parent.parent / name).read_text() for name in (ALARM_WORDS, UNKNOWN)},
    "rules/_causes.yaml": "memory: {capacity: too little}\nhardware: {lost: gone}\n",
    "rules/_reruns.yaml": RERUNS,
    "rules/_phases.yaml": PHASES,
    "rules/_facts/demo.yaml": FACTS,
    "rules/_tables/drivers.yaml": TABLE,
    "rules/memory/capacity.yaml": CAPACITY,
    "rules/hardware/lost.yaml": DEVICE,
}
