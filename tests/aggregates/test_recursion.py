"""Recursion through MIN and MAX: shortest and widest paths under random edits, beside a naive search."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from kgreason.engine.changes import Strategy
from kgreason.errors import LimitError
from kgreason.materialize.edit import Edit
from kgreason.options import DEFAULT_LIMITS, Limits
from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from tests.histories.following import Graph, Reopened
from tests.histories.history import Commit
from tests.oracle.aggregates import integer, number
from tests.volume import many_seeds

_PREFIX = "@prefix : <http://e/> . "
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SHORTEST = (
    _PREFIX
    + """
candidate(?y, 0) :- [?y, a, :Start] .
candidate(?y, ?c) :- distance(?x, ?d), [?x, ?e, ?y], length(?e, ?l), BIND(?d + ?l AS ?c) .
distance(?y, ?d) :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
unreached(?y) :- [?x, ?e, ?y], length(?e, ?l), NOT EXISTS ?d IN (distance(?y, ?d)) .
"""
    + " ".join(f"length(:e{length}, {length}) ." for length in range(4))
)
WIDEST = (
    _PREFIX
    + """
candidate(?y, 99) :- [?y, a, :Start] .
candidate(?y, ?c) :- distance(?x, ?d), [?x, ?e, ?y], length(?e, ?l), BIND(IF(?d < ?l, ?d, ?l) AS ?c) .
distance(?y, ?d) :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MAX(?c) AS ?d) .
unreached(?y) :- [?x, ?e, ?y], length(?e, ?l), NOT EXISTS ?d IN (distance(?y, ?d)) .
"""
    + " ".join(f"length(:e{length}, {length}) ." for length in range(4))
)
STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")


def _search(triples: Iterable[Atom], text: str) -> dict[str, int]:
    """The smallest sum, or the largest bottleneck, of the ways from a start to each node."""
    is_short = text is SHORTEST
    edges = [tuple(map(str, fact.terms)) for fact in triples]
    known = {subject: 0 if is_short else 99 for subject, predicate, _ in edges if predicate.endswith("type>")}
    while True:
        found = dict(known)
        for subject, predicate, object_ in edges:
            if subject in found and not predicate.endswith("type>"):
                length, before = int(predicate[-2]), found[subject]
                value = before + length if is_short else min(before, length)
                other = found.get(object_, value)
                found[object_] = min(other, value) if is_short else max(other, value)
        if found == known:
            return known
        known = found


def _edge(one: int, length: int, other: int) -> Atom:
    return Atom(None, (f"<http://e/n{one}>", f"<http://e/e{length}>", f"<http://e/n{other}>"))


def _start(node: int) -> Atom:
    return Atom(None, (f"<http://e/n{node}>", TYPE, "<http://e/Start>"))


def follow(seed: int, strategy: Strategy, text: str = SHORTEST, kind: type[Graph] = Graph) -> None:
    random = Random(seed)
    rules: tuple[Rule, ...] = parse(text).rules
    nodes = random.randint(2, 8)
    graph = kind(strategy, limits=Limits(rounds=100, made_terms=1_000))
    for step in range(10):
        facts = dict[Atom, int]()
        for sign, many in ((-1, random.choice([0, 1, 2, 12])), (1, random.choice([0, 1, 3, 6]))):
            for _ in range(many):
                facts[_edge(random.randrange(nodes), random.randrange(4), random.randrange(nodes))] = sign
        if random.random() < 0.3 or not step:
            facts[_start(random.randrange(nodes))] = 1 if random.random() < 0.7 else -1
        is_whole = random.random() < 0.8
        graph.commit(Commit(facts, dict.fromkeys(rules, 1) | {rules[2]: 1 if is_whole else -1}))
        found, wanted = graph.facts(), _search(graph.asserted, text)
        got = {terms[0]: integer(terms[1]) for relation, terms in found if relation == "distance"}
        assert got == (wanted if is_whole else {}), f"history {seed}, step {step}"
        if is_whole:
            ends = {fact.terms[2] for fact in graph.asserted if fact.terms[1] != TYPE}
            assert {terms[0] for relation, terms in found if relation == "unreached"} == ends - wanted.keys()


@pytest.mark.parametrize("text", [SHORTEST, WIDEST], ids=["shortest", "widest"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_best_value_of_each_node_is_found_under_edits(strategy: Strategy, text: str) -> None:
    for seed in many_seeds(0, 45):
        follow(seed, strategy, text)


@pytest.mark.parametrize("text", [SHORTEST, WIDEST], ids=["shortest", "widest"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_best_value_is_found_if_the_graph_is_opened_before_each_edit(strategy: Strategy, text: str) -> None:
    for seed in many_seeds(45, 1):
        follow(seed, strategy, text, Reopened)


def _graph(*facts: Atom, rules: Iterable[Rule] = parse(SHORTEST).rules, limits: Limits = DEFAULT_LIMITS) -> Graph:
    """A graph after one commit."""
    graph = Graph("update", limits=limits)
    graph.commit(Commit(dict.fromkeys(facts, 1), dict.fromkeys(rules, 1)))
    return graph


def _distances(graph: Graph) -> dict[str, str]:
    return {terms[0]: terms[1] for relation, terms in graph.facts() if relation == "distance"}


def test_values_do_not_keep_each_other_up_in_a_circle() -> None:
    graph = _graph(_edge(1, 0, 2), _edge(2, 0, 1), bridge := _edge(0, 1, 1), _start(0))
    assert _distances(graph)["<http://e/n2>"] == number(1)
    graph.commit(Commit({bridge: -1}, {}))
    assert _distances(graph) == {"<http://e/n0>": number(0)}


def test_a_new_aggregate_has_its_values_after_the_rounds_begin_again() -> None:
    rules = parse(SHORTEST).rules
    graph = _graph(_start(0), rules=rules[:2] + rules[3:])
    graph.materializer.change(Edit(own=rules))
    graph.materializer.change(Edit())
    assert _distances(graph) == {"<http://e/n0>": number(0)}


def test_a_value_does_not_keep_itself_up() -> None:
    graph = _graph(_edge(0, 0, 0), _start(0))
    assert _distances(graph) == {"<http://e/n0>": number(0)}
    graph.commit(Commit({_start(0): -1}, {}))
    assert not _distances(graph)


def test_a_recursion_without_an_end_is_rolled_back_and_named() -> None:
    rules = parse(SHORTEST.replace("length(:e1, 1)", "length(:e1, -1)")).rules
    graph = _graph(_start(0), rules=rules, limits=Limits(rounds=50))
    before = graph.facts()
    with pytest.raises(LimitError, match="rule-2: BIND has made new terms"):
        graph.commit(Commit({_edge(0, 1, 0): 1}, {}))
    assert graph.facts() == before
