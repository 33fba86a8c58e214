"""The shapes of a log: what loggers, launchers, viewers and clipboards make of it.

Every shape turns the lines of a log into a text with the same content. The diagnosis must not depend on the shape.
"""

from __future__ import annotations

import html
import json
import quopri
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta, timezone

Shape = Callable[[list[str]], str]

_BEGIN = datetime(2026, 3, 7, 22, 58, 31, 123456, tzinfo=timezone.utc)
_RAISED = re.compile(r"((?:\w+\.)*\w*(?:Error|Exception)): (.*)")
RULE = "───────{}" + "─" * 60 + "\n"
RED, BOLD, RESET = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def _prefixed(prefix: Callable[[int], str]) -> Shape:
    def shape(lines: list[str]) -> str:
        return _text(prefix(number) + line for number, line in enumerate(lines))

    return shape


def _stamped(pattern: str) -> Callable[[int], str]:
    """Return a prefix with a time that increases a little with every line; {ms} and {us} are filled in."""

    def prefix(number: int) -> str:
        at = _BEGIN + timedelta(milliseconds=37 * number)
        shown = at.strftime(pattern)
        return shown.replace("{ms}", f"{at.microsecond // 1000:03d}").replace("{us}", f"{at.microsecond:06d}")

    return prefix


def _always(prefix: str) -> Callable[[int], str]:
    return lambda _: prefix


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _each(change: Callable[[str], str]) -> Shape:
    return lambda lines: _text(map(change, lines))


def _pieces(line: str, width: int) -> Iterator[str]:
    yield from (line[at : at + width] for at in range(0, max(1, len(line)), width))


def _wrapped(width: int) -> Shape:
    return lambda lines: _text(piece for line in lines for piece in _pieces(line, width))


def _between_words(width: int, mark: str = "") -> Shape:
    def wrap(line: str) -> list[str]:
        return textwrap.wrap(line, width, replace_whitespace=False, expand_tabs=False, break_on_hyphens=False) or [""]

    return lambda lines: _text(mark + piece for line in lines for piece in wrap(line))


def _replaced(*pairs: tuple[str, str]) -> Shape:
    rules = [(re.compile(old), new) for old, new in pairs]

    def change(line: str) -> str:
        for old, new in rules:
            line = old.sub(new, line)
        return line

    return _each(change)


def _colored(line: str) -> str:
    """Color a line as a highlighting console does: exception names, numbers and paths."""
    line = re.sub(r"^(\w[\w.]*(?:Error|Exception|Warning))(?=:)", f"{BOLD}{RED}\\1{RESET}", line)
    line = re.sub(r'"(/[^"]*)"', f'"{RED}\\1{RESET}"', line)
    line = re.sub(r"\b(line) (\d+)", f"\\1 {RED}\\2{RESET}", line)
    return line + "\x1b[K"


def _docker_json(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}789Z")
    return _text(
        json.dumps({"log": line + "\n", "stream": "stderr", "time": stamp(at)}) for at, line in enumerate(lines)
    )


def _csv(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}Z")
    rows = [f'{stamp(at)},train-0,"{line.replace(chr(34), 2 * chr(34))}"' for at, line in enumerate(lines)]
    return _text(["@timestamp,kubernetes.pod.name,message", *rows])


def _hits(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}Z")
    return _text(
        json.dumps({"_index": "logs", "_source": {"@timestamp": stamp(at), "message": line}})
        for at, line in enumerate(lines)
    )


def _ansible(lines: list[str]) -> str:
    return f'fatal: [node07]: FAILED! => {{\n    "rc": 1,\n    "stderr_lines": {json.dumps(lines, indent=8)}\n}}\n'


def _tagged(pattern: str) -> Shape:
    """Return JSON objects after a time and a tag."""

    def shape(lines: list[str]) -> str:
        front, _, behind = pattern.partition("{object}")
        stamp = _stamped(front.replace("{{}}", "{}"))
        objects = (json.dumps({"stream": "stderr", "log": line}) for line in lines)
        return _text(stamp(at) + one + behind for at, one in enumerate(objects))

    return shape


