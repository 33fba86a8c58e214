"""Look up what messages and words say about the end of a run, in the tables of acts and words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import FailedItems
from logsense.util.noun import NamedTuple
from logsense.util.regexes import compiled

KILLED = "kernel"  # the act of a process that was killed or crashed
STATUS = "status"  # the act of a process whose exit status another program reports
MOST = 300  # characters of a line
WORD = "word"  # the sign of the words for a failure


class Request(NamedTuple):
    """A request to a server, and the first digit of the status of its answer."""

    path: str
    status: str

    @property
    def failed(self) -> bool:
        """Return whether the server answered with an error."""
        return self.status in "45"


class Words(NamedTuple):
    """A regex, and words of which each matching line contains at least one."""

    pattern: re.Pattern[str]
    hints: tuple[str, ...]


class Alarm(NamedTuple):
    """A word for a failure, or what shows that one reports none: what is before it in its line, and right after it."""

    sign: str
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None


class Signs:
    """The tables by which the end of a run is judged, ready for lookup."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._acts = {str(row["message"]): str(row["act"]) for row in self.table("outcome-acts")}
        self._alarms: list[Alarm] | None = None
        self._words: dict[str, list[Words]] = {}
        for row in self.table("outcome-words"):
            hints = tuple(str(row["hints"]).split())
            self._words.setdefault(str(row["sign"]), []).append(
                Words(compiled(str(row["pattern"]), re.IGNORECASE), hints)
            )

    def table(self, name: str) -> Sequence[dict[str, object]]:
        """Return the rows of a table of the catalog; none if it has no such table."""
        found = self._catalog.table(name)
        return found.rows if found else ()

    def act(self, message: str) -> str:
        """Return how a process ended that printed `message`; "" if the message does not say."""
        return self._acts.get(message, "")

    def says(self, sign: str, line: str) -> bool:
        """Return whether `line` has the sign `sign`, such as "done" or "stop"."""
        return self.found(sign, line) is not None

    def found(self, sign: str, line: str) -> re.Match[str] | None:
        """Return what has the sign `sign` in `line`."""
        line = line[:MOST]
        small = line.lower()
        for words in self._words.get(sign, ()):
            for hint in words.hints:  # without a generator: these are thousands of quick looks
                if hint in small:
                    break
            else:
                if words.hints:
                    continue
            found = words.pattern.search(line)
            if found:
                return found
        return None

    def request(self, line: str) -> Request | None:
        """Return the request that a server answered, as its log says in `line`."""
        found = self.found("request", line)
        return Request(found["path"].partition("?")[0], found["status"]) if found else None

    def alarms(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield where `text` has words for a failure, each with the sign that it reports none; "" if there is none."""
        if self._alarms is None:
            self._alarms = [
                Alarm(str(row["sign"]), *(_regex(str(row[name])) for name in ("before", "after")))
                for row in self.table("alarm-words")
            ]
        words = (one.after for one in self._alarms if one.sign == WORD and one.after)
        for found in (found for word in words for found in word.finditer(text)):
            before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            none = (
                one.sign
                for one in self._alarms
                if one.sign != WORD
                and (one.before is None or one.before.search(before))
                and (one.after is None or one.after.match(text, found.end()))
            )
            yield found.start(), next(none, "")

    def without_quotes(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return `findings` without those in a line that quotes what a language model was asked, or answered."""
        return [one for one in findings if not self.says("quote", one.text)]

    def is_good_end(self, line: str) -> bool:
        """Return whether `line` says that the work is over, and not that it failed; of several items, some may fail."""
        if not self.says("done", line):
            return False
        tally = self.tally([line])
        return not tally.all_failed if tally else not self.says("failed", line)

    def all_failed(self, line: str) -> bool:
        """Return whether `line` counts failed items, and no item succeeded."""
        tally = self.tally([line])
        return tally is not None and tally.all_failed and self.says("failed", line)

    def tally(self, lines: Sequence[str]) -> FailedItems | None:
        """Return how many items failed by the first of `lines` that says so; None if none does."""
        return next((tally for line in lines if (tally := self._tally(line[:MOST]))), None)

    def _tally(self, line: str) -> FailedItems | None:
        small = line.lower()
        counts: dict[str, int] = {}
        for words in self._words.get("tally", ()):
            found = words.pattern.search(line) if any(hint in small for hint in words.hints) else None
            for name, number in (found.groupdict() if found else {}).items():
                if number:
                    counts.setdefault(name, int(number))
        failed, good, total = (counts.get(name) for name in ("failed", "good", "total"))
        if failed != 0 and (good == 0 or (good is None and total == 0)):
            return FailedItems(1, 1)
        if not failed or good is total is None:
            return None
        # What failed may not count among those that were processed.
        return FailedItems(failed, total if total and total >= failed else (total or good or 0) + failed)


def _regex(pattern: str) -> re.Pattern[str] | None:
    return compiled(pattern, re.IGNORECASE) if pattern else None
