"""Fill in texts: the first variant whose conditions hold and whose placeholders are all known."""

from __future__ import annotations

import re
from collections.abc import Mapping

from logsense.diagnose.conditions import Conditions
from logsense.model.finding import Finding
from logsense.model.rule import Combined, Condition, FactIs, Found, Text
from logsense.model.system import DEVICE, INSTALLER, LANGUAGE, MACHINE
from logsense.model.values import show
from logsense.util.regexes import Lazy

PLACEHOLDER = Lazy(r"(?<!\$)\{((?:anchor\.)?[a-z_][\w]*(?:\.[\w]+)*)\}")
_WORD = Lazy(r"([a-z][a-z-]*)(?:'s)?[ ,]")
SETTINGS = "setting-commands"  # the table of words of commands, with the setting that each needs
_WORDS = Lazy(r"[A-Z]{2,}_(?=[A-Z0-9_]+=)|#?[A-Za-z][\w-]*")
_NUMBERED = ("pid", "process", "job", "port")  # numbers that name something, without thousands separators
LONGEST = 200  # characters of a value
LONGEST_PATH = 60  # a longer path is shortened to the part below its package folder
_IN_PACKAGES = Lazy(r".*[/\\](?:site|dist)-packages(?=[/\\].)", re.DOTALL)