def _rubydebug(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{ms}Z")
    entries = (
        f'{{\n      "@timestamp" => {stamp(at)},\n         "message" => {json.dumps(line)},\n}}\n'
        for at, line in enumerate(lines)
    )
    return "".join(entries)


def _powershell(lines: list[str]) -> str:
    """Wrap the first line on standard error as PowerShell does, which takes it for its own error."""
    at = next((at for at, line in enumerate(lines) if line.startswith("Traceback")), 0)
    decoration = (
        "At C:\\train\\run.ps1:3 char:1\n+ & python train.py *> log.txt\n+ ~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        f"    + CategoryInfo          : NotSpecified: ({lines[at][:50]}:String) [], RemoteException\n"
        "    + FullyQualifiedErrorId : NativeCommandError\n \n"
    )
    return _text(lines[:at]) + f"python.exe : {lines[at]}\n{decoration}" + _text(lines[at + 1 :])


def _copied_by_vscode(lines: list[str]) -> str:
    raised = next((found for line in reversed(lines) if (found := _RAISED.match(line))), None)
    name, message = (raised[1], raised[2]) if raised else ("Error", "")
    return json.dumps({"name": name, "message": message, "stack": "\n".join(lines)}, indent="\t") + "\n"


def _header_lost(lines: list[str]) -> str:
    """Lose the first header of a traceback, as a copy does that begins one line too late."""
    at = next((at for at, line in enumerate(lines) if line.startswith("Traceback")), None)
    return _text(line for number, line in enumerate(lines) if number != at)


def _backwards(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}Z ")
    return _text([stamp(at) + line for at, line in enumerate(lines)][::-1])


def _backwards_entries(lines: list[str]) -> str:
    """Put the newest entry first, with multi-line entries upright, as a store that keeps entries together."""
    stamp = _stamped("%Y-%m-%d %H:%M:%S,{ms} ")
    entries: list[str] = []
    for at, line in enumerate(lines):
        goes_on = not line or line[0] in " \t" or "Error" in line[:30] or line.startswith(("During", "The above"))
        if entries and goes_on:
            entries[-1] += f"\n{line}"
        else:
            entries.append(stamp(at) + line)
    return _text(entries[::-1])


def _backwards_table(lines: list[str]) -> str:
    head, *rows = _csv(lines).splitlines(keepends=True)
    return "".join([head, *rows[::-1]])


def _backwards_json(lines: list[str]) -> str:
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}Z")
    entries = [{"content": {"timestamp": stamp(at), "message": line}} for at, line in enumerate(lines)]
    return json.dumps(entries[::-1])


def _answer(lines: list[str]) -> str:
    begin = int(_BEGIN.timestamp()) * 10**9
    values = [[str(begin + 37_000_000 * at), line] for at, line in enumerate(lines)]
    streams = [{"stream": {"job": "train"}, "values": values[::-1]}]
    return json.dumps({"status": "success", "data": {"resultType": "streams", "result": streams}})


def _events(lines: list[str]) -> str:
    begin = int(_BEGIN.timestamp()) * 1000
    events = [{"timestamp": begin + 37 * at, "message": line} for at, line in enumerate(lines)]
    return json.dumps({"events": events[::-1]}, indent=4)


def _cast(lines: list[str], size: int = 97) -> str:
    """Return an asciinema recording, in pieces of `size` characters, cut anywhere."""
    text = "".join(f"{line}\r\n" for line in lines)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    header = {"version": 2, "width": 120, "height": 40, "timestamp": 1772924311, "env": {"TERM": "xterm-256color"}}
    events = ([round(0.037 * at, 6), "o", piece] for at, piece in enumerate(pieces))
    return _text(map(json.dumps, [header, [0.0, "r", "120x40"], *events, [9.5, "i", "exit\r"]]))


def _section(begin: str, end: str) -> Shape:
    """Put the log between GitLab's section marks; {} is their control code, which copying loses."""
    return lambda lines: _text([f"{begin}$ python train.py", *lines, f"{end}ERROR: Job failed: exit code 1"])


def _halved(lines: list[str]) -> str:
    """Split each line in two parts after GitLab's time and stream: the first word, and the rest."""
    stamp = _stamped("%Y-%m-%dT%H:%M:%S.{us}Z ")
    parted = (re.split(r"(?<=\S\s)", line, maxsplit=1) for line in lines)
    return _text(
        f"{stamp(at)}01E{'+' if number else ' '}{part}"
        for at, parts in enumerate(parted)
        for number, part in enumerate(parts)
    )


def _spread(line: str) -> str:
    return line + "\n" if line.strip() else line


HOSTS = (r"\b(?:localhost|node-?\d+|gpu-?\d+|worker-?\d+|host-?\d+)\b(?!=)", "ip-10-11-12-13")
PATHS = (r"(?<![\w./:])/(?:home|root|usr|opt|tmp|data|mnt|workspace|app)/(?=\w)", "/lustre/fsw/ml-team_7/")
PIDS = (r"\b(pid[ =:]{1,2})\d+", r"\g<1>4194301")
ADDRESSES = (r"\b0x[0-9a-f]{6,16}\b", "0x7fd3c0ffee40")
IPS = (r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?=[:\]/ ,)])", "10.77.3.254")
CLOCKS = (r"\b\d\d:\d\d:\d\d\b(?=[.,]\d{3}|\]| )", "03:14:15")
DATES = (r"\b20\d\d-\d\d-\d\d(?=[ T]\d\d:)", "2031-12-30")

