"""Write the file of a message, as far as it can be known, from a line that someone pasted."""

from __future__ import annotations

import re

from logsense.authoring.references import walk
from logsense.catalog.decode import Problems
from logsense.records.records import records

# What is turned into slots, in this order; the first that fits a place wins.
_SLOTS = [
    ("path", r"(?<![\w/])(?:/[\w.@+-]+){2,}/?|[A-Z]:\\[\w.\\ -]+\w"),
    ("shape", r"torch\.Size\(\[[\d, ]*\]\)|\[\d+(?:, ?\d+)+\]"),
    ("size", r"\b\d+(?:\.\d+)? ?(?:[KMGT]i?B|bytes)\b"),
    ("duration", r"\b\d+(?:\.\d+)? ?(?:ms|milliseconds|seconds|minutes)\b"),
    ("pci", r"\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.\d)?\b"),
    ("ip", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"),
    ("hex", r"\b0x[0-9a-fA-F]+\b"),
    ("version", r"\b\d+\.\d+\.\d+(?:\+\w+)?\b"),
    ("float", r"(?<![\w.])\d+\.\d+(?:e-?\d+)?(?![\w.])"),
    ("int", r"(?<![\w.])\d+(?![\w.])"),
]
_ANY = re.compile("|".join(f"(?P<{kind}>{regex})" for kind, regex in _SLOTS))


def skeleton(line: str) -> tuple[str, str]:
    """Return the name and content of a file for the message in `line`, to be completed by a person."""
    found = records(line.encode(), source="paste")
    raised = found[-1].raised if found else None
    text = (raised.message if raised and raised.message else found[-1].text if found else line).strip().split("\n")[0]
    template, captures = _template(text)
    name = "-".join(re.findall(r"[a-z]+", re.sub(r"\{[^}]*\}", " ", template.lower()))[:5]) or "message"
    content = _MESSAGE.format(
        name=name,
        template=_quoted(template),
        text=_quoted(line.strip()),
        captures=", ".join(f"{key}: {_quoted(value)}" for key, value in captures.items()),
    )
    return f"corpus/PROGRAM/{name}.yaml", content


def _template(text: str) -> tuple[str, dict[str, str]]:
    captures: dict[str, str] = {}
    parts: list[str] = []
    at = 0
    for found in _ANY.finditer(text):
        kind = found.lastgroup or "text"
        name = kind if kind not in captures else f"{kind}{sum(key.startswith(kind) for key in captures) + 1}"
        captures[name] = found[0]
        parts += [text[at : found.start()].replace("{", "{{").replace("}", "}}"), f"{{{name}:{kind}}}"]
        at = found.end()
    parts.append(text[at:].replace("{", "{{").replace("}", "}}"))
    return "".join(parts), captures


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


_MESSAGE = """\
id: PROGRAM.{name}
title: WHAT THE MESSAGE SAYS, IN A FEW WORDS
kind: failure        # failure | consequence | hint | fact | progress | checkpoint | start | end | noise
printed_by: ADDRESS OF THE SOURCE FILE THAT PRINTS IT
match: {template}
means:
  - cause: FAMILY.CAUSE   # one of `logsense causes`
    strength: shows       # states | shows | points_to | suggests | allows
    says: WHAT THIS LINE PROVES
    explain: WHY THE RUN FAILED, IN ONE OR TWO SENTENCES, WITH {{slot}} OR {{fact}} PLACEHOLDERS
    fixes:
      - do: WHAT TO DO FIRST
        run: A COMMAND
        risk: none
samples:
  positive:
    - text: {text}
      captures: {{{captures}}}
      from: "PROGRAM VERSION"
    - text: ANOTHER ONE, WITH OTHER VALUES
      captures: {{}}
      from: "PROGRAM VERSION"
  negative:
    - text: A TEXT THAT LOOKS LIKE IT
      because: WHY IT IS NOT THIS MESSAGE
examples:
  - name: THE PLAIN CASE
    log: {text}
    first: FAMILY.CAUSE
"""

_VALUE = re.compile(r'(?m)[:-] "?([A-Z][^"\n#]*?)"?\s*(?:#.*)?$')
_PLACEHOLDERS = frozenset(found[1].replace("{{", "{").replace("}}", "}") for found in _VALUE.finditer(_MESSAGE))


def check_placeholders(data: object, problems: Problems) -> None:
    """Note each text in `data`, the content of a file, that a person was to replace in its skeleton."""
    for path, value in walk(data):
        if isinstance(value, str) and value in _PLACEHOLDERS:
            problems.add(path, f"replace {value}")
