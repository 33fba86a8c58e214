"""Break a command that is wider than the terminal where it can still be pasted: after ;, && and |, before a remark."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.render.layout import width_of, wrap

REMARK = "   # "
_OF_NOTEBOOKS = ("!", "%")  # begin a line of a cell that a shell runs; a second line would be Python
_MARKS = ("; ", " && ", " | ")
_OPEN, _CLOSED = "([{", ")]}"


def command_lines(command: str, columns: int) -> Iterator[str]:
    """Yield the lines of `command`, those that are wider than `columns` in parts where it can be broken."""
    has_heredoc = "<<" in command
    for line in command.split("\n"):
        run, _, remark = line.partition(REMARK)
        if width_of(line) <= columns or not run or has_heredoc or any(run.count(quote) % 2 for quote in "'\""):
            yield line
            continue
        broken = [run] if run.startswith(_OF_NOTEBOOKS) else list(_broken(run, columns, _MARKS))
        yield from broken if _means_the_same(run, "\n".join(broken)) else [run]
        if remark:
            yield from ("# " + "".join(text for text, _ in one).rstrip() for one in wrap([(remark, "")], columns - 2))


def _means_the_same(run: str, broken: str) -> bool:
    """Return whether `broken` is the same Python as `run`, if `run` is Python; a loop may lose its last statements."""
    whole = _parsed(run)
    return whole is None or _parsed(broken) == whole


def _parsed(code: str) -> str | None:
    """Return the syntax tree of Python code as text; None if it is not Python."""
    import ast

    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _broken(run: str, columns: int, marks: tuple[str, ...]) -> Iterator[str]:
    """Yield `run` in lines, broken after the first of `marks`, and after the others where that is not enough."""
    if width_of(run) <= columns or not marks:
        yield run
        return
    line = ""
    for part in _parts(run, marks[0]):
        if line and width_of(line) + 1 + width_of(part) > columns:
            yield from _broken(line, columns, marks[1:])
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield from _broken(line, columns, marks[1:])


def _parts(run: str, mark: str) -> list[str]:
    """Return `run` in parts, each but the last ending with `mark`; those in quotes or brackets count for nothing."""
    parts: list[str] = []
    begin = depth = 0
    quote = ""
    for at, char in enumerate(run):
        if run[at - 1 : at] == "\\" and quote != "'":
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif char in _OPEN + _CLOSED:
            depth += 1 if char in _OPEN else -1
        elif not depth and run.startswith(mark, at) and run[begin:at].strip():
            parts.append(run[begin : at + len(mark)].strip())
            begin = at + len(mark)
    return [run] if quote or depth else [*parts, run[begin:].strip()]
