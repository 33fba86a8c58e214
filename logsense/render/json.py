"""Render a report as JSON in the public format (docs/design.md)."""

from __future__ import annotations

import json

from logsense.model.report import SCHEMA, Culprit, Diagnosis, Evidence, Machine, Progress, Report


def render_json(report: Report) -> str:
    """Return `report` as one indented JSON object. It is ASCII, so nothing in it can control a terminal."""
    return json.dumps(plain(report_data(report)), indent=1) + "\n"


def report_data(report: Report) -> dict[str, object]:
    """Return `report` as plain data, with the documented keys in the documented order."""
    rerun = report.rerun
    return {
        "schema": SCHEMA,
        "outcome": report.outcome,
        "diagnoses": [_diagnosis(diagnosis) for diagnosis in report.diagnoses],
        "progress": report.progress and _progress(report.progress),
        "rerun": rerun and {"verdict": rerun.verdict, "why": rerun.why, "exclude": list(rerun.exclude)},
        "culprits": [_culprit(one) for one in report.culprits],
        "consequences": [
            {"says": one.says, "ranks": list(one.ranks), "seen": one.seen, "after": one.after or None}
            for one in report.consequences
        ],
        "attempts": [
            {
                "what": one.what,
                "cause": one.cause,
                "title": one.title,
                "culprits": [_culprit(who) for who in one.culprits],
            }
            for one in report.attempts
        ],
        "ranks": [{**one._asdict(), "marks": [mark._asdict() for mark in one.marks]} for one in report.ranks],
        "logs": report.logs
        and {key: value if key == "ranks" else list(value) for key, value in report.logs._asdict().items()},
        "noise": [{"signature": one.signature, "count": one.seen, "says": one.says} for one in report.noise],
        "without_gpu": [_evidence(one) for one in report.without_gpu],
        "facts": {
            name: {"value": fact.value, "source": fact.source, "line": fact.line} for name, fact in report.facts.items()
        },
        "machine": report.machine and _machine(report.machine),
        "unexplained": [_evidence(one) for one in report.unexplained],
        "near": [
            {"signature": one.signature, "title": one.title, "distance": round(one.distance, 3)} for one in report.near
        ],
        "masked": None if report.masked is None else [one._asdict() for one in report.masked],
        "empty": report.empty,
        "new": None if report.new is None else [one._asdict() for one in report.new],
    }


def _culprit(one: Culprit) -> dict[str, object]:
    return {"rank": one.rank, "host": one.host, "source": one.source, "line": one.line}


def _diagnosis(one: Diagnosis) -> dict[str, object]:
    return {
        "cause": one.cause,
        "confidence": round(one.confidence, 3),
        "title": one.title,
        "explanation": one.explanation,
        "evidence": [_evidence(evidence) for evidence in one.evidence],
        "against": [_evidence(evidence) for evidence in one.against],
        "fixes": [{"do": fix.do, "run": fix.run, "why": fix.why, "risk": fix.risk} for fix in one.fixes],
        "decide": [{"do": check.do, "run": check.run} for check in one.decide],
        "references": list(one.references),
    }


def _progress(one: Progress) -> dict[str, object]:
    return {**one._asdict(), "checkpoint": one.checkpoint and one.checkpoint._asdict()}


def _machine(one: Machine) -> dict[str, object]:
    series = [
        {"title": each.title, "unit": each.unit, "limit": each.limit, "points": each.points} for each in one.series
    ]
    return {"looked": one.looked or None, "ended": one.ended or None, "series": series}


def _evidence(one: Evidence) -> dict[str, object]:
    return {
        "says": one.says,
        "source": one.source,
        "line": one.line,
        "text": one.text,
        "rank": one.rank,
        "host": one.host,
        "time": one.time,
    }


def plain(value: object) -> object:
    """Return `value` with only what every JSON parser accepts: no NaN, infinity or lone surrogates."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
