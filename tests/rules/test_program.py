from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import resources
from kgreason.errors import InputError, RuleError
from kgreason.resources import resource
from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from kgreason.rules.program import Program

GO = (Atom("go", ()),)


def test_a_rule_without_a_name_is_called_after_its_position() -> None:
    program = Program((Rule(GO, ()), Rule(GO, (), "b"), Rule(GO, (), group="g")))
    assert [rule.name for rule in program.rules] == ["rule-1", "b", "rule-3"]
    assert program.rules[2].group == "g"


def test_equal_programs_have_equal_hashes() -> None:
    assert hash(parse("@prefix : <urn:x> . go() .")) == hash(parse("@prefix : <urn:x> . go() ."))
    assert parse("@prefix : <urn:x> . go() .") != parse("go() .")


def test_select_keeps_order_names_and_prefixes() -> None:
    program = parse("@prefix : <urn:x> . @group a . p() . @group b . q() . @group a . r() . @group c . s() .")
    assert program.groups == ("a", "b", "c")
    chosen = program.select("c", "a")
    assert [rule.name for rule in chosen.rules] == ["rule-1", "rule-3", "rule-4"]
    assert chosen.prefixes == program.prefixes
    with pytest.raises(RuleError, match=r"unknown rule group 'd'; the groups are: a, b, c"):
        program.select("a", "d")


def test_resources_lie_in_the_package_or_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "kgreason"
    inside, beside = package / "rulesets", tmp_path / "rulesets"
    for folder in (inside, beside):
        folder.mkdir(parents=True)
    (beside / "a.dl").touch()
    (beside / "b.dl").touch()
    (inside / "a.dl").touch()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resource("rulesets", "a.dl") == inside / "a.dl"
    assert resource("rulesets", "b.dl") == beside / "b.dl"
    with pytest.raises(InputError, match=r"rulesets/c\.dl is not shipped with kgreason; there are: a\.dl, b\.dl"):
        resource("rulesets", "c.dl")
    with pytest.raises(InputError, match=r"there are: none"):
        resource("nowhere", "c.dl")
