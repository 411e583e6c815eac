"""Edits of a schema: what is kept up to date is what translating from scratch gives, for no more work than is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.ontology.read.schema import is_schema
from kgreason.ontology.translate.translate import LiveTranslation, Profile, RuleChange, translate
from kgreason.ontology.undo import UndoLog
from kgreason.resources import resource
from kgreason.rules.model import Rule, Triple
from kgreason.terms import vocabulary as v
from tests.oracle import datalog
from tests.strategies.axioms import axioms
from tests.volume import many

from .pipeline import GENERIC, facts, triples
from .reading import document, rules, turtle

Edit: TypeAlias = tuple[set[Triple], set[Triple]]
UNIV_BENCH = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"


class Edited:
    """A live translation, the triples it should hold, and the rules that its changes add up to."""

    def __init__(self, profile: Profile = "owl2rl", schema: Iterable[Triple] = ()) -> None:
        self.log = UndoLog()
        self.live = LiveTranslation(profile, self.log)
        self.triples: set[Triple] = set()
        self.rules: dict[Rule, tuple[Triple, ...]] = {}
        self.edit(set(), set(schema))

    def edit(self, removed: set[Triple], added: set[Triple]) -> RuleChange:
        change = self.live.change(removed, added)
        self.triples = (self.triples - removed) | added
        for rule in change.removed:
            del self.rules[rule]
        assert all(rule in self.rules for rule in change.restated)
        assert not any(rule in self.rules for rule in change.added)
        self.rules |= {rule: rule.sources for rule in (*change.added, *change.restated)}
        return change

    def check(self) -> None:
        """Everything is as from scratch."""
        scratch = translate(self.triples, self.live.profile)
        assert self.live.rules == scratch.rules
        assert self.rules == {rule: rule.sources for rule in scratch.rules}
        assert [rule.sources for rule in self.live.rules] == [rule.sources for rule in scratch.rules]
        assert self.live.warnings == scratch.warnings
        assert len(self.live.axiom_rules.placed) == len(scratch.axioms)


@st.composite
def pools(draw: DrawFn) -> list[Triple]:
    """The triples of some axioms, and others that cut and join their lists."""
    drawn = draw(st.lists(axioms(), min_size=1, max_size=6))
    pool = {triple for axiom in drawn for triple in axiom.triples}
    cells = sorted({subject for subject, predicate, _ in pool if predicate == v.RDF_REST})
    if cells:
        cell = st.sampled_from(cells)
        pool |= draw(st.sets(st.tuples(cell, st.just(v.RDF_REST), st.sampled_from([*cells, v.RDF_NIL])), max_size=4))
        pool |= draw(st.sets(st.tuples(cell, st.just(v.RDF_FIRST), cell), max_size=2))
    return sorted(pool)


NAMES = [f"<http://e/{name}>" for name in "ABCDE"]
STEPS = [
    v.RDFS_SUB_CLASS_OF,
    v.OWL_EQUIVALENT_CLASS,
    v.RDFS_DOMAIN,
    v.RDFS_RANGE,
    v.RDFS_SUB_PROPERTY_OF,
    v.OWL_INVERSE_OF,
]
PREDICATES = [*STEPS, v.OWL_ON_PROPERTY, v.OWL_HAS_VALUE]
names = st.sampled_from(NAMES)
hierarchies = st.lists(st.tuples(names, st.sampled_from(PREDICATES), names), min_size=8, max_size=30, unique=True)


def histories(pool: st.SearchStrategy[list[Triple]]) -> st.SearchStrategy[list[Edit]]:
    """Some edits; the first brings most of the triples."""

    def edits(found: list[Triple]) -> st.SearchStrategy[list[Edit]]:
        some = st.sets(st.sampled_from(found), max_size=4)
        first = some.map(lambda left_out: (set[Triple](), set(found) - left_out))
        return st.builds(lambda one, more: [one, *more], first, st.lists(st.tuples(some, some), max_size=6))

    return pool.flatmap(edits)


def follow(history: list[Edit], profile: Profile) -> None:
    edited = Edited(profile)
    for removed, added in history:
        edited.edit(removed, added)
        edited.check()
    edited.edit(edited.triples, set())
    assert not list(residue(edited.live))


def residue(thing: Any) -> Iterator[Any]:
    """What is left in the tables of a translation, the log aside."""
    for value in vars(thing).values():
        if isinstance(value, dict):
            yield from value
        elif hasattr(value, "__dict__") and not isinstance(value, UndoLog):
            yield from residue(value)


@given(histories(pools()))
def test_edits_end_where_translating_from_scratch_does(history: list[Edit]) -> None:
    """Lists and expressions cut anywhere, shared cells, circles; at the end nothing is left."""
    follow(history, "owl2rl")


@given(histories(hierarchies))
def test_shortcuts_come_and_go(history: list[Edit]) -> None:
    follow(history, "owl2rl")


@settings(max_examples=many(5))
@given(histories(hierarchies), st.sampled_from(["rdfs", "rhodf"]))
def test_other_profiles(history: list[Edit], profile: Profile) -> None:
    follow(history, profile)


@given(histories(st.one_of(pools(), hierarchies)), st.integers(0, 6))
def test_a_rollback_leaves_no_change(history: list[Edit], cut: int) -> None:
    edited = Edited()
    for removed, added in history[:cut]:
        edited.edit(removed, added)
    edited.log.commit()
    before, had = edited.triples, edited.rules.copy()
    for removed, added in history[cut:]:
        edited.edit(removed, added)
    edited.log.rollback()
    edited.triples, edited.rules = before, had
    edited.check()
    for removed, added in history:
        edited.edit(removed, added)
        edited.check()


@given(histories(st.one_of(pools(), hierarchies)), st.integers(0, 400))
def test_an_edit_that_is_cut_short_is_rolled_back(history: list[Edit], steps: int) -> None:
    """An interrupt before any step of the log."""
    edited = Edited()
    *before, (removed, added) = history
    for edit in before:
        edited.edit(*edit)
    edited.log.commit()
    with pytest.MonkeyPatch.context() as patch, interrupted(edited.log, patch, steps):
        edited.live.change(removed, added)
    edited.log.rollback()
    edited.check()
    edited.edit(removed, added)
    edited.check()


class _Interrupt(BaseException):
    pass


class interrupted:  # noqa: N801 - reads as a verb
    """Lets so many steps of a log happen, and raises in the next; what is raised ends here."""

    def __init__(self, log: UndoLog, patch: pytest.MonkeyPatch, steps: int) -> None:
        self.left = steps
        for name in ("put", "drop"):
            patch.setattr(log, name, self._counted(getattr(log, name)))

    def _counted(self, step: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise _Interrupt
            return step(*arguments)

        return counted

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is _Interrupt


# What one edit does


LIST = """:N owl:unionOf _:l . _:l rdf:first :A ; rdf:rest _:m . _:m rdf:first :B ; rdf:rest _:n .
    _:n rdf:first :C ; rdf:rest rdf:nil . """


def members(text: str) -> set[Rule]:
    return rules("".join(f"@rule cls-uni [?x, a, :N] :- [?x, a, :{name}] ." for name in text))


def test_a_list_edited_in_the_middle_says_what_the_new_list_says() -> None:
    edited = Edited(schema=turtle(LIST))
    change = edited.edit(turtle("_:m rdf:first :B ."), turtle("_:m rdf:first :D ."))
    assert [rule.body[0].terms[2] for rule in (*change.removed, *change.added)] == ["<http://e/B>", "<http://e/D>"]
    assert len(change.restated) == 2
    change = edited.edit(turtle("_:l rdf:rest _:m ."), turtle("_:l rdf:rest _:n ."))
    assert (len(change.removed), len(change.added), edited.live.axiom_rules.count) == (1, 0, 1)
    edited.check()


def test_without_its_last_triple_a_list_leaves_no_rule() -> None:
    edited = Edited(schema=turtle(LIST))
    edited.edit(turtle("_:n rdf:rest rdf:nil ."), set())
    assert not edited.rules
    assert [warning.partition(";")[0] for warning in edited.live.warnings] == [
        "broken list at _:n: rdf:rest is missing"
    ]
    edited.edit(set(), turtle("_:n rdf:rest rdf:nil ."))
    assert len(edited.rules) == 3
    assert not edited.live.warnings
    edited.edit(set(), turtle("_:n rdf:rest _:l ."))
    assert not edited.rules
    edited.edit(turtle("_:n rdf:rest rdf:nil ."), set())
    assert "circle" in edited.live.warnings[0]


def test_two_lists_that_share_a_tail_are_both_touched() -> None:
    edited = Edited(schema=turtle(LIST + ":M owl:intersectionOf _:m . :K owl:unionOf ( :A :B ) ."))
    edited.edit(turtle("_:n rdf:first :C ."), turtle("_:n rdf:first :D ."))
    assert edited.live.axiom_rules.count == 2
    edited.check()


def test_without_its_last_triple_a_restriction_leaves_no_rule() -> None:
    restriction = turtle("_:r owl:onProperty :p ; owl:hasValue 1 .")
    edited = Edited(schema=restriction | turtle(":C rdfs:subClassOf _:r ."))
    for triple in restriction:
        change = edited.edit({triple}, set())
        assert {rule.name for rule in change.removed} == {"cls-hv1", "cls-hv2"}
        assert {rule.name for rule in edited.rules} == {"cax-sco"}
        edited.edit(set(), {triple})
        edited.check()


def test_an_expression_within_an_expression() -> None:
    """What uses a restriction has its node as a constant: the edit touches the inner axiom alone."""
    schema = ":C rdfs:subClassOf _:u . _:u owl:unionOf ( :A _:r ) . _:r owl:onProperty :p ; owl:allValuesFrom :B ."
    edited = Edited(schema=turtle(schema))
    change = edited.edit(turtle("_:r owl:onProperty :p ."), turtle("_:r owl:onProperty :q ."))
    assert [[rule.name for rule in found] for found in change] == [["cls-avf"], ["cls-avf"], []]
    assert edited.live.axiom_rules.count == 1


def test_a_rule_that_another_axiom_says_stays_with_the_sources_of_that_axiom() -> None:
    one, other = turtle(":C owl:disjointWith :D ."), turtle(":D owl:disjointWith :C .")
    edited = Edited(schema=one | other)
    removed, added, restated = edited.edit(one, set())
    assert not removed
    assert not added
    assert [rule.sources for rule in restated] == [tuple(other)]
    removed, added, restated = edited.edit(set(), one)
    assert [rule.sources for rule in restated] == [tuple(one)]
    assert edited.edit(other, set()) == RuleChange((), (), ())


def test_a_rule_that_changes_its_name_is_another_rule() -> None:
    """The name is what a proof shows, and a part of the facts that `false` stands for."""
    equivalent = turtle(":C owl:equivalentClass :D .")
    edited = Edited(schema=equivalent | turtle(":C rdfs:subClassOf :D . :D rdfs:subClassOf :C ."))
    change = edited.edit(equivalent, set())
    assert [[rule.name for rule in found] for found in change] == [["cax-eqc1", "cax-eqc2"], ["cax-sco", "cax-sco"], []]


def test_a_shortcut_returns_with_the_end_of_the_way() -> None:
    edited = Edited(schema=turtle(":A rdfs:subClassOf :B , :C . :B rdfs:subClassOf :C ."))
    change = edited.edit(turtle(":B rdfs:subClassOf :C ."), set())
    assert change.added == tuple(edited.live.rules[1:])
    assert len(edited.rules) == 2
    assert edited.live.axiom_rules.count == 1


def test_a_way_through_a_value() -> None:
    """From A over a value of q, the same of p, to B and D: the step that asks for the value makes A to D a shortcut."""
    edited = Edited(
        schema=turtle(
            """:A owl:onProperty :q ; owl:hasValue 1 ; rdfs:subClassOf :D . :q rdfs:subPropertyOf :p .
            :B owl:onProperty :p ; rdfs:subClassOf :D ."""
        )
    )
    change = edited.edit(set(), turtle(":B owl:hasValue 1 ."))
    assert [rule.name for rule in change.removed] == ["cax-sco"]
    edited.check()


def test_an_edit_that_changes_nothing() -> None:
    schema = turtle(LIST + ":B rdfs:subClassOf :C .")
    edited = Edited(schema=schema)
    for removed, added in ((schema, schema), (set(), schema), (turtle(":i a :C ; rdfs:label 'i' ."), set())):
        assert edited.edit(removed, added) == RuleChange((), (), ())
        assert edited.live.axiom_rules.count == 0


# What an edit costs


def univ_bench(*, closed: bool) -> set[Triple]:
    asserted = set(filter(is_schema, document(resource("ontologies", "univ-bench.ttl"))))
    return triples(datalog.close(facts(asserted), GENERIC["owl2rl"].closing)) if closed else asserted


def said(text: str) -> set[Triple]:
    return turtle(f"@prefix u: <{UNIV_BENCH}> . {text}")


@pytest.mark.parametrize("closed", [False, True])
def test_an_edit_of_univ_bench_translates_what_it_touches(closed: bool) -> None:
    edited = Edited(schema=univ_bench(closed=closed))
    known = len(edited.live.axiom_rules.placed)
    assert edited.live.axiom_rules.count == known > 90
    edits = {
        "u:Tutor rdfs:subClassOf u:TeachingAssistant .": 1,
        "u:FullProfessor rdfs:subClassOf u:Scholar .": 1,
        "u:headOf a owl:TransitiveProperty .": 1,
        "u:subOrganizationOf rdfs:label 'part of' .": 0,
        "_:x owl:onProperty u:worksFor .": 0,
        "_:x owl:someValuesFrom u:College .": 1,
        "_:x owl:onProperty u:headOf .": 1,
    }
    for text, translated in edits.items():
        edited.edit(set(), said(text))
        assert edited.live.axiom_rules.count == translated, text
        edited.check()
    assert len(edited.live.axiom_rules.placed) == known + sum(edits.values())


def test_a_subclass_low_in_the_hierarchy_judges_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    edited = Edited(schema=univ_bench(closed=True))
    judged: list[Any] = []
    judge = edited.live._reduction._judge

    def counted(placed: Any, ways: Any) -> bool:
        judged.append(placed)
        return judge(placed, ways)

    monkeypatch.setattr(edited.live._reduction, "_judge", counted)
    edited.edit(set(), said("u:Tutor rdfs:subClassOf u:TeachingAssistant , u:Person ."))
    assert len(judged) == 1
    edited.check()
