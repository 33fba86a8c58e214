"""The catalog comes from its files or from a cache of them, and survives whatever happens to either."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logsense.authoring.lint import lint
from logsense.catalog import load
from logsense.catalog.load import cache_folder, load_catalog
from logsense.cli.main import main
from logsense.model.knowledge import Catalog
from logsense.model.rule import UNKNOWN, Rule
from logsense.util.checksums import with_checksum, without_checksum
from tests.conftest import Write
from tests.demo import FILES, signature


def _all_rules(catalog: Catalog) -> list[Rule]:
    return catalog.rules_for(frozenset(catalog.ids), list(catalog.facts()))


def test_the_second_load_comes_from_the_cache(write_catalog: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_catalog(FILES)

    def never(files: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr("logsense.catalog.build.build", never)
    again = load_catalog()
    assert (again.key, again.ids, again.literals.texts) == (first.key, first.ids, first.literals.texts)
    assert again.rule("memory.capacity") == first.rule("memory.capacity")


def test_an_edited_file_acts_at_once(write_catalog: Write) -> None:
    write_catalog(FILES)
    changed = write_catalog({"corpus/demo/lost.yaml": signature("lost", "failure", "entirely another text")})
    assert "entirely another text" in changed.literals.texts


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff\xfe", b"\0" * 9, b"\0\0\0\0\xff\xff\xff\xff0"])
def test_a_damaged_cache_is_made_again(write_catalog: Write, damage: bytes) -> None:
    first = write_catalog(FILES)
    folder = cache_folder()
    assert folder
    file = Path(folder) / f"catalog-{first.key}.bin"
    file.write_bytes(damage)
    assert load_catalog().ids == first.ids


@pytest.mark.parametrize("cut", [False, True])
def test_a_cache_that_is_damaged_anywhere_is_made_again(write_catalog: Write, cut: bool) -> None:
    first = write_catalog(FILES)
    file = Path(cache_folder() or "", f"catalog-{first.key}.bin")
    sound = file.read_bytes()
    for at in range(0, len(sound), 37):
        file.write_bytes(sound[:at] if cut else sound[:at] + bytes([sound[at] ^ 0x41]) + sound[at + 1 :])
        again = load_catalog()
        assert (again.ids, again.literals.texts, again.progress) == (first.ids, first.literals.texts, first.progress)
        assert [again.signature(number) for number in range(len(again.ids))] == [
            first.signature(number) for number in range(len(first.ids))
        ]
        assert _all_rules(again) == _all_rules(first)
        assert again.rule("memory.capacity") == first.rule("memory.capacity")
        assert again.facts() == first.facts()
        assert again.programs() == first.programs()


def _otherwise(sound: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a sound catalog with a changed index."""
    end = 4 + int.from_bytes(sound[:4], "little")
    index = marshal.loads(without_checksum(sound[4:end]) or b"")
    change(index)
    changed = with_checksum(marshal.dumps(index, 2))
    return len(changed).to_bytes(4, "little") + changed + sound[end:]


@pytest.mark.parametrize("lost", ["catalog", "signatures", "rules", "size", "scoring", "scoring parts"])
def test_a_sound_cache_of_another_shape_is_made_again(write_catalog: Write, lost: str) -> None:
    first = write_catalog(FILES)
    file = Path(cache_folder() or "", f"catalog-{first.key}.bin")
    sound = file.read_bytes()
    file.write_bytes(_otherwise(sound, lambda index: index.pop(lost)))
    again = load_catalog()
    assert (again.ids, again.causes) == (first.ids, first.causes)
    assert again.signature(0) == first.signature(0)
    assert _all_rules(again) == _all_rules(first)
    assert file.read_bytes() == sound


def test_other_code_has_another_cache(write_catalog: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_catalog(FILES)
    monkeypatch.setattr(load, "_code_seen", [("logsense/catalog", "compiled.py", 1, 2)])
    assert load_catalog().key != first.key


def test_no_home_means_no_cache(write_catalog: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", "/")
    assert cache_folder() is None
    assert write_catalog(FILES).cache_folder is None


def test_a_cache_that_can_not_be_written_does_not_matter(
    write_catalog: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "occupied").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "occupied"))
    assert write_catalog(FILES).ids


