"""Render a report as SARIF 2.1.0, the format of static-analysis results: causes are its rules.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from logsense.model.report import Diagnosis, Evidence, Report
from logsense.render.clean import clean, one_line
from logsense.render.json import plain
from logsense.render.markdown import fence, prose
from logsense.render.words import (
    file_and_line,
    rerun_in_words,
    risk_in_words,
    status_in_words,
    sure_in_words,
    unknown_in_words,
)
from logsense.util.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
UNKNOWN = "logsense.unknown-failure"
MOST_RELATED = 20


def render_sarif(report: Report) -> str:
    """Return `report` as a SARIF log with one run: a result per possible cause, the first as an error."""
    driver = {"name": "logsense", "version": __version__, "rules": list(_rules(report))}
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "results": list(_results(report)),
        "columnKind": "unicodeCodePoints",
        "properties": {"outcome": report.outcome, "verdict": report.rerun and report.rerun.verdict},
    }
    return json.dumps(plain({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}), indent=1) + "\n"


def _rules(report: Report) -> Iterator[dict[str, object]]:
    for one in report.diagnoses:
        rule: dict[str, object] = {
            "id": one.cause,
            "shortDescription": {"text": _text(one.title)},
            "fullDescription": {"text": _text(one.explanation or one.title)},
            "help": {
                "text": "\n".join(_help(one, _text, _indented)),
                "markdown": "\n\n".join(_help(one, prose, lambda run: fence(run, "sh") if run else "")),
            },
            "properties": {"tags": [one.cause.partition(".")[0]]},
        }
        if one.references and one.references[0].startswith(("https://", "http://")):
            rule["helpUri"] = one.references[0]
        yield rule
    if _is_unknown(report):
        yield {"id": UNKNOWN, "shortDescription": {"text": f"{unknown_in_words(report)}."}}


def _results(report: Report) -> Iterator[dict[str, object]]:
    for number, one in enumerate(report.diagnoses):
        words = [f"{_text(one.title)[:-1]} ({sure_in_words(one.confidence)}).", _text(one.explanation)]
        if number == 0:
            words += [
                one_line(status_in_words(report)),
                f"Run again: {one_line(rerun_in_words(report.rerun))}" if report.rerun else "",
            ]
        yield {
            **_result(report, one.cause, number, " ".join(filter(None, words)), one.evidence),
            "rank": round(100 * one.confidence, 1),
            "partialFingerprints": {"cause/v1": one.cause},
        }
    if _is_unknown(report):
        lines = "\n".join(clean(one.text or one.says) for one in report.unexplained) or "No line gives a reason."
        yield _result(report, UNKNOWN, 0, f"{unknown_in_words(report)}.\n{lines}", report.unexplained)


def _result(report: Report, rule: str, number: int, text: str, proofs: Sequence[Evidence]) -> dict[str, object]:
    places = [place for one in proofs if (place := _location(one))]
    # Viewers hide results without a location, so the fallback is the log as a whole.
    whole = [{"physicalLocation": _physical(name, {"startLine": 1})} for name in report.inputs[:1]]
    return {
        "ruleId": rule,
        "ruleIndex": number,
        "level": "error" if number == 0 else "note",
        "message": {"text": text},
        "locations": places[:1] or whole,
        "relatedLocations": [{**place, "id": at} for at, place in enumerate(places[1 : MOST_RELATED + 1], 1)],
    }


def _location(one: Evidence) -> dict[str, object] | None:
    if not one.source or one.line is None:
        return None
    file, line = file_and_line(one.source, one.line)
    region: dict[str, object] = {"startLine": max(line, 1)}
    if one.text:
        region["snippet"] = {"text": clean(one.text)}
    return {"physicalLocation": _physical(file, region), "message": {"text": one_line(one.says) or "evidence"}}


def _physical(source: str, region: dict[str, object]) -> dict[str, object]:
    return {"artifactLocation": {"uri": _uri(source)}, "region": region}


def _uri(source: str) -> str:
    """Return the name of a source as a relative URI or a file URI."""
    path = quote(one_line(source).replace("\\", "/"))
    return f"file://{path}" if path.startswith("/") else path


def _help(one: Diagnosis, prose: Callable[[str], str], code: Callable[[str], str]) -> list[str]:
    """Return the paragraphs of the help for a cause. `prose` and `code` format text and commands."""
    parts = [prose(one.explanation)]
    for number, fix in enumerate(one.fixes, 1):
        risk = risk_in_words(fix.risk)
        parts += [f"{number}. {prose(fix.do)}" + (f" ({risk})" if risk else ""), code(fix.run or "")]
    for check in one.decide:
        parts += [f"To be sure: {prose(check.do)}", code(check.run or "")]
    return [part for part in parts if part] or [prose(one.title)]


def _indented(command: str) -> str:
    return "\n".join(f"   {line}" for line in clean(command).strip().split("\n") if line)


def _is_unknown(report: Report) -> bool:
    return report.outcome == "failed" and not report.diagnoses


def _text(text: str) -> str:
    return one_line(text).rstrip(".") + "." if text else ""
