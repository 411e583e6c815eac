"""Shortcuts go, steps stay, and nothing that was reached is lost."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kgreason.ontology.change import Change
from kgreason.ontology.reduce.shortcuts import LiveReduction, is_step
from kgreason.ontology.reduce.statements import PlacedRule
from kgreason.ontology.undo import UndoLog
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Atom, Rule, Term, Triple, Variable, triple
from kgreason.rules.parser import parse
from kgreason.terms.vocabulary import RDF_TYPE
from tests.oracle import datalog

from .pipeline import facts


def reduce(rules: Iterable[Rule]) -> list[Rule]:
    """Run the pass on rules in this order. Returns the rules that are no shortcuts, in this order."""
    placed = [PlacedRule((False, ()), number, rule) for number, rule in enumerate(dict.fromkeys(rules))]
    left = LiveReduction(UndoLog()).change(Change((), tuple(placed))).come
    return [each.rule for each in sorted(left, key=lambda each: each.number)]


def rest(text: str) -> set[int]:
    """Which rules of a text are left, counted from 1."""
    program = parse(f"@prefix : <http://e/> . {text}").rules
    return {program.index(rule) + 1 for rule in reduce(program)}


def test_a_shortcut_goes() -> None:
    assert rest("[?x, a, :B] :- [?x, a, :A] . [?x, a, :C] :- [?x, a, :A] . [?x, a, :C] :- [?x, a, :B] .") == {1, 3}


def test_a_long_way_round_counts() -> None:
    domain = "[?x, a, :C] :- [?x, :p, ?y] . [?x, a, :C] :- [?y, :q, ?x] . [?y, :q, ?x] :- [?x, :p, ?y] ."
    assert rest(domain) == {2, 3}


def test_a_cycle_stays_connected() -> None:
    pairs = [("A", "B"), ("B", "A"), ("B", "C"), ("C", "B"), ("A", "C"), ("C", "A")]
    rules = parse("".join(f"<http://e/{b}>[?x] :- <http://e/{a}>[?x] ." for a, b in pairs)).rules
    left = reduce(rules)
    assert len(left) < len(rules)
    for name in "ABC":
        start = facts([("_:x", RDF_TYPE, f"<http://e/{name}>")])
        assert len(datalog.close(start, left)) == 3


def test_direction_and_repetition_count() -> None:
    assert rest("[?y, :q, ?x] :- [?x, :p, ?y] . [?x, :q, ?y] :- [?x, :p, ?y] .") == {1, 2}
    assert rest("[?x, a, :A] :- [?x, :p, ?x] . [?x, a, :B] :- [?x, :p, ?y] . [?x, a, :A] :- [?x, a, :B] .") == {2, 3}
    assert rest("[?x, a, :A] :- [?x, :p, ?x] . [?x, a, :A] :- [?x, :p, ?y], [?y, :p, ?x] .") == {1, 2}


def test_nothing_is_reached_by_owl_same_as() -> None:
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    ways = f"[?x, {same}, ?y] :- [?x, :p, ?y] . [?x, :q, ?y] :- [?x, {same}, ?y] . [?x, :q, ?y] :- [?x, :p, ?y] ."
    assert rest(ways) == {1, 2, 3}
    assert rest(ways.replace(same, ":s")) == {1, 2}


def test_constants_lead_on() -> None:
    values = "[?x, :p, 1] :- [?x, a, :A] . [?x, a, :B] :- [?x, :p, 1] . [?x, a, :B] :- [?x, a, :A] ."
    assert rest(values) == {1, 2}
    assert rest(values.replace(":- [?x, :p, 1]", ":- [?x, :p, 2]")) == {1, 2, 3}


def test_contradictions_and_facts_stay() -> None:
    assert rest("false :- [?x, a, :A] . [:i, a, :A] . false :- [?x, a, :B] . [?x, a, :B] :- [?x, a, :A] .") == {
        1,
        2,
        3,
        4,
    }


X, Y = Variable("x"), Variable("y")
NAMES = ["<http://e/a>", "<http://e/b>", "<http://e/c>"]
bodies = st.builds(triple, st.just(X), st.sampled_from(NAMES), st.sampled_from([X, Y, *NAMES]))


def _head(body: Atom, predicate: str, ends: list[int]) -> Atom:
    terms: list[Term] = [*sorted(body.variables()), *NAMES[:1]]
    subject, object_ = (terms[end % len(terms)] for end in ends)
    return triple(subject, predicate, object_)


steps = st.builds(
    lambda body, predicate, ends: Rule((_head(body, predicate, ends),), (body,)),
    bodies,
    st.sampled_from(NAMES),
    st.lists(st.integers(0, 2), min_size=2, max_size=2),
)
graphs = st.sets(st.tuples(*(st.sampled_from(NAMES) for _ in range(3))), max_size=4)


@given(st.lists(steps, max_size=8, unique=True), graphs)
def test_the_closure_stays_the_same(rules: list[Rule], graph: set[Triple]) -> None:
    assert datalog.close(facts(graph), rules).keys() == datalog.close(facts(graph), reduce(rules)).keys()


def by_definition(rules: list[Rule]) -> list[Rule]:
    """One after another from the back, a step goes if its head follows from its body by the steps that are left."""
    left = list(rules)
    for rule in filter(is_step, reversed(rules)):
        others = [other for other in left if other is not rule]
        body, head = (tuple(map(str, atom.terms)) for atom in (rule.body[0], rule.heads[0]))
        if (None, head) in datalog.close({(None, body)}, filter(is_step, others)):
            left = others
    return left


@given(st.lists(steps.map(canonical), max_size=10, unique=True))
def test_what_goes_is_what_the_definition_says(rules: list[Rule]) -> None:
    assert reduce(rules) == by_definition(rules)


CLASSES = st.sampled_from([f"<http://e/{number}>" for number in range(12)])
edges = st.tuples(CLASSES, CLASSES).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(edges, min_size=10, max_size=40, unique=True))
def test_of_a_taxonomy_with_cycles_the_transitive_reduction_stays(pairs: list[tuple[str, str]]) -> None:
    rules = [Rule((triple(X, RDF_TYPE, above),), (triple(X, RDF_TYPE, below),)) for below, above in pairs]
    assert reduce(rules) == by_definition(rules)