class Wording:
    """Write the sentences of one diagnosis; placeholders may refer to slots of its anchor."""

    def __init__(self, conditions: Conditions, anchor: Finding | None) -> None:
        self._conditions, self._anchor = conditions, anchor

    def write(self, text: Text, *, quote: bool = False) -> str | None:
        """Return the text, filled in, or None if no variant can be. With `quote`, it is a shell command."""
        return self._written(text, quote=quote)[1]

    def advice(self, text: Text) -> str | None:
        """Return the text, filled in, with the terms of the failed run's accelerator."""
        wording, filled = self._written(text, quote=False)
        device = self._conditions.facts.system(DEVICE) if filled else None
        if filled is None or device is None:
            return filled
        from logsense.advise.commands import in_words

        translated = in_words(wording, device)
        return filled if translated == wording else self.fill(translated)

    def sentence(self, text: Text) -> str | None:
        """Return the text, filled in, with a capital letter unless it begins with a value or a program's name."""
        wording, filled = self._written(text, quote=False)
        word = _WORD.match(wording)
        ours = word and not self._is_program(word[1])
        return filled[0].upper() + filled[1:] if filled and ours else filled

    def _is_program(self, word: str) -> bool:
        programs = self._conditions.catalog.programs()
        return word in programs or any(word in program.commands for program in programs.values())

    def says_least(self, text: Text) -> bool:
        """Return whether the last variant is used, the one without conditions and values."""
        return not text.variants or self._written(text, quote=False)[0] in ("", text.variants[-1][1])

    def _written(self, text: Text, *, quote: bool) -> tuple[str, str | None]:
        """Return the variant that is used, and the same filled in."""
        for conditions, wording in text.variants:
            if conditions and not self._conditions.all_hold(conditions, self._anchor):
                continue
            filled = self.fill(wording, quote=quote)
            if filled is not None:
                return wording, filled
        return "", None

    def fill(self, wording: str, *, quote: bool = False) -> str | None:
        """Return `wording` with its placeholders filled in; None if one is unknown, or unsafe in a command."""
        values = [self._value(found[1], whole=quote) for found in PLACEHOLDER.finditer(wording)]
        if values and quote:
            from logsense.advise.commands import fit, places_at

            places = places_at(wording, [found.start() for found in PLACEHOLDER.finditer(wording)])
            values = [None if value is None else fit(value, place) for value, place in zip(values, places, strict=True)]
        if None in values:
            return None
        following = iter(values)
        return PLACEHOLDER.sub(lambda found: _put(next(following) or "", wording[found.end() :], quote), wording)

    def command(self, text: Text) -> str | None:
        """Return a command for the system of the failed run; None if it can't be filled in or run there."""
        command = self.write(text, quote=True)
        if command and self.other_setting(command):
            return None
        for kind in (DEVICE, INSTALLER, MACHINE):
            command = command and self._command_for(kind, command)
        return command

    def is_elsewhere(self, do: str, run: Text) -> bool:
        """Return whether the command is for another setting than the log's, and `do` names that setting."""
        command = self.write(run, quote=True)
        title = self.other_setting(command) if command else ""
        return bool(title) and title in do

    def other_setting(self, command: str) -> str:
        """Return the title of the framework, scheduler, back end … of `command` that is not the run's; else "".

        The run has a setting if `applies` would hold, or if the message with the diagnosis names it. A framework is
        foreign only if the run has another and the message is not of it. Of several settings of one kind, one suffices.
        """
        table = self._conditions.catalog.table(SETTINGS)
        words = set(_WORDS.findall(command))
        needed: dict[object, list[Mapping[str, object]]] = {}
        for row in table.rows if table else ():
            if row["command"] in words:
                needed.setdefault(row["key"], []).append(row)
        foreign = (rows for rows in needed.values() if not any(map(self._has_setting, rows)))
        return next((str(rows[0]["title"]) for rows in foreign), "")

    def _has_setting(self, row: Mapping[str, object]) -> bool:
        key, word = str(row["key"]), str(row["word"])
        if key == "framework":
            program = self._conditions.catalog.programs().get(self._anchor.signature.program) if self._anchor else None
            of_message = program.framework if program else ""
            return word == of_message or self._conditions.facts.framework() in ("", word)
        if self._conditions.applies(((key, (word,)),), self._anchor):
            return True
        return self._anchor is not None and str(row["title"]).casefold() in self._anchor.record.text.casefold()

    def is_foreign(self, text: Text, when: tuple[Condition, ...] = ()) -> bool:
        """Return whether it is a command for another language or accelerator than that of the failed run.

        A fix whose `when` asks for messages of the run's own language is for that language.
        """
        command = self.write(text, quote=True)
        kinds = (DEVICE,) if self._asks_language(when) else (LANGUAGE, DEVICE)
        return bool(command) and any(self._command_for(kind, command or "") is None for kind in kinds)

    def _asks_language(self, conditions: tuple[Condition, ...]) -> bool:
        system = self._conditions.facts.system(LANGUAGE)
        if system is None:
            return False
        expand = self._conditions.catalog.expand
        asked = (expand(one.ids) for one in conditions if isinstance(one, Found))
        return any(ids and ids <= expand(system.found) for ids in asked)

    def _command_for(self, kind: str, command: str) -> str | None:
        system = self._conditions.facts.system(kind)
        if system is None or system.commands is None:
            return command
        from logsense.advise.commands import for_system

        return for_system(command, system)

    def source_of(self, conditions: tuple[Condition, ...]) -> str | None:
        """Return the part of the machine that the first fact among `conditions` was read from, or None."""
        for condition in conditions:
            source: str | None = None
            if isinstance(condition, Combined):
                source = self.source_of(condition.parts)
            elif isinstance(condition, FactIs):
                fact = self._conditions.facts.get(condition.name, self._anchor)
                source = fact.source if fact else None
            if source:
                return source
        return None

    def _value(self, name: str, *, whole: bool) -> str | None:
        facts = self._conditions.facts
        if facts.is_fact(name):
            fact = facts.get(name, self._anchor)
            return None if fact is None else _shown(facts.type_of(name), fact.value, whole=whole)
        slot = name.removeprefix("anchor.")
        if self._anchor and slot in self._anchor.captures:
            return _shown(_slot_kind(self._anchor, slot), self._anchor.captures[slot], whole=whole)
        return None


def _put(value: str, behind: str, quote: bool) -> str:
    """Return `value`, without its full stop if `behind` begins with one."""
    twice = not quote and behind[:1] == "." and value[-1:] == "." and value[-2:] != ".."
    return value[:-1] if twice else value


def _slot_kind(anchor: Finding, slot: str) -> str:
    if slot in _NUMBERED:
        return "text"
    for pattern in (*anchor.signature.match, *anchor.signature.also):
        if slot in pattern.slots:
            return pattern.slots[slot]
    return "text"


def _shown(kind: str, value: object, *, whole: bool) -> str:
    """Return `value` for a sentence, shortened, or for a command: `whole`."""
    if whole:
        return str(value) if kind == "int" else show(kind, value)
    shown = show(kind, value)
    return _short(_IN_PACKAGES.sub("…", shown) if kind == "path" and len(shown) > LONGEST_PATH else shown)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
