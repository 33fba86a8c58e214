"""Select the fixes and checks that fit the failure, and fill them in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logsense.advise.wording import Wording
from logsense.diagnose.conditions import Conditions
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.report import Check, Fix
from logsense.model.rule import (
    FIX_ALONE,
    FIX_FIRST,
    FIX_LAST,
    NEEDS_ADMIN,
    STOPS_OTHERS,
    CheckRule,
    Combined,
    Condition,
    FactIs,
    FixRule,
    Found,
    FrameworkIs,
    NotFound,
    Rule,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Offered = TypeVar("Offered", FixRule, CheckRule)

OTHERWISE = "Or "  # the beginning of a fix that is an alternative to the one before it
OWN_SUFFICE = 2  # this many fixes of messages that were found replace the general ones of the cause
# What these show is true of any failure of a program or on a system, not of one message.
SETTING = frozenset(("framework", "log.system", "log.language", "log.device", "exception.type"))
TURNS = {FIX_FIRST: 0, FIX_LAST: 4, FIX_ALONE: 5}
FEW_MESSAGES = 4  # a condition on at most this many messages is about the message itself


def fixes_of(rule: Rule, wording: Wording, conditions: Conditions, anchor: Finding | None) -> list[Fix]:
    """Return the fixes of `rule` whose conditions hold, filled in. Those that its system can't run come last.

    The fixes of the message that carries the diagnosis come before those of its cause. Fixes for programs in another
    language or for another accelerator are offered only if there is nothing else. Beside a fix of a message that was
    found, there is at most one general fix of the cause, and none of its fixes where those of the message are complete,
    other than one with the place "first" that asks for a message.
    Of fixes with the same command, only the first is offered. Fixes with the place "alone" are offered where there is
    no other; without a log, beside others.
    """
    held = list(_holding(rule.fixes, conditions, anchor))
    if anchor and anchor.signature.fixes_complete:
        held = _complete(held, anchor, conditions.catalog)
    held.sort(key=lambda fix: _turn(fix, anchor))
    held = [one for one in held if not wording.is_foreign(one.run, one.when)] or held
    if anchor is None:
        return _filled_in(held, wording, conditions, anchor)
    usual = [fix for fix in held if fix.place != FIX_ALONE]
    return _filled_in(usual, wording, conditions, anchor) or _filled_in(held, wording, conditions, anchor)


def _filled_in(held: list[FixRule], wording: Wording, conditions: Conditions, anchor: Finding | None) -> list[Fix]:
    """Return the fixes of `held` that can be filled in, without general ones beside enough of the message's own."""
    fixes: list[Fix] = []
    elsewhere: list[Fix] = []
    own = general = 0
    for fix in held:
        is_general = not _asks(fix.when)
        if is_general and own and own + general >= OWN_SUFFICE:
            continue
        do = wording.advice(fix.do)
        if do and not wording.is_elsewhere(do, fix.run):
            run = wording.command(fix.run)
            if run and STOPS_OTHERS in fix.risk.split(",") and conditions.facts.places.names_rank(run):
                continue  # it would end a rank of this job
            # A notebook has no administrator; a scheduler that does not show costs the fix only its command.
            lost = wording.write(fix.run, quote=True) if run is None and NEEDS_ADMIN in fix.risk.split(",") else None
            foreign = lost is not None and not wording.other_setting(lost)
            if not any(one.run == run if run else one.do == do for one in fixes):
                (elsewhere if foreign else fixes).append(Fix(do, run, wording.advice(fix.why), fix.risk))
                general += is_general
                own += (
                    not foreign
                    and anchor is not None
                    and (fix.of != "" or _is_about(fix.when, anchor, conditions.catalog))
                )
            if fix.last:
                break
    fixes += elsewhere
    if fixes and fixes[0].do.startswith(OTHERWISE):  # the fix before it is not offered here
        rest = fixes[0].do[len(OTHERWISE) :]
        fixes[0] = fixes[0]._replace(do=rest[0].upper() + rest[1:])
    return fixes


def _holding(offered: Iterable[Offered], conditions: Conditions, anchor: Finding | None) -> Iterator[Offered]:
    """Yield what is offered for this failure and setting; of a choice, with `otherwise`, the first."""
    chosen = False
    for one in offered:
        if one.otherwise and chosen:
            continue
        chosen = conditions.all_hold(one.when, anchor) and conditions.applies(one.applies, anchor)
        if chosen:
            yield one


def _complete(held: list[FixRule], anchor: Finding, catalog: Catalog) -> list[FixRule]:
    """Return the fixes of `held` that are the anchor's own, or else those of its cause that ask for its message."""
    own = [fix for fix in held if fix.of == anchor.signature.id]
    suffice = own or [fix for fix in held if not fix.of and _is_about(fix.when, anchor, catalog)]
    return [fix for fix in held if fix in suffice or _is_first(fix, anchor, catalog)] if suffice else held


def _is_first(fix: FixRule, anchor: Finding, catalog: Catalog) -> bool:
    """Return whether `fix` of the cause stays before complete ones, because it asks for a message or a value of it."""
    return fix.place == FIX_FIRST and (_names_message(fix.when) or _is_about(fix.when, anchor, catalog))


def _turn(fix: FixRule, anchor: Finding | None) -> int:
    """Return the place of `fix` in the order; fixes of the same place keep the author's order."""
    if fix.place:
        return TURNS[fix.place]
    if fix.of:
        return 1 if anchor and anchor.signature.id == fix.of else 2
    return 3


def _asks(conditions: Iterable[Condition]) -> bool:
    """Return whether anything besides the setting has to hold; what fits any failure of a program is general."""
    for one in conditions:
        if isinstance(one, Combined):
            if one.how != "none" and _asks(one.parts):
                return True
        elif isinstance(one, Found):
            if not all(id_.endswith(".*") for id_ in one.ids):
                return True
        elif not (isinstance(one, (NotFound, FrameworkIs)) or (isinstance(one, FactIs) and one.name in SETTING)):
            return True
    return False


def _is_about(conditions: Iterable[Condition], anchor: Finding, catalog: Catalog) -> bool:
    """Return whether a condition is on the anchor's message, or on a fact that it states."""
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


def _names_message(conditions: Iterable[Condition]) -> bool:
    """Return whether a condition is on a message by its name, and not on any message of a program."""
    return any(
        one.how != "none" and _names_message(one.parts)
        if isinstance(one, Combined)
        else isinstance(one, Found) and any("*" not in id_ for id_ in one.ids)
        for one in conditions
    )


def checks_of(rule: Rule, wording: Wording, conditions: Conditions, anchor: Finding | None) -> list[Check]:
    """Return the checks of `rule` whose conditions hold, filled in, for the system of the run.

    Beside a check of the message that carries the diagnosis, no general one of its cause is offered.
    """
    held = list(_holding(rule.decide, conditions, anchor))
    if anchor and any(_is_about(check.when, anchor, conditions.catalog) for check in held):
        held = [check for check in held if _asks(check.when)]
    checks = []
    for check in held:
        asked = not wording.is_foreign(check.run, check.when)
        do = wording.advice(check.do) if asked else None
        run = wording.command(check.run)
        # A check that the system of the run can't run decides nothing.
        if do and (run is not None or wording.write(check.run, quote=True) is None):
            checks.append(Check(do, run))
            if check.last:
                break
    return checks
