"""Every rule of the specifications on cases of its own: exact deltas, contradictions and proofs, in both readings."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from kgreason.options import SchemaMode
from kgreason.rules.model import FALSE
from kgreason.rules.parser import ruleset
from tests.tables import table

from . import book
from .cases import Case, by_rule, cases, folders_without_input, patch
from .gaps import READINGS, Check, gaps
from .rulesets import every_rule, helpers, owner, program, rule_of
from .running import observe
from .tables import KNOWN

SWITCH = "eq-spellings"
"""The rule of a group that is a switch. It never runs."""

CASES = cases()
OF_LITERALS = {"dt-type2", "dt-eq", "dt-diff"}
FILES = {"input.ttl", "loaded.patch", "edit.ru", "edited.patch"}


def readings(check: Check) -> list[Any]:
    """Every case in both readings of the schema; what a gap says of a check is expected to fail."""
    return [
        pytest.param(case, schema, id=f"{case}-{schema}", marks=_marks(case, check, schema))
        for case, schema in product(CASES, READINGS)
    ]


def _marks(case: Case, check: Check, schema: SchemaMode) -> list[pytest.MarkDecorator]:
    gap = gaps().get((case.ruleset, case.rule))
    return [pytest.mark.xfail(reason=gap.reason)] if gap and gap.spoils(check, schema) else []


@pytest.mark.parametrize(("case", "schema"), readings("deltas"))
def test_a_case_has_its_deltas(case: Case, schema: SchemaMode) -> None:
    found = observe(case, schema)
    assert found.loaded == case.expected("loaded")
    assert found.edited == case.expected("edited")


@pytest.mark.parametrize(("case", "schema"), readings("name"))
def test_the_rule_of_that_name_derives_it(case: Case, schema: SchemaMode) -> None:
    """It is the last step of a proof, or a rule that belongs to it is (`eq-diff1-self`).

    What is said of literals as subjects is not shown: then it is a step of a proof.
    """
    found = observe(case, schema)
    names = found.used if case.rule in OF_LITERALS else found.last
    assert names & {case.rule, *helpers(case.ruleset, case.rule)}


@pytest.mark.parametrize("schema", READINGS)
@pytest.mark.parametrize("case", [case for case in CASES if "sameAs" in case.input.read_text("utf-8")], ids=str)
def test_the_plain_rules_of_equality_give_the_same(case: Case, schema: SchemaMode) -> None:
    """Without representatives, by the rules of the table alone."""
    plain = observe(case, schema, "rules")
    assert plain.loaded == case.expected("loaded")
    assert plain.edited == case.expected("edited")
    assert plain.last & {case.rule, *helpers(case.ruleset, case.rule)}


@table("case", CASES)
def test_a_case_is_by_the_book(case: Case) -> None:
    """The files are what the oracle says."""
    assert book.knows(case)
    given = case.given
    removed, added = patch(case.folder / "edited.patch")
    asserted = book.asserted(case, given)
    for expected, found, facts in (
        (case.expected("loaded"), book.loaded(case, given), given),
        (case.expected("edited"), book.edited(case, given, asserted), asserted),
    ):
        assert expected[:2] == found[:2]
        assert book.same(expected.wrong, found.wrong, facts)
    assert (removed & given) - asserted, "the edit retracts a premise"
    assert asserted - given <= added


@table("case", CASES)
def test_a_case_has_its_files(case: Case) -> None:
    names = {path.name for path in case.folder.iterdir()}
    assert FILES <= names <= FILES | {"loaded.false", "edited.false"}
    assert case.input.read_text("utf-8").startswith("# ")
    assert (case.ruleset, case.rule) in KNOWN


def test_no_folder_is_left_over() -> None:
    assert not list(folders_without_input())


def test_every_rule_has_a_case_or_a_gap() -> None:
    covered = by_rule(CASES).keys() | {rule for rule, gap in gaps().items() if "rule" in gap.fails}
    assert KNOWN - covered == set()


def test_a_gap_is_of_a_known_rule_and_one_without_a_case_is_of_no_shipped_rule() -> None:
    assert gaps().keys() <= KNOWN
    bare = gaps().keys() - by_rule(CASES).keys()
    assert {rule for rule in bare if rule_of(*rule)} == set()
    assert {rule for rule, gap in gaps().items() if "rule" in gap.fails} == bare


def test_every_shipped_rule_is_in_a_proof() -> None:
    """Helpers too, where the schema is read as data."""
    used = {(case.ruleset, name) for case in CASES for name in observe(case, "data").used}
    failing = {rule for rule, gap in gaps().items() if gap.spoils("deltas", "data")}
    assert set(every_rule()) - used - failing == {("owl2rl", name) for name in (SWITCH, *SELF)}


@pytest.mark.parametrize("schema", READINGS)
def test_contradictions_come_and_go(schema: SchemaMode) -> None:
    """For each rule that derives `false` there is a case whose edit ends the contradiction, and nothing stops."""
    checks = {owner(rule.name) for rule in program("owl2rl").rules if rule.heads == (FALSE,)}
    ended = set()
    for case in CASES:
        loaded, edited, *_ = observe(case, schema)
        ended |= {each.rule for each in loaded.wrong - edited.wrong}
    assert checks == ended


SELF = {"has-self1", "has-self2"}
"""Rules beyond the tables, in a group that is off by default."""


def test_helpers_belong_to_the_rules_that_read_lists() -> None:
    assert helpers("owl2rl", "prp-trp") == []
    assert helpers("owl2rl", "eq-diff1") == ["eq-diff1-self"]
    assert helpers("owl2rl", "prp-adp")[-2:] == ["prp-adp-cell", "prp-adp-holds"]
    assert helpers("owl2rl", "scm-uni") == ["scm-ends-last", "scm-ends", "scm-uni-cell", "scm-cell"]
    assert "cls-int-cell" in helpers("owl2rl", "cls-int1")
    lone = {name for _, name in every_rule()} - {rule for _, rule in KNOWN}
    owned = {helper for name, rule in KNOWN for helper in helpers(name, rule)}
    assert lone == owned | {SWITCH} | SELF


def test_the_tables_name_every_rule_set() -> None:
    assert {name for name, _ in KNOWN} == {name for name, _ in every_rule()}
    shipped = {*ruleset("owl2rl").rules, *ruleset("datatypes").rules}
    assert {rule for rule in shipped if rule not in program("owl2rl").rules} == {
        rule for rule in shipped if rule.name in ("dt-literal-value", "dt-literal-type", "dt-used", "eq-literals")
    }
