"""Regexes that are kept between runs do what they do when compiled anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logsense.catalog.files import built_in, listing
from logsense.catalog.load import keep_regexes, load_catalog
from logsense.catalog.yaml_files import read_yaml
from logsense.pipeline import explain_text
from logsense.util import regexes

FORMS = [
    ("a(?P<one>b+)c|(?P<two>d)", 0), ("(?m:^)x[^\\n]*(?i:y)", re.IGNORECASE), ("[äöü\U0001f600-\U0001f64f]+", 0),
    ("(?<=a)b(?!c)", 0), ("(a)(b)?\\2|\\1", 0), ("(?:a|b){2,7}?", re.DOTALL), ("\\w+\\s\\d*", re.ASCII), ("", 0),
]  # fmt: skip
TEXTS = ["abbbc d", "xfooY\nxY", "grün😀", "ab abc", "abba", "abababab", "wörd 12", ""]


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this process has compiled and restored."""
    for name in ("_compiled", "_kept", "_made"):
        monkeypatch.setattr(regexes, name, {})
    monkeypatch.setattr(regexes, "_used", set())


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the start of a process that has compiled nothing yet."""
    forget(monkeypatch)


def again(monkeypatch: pytest.MonkeyPatch, packed: bytes | None) -> None:
    """As in the next process, which restores what was packed."""
    forget(monkeypatch)
    regexes.restore(packed)


def spans(pattern: re.Pattern[str], text: str) -> list[tuple[object, ...]]:
    return [(found.span(), found.groups(), found.groupdict(), found.lastgroup) for found in pattern.finditer(text)]


@pytest.mark.usefixtures("fresh")
def test_kept_regexes_match_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    for source, flags in FORMS:
        regexes.compiled(source, flags)
    again(monkeypatch, regexes.pack())
    for source, flags in FORMS:
        kept, plain = regexes.compiled(source, flags), re.compile(source, flags)
        assert (kept.flags, kept.groups, kept.groupindex) == (plain.flags, plain.groups, plain.groupindex)
        assert kept == plain
        for text in TEXTS:
            assert spans(kept, text) == spans(plain, text)
    assert regexes.pack() is None, "nothing was compiled anew"


@pytest.mark.usefixtures("fresh")
def test_no_more_are_kept_than_a_start_takes_in_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "MOST_KEPT", 1000)
    for number in range(20):
        regexes.compiled(f"a{number}", 0)
    many = regexes.pack()
    monkeypatch.setattr(regexes, "MOST_KEPT", 5)
    few = regexes.pack()
    again(monkeypatch, few)
    assert len(regexes._kept) == 5
    again(monkeypatch, many)
    assert not regexes._kept


@pytest.mark.usefixtures("fresh")
def test_what_was_used_last_is_kept_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "MOST_KEPT", 6)
    monkeypatch.setattr(regexes, "MOST_NEW", 3)
    for number in range(3):
        regexes.compiled(f"old{number}", 0)
    again(monkeypatch, regexes.pack())
    for number in range(3):
        regexes.compiled(f"other{number}", 0)
    again(monkeypatch, regexes.pack())
    for source in ("old1", *[f"new{number}" for number in range(9)]):
        regexes.compiled(source, 0)
    again(monkeypatch, regexes.pack())
    assert [*regexes._kept] == ["0sold1", "0snew0", "0snew1", "0snew2", "0sother0", "0sother1"]
    for source in ("old1", "new2", "other1"):
        assert regexes.compiled(source, 0).search(source)
    assert regexes.pack() is None, "all of it was there"


@pytest.mark.usefixtures("fresh")
def test_all_signatures_match_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "MOST_KEPT", 100_000)
    monkeypatch.setattr(regexes, "MOST_NEW", 100_000)
    catalog = load_catalog()
    signatures = [catalog.signature(number) for number in range(len(catalog.ids))]
    patterns = [(one, pattern) for one in signatures for pattern in (*one.match, *one.also) if not one.timed]
    for one, pattern in patterns:
        regexes.compiled(pattern.regex, re.IGNORECASE if one.ignore_case else 0)
    again(monkeypatch, regexes.pack())
    root = built_in("corpus")
    texts = {
        ".".join(path.rsplit(".", 1)[0].split("/")): [str(sample["text"]) for sample in data["samples"]["positive"]]
        for path, _ in listing(root)
        if "_program" not in path
        for data in [read_yaml(str(Path(root, path)))[0]]
        if isinstance(data, dict)
    }
    for one, pattern in patterns:
        flags = re.IGNORECASE if one.ignore_case else 0
        kept, plain = regexes.compiled(pattern.regex, flags), re.compile(pattern.regex, flags)
        for text in texts[one.id]:
            assert spans(kept, text) == spans(plain, text)
    assert regexes.pack() is None


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "text"])
def test_what_is_broken_counts_as_nothing(monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    regexes.compiled("a+b", 0)
    packed = regexes.pack()
    assert packed
    broken = {"cut": packed[:-3], "flip": packed[:-1] + bytes([packed[-1] ^ 1]), "empty": b"", "text": b"[]\n0\n"}[harm]
    again(monkeypatch, broken)
    assert regexes.compiled("a+b", 0).findall("aab ab") == ["aab", "ab"]
    assert regexes.pack() is not None, "it was compiled anew"


@pytest.mark.usefixtures("fresh")
def test_they_are_kept_in_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = explain_text(b"RuntimeError: CUDA error: out of memory\n", load_catalog())
    keep_regexes()
    kept = list(tmp_path.glob("logsense/regexes-*"))
    assert len(kept) == 1
    again(monkeypatch, kept[0].read_bytes())
    assert explain_text(b"RuntimeError: CUDA error: out of memory\n", load_catalog()) == before
