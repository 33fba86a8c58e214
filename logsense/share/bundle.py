"""Prepare a report for sharing: add log excerpts, and mask secrets and names in all texts of it and of other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar, cast

from logsense.machine.host.read import own_names
from logsense.model.bundle import Bundle
from logsense.model.knowledge import Catalog
from logsense.model.report import Evidence, FactValue, Report
from logsense.model.source import Source
from logsense.records.prefixes import split_prefixes
from logsense.share.redact.masks import Focus, Redactor
from logsense.sources.reread import excerpts_of

Value = TypeVar("Value")
# Tables of patterns, and of names that need no mask; the "own" ones are a team's (`--rules DIR`).
PATTERN_TABLES = ("redaction-own", "redaction")
ALLOWLIST_TABLES = ("redaction-keeps", "redaction-own-keeps")
CONTEXT_LINES = 15
MOST_PLACES = 8
_NONE: Mapping[str, str] = MappingProxyType({})


def redacted(report: Report, catalog: Catalog, sources: Sequence[Source] = ()) -> Report:
    """Return `report` with secrets and the names of people and machines masked, and with the list of masks.

    `sources` are its logs: lines next to the quoted ones show secrets that a line break splits.
    """
    return redacted_with(report, "", catalog, sources)[0]


def redacted_with(report: Report, text: str, catalog: Catalog, sources: Sequence[Source]) -> tuple[Report, str]:
    """Return `report` and a text that is printed with it, such as a command, both with the same masks."""
    redactor = redactor_for(catalog)
    keep_log_names(report, redactor)
    learn_values((bundle_of(report, sources), text), redactor)
    masked, shown = mask_values((report, text), redactor)
    return masked._replace(masked=redactor.masked()), shown


def redacted_bundle(bundle: Bundle, catalog: Catalog) -> Bundle:
    """Return `bundle` with masks throughout, and with the list of masks in its report."""
    redactor = redactor_for(catalog)
    keep_log_names(bundle.report, redactor)
    learn_values(bundle, redactor)
    masked = mask_values(bundle, redactor)
    return masked._replace(report=masked.report._replace(masked=redactor.masked()))


def redacted_values(value: Value, catalog: Catalog) -> Value:
    """Return `value`, a named tuple or a tuple of them, with secrets and names masked in all texts."""
    redactor = redactor_for(catalog)
    learn_values(value, redactor)
    return mask_values(value, redactor)


def bundle_of(
    report: Report,
    sources: Sequence[Source] = (),
    *,
    job: Mapping[str, str] = _NONE,
    setup: Mapping[str, str] = _NONE,
) -> Bundle:
    """Return `report` with excerpts: the evidence and some lines on each side of it.

    Sources that can be read only once give no excerpts. `job` and `setup` are rows for the bundle's tables.
    """
    places = list(dict.fromkeys(_places(report)))[:MOST_PLACES]
    excerpts = []
    for source in sorted(sources, key=lambda one: one.turn):
        excerpts += excerpts_of(source, places, CONTEXT_LINES)
    order = {name: number for number, (name, _) in reversed(list(enumerate(places)))}
    excerpts.sort(key=lambda one: (order[one.source], one.first_line))
    return Bundle(report, tuple(excerpts), job, setup)


def redactor_for(catalog: Catalog) -> Redactor:
    """Return a redactor with the tables of `catalog` and the names of this machine and its user."""
    patterns, allowed = (
        [row for name in names for row in _rows(catalog, name)] for names in (PATTERN_TABLES, ALLOWLIST_TABLES)
    )
    redactor = Redactor(patterns, allowed, prefix_length)
    users, hosts = own_names()
    for name in users:
        redactor.add_name("user", name, "the name of a user")
    for name in hosts:
        redactor.add_name("host", name, "the name of a machine")
    return redactor


def prefix_length(line: str) -> int:
    """Return the length of the prefix of `line` (time, rank and the like), in characters."""
    found = split_prefixes(line)
    return max(line.find(found[0]), 0) if found else 0


def _places(report: Report) -> Iterator[tuple[str, int]]:
    """Yield the sources and line numbers of the evidence, most important first."""
    for one in (*(report.diagnoses[0].evidence if report.diagnoses else ()), *report.unexplained):
        if one.source and one.line is not None:
            yield one.source, one.line
    for culprit in report.culprits:
        yield culprit.source, culprit.line


def _rows(catalog: Catalog, name: str) -> tuple[dict[str, object], ...]:
    table = catalog.table(name)
    return table.rows if table else ()


Change = Callable[[str, Focus | None, str], tuple[str, Focus | None]]

# Fields with fixed vocabulary or ids from the catalog.
_FIXED = {"cause", "outcome", "risk", "verdict", "signature", "phase", "unit", "masked"}
# Fields that hold names of machines, and the key that the patterns know.
_HOSTS = {"host": "hostname", "exclude": "hostname"}


def keep_log_names(report: Report, redactor: Redactor) -> None:
    """Keep the names of the logs of `report`. Call this before `learn_values`."""
    for name in _sources(report):
        redactor.keep_file_name(name.replace("\\", "/").rstrip("/").rpartition("/")[2])


def _sources(report: Report) -> Iterator[str]:
    """Yield the names of the logs of `report`, wherever they occur."""
    yield from report.inputs
    yield from (one.source for one in report.culprits)
    proofs = [*report.unexplained, *report.without_gpu]
    proofs += [proof for one in report.diagnoses for proof in (*one.evidence, *one.against)]
    yield from (one.source for one in proofs if one.source and one.line is not None)


def learn_values(value: object, redactor: Redactor) -> None:
    """Collect from all texts of `value` what has to be masked in others too. Call this before `mask_values`."""

    def learn(text: str, focus: Focus | None, key: str) -> tuple[str, Focus | None]:
        redactor.learn(text, before=f"{key} = " if key else "")
        return text, focus

    _each(value, learn)


def mask_values(value: Value, redactor: Redactor) -> Value:
    """Return `value`, a named tuple, tuple or mapping, with masks in all its texts."""

    def mask(text: str, focus: Focus | None, key: str) -> tuple[str, Focus | None]:
        # The name of a fact says what its value is: 12.4.1.3 after "cuda.version" is not an address.
        return redactor.mask_with(text, focus, before=f"{key} = " if key else "")

    return cast("Value", _each(value, mask))


def _each(value: object, change: Change, key: str = "") -> object:
    if isinstance(value, str):
        return change(value, None, key)[0]
    if isinstance(value, Evidence):
        text, focus = change(value.text, value.focus, "") if value.text is not None else (None, None)
        says, source = (part and change(part, None, "")[0] for part in (value.says, value.source))
        host = value.host and change(value.host, None, _HOSTS["host"])[0]
        return value._replace(says=says or "", text=text, focus=focus, source=source, host=host)
    if isinstance(value, FactValue):
        shown, source = (
            text and change(text, None, name)[0] for text, name in ((value.shown, key), (value.source, ""))
        )
        return value._replace(value=_each(value.value, change, key), source=source, shown=shown or "")
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = value._asdict()  # type: ignore[attr-defined]
        parts = {
            name: part if name in _FIXED else _each(part, change, _HOSTS.get(name, "")) for name, part in fields.items()
        }
        return type(value)(**parts)
    if isinstance(value, (tuple, list)):
        return tuple(_each(one, change, key) for one in value)
    if isinstance(value, Mapping):
        return {name: _each(one, change, str(name)) for name, one in value.items()}
    return value