def test_broken_files_are_left_out_and_named_together(write_catalog: Write) -> None:
    catalog = write_catalog(
        {
            **FILES,
            "corpus/demo/lost.yaml": "id: demo.lost\nkind: mishap\nmatch: '{x:int}'\n",
            "rules/hardware/lost.yaml": "cause: hardware.lost\narguments: [{when: 3, strength: x}]\n",
            "corpus/demo/full.yaml": "a: [",
        }
    )
    assert "demo.lost" not in catalog.ids
    assert catalog.rule("hardware.lost") is None
    places = [(problem.file.rsplit("/", 1)[1], problem.line) for problem in catalog.problems]
    assert places.count(("lost.yaml", 2)) >= 2
    assert any(name == "full.yaml" for name, _ in places)
    assert len(catalog.problems) >= 6


def test_a_teams_own_folders_are_added(write_catalog: Write, tmp_path: Path) -> None:
    write_catalog(FILES)
    corpus, rules = tmp_path / "own" / "corpus", tmp_path / "own" / "rules"
    (corpus / "ours").mkdir(parents=True)
    (rules / "memory").mkdir(parents=True)
    text = signature("x", "failure", "our own trouble").replace("demo.x", "ours.x")
    (corpus / "ours" / "x.yaml").write_text(text)
    (corpus / "ours" / "y.yaml").write_text(
        "id: ours.y\ntitle: t\nprinted_by: p\npattern: 'trouble (?P<n__int>[0-9]+)'\nliteral: trouble\n"
    )
    (rules / "memory" / "capacity.yaml").write_text(FILES["rules/memory/capacity.yaml"].replace("demo.full", "ours.x"))
    catalog = load_catalog(str(rules), str(corpus))
    assert {"ours.x", "demo.full"} <= set(catalog.ids)
    assert [rule.cause for rule in catalog.rules_for(frozenset({"ours.x"}), ())] == ["memory.capacity", UNKNOWN]
    assert catalog.signature(catalog.ids.index("ours.y")).timed


def test_wildcards_stand_for_what_they_match(write_catalog: Write) -> None:
    catalog = write_catalog(FILES)
    assert catalog.expand(("demo.l*", "demo.old", "x.y")) == {"demo.lost", "demo.old", "x.y"}


def test_a_renamed_signature_is_still_found(
    write_catalog: Write, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = FILES["corpus/demo/lost.yaml"] + "was: [demo.vanished]\n"
    write_catalog({**FILES, "corpus/demo/lost.yaml": renamed})
    own = tmp_path_factory.mktemp("own")
    rule = FILES["rules/hardware/lost.yaml"]
    assert "demo.lost" in rule
    (own / "hardware").mkdir()
    (own / "hardware" / "lost.yaml").write_text(rule.replace("demo.lost", "demo.vanished"))
    for _ in range(2):  # built, and from the cache
        catalog = load_catalog(str(own))
        assert catalog.problems == ()
        assert dict(catalog.renamed) == {"demo.vanished": "demo.lost"}
        assert [one.cause for one in catalog.rules_for(frozenset({"demo.lost"}), ())] == ["hardware.lost", UNKNOWN]
    assert main(["signatures", "demo.vanished"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("demo says lost")
    assert err == "logsense: demo.vanished is now called demo.lost\n"
    assert main(["rules", "lint", str(own), "--rules", str(own)]) == 0
    assert "warning: demo.vanished is now called demo.lost" in capsys.readouterr().out


def test_an_old_id_must_be_free(write_catalog: Write) -> None:
    write_catalog({**FILES, "corpus/demo/lost.yaml": FILES["corpus/demo/lost.yaml"] + "was: demo.peer\n"})
    assert "demo.peer is the id of another message" in [one.sentence for one in lint()]


def test_who_waits_for_the_catalog_to_be_compiled_is_told_once(write_catalog: Write) -> None:
    write_catalog(FILES)
    told: list[str] = []
    load_catalog(on_build=lambda: told.append("kept"))
    assert told == []
    Path(cache_folder() or "", f"catalog-{load_catalog().key}.bin").unlink()
    load_catalog(on_build=lambda: told.append("built"))
    assert told == ["built"]
