"""The program follows edits: it is what building it anew gives, and its changes add up to it."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.materialize.program import CLOSES, LiveProgram, Program, ProgramChange, build_program
from kgreason.materialize.selection import Selection, select
from kgreason.memory import without_collection
from kgreason.ontology.read.schema import is_schema
from kgreason.ontology.translate.translate import translate
from kgreason.ontology.twins import twins
from kgreason.options import SchemaMode
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import OWN, Rule, Triple
from kgreason.rules.parser import parse
from kgreason.terms.vocabulary import RDFS_SUB_CLASS_OF
from tests.ontology.reading import PREFIXES, turtle
from tests.strategies.axioms import axioms
from tests.strategies.twins import twin_ontologies
from tests.volume import many

DECLARED = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())
TRIPLE = ("<http://e/A>", RDFS_SUB_CLASS_OF, "<http://e/B>")
TRANSLATED = replace(translate([TRIPLE], "owl2rl").rules[0], sources=())
OWN_RULES = [
    *parse(
        DECLARED
        + """@rule derives [?x, rdfs:domain, ?y] :- [?x, :takes, ?y] .
        @rule knows [?y, :knows, ?x] :- [?x, :knows, ?y] . @rule swaps [?y, :p, ?x] :- [?x, :p, ?y], [?y, :p, ?x] ."""
    ).rules,
    TRANSLATED,
]
own_rules = st.lists(st.sampled_from(OWN_RULES), max_size=3, unique=True).map(tuple)


class Step(NamedTuple):
    """One change, with everything that may change."""

    removed: set[Triple]
    added: set[Triple]
    same_as: bool
    exceeded: bool
    own: tuple[Rule, ...] | None
    restricted: bool = False


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    drawn = [axiom.triples for axiom in draw(st.lists(axioms(), min_size=1, max_size=5))]
    pool = sorted({TRIPLE}.union(*drawn, filter(is_schema, draw(twin_ontologies()) if draw(st.booleans()) else ())))
    some = st.sets(st.sampled_from(pool), max_size=5)
    same_as = st.sampled_from([False, False, True])
    steps = st.builds(Step, some, some, same_as, st.booleans(), st.none() | own_rules, st.booleans())
    first = Step(set(), set(pool) - draw(some), False, draw(st.booleans()), None)
    return [first, *draw(st.lists(steps, max_size=4))]


class Follower:
    """A live program, what it should follow, and the rules that its changes add up to."""

    def __init__(self, selection: Selection) -> None:
        self.live = LiveProgram(selection)
        self.selection = selection
        self.schema: set[Triple] = set()
        self.rules: dict[Rule, Rule] = {}

    def take(self, step: Step) -> ProgramChange:
        before, self.schema = self.schema, (self.schema - step.removed) | step.added
        old, new = twins(before), twins(self.schema)
        represented = {node: new.get(node) for node in old | new if old.get(node) != new.get(node)}
        flags = {name: getattr(step, name) for name in ("same_as", "exceeded", "restricted")}
        change = self.live.change(*step[:2], **flags, own=step.own, twins=represented)
        if step.own is not None:
            self.selection = replace(self.selection, own=step.own)
        for rule in change.removed:
            del self.rules[rule]
        assert not any(rule in self.rules for rule in change.added)
        assert all(rule in self.rules for rule in change.restated)
        self.rules |= {rule: rule for rule in (*change.added, *change.restated)}
        return change

    def check(self, step: Step) -> None:
        flags = {name: getattr(step, name) for name in ("same_as", "exceeded", "restricted")}
        scratch = build_program(self.selection, sorted(self.schema), **flags)
        assert reasons(self.live.program) == reasons(scratch)
        assert self.live.program.warnings == self.live.warnings == scratch.warnings
        assert dict(with_sources(self.rules.values())) == dict(with_sources(scratch.reasons))
        rulings = [self.live.reasoned_rule(rule) for rule in scratch.reasons]
        assert [ruling and ruling.reason for ruling in rulings] == list(scratch.reasons.values())


def reasons(program: Program) -> list[tuple[Rule, tuple[Triple, ...], str]]:
    return [(rule, rule.sources, reason) for rule, reason in program.reasons.items()]


def with_sources(rules: Iterable[Rule]) -> list[tuple[Rule, tuple[Triple, ...]]]:
    return [(rule, rule.sources) for rule in rules]


@pytest.mark.parametrize(("name", "schema"), [("owl2rl", "axioms"), ("owl2rl", "data"), ("rdfs", "axioms")])
@settings(max_examples=many(5))
@given(history=histories())
def test_edits_end_where_building_anew_does(name: str, schema: SchemaMode, history: list[Step]) -> None:
    follower = Follower(select([name], schema))
    for step in history:
        follower.take(step)
        follower.check(step)


@settings(max_examples=many(5))
@given(history=histories(), cut=st.integers(0, 4))
def test_a_rollback_leaves_no_change(history: list[Step], cut: int) -> None:
    follower = Follower(select(["owl2rl"]))
    for step in history[:cut]:
        follower.take(step)
    follower.live.accept()
    before = follower.live.program
    for step in history[cut:]:
        follower.take(step)
    follower.live.rollback()
    assert reasons(follower.live.program) == reasons(before)


@given(st.integers(0, 80))
def test_a_first_change_that_is_interrupted(steps: int) -> None:
    """The program is empty again, and the next change brings all of it."""

    class Interrupt(BaseException):
        pass

    schema = turtle(":C owl:unionOf ( :A :B ) ; rdfs:subClassOf :D . :p rdfs:domain :C .")

    class Tripped(list[Triple]):
        """Triples of which the iteration breaks off, in the first pass over them or in a later one."""

        def __iter__(self):  # type: ignore[no-untyped-def]
            for triple in list.__iter__(self):
                nonlocal steps
                steps -= 1
                if steps < 0:
                    raise Interrupt
                yield triple

    follower = Follower(select(["rdfs", "owl2rl"]))
    try:
        follower.live.change((), Tripped(schema), same_as=False, exceeded=True)
    except Interrupt:
        follower.live.rollback()
        assert follower.live.program == Program({}, ())
        step = Step(set(), schema, False, True, None)
        follower.take(step)
        follower.check(step)


def test_the_first_change_brings_the_rules_of_the_selection() -> None:
    live = LiveProgram(replace(select(["owl2rl"]), own=tuple(OWN_RULES[:1])))
    assert live.program == Program({}, ())
    change = live.change((), (), same_as=False, exceeded=False)
    assert set(change.added) == set(live.program.reasons)
    assert {CLOSES, OWN} < set(live.program.reasons.values())
    assert live.change((), (), same_as=False, exceeded=False) == ProgramChange((), (), ())


def test_an_own_rule_hides_a_translated_one_while_it_is_there() -> None:
    follower = Follower(select(["owl2rl"]))
    follower.take(Step(set(), {TRIPLE}, False, False, None))
    change = follower.take(Step(set(), set(), False, False, (TRANSLATED,)))
    assert change[:3] == ((), (), (TRANSLATED,))
    assert change.restated[0].sources == ()
    change = follower.take(Step(set(), set(), False, False, ()))
    assert change[:3] == ((), (), (TRANSLATED,))
    assert change.restated[0].sources == (TRIPLE,)


def test_counters() -> None:
    live = LiveProgram(select(["owl2rl"]))
    schemas = ":A rdfs:subClassOf :B , :C . :B rdfs:subClassOf :C .", ":K rdfs:subClassOf :A , :B , :C .", ""
    changes = [live.change((), turtle(text), same_as=not text, exceeded=False) for text in schemas]
    assert [(change.retranslated, change.axioms) for change in changes] == [(2, 2), (1, 3), (0, 3)]


def test_a_rule_derives_anew_once_the_schema_no_longer_holds_it() -> None:
    follower = Follower(replace(select(["owl2rl"]), own=parse(DECLARED + "[:A, rdfs:subClassOf, :B] .").rules))
    first = Step(set(), turtle(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C ."), False, True, None)
    follower.take(first)
    follower.check(first)
    second = Step({TRIPLE}, set(), False, True, None)
    assert "cax-sco" in {rule.name for rule in follower.take(second).added if not rule.sources}
    follower.check(second)


def test_closing_rules_close_the_schema_even_where_all_rules_are_needed() -> None:
    program = build_program(select(["owl2rl"]), [TRIPLE], same_as=True, exceeded=False)
    assert program.reasons[canonical(select(["owl2rl"]).generic.closing[0])] == CLOSES
    assert "owl:sameAs links a term of the schema" in program.reasons.values()


def test_needed_rules_come_and_go_with_what_asks_for_them() -> None:
    live = LiveProgram(select(["owl2rl"]))
    below = turtle(":Order rdfs:subClassOf owl:TransitiveProperty .")
    live.change((), (), same_as=False, exceeded=True)
    change = live.change((), below, same_as=False, exceeded=True)
    assert {"cax-sco", "prp-trp"} <= {rule.name for rule in change.added}
    change = live.change(below, (), same_as=False, exceeded=True)
    assert {"cax-sco", "prp-trp"} <= {rule.name for rule in change.removed}


def test_garbage_is_collected_again_afterwards_if_it_was_before() -> None:
    with pytest.raises(KeyError), without_collection():
        raise KeyError
    assert gc.isenabled()
    with without_collection():
        with without_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
