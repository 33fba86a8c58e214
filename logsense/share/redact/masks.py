"""Gives everything that has to be hidden a mask, the same for the same thing wherever it stands."""

from __future__ import annotations

import re

from logsense.model.report import Mask
from logsense.render.clean import clean
from logsense.share.redact.patterns import UNREADABLE, Keeps, Pattern, Span, cut_off_in, found_in, put_in, put_over
from logsense.share.redact.wraps import no_label, views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logsense.share.redact.patterns import Row
    from logsense.share.redact.wraps import Label, View

    Focus = tuple[int, int]

# Names shorter than these are left alone where nothing around them says what they are: too many words hold them.
LEAST_NAME, LEAST_WORD, LEAST_SECRET = 3, 5, 8
NAMES = ("user", "host")
# A secret of this length is no part of a word by chance, and is hidden within one too: "token%3Dhf_…", "userhf_…".
SECRETS, LEAST_WITHIN = ("token", "password"), 16
# These are found by their form alone, and where they are not there is a reason for that.
BY_FORM = (UNREADABLE, "ip", "mac", "email", "device", "folder")
_SPECIAL = re.compile(r"[\d.-]")
_BEFORE_NAMES = " \t\n/\\'\"`(=[:"


class Redactor:
    """Hides things in texts as they are shown: first `learn` all, so that a name found in one is hidden in all, then
    `mask` each. `label` says how many characters in front of a line are not its text.
    """

    def __init__(self, patterns: Iterable[Row], keeps: Iterable[Row] = (), label: Label = no_label) -> None:
        self._patterns = [Pattern(row) for row in patterns]
        self._keeps = Keeps(keeps)
        self._masks: dict[tuple[str, str], str] = {}
        self._kinds: dict[str, int] = {}  # how many masks there are of each
        self._says: dict[str, str] = {}
        self._seen: dict[str, int] = {}
        self._known: dict[str, tuple[str, str]] = {}
        self._anywhere: re.Pattern[str] | None = None
        self._label = label
        self._left: set[str] = set()

    def leave(self, name: str) -> None:
        """Let the name of a file stand wherever it does: who reads the answer needs to find it."""
        if "." in name.strip(".") and name.lower() not in self._known:
            self._left.add(name.lower())

    def know(self, kind: str, name: str, says: str) -> None:
        """Take `name` as one to be hidden wherever it stands by itself, unless everybody has it."""
        least = LEAST_NAME if kind in NAMES else LEAST_SECRET
        if kind == "host" and not _SPECIAL.search(name):
            least = LEAST_WORD
        if name.lower() in self._left and kind not in SECRETS:
            return
        if len(name) >= least and not self._keeps.keeps(kind, name) and not name.isdecimal():
            self._known.setdefault(name.lower(), (kind, says))
            self._anywhere = None

    def learn(self, text: str, *, before: str = "") -> None:
        """Take from `text` what has to be hidden in other texts too, where nothing around it says what it is."""
        whole = before + clean(text)
        plain = found_in(whole, self._patterns, self._keeps)
        for span, parts in self._broken(whole, plain):
            self.know(span.kind, "".join(parts), span.says)
            for part in parts if span.kind in SECRETS else ():
                if not part.isalpha():
                    self.know(span.kind, part, span.says)
        for span in plain:
            found = whole[span.start : span.end]
            if span.kind == "host" and not _SPECIAL.search(found) and not before:
                continue  # a word such as "memory" may stand anywhere
            if "\n" in found and span.kind != UNREADABLE:
                # A key without an end hides all that follows, and so what might be learnt from it.
                for line in found.split("\n")[1:]:
                    self.learn(line)
            elif span.kind not in BY_FORM:
                self.know(span.kind, found, span.says)
                if span.kind == "password":
                    self._learn_parts(found, span)

    def _learn_parts(self, found: str, span: Span) -> None:
        """Take the password of `found`, a name and a password, and the tokens in it: they may stand elsewhere alone."""
        password = found.partition(":")[2]
        if len(password) >= LEAST_WITHIN:
            self.know(span.kind, password, span.says)
        tokens = [pattern for pattern in self._patterns if pattern.kind == "token"]
        for token in found_in(found, tokens, self._keeps):
            if token.kind == "token":
                self.know(token.kind, found[token.start : token.end], token.says)

    def mask(self, text: str, *, before: str = "") -> str:
        """`text` with masks for what has to be hidden; `before` is what stands in front of it and says what it is."""
        return self.mask_with(text, None, before=before)[0]

    def mask_with(self, text: str, focus: Focus | None, *, before: str = "") -> tuple[str, Focus | None]:
        """`text` as it is shown, with masks, and where what `focus` spans in it stands then."""
        text, focus = _shown(text, focus)
        parts: list[str] = []
        at = 0
        start, end = focus or (0, 0)
        moved_start, moved_end = start, end
        for span in self._spans(text, before):
            mask = self._mask_of(span, text[span.start : span.end])
            # A key of several lines keeps its lines, so that those behind it keep their numbers.
            mask += "\n" * text.count("\n", span.start, span.end)
            parts += [text[at : span.start], mask]
            at = span.end
            longer = len(mask) - (span.end - span.start)
            moved_start += longer if start >= span.end else span.start - start if start > span.start else 0
            moved_end += longer if end > span.start else 0
            moved_end += span.end - end if span.start < end < span.end else 0
        return "".join((*parts, text[at:])), ((moved_start, moved_end) if focus else None)

    def masked(self) -> tuple[Mask, ...]:
        """What was hidden so far: each mask, what it stands for, how often it was put."""
        return tuple(Mask(mask, self._says[mask], self._seen[mask]) for mask in self._masks.values())

    def _spans(self, text: str, before: str) -> list[Span]:
        whole, shift = before + text, len(before)
        found = found_in(whole, self._patterns, self._keeps)
        for span, _ in self._broken(whole, found):
            put_over(found, span)
        for span in cut_off_in(whole, self._patterns):
            put_in(found, span)
        spans = [span._replace(start=span.start - shift, end=span.end - shift) for span in found if span.start >= shift]
        for span in self._known_in(text):
            put_in(spans, span)
        return [span for span in spans if not self._is_left(span, text)] if self._left else spans

    def _known_in(self, text: str) -> Iterator[Span]:
        """Where names that are known already stand in `text`."""
        if not self._known:
            return
        if self._anywhere is None:
            self._anywhere = re.compile(
                "|".join(map(self._wherever, sorted(self._known, key=len, reverse=True))), re.IGNORECASE
            )
        for name in self._anywhere.finditer(text):
            kind, says = self._known.get(name[0].lower(), ("", ""))
            if kind:
                yield Span(name.start(), name.end(), kind, says)

    def _is_left(self, span: Span, text: str) -> bool:
        """Whether `span` lies in the name of a file that stays, and is no secret."""
        if span.kind in SECRETS or not self._left:
            return False
        start = max(text.rfind(sign, 0, span.start) for sign in _BEFORE_NAMES) + 1
        return any(
            text[start : start + len(name)].lower() == name and start + len(name) >= span.end for name in self._left
        )

    def _broken(self, text: str, plain: list[Span]) -> Iterator[tuple[Span, list[str]]]:
        """What a label or a line break hid in `text`, with its parts; `plain` is what was found in the text itself."""
        for view in views(text, self._label):
            if view.text == text:
                continue
            for span in (*found_in(view.text, self._patterns, self._keeps), *self._known_in(view.text)):
                parts = view.parts(span.start, span.end)
                if "\n" not in view.text[span.start : span.end] and self._is_whole(span, parts, view, plain):
                    end = view.place_of(span.end - 1) + 1
                    yield Span(view.place_of(span.start), end, span.kind, span.says), parts

    def _is_whole(self, span: Span, parts: list[str], view: View, plain: list[Span]) -> bool:
        """Whether `parts`, which stand at the end of a line and at the beginning of others, were one word."""
        if len(parts) < 2:
            return view.together == 1
        if view.line_of(span.start) in view.full or "".join(parts).lower() in self._known:
            return True
        if span.kind == "ip" or (span.kind in SECRETS and "".join(parts).isalpha()):
            return False  # the numbers, or the words, of two lines make one by chance
        tail = "".join(parts[1:])
        behind = view.text[span.end : span.end + 1]
        end = view.place_of(span.start) + len(parts[0])
        complete = any(one.start < end <= one.end for one in plain)
        return not complete or any(char.isdigit() for char in tail) or not (behind.isspace() or not behind)

    def _wherever(self, name: str) -> str:
        within = len(name) >= LEAST_WITHIN and self._known[name][0] in SECRETS
        return re.escape(name) if within else rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"

    def _mask_of(self, span: Span, found: str) -> str:
        key = (span.kind, found.lower() if span.kind in (*NAMES, "mac", "ip") else found)
        if key not in self._masks:
            number = self._kinds[span.kind] = self._kinds.get(span.kind, 0) + 1
            mask = self._masks[key] = f"<{span.kind}-{number}>"
            self._says[mask] = span.says
        mask = self._masks[key]
        self._seen[mask] = self._seen.get(mask, 0) + 1
        return mask


def _shown(text: str, focus: Focus | None) -> tuple[str, Focus | None]:
    """`text` without colors and what else is not shown, and `focus` in it."""
    if focus is None:
        return clean(text), None
    start, end = focus
    before, middle, after = clean(text[:start]), clean(text[start:end]), clean(text[end:])
    return before + middle + after, (len(before), len(before) + len(middle))
