"""Puts the report together: diagnoses with their sentences, who is at fault, what followed, what is noise."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.advise.fixes import checks_of, fixes_of
from logsense.advise.harmless import harmless, without_gpu
from logsense.advise.proof import proof
from logsense.advise.rank_rows import rank_rows
from logsense.advise.unknown import near_misses, unexplained
from logsense.advise.wording import Wording
from logsense.diagnose.chain import consequences
from logsense.diagnose.conditions import Conditions
from logsense.diagnose.culprits import culprits
from logsense.diagnose.ownership import meanwhile
from logsense.diagnose.rank import Ranking
from logsense.diagnose.score import Candidate
from logsense.facts.facts import ENGINE_FACTS, Facts
from logsense.facts.process_end import ended_in_words
from logsense.facts.table_limits import table_limit_notes
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.report import (
    Attempt,
    Culprit,
    Diagnosis,
    Evidence,
    FactValue,
    Machine,
    Progress,
    Report,
    Rerun,
    Saved,
)
from logsense.model.rule import CLASSES, VERDICTS
from logsense.model.values import show


def write_report(
    ranking: Ranking,
    catalog: Catalog,
    signs: Signs,
    *,
    live: Live | None = None,
    neighbors: Sequence[Finding] = (),
    others: tuple[Attempt, ...] = (),
) -> Report:
    """Return the report on an incident with its causes.

    `live` is what was learned of the machine, `neighbors` what the kernel said of other jobs, and `others` what else
    failed.
    """
    incident, first, conditions = ranking.incident, ranking.first, ranking.conditions
    at_fault = culprits(first, incident, conditions.facts)
    lines = unexplained(incident, signs) if ranking.outcome == "failed" and not first else ()
    return Report(
        outcome=ranking.outcome,
        diagnoses=tuple(_diagnosis(candidate, share, conditions) for candidate, share in ranking.causes),
        progress=_progress(conditions, ranking.anchor, catalog),
        rerun=_rerun(first, at_fault, conditions, catalog),
        culprits=at_fault,
        consequences=consequences(incident, first, catalog),
        attempts=others,
        ranks=rank_rows(incident, at_fault) if first else (),
        logs=incident.logs,
        empty=not first and not any(end.records for end in incident.ends),
        noise=(*harmless(incident, signs), *(() if incident.machine_log else meanwhile(neighbors))),
        without_gpu=() if first or ranking.outcome == "failed" else without_gpu(incident),
        facts=_facts(conditions.facts, ranking.anchor),
        unexplained=lines,
        near=near_misses(lines, incident, catalog),
        machine=Machine(live.looked, ended_in_words(live.ended) if live.ended else "", live.series) if live else None,
        inputs=incident.sources,
        bytes_read=incident.size,
        lines_read=incident.lines,
    )


def brief(ranking: Ranking) -> Attempt | None:
    """Return the most probable cause in one line, with its place; None if nothing failed or no cause is known."""
    first = ranking.first
    if first is None or ranking.outcome != "failed":
        return None
    at_fault = culprits(first, ranking.incident, ranking.conditions.facts)
    if not at_fault and first.anchor:
        shown = proof("", first.anchor)
        at_fault = (Culprit(None, shown.host, shown.source or "", shown.line or 0),)
    return Attempt(first.rule.cause, _title(first, Wording(ranking.conditions, first.anchor)), at_fault)


def _diagnosis(candidate: Candidate, share: float, conditions: Conditions) -> Diagnosis:
    rule, anchor = candidate.rule, candidate.anchor
    wording = Wording(conditions, anchor)
    conditions.facts.asked.clear()
    title = _title(candidate, wording)
    explanation = wording.write(candidate.argument.explain) or wording.write(rule.explain) or ""
    evidence, against = (_evidence(candidate, wording, title, for_it=for_it) for for_it in (True, False))
    fixes = tuple(fixes_of(rule, wording, conditions, anchor))
    explanation = " ".join((explanation, *table_limit_notes(conditions.facts, conditions.catalog, anchor)))
    return Diagnosis(
        cause=rule.cause,
        confidence=share,
        title=title,
        explanation=" ".join(explanation.split()),
        evidence=evidence,
        against=against,
        fixes=fixes,
        decide=tuple(checks_of(rule, wording, conditions, anchor)),
        references=rule.references,
        restates=rule.restates,
    )


def _title(candidate: Candidate, wording: Wording) -> str:
    rule, argument = candidate.rule, candidate.argument
    title, says_least = wording.write(rule.title), wording.says_least(rule.title)
    said = wording.sentence(argument.says) if rule.titled_by_argument and says_least else None
    return wording.write(argument.title) or said or title or rule.cause


def _evidence(candidate: Candidate, wording: Wording, title: str, *, for_it: bool) -> tuple[Evidence, ...]:
    shown = []
    if for_it and candidate.anchor:
        says = wording.write(candidate.argument.says)
        if not says or says.casefold() == title.casefold():  # the headline has said it
            says = candidate.anchor.signature.title
        shown.append(proof(says, candidate.anchor))
    elif for_it and (says := wording.write(candidate.argument.says) or ""):
        shown.append(Evidence(says, source=wording.source_of(candidate.argument.when)))
    for item, witness in candidate.evidence:
        # What counted is shown, also where none of its sentences can be filled in.
        says = wording.write(item.says) or (witness.signature.title if witness and item.says.variants else "")
        if says and (item.weight > 0) == for_it and all(says != one.says for one in shown):
            shown.append(proof(says, witness) if witness else Evidence(says, source=wording.source_of(item.when)))
    return tuple(shown)


def _rerun(
    first: Candidate | None, at_fault: tuple[Culprit, ...], conditions: Conditions, catalog: Catalog
) -> Rerun | None:
    if first is None:
        return None
    anchor = first.anchor
    chosen = next((one for one in first.rule.rerun if conditions.all_hold(one.when, anchor)), None)
    kind = chosen.kind if chosen else CLASSES[0]
    general = next(
        (one for one in catalog.reruns() if one.kind == kind and conditions.all_hold(one.when, anchor)), None
    )
    said = [one for one in (chosen, general) if one]
    wording = Wording(conditions, anchor)
    verdict = next((one.verdict for one in said if one.verdict), VERDICTS[0])
    why = next(filter(None, (wording.write(one.why) for one in said)), "")
    hosts = [*dict.fromkeys(one.host for one in at_fault if one.host)]
    return Rerun(verdict, why, tuple(hosts) if verdict == "other-node" else ())


def _progress(conditions: Conditions, anchor: Finding | None, catalog: Catalog) -> Progress | None:
    """Return how far the run had come; None if the log does not say."""
    course = conditions.facts.run_progress
    phase = next((one for one in catalog.phases() if conditions.all_hold(one.when, anchor)), None)
    known = {
        slot: fact.value if (fact := conditions.facts.get(f"log.{name}", anchor)) else None
        for slot, name in (
            ("step", "last_step"), ("steps", "total_steps"), ("epoch", "last_epoch"), ("epochs", "total_epochs"),
            ("loss", "last_loss"), ("after_s", "elapsed"),
        )
    }  # fmt: skip
    saved = course.saved()
    if phase is None and saved is None and all(value is None for value in known.values()):
        return None
    return Progress(
        phase=phase.name if phase else None,
        says=phase.says if phase else "",
        checkpoint=_saved(saved, course.since_s(saved)) if saved else None,
        **known,  # type: ignore[arg-type]
    )


def _saved(saved: Finding, before_end_s: float | None) -> Saved:
    captures = saved.captures
    step, epoch, path = (captures.get(slot) for slot in ("step", "epoch", "path"))
    source, line = saved.place
    return Saved(
        step=step if isinstance(step, int) else None,
        epoch=float(epoch) if isinstance(epoch, (int, float)) else None,
        path=str(path) if path is not None else None,
        source=source,
        line=line,
        before_end_s=before_end_s,
    )


def _facts(facts: Facts, anchor: Finding | None) -> dict[str, FactValue]:
    shown = {}
    for name in dict.fromkeys((*facts.names(), *ENGINE_FACTS, *sorted(facts.derivable))):
        fact = facts.get(name, anchor)
        if fact is None:
            continue
        origin = fact.finding if name not in ENGINE_FACTS else None
        source, line = origin.place if origin else (fact.source or None, None)
        shown[name] = FactValue(
            value=fact.value,
            source=source,
            line=line,
            shown=show(facts.type_of(name), fact.value),
        )
    return shown
