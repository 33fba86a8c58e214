"""Mask secrets and names in all texts of a report, and of other values made of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, cast

from logsense.model.report import Evidence, FactValue, Report
from logsense.share.redact.masks import Focus, Redactor

Change = Callable[[str, Focus | None, str], tuple[str, Focus | None]]

Value = TypeVar("Value")
# Fields with fixed vocabulary or ids from the catalog.
_FIXED = {"cause", "outcome", "risk", "verdict", "signature", "phase", "unit", "masked"}
# Fields that hold names of machines, and the key that the patterns know.
_HOSTS = {"host": "hostname", "exclude": "hostname"}
_HOST = "the name of a machine"


def learn_report(report: Report, redactor: Redactor) -> None:
    """Add the names of machines in the fields of `report`, and keep the names of its logs."""
    hosts = [one.host for one in report.culprits] + [one.host for one in (*report.unexplained, *report.without_gpu)]
    hosts += [one.host for one in report.ranks]
    hosts += [one.host for attempt in report.attempts for one in attempt.culprits]
    hosts += [one.host for diagnosis in report.diagnoses for one in (*diagnosis.evidence, *diagnosis.against)]
    hosts += report.rerun.exclude if report.rerun else ()
    for host in hosts:
        if host:
            redactor.add_name("host", host, _HOST)
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
