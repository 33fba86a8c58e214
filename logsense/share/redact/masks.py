"""Replace secrets and names with masks, the same mask for the same thing everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logsense.model.report import Mask
from logsense.render.clean import clean
from logsense.share.redact.joined_lines import PrefixLength, View, no_prefix, views
from logsense.share.redact.patterns import (
    UNREADABLE,
    Allowlist,
    Pattern,
    Row,
    Span,
    find_spans,
    insert_span,
    merge_span,
    truncated_tokens,
)

Focus = tuple[int, int]

# Shorter names are masked only where the context identifies them: too many words contain them.
LEAST_NAME, LEAST_WORD, LEAST_SECRET = 3, 5, 8
NAMES = ("user", "host")
# A secret of this length is masked inside words too ("token%3Dhf_…", "userhf_…"): it can't be there by chance.
SECRETS, LEAST_INSIDE_WORD = ("token", "password"), 16
# The form alone identifies these, so they are not searched for in other texts.
BY_FORM = (UNREADABLE, "ip", "mac", "email", "device", "folder")
_SPECIAL = re.compile(r"[\d.-]")
_BEFORE_NAMES = " \t\n/\\'\"`(=[:"


class Redactor:
    """Mask secrets and names in texts: first `learn` all texts, so that a name found in one is masked in all, then
    `mask` each.

    `patterns` and `allowed` are rows of the redaction tables. `prefix_length` returns the length of the prefix of a
    log line.
    """

    def __init__(
        self, patterns: Iterable[Row], allowed: Iterable[Row] = (), prefix_length: PrefixLength = no_prefix
    ) -> None:
        self._patterns = [Pattern(row) for row in patterns]
        self._allowlist = Allowlist(allowed)
        self._masks: dict[tuple[str, str], str] = {}
        self._masks_of_kind: dict[str, int] = {}
        self._says: dict[str, str] = {}
        self._seen: dict[str, int] = {}
        self._known: dict[str, tuple[str, str]] = {}
        self._known_pattern: re.Pattern[str] | None = None
        self._prefix_length = prefix_length
        self._file_names: set[str] = set()

    def keep_file_name(self, name: str) -> None:
        """Never mask the file name `name`: readers need it to find the log."""
        if "." in name.strip(".") and name.lower() not in self._known:
            self._file_names.add(name.lower())

    def add_name(self, kind: str, name: str, says: str) -> None:
        """Mask `name` wherever it is a word of its own, unless the allowlist has it. `says` describes it."""
        least = LEAST_NAME if kind in NAMES else LEAST_SECRET
        if kind == "host" and not _SPECIAL.search(name):
            least = LEAST_WORD
        if name.lower() in self._file_names and kind not in SECRETS:
            return
        if len(name) >= least and not self._allowlist.has(kind, name) and not name.isdecimal():
            self._known.setdefault(name.lower(), (kind, says))
            self._known_pattern = None

    def learn(self, text: str, *, before: str = "") -> None:
        """Collect from `text` what has to be masked in other texts too. `before` is the context in front of it."""
        whole = before + clean(text)
        plain = find_spans(whole, self._patterns, self._allowlist)
        for span, parts in self._split_over_lines(whole, plain):
            self.add_name(span.kind, "".join(parts), span.says)
            for part in parts if span.kind in SECRETS else ():
                if not part.isalpha():
                    self.add_name(span.kind, part, span.says)
        for span in plain:
            found = whole[span.start : span.end]
            if span.kind == "host" and not _SPECIAL.search(found) and not before:
                continue  # a word such as "memory" may stand anywhere
            if "\n" in found and span.kind != UNREADABLE:
                # A key without an end covers all following lines; learn from those separately.
                for line in found.split("\n")[1:]:
                    self.learn(line)
            elif span.kind not in BY_FORM:
                self.add_name(span.kind, found, span.says)
                if span.kind == "password":
                    self._learn_parts(found, span)

    def _learn_parts(self, found: str, span: Span) -> None:
        """Add the password of `found`, a "name:password", and the tokens in it, which may occur alone elsewhere."""
        password = found.partition(":")[2]
        if len(password) >= LEAST_INSIDE_WORD:
            self.add_name(span.kind, password, span.says)
        tokens = [pattern for pattern in self._patterns if pattern.kind == "token"]
        for token in find_spans(found, tokens, self._allowlist):
            if token.kind == "token":
                self.add_name(token.kind, found[token.start : token.end], token.says)

    def mask(self, text: str, *, before: str = "") -> str:
        """Return `text` with masks. `before` is the context in front of it, such as "hostname = "."""
        return self.mask_with(text, None, before=before)[0]

    def mask_with(self, text: str, focus: Focus | None, *, before: str = "") -> tuple[str, Focus | None]:
        """Return `text`, cleaned and with masks, and the new place of `focus` in it."""
        text, focus = _cleaned(text, focus)
        parts: list[str] = []
        at = 0
        start, end = focus or (0, 0)
        moved_start, moved_end = start, end
        for span in self._spans(text, before):
            mask = self._mask_of(span, text[span.start : span.end])
            # A mask for several lines keeps the line breaks, so that later lines keep their numbers.
            mask += "\n" * text.count("\n", span.start, span.end)
            parts += [text[at : span.start], mask]
            at = span.end
            longer = len(mask) - (span.end - span.start)
            moved_start += longer if start >= span.end else span.start - start if start > span.start else 0
            moved_end += longer if end > span.start else 0
            moved_end += span.end - end if span.start < end < span.end else 0
        return "".join((*parts, text[at:])), ((moved_start, moved_end) if focus else None)

    def masked(self) -> tuple[Mask, ...]:
        """Return the masks so far, what each replaces, and how often it was used."""
        return tuple(Mask(mask, self._says[mask], self._seen[mask]) for mask in self._masks.values())

    def _spans(self, text: str, before: str) -> list[Span]:
        whole, shift = before + text, len(before)
        found = find_spans(whole, self._patterns, self._allowlist)
        for span, _ in self._split_over_lines(whole, found):
            merge_span(found, span)
        for span in truncated_tokens(whole, self._patterns):
            insert_span(found, span)
        spans = [span._replace(start=span.start - shift, end=span.end - shift) for span in found if span.start >= shift]
        for span in self._known_in(text):
            insert_span(spans, span)
        return [span for span in spans if not self._is_in_file_name(span, text)] if self._file_names else spans

    def _known_in(self, text: str) -> Iterator[Span]:
        """Yield where names that are known already occur in `text`."""
        if not self._known:
            return
        if self._known_pattern is None:
            self._known_pattern = re.compile(
                "|".join(map(self._name_pattern, sorted(self._known, key=len, reverse=True))), re.IGNORECASE
            )
        for name in self._known_pattern.finditer(text):
            kind, says = self._known.get(name[0].lower(), ("", ""))
            if kind:
                yield Span(name.start(), name.end(), kind, says)

    def _is_in_file_name(self, span: Span, text: str) -> bool:
        """Return whether `span` is part of a file name to keep, and not a secret."""
        if span.kind in SECRETS or not self._file_names:
            return False
        start = max(text.rfind(sign, 0, span.start) for sign in _BEFORE_NAMES) + 1
        return any(
            text[start : start + len(name)].lower() == name and start + len(name) >= span.end
            for name in self._file_names
        )

    def _split_over_lines(self, text: str, plain: list[Span]) -> Iterator[tuple[Span, list[str]]]:
        """Yield what a prefix or a line break splits in `text`, with its parts. `plain` was found in `text` itself."""
        for view in views(text, self._prefix_length):
            if view.text == text:
                continue
            for span in (*find_spans(view.text, self._patterns, self._allowlist), *self._known_in(view.text)):
                parts = view.parts(span.start, span.end)
                if "\n" not in view.text[span.start : span.end] and self._is_whole(span, parts, view, plain):
                    end = view.original_offset(span.end - 1) + 1
                    yield Span(view.original_offset(span.start), end, span.kind, span.says), parts

    def _is_whole(self, span: Span, parts: list[str], view: View, plain: list[Span]) -> bool:
        """Return whether `parts`, at the end of a line and the start of others, were one word."""
        if len(parts) < 2:
            return view.joined_lines == 1
        if view.line_of(span.start) in view.full or "".join(parts).lower() in self._known:
            return True
        if span.kind == "ip" or (span.kind in SECRETS and "".join(parts).isalpha()):
            return False  # the numbers or words of two lines can look like one by chance
        tail = "".join(parts[1:])
        behind = view.text[span.end : span.end + 1]
        end = view.original_offset(span.start) + len(parts[0])
        complete = any(one.start < end <= one.end for one in plain)
        return not complete or any(char.isdigit() for char in tail) or not (behind.isspace() or not behind)

    def _name_pattern(self, name: str) -> str:
        inside_word = len(name) >= LEAST_INSIDE_WORD and self._known[name][0] in SECRETS
        return re.escape(name) if inside_word else rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"

    def _mask_of(self, span: Span, found: str) -> str:
        key = (span.kind, found.lower() if span.kind in (*NAMES, "mac", "ip") else found)
        if key not in self._masks:
            number = self._masks_of_kind[span.kind] = self._masks_of_kind.get(span.kind, 0) + 1
            mask = self._masks[key] = f"<{span.kind}-{number}>"
            self._says[mask] = span.says
        mask = self._masks[key]
        self._seen[mask] = self._seen.get(mask, 0) + 1
        return mask


def _cleaned(text: str, focus: Focus | None) -> tuple[str, Focus | None]:
    """Return `text`, cleaned, and the new place of `focus`."""
    if focus is None:
        return clean(text), None
    start, end = focus
    before, middle, after = clean(text[:start]), clean(text[start:end]), clean(text[end:])
    return before + middle + after, (len(before), len(before) + len(middle))