SAME_WORDS: dict[str, Shape] = {
    "hosts": _replaced(HOSTS),
    "paths": _replaced(PATHS),
    "pids": _replaced(PIDS),
    "addresses": _replaced(ADDRESSES, IPS),
    "clocks": _replaced(CLOCKS, DATES),
}
BYTES: dict[str, Shape] = {
    "crlf": lambda lines: "".join(f"{line}\r\n" for line in lines),
    "byte order mark": lambda lines: "\ufeff" + _text(lines),
    "no last newline": lambda lines: _text(lines).rstrip("\n"),
    "trailing blanks": _each(lambda line: line.ljust(100)),
    "hard spaces": _each(lambda line: re.sub("^ +", lambda found: "\xa0" * len(found[0]), line)),
    "tabs": _each(lambda line: re.sub("^(?:    )+", lambda found: "\t" * (len(found[0]) // 4), line)),
    "blank lines doubled": _each(_spread),
    "blank lines lost": lambda lines: _text(line for line in lines if line.strip()),
    "red": _each(lambda line: f"{RED}{line}{RESET}"),
    "highlighted": _each(_colored),
    "lost colours": _each(lambda line: f"[31m{line}[0m"),
    "wrapped at 80": _wrapped(80),
    "wrapped at 120": _wrapped(120),
    "wrapped at 132": _wrapped(132),
    "wrapped at 157": _wrapped(157),
    "wrapped at 200": _wrapped(200),
    "wrapped at 120, filled up": lambda lines: _text(
        piece.ljust(120) for line in lines for piece in _pieces(line, 120)
    ),
    "wrapped between words at 72": _between_words(72),
    "wrapped between words at 100": _between_words(100),
}
PASTED: dict[str, Shape] = {
    "quoted": _each(lambda line: f"> {line}".rstrip()),
    "quoted twice": _each(lambda line: f"> > {line}".rstrip()),
    "indented by 4": _each(lambda line: f"    {line}".rstrip()),
    "indented by a tab": _each(lambda line: f"\t{line}".rstrip()),
    "fenced": lambda lines: f"It fails:\n\n```\n{_text(lines)}```\n\nAny idea?\n",
    "fenced, indented": lambda lines: (
        f"1. I ran it:\n\n   ```console\n   $ python train.py\n{_text('   ' + line for line in lines)}   ```\n"
    ),
    "fenced, quoted": lambda lines: _text(f"> {line}" for line in ["```python", *lines, "```"]),
    "details": lambda lines: f"<details><summary>log</summary>\n\n```\n{_text(lines)}```\n</details>\n",
    "html": lambda lines: f"<pre>{html.escape(_text(lines))}</pre>\n",
    "numbered": lambda lines: _text(f"{number:>5}  {line}" for number, line in enumerate(lines, 1)),
    "grep -n": lambda lines: _text(f"{number}:{line}" for number, line in enumerate(lines, 1)),
    "grep -Hn": lambda lines: _text(f"logs/train.log:{number}:{line}" for number, line in enumerate(lines, 1)),
    "added in a diff": _each(lambda line: f"+{line}"),
    "commented out": _each(lambda line: f"# {line}".rstrip()),
    "indentation lost": _each(str.strip),
    "curly quotes": _each(lambda line: line.replace("'", "’").replace('"', "”")),
    "typographer's quotes": _each(lambda line: re.sub(r'"([^"]*)"', "„\\1“", line.replace("'", "’"))),
    "ligatures": _each(lambda line: line.replace("fi", "ﬁ").replace("fl", "ﬂ")),
    "mail, quoted": _between_words(72, "> "),
    "backticks": _each(lambda line: f"`{line}`" if line.strip() else line),
    "Markdown's escapes": _each(lambda line: re.sub(r"([_*\[\]<>#`])", r"\\\1", line)),
    "double HTML": lambda lines: html.escape(html.escape(_text(lines))),
    "JSON, a string": lambda lines: json.dumps({"status": "failed", "message": "\n".join(lines)}, indent=2),
    "JSON, a list": json.dumps,
    "Python's repr": lambda lines: repr("\n".join(lines).encode()),
    "Ansible": _ansible,
    "CSV": _csv,
    "hits of a log store": _hits,
    "HTML's line breaks": "<br>".join,
    "links to files": _replaced((r'"(/[^"\s]*)"', r'"[\1](file://\1)"')),
    "header lost": _header_lost,
    "glued fences": lambda lines: "```" + "\n".join(lines) + "```\nany idea?\n",
}
PREFIXED: dict[str, Shape] = {
    "[rank0]:": _prefixed(_always("[rank0]: ")),
    "[default0]:": _prefixed(_always("[default0]:")),
    "mpirun": _prefixed(_always("[1,0]<stderr>:")),
    "SageMaker": _prefixed(_always("[1,mpirank:0,algo-1]<stderr>:")),
    "srun -l": _prefixed(_always("0: ")),
    "srun -l, wide": _prefixed(_always("  0: ")),
    "pdsh": _prefixed(_always("node07: ")),
    "deepspeed": _prefixed(_always("worker-1: ")),
    "docker compose": _prefixed(_always("trainer-1  | ")),
    "docker compose, plain name": _prefixed(_always("trainer  | ")),
    "kubectl --prefix": _prefixed(_always("[pod/llama-worker-3/pytorch] ")),
    "stern": _prefixed(_always("llama-worker-3 pytorch ")),
    "kubectl --timestamps": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}123Z ")),
    "kubectl with both": _prefixed(
        lambda number: "[pod/llama-worker-3/pytorch] " + _stamped("%Y-%m-%dT%H:%M:%S.{us}123Z ")(number)
    ),
    "containerd": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}123+00:00 stderr F ")),
    "docker json": _docker_json,
    "Azure Pipelines": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}7Z ##[error]")),
    "a wrapper": _prefixed(_always("stderr: ")),
    "gcloud": _prefixed(_stamped("%Y-%m-%d %H:%M:%S.{ms} UTC\tERROR\t")),
    "Vertex, blanks": _prefixed(_stamped("ERROR %Y-%m-%d %H:%M:%S.{us}789 +0000 workerpool0-0 ")),
    "GitHub Actions": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}7Z ")),
    "GitHub Actions, whole": _prefixed(
        lambda number: "train\tRun python train.py\t" + _stamped("%Y-%m-%dT%H:%M:%S.{us}7Z ")(number)
    ),
    "ts": _prefixed(_stamped("%b %d %H:%M:%S ")),
    "ts, in brackets": _prefixed(_stamped("[%Y-%m-%d %H:%M:%S] ")),
    "clock": _prefixed(_stamped("%H:%M:%S ")),
    "clock, in brackets": _prefixed(_stamped("[%H:%M:%S] ")),
    "journal": _prefixed(_stamped("%b %d %H:%M:%S node07 train[48213]: ")),
    "syslog": _prefixed(_stamped("<11>%b %d %H:%M:%S node07 train[48213]: ")),
    "logging": _prefixed(_stamped("%Y-%m-%d %H:%M:%S,{ms} - root - ERROR - ")),
    "logging, level first": _prefixed(_stamped("ERROR %Y-%m-%d %H:%M:%S,{ms} train: ")),
    "loguru": _prefixed(_stamped("%Y-%m-%d %H:%M:%S.{ms} | ERROR    | launcher:stream:88 - ")),
    "Airflow": _prefixed(_stamped("[%Y-%m-%d, %H:%M:%S UTC] {subprocess.py:93} INFO - ")),
    "Airflow 2.0": _prefixed(_stamped("[%Y-%m-%dT%H:%M:%S.{ms}+0000] {local_task_job.py:225} INFO - ")),
    "Ray": _prefixed(_always("(RayTrainWorker pid=48213, ip=10.0.3.7) ")),
    "Ray, colored": _prefixed(_always("\x1b[36m(RayTrainWorker pid=48213, ip=10.0.3.7)\x1b[0m ")),
    "Ray, under ts": _prefixed(lambda number: _stamped("%b %d %H:%M:%S ")(number) + "(RayTrainWorker pid=48213) "),
    "logfmt": _prefixed(_stamped("level=error ts=%Y-%m-%dT%H:%M:%SZ msg=")),
    "SkyPilot": _prefixed(_always("(train, pid=48213) ")),
    "SkyPilot, many nodes": _prefixed(_always("(worker1, rank=1, pid=48213, ip=10.0.3.7) ")),
    "elastic": _prefixed(_always("[trainer0]:")),
    "Modal": _prefixed(_stamped("%Y-%m-%d %H:%M:%S+00:00 ")),
    "Vertex": _prefixed(_stamped("ERROR\t%Y-%m-%d %H:%M:%S +0000\tworkerpool0-0\t")),
    "CloudWatch": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{ms}Z\t")),
    "GitLab": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}Z 00O ")),
    "Jenkins": _prefixed(_stamped("[%Y-%m-%dT%H:%M:%S.{ms}Z] ")),
    "supervisord": _prefixed(_stamped("%Y-%m-%d %H:%M:%S,{ms} ")),
    "foreman": _prefixed(_stamped("%H:%M:%S train.1 | ")),
    "Heroku": _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}+00:00 app[worker.1]: ")),
    "parallel --tag": _prefixed(_always("seed-42\t")),
}
EMBEDDED: dict[str, Shape] = {
    "Fluentd": _tagged("%Y-%m-%d %H:%M:%S.{us}000 +0000 kubernetes.train: {object}"),
    "Fluent Bit": _tagged("[7] tail.0: [[1772924311.{us}, {{}}], {object}]"),
    "Logstash": _rubydebug,
    "HTML's paragraphs": lambda lines: f"<div>{''.join(f'<p>{html.escape(line)}</p>' for line in lines)}</div>",
    "HTML's rows": lambda lines: (
        "<table>"
        + _text(f"<tr><td>{at}</td><td>{html.escape(line)}</td></tr>" for at, line in enumerate(lines, 1))
        + "</table>"
    ),
    "a literal block": lambda lines: "error: |\n" + _text(f"    {line}".rstrip() for line in lines) + "code: 1\n",
    "asciinema": _cast,
    "Buildkite": _prefixed(lambda number: f"\x1b_bk;t={1772924311123 + 37 * number}\x07"),
    "Buildkite, copied": _prefixed(lambda number: f"_bk;t={1772924311123 + 37 * number}"),
    "GitLab's sections": _section(
        "\x1b[0Ksection_start:1772924311:step_script\r\x1b[0K", "\x1b[0Ksection_end:1772924399:step_script\r\x1b[0K"
    ),
    "GitLab's sections, copied": _section(
        "section_start:1772924311:step_script\n", "section_end:1772924399:step_script\n"
    ),
    "GitLab, parts of lines": _halved,
    "Azure's marks": lambda lines: _prefixed(_stamped("%Y-%m-%dT%H:%M:%S.{us}7Z "))(
        ["##[section]Starting: train", *lines, "##[error]Bash exited with code '1'.", "##[section]Finishing: train"]
    ),
    "Jenkins, its notes": _prefixed(
        lambda number: "\x1b[8mha:////4Pq0BTx+" + "A7/b" * 40 + "=\x1b[0m" + _stamped("%H:%M:%S  ")(number)
    ),
    "Jenkins, partly": lambda lines: "[Pipeline] sh\n" + _prefixed(_stamped("%H:%M:%S  "))(lines) + "[Pipeline] }\n",
    "Jenkins, its clock": _prefixed(_stamped("%H:%M:%S  ")),
    "act": lambda lines: "[CI/train]   Start\n" + _text(f"[CI/train]   | {line}" for line in lines),
    "PowerShell": _powershell,
    "VS Code's copy of an error": _copied_by_vscode,
    "pytest": _each(lambda line: f"E   {line}" if _RAISED.match(line) else line),
    "BuildKit": lambda lines: _text([*(f"12.{at:02} {line}" for at, line in enumerate(lines)), "------"]),
    "a new file in a diff": lambda lines: (
        "diff --git a/log b/log\nnew file mode 100644\nindex 0000000..abc1234\n--- /dev/null\n+++ b/log\n"
        f"@@ -0,0 +1,{len(lines)} @@\n" + _text(f"+{line}" for line in lines)
    ),
    "quoted-printable": lambda lines: quopri.encodestring(_text(lines).encode()).decode(),
    "bat": lambda lines: (
        f"{RULE.format('┬')}       │ File: train.log\n{RULE.format('┼')}"
        + _text(f"{at:>4}   │ {line}" for at, line in enumerate(lines, 1))
        + RULE.format("┴")
    ),
    "gdb": lambda lines: _text([*lines, "[Inferior 1 (process 4821) exited with code 01]", "(gdb) "]),
}
NEWEST_FIRST: dict[str, Shape] = {
    "newest first": _backwards,
    "newest entry first": _backwards_entries,
    "newest row first": _backwards_table,
    "newest object first": _backwards_json,
    "Loki's answer": _answer,
    "CloudWatch's events": _events,
}
SHAPES: dict[str, Shape] = {**SAME_WORDS, **BYTES, **PASTED, **PREFIXED, **EMBEDDED, **NEWEST_FIRST}
