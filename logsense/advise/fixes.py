"""Selects the fixes and checks that belong to the failure, and fills them in."""

from __future__ import annotations

from logsense.model.report import Check, Fix
from logsense.model.rule import FIX_FIRST, NEEDS_ADMIN, STOPS_OTHERS, Combined, FactIs, Found, FrameworkIs, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsense.advise.wording import Wording
    from logsense.diagnose.conditions import Conditions
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog
    from logsense.model.rule import Condition, FixRule, Rule

OTHERWISE = "Or "  # how a fix begins that is another way to do the one before it
OWN_SUFFICE = 2  # so many fixes of the message's own replace the cause's general ones
SETTING = frozenset(("framework", "log.system", "log.language", "log.device"))
FEW_MESSAGES = 4  # a condition on so many messages at most is about the message itself


def fixes_of(rule: Rule, writer: Wording, judge: Conditions, anchor: Finding | None) -> list[Fix]:
    """The fixes of `rule` whose conditions hold, filled in; last those that the system of the run has no means for.

    The fixes of the message that carries the diagnosis go before the cause's. Those for programs in another language or
    for another accelerator are offered only if there is nothing else. A message with fixes of its own gets at most one
    of the cause's general ones.
    """
    held = [fix for fix in rule.fixes if judge.all_hold(fix.when, anchor)]
    held.sort(key=lambda fix: _turn(fix, anchor))
    held = [one for one in held if not writer.is_foreign(one.run, one.when)] or held
    fixes: list[Fix] = []
    elsewhere: list[Fix] = []
    own = general = 0
    for fix in held:
        is_general = not _asks(fix.when)
        if is_general and own and own + general >= OWN_SUFFICE:
            continue
        do = writer.advice(fix.do)
        if do and not writer.is_elsewhere(do, fix.run):
            run = writer.command(fix.run)
            if run and STOPS_OTHERS in fix.risk.split(",") and judge.facts.places.names_rank(run):
                continue  # it would end a part of the job that it is to help
            # A notebook has no administrator; a scheduler that does not show costs the fix only its command.
            lost = writer.write(fix.run, quote=True) if run is None and NEEDS_ADMIN in fix.risk.split(",") else None
            foreign = lost is not None and not writer.other_setting(lost)
            if not any((one.do, one.run) == (do, run) for one in fixes):  # advice for all cases may say it too
                (elsewhere if foreign else fixes).append(Fix(do, run, writer.advice(fix.why), fix.risk))
                general += is_general
                own += not foreign and anchor is not None and _is_about(fix.when, anchor, judge.catalog)
            if fix.last:
                break
    fixes += elsewhere
    if fixes and fixes[0].do.startswith(OTHERWISE):  # it goes on from a fix that is not offered here
        rest = fixes[0].do[len(OTHERWISE) :]
        fixes[0] = fixes[0]._replace(do=rest[0].upper() + rest[1:])
    return fixes


def _turn(fix: FixRule, anchor: Finding | None) -> int:
    """When it is the turn of `fix`; those of one turn keep the author's order."""
    if fix.place:
        return 0 if fix.place == FIX_FIRST else 4
    if fix.of:
        return 1 if anchor and anchor.signature.id == fix.of else 2
    return 3


def _asks(conditions: Iterable[Condition]) -> bool:
    """Whether anything has to hold beside the setting: advice for any failure of a framework or system is general."""
    for one in conditions:
        if isinstance(one, Combined):
            if one.how != "none" and _asks(one.parts):
                return True
        elif not (isinstance(one, (NotFound, FrameworkIs)) or (isinstance(one, FactIs) and one.name in SETTING)):
            return True
    return False


def _is_about(conditions: Iterable[Condition], anchor: Finding, catalog: Catalog) -> bool:
    """Whether a condition asks for the anchor's own message, or for what that states."""
    for one in conditions:
        if isinstance(one, FactIs) and one.name in anchor.signature.facts:
            return True
        if isinstance(one, Combined) and one.how != "none" and _is_about(one.parts, anchor, catalog):
            return True
        if (
            isinstance(one, Found)
            and anchor.signature.id in (ids := catalog.expand(one.ids))
            and len(ids) <= FEW_MESSAGES
        ):
            return True
    return False


def checks_of(rule: Rule, writer: Wording, judge: Conditions, anchor: Finding | None) -> list[Check]:
    """The checks of `rule` whose conditions hold, filled in, for the system of the run."""
    checks = []
    for check in rule.decide:
        asked = judge.all_hold(check.when, anchor) and not writer.is_foreign(check.run, check.when)
        do = writer.advice(check.do) if asked else None
        run = writer.command(check.run)
        # A check that the system of the run has no means for would decide nothing.
        if do and (run is not None or writer.write(check.run, quote=True) is None):
            checks.append(Check(do, run))
            if check.last:
                break
    return checks
