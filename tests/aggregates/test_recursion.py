"""Recursion through MIN and MAX: shortest and widest paths under random edits, beside a naive search."""

from __future__ import annotations

from random import Random

import pytest

from kgreason.engine.changes import Strategy
from kgreason.errors import LimitError
from kgreason.materialize.edit import Edit
from kgreason.materialize.options import Limits
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from tests.negation.following import Graph, Reopened
from tests.oracle.aggregates import integer, number
from tests.strategies.negation import Commit, Triple
from tests.volume import many_seeds

_PREFIX = "@prefix : <http://e/> . "
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


def _search(triples: set[Triple], text: str) -> dict[str, int]:
    """The smallest sum, or the largest bottleneck, of the ways from a start to each node."""
    is_short = text is SHORTEST
    known = {subject: 0 if is_short else 99 for subject, predicate, _ in triples if predicate.endswith("type>")}
    while True:
        found = dict(known)
        for subject, predicate, object_ in triples:
            if subject in found and not predicate.endswith("type>"):
                length, before = int(predicate[-2]), found[subject]
                value = before + length if is_short else min(before, length)
                other = found.get(object_, value)
                found[object_] = min(other, value) if is_short else max(other, value)
        if found == known:
            return known
        known = found


def _follow(seed: int, strategy: Strategy, text: str, kind: type[Graph] = Graph) -> None:
    random = Random(seed)
    rules: tuple[Rule, ...] = parse(text).rules
    nodes = [f"<http://e/n{place}>" for place in range(random.randint(2, 8))]
    graph, asserted = kind(strategy, limits=Limits(rounds=100, made_terms=1_000)), set[Triple]()
    for step in range(10):
        added, removed = set[Triple](), set[Triple]()
        for part, many in ((added, random.choice([0, 1, 3, 6])), (removed, random.choice([0, 1, 2, 12]))):
            for _ in range(many):
                part.add((random.choice(nodes), f"<http://e/e{random.randrange(4)}>", random.choice(nodes)))
        if random.random() < 0.3 or not step:
            start = random.choice(nodes), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Start>"
            (added if random.random() < 0.7 else removed).add(start)
        removed -= added
        active = rules if random.random() < 0.8 else rules[:2] + rules[3:]
        graph.commit(asserted, Commit(frozenset(added), frozenset(removed), active))
        asserted = asserted - removed | added
        facts = graph.facts()
        wanted = _search(asserted, text)
        got = {terms[0]: integer(terms[1]) for relation, terms in facts if relation == "distance"}
        assert got == (wanted if active is rules else {}), f"history {seed}, step {step}"
        if active is rules:
            ends = {object_ for _, predicate, object_ in asserted if not predicate.endswith("type>")}
            assert {terms[0] for relation, terms in facts if relation == "unreached"} == ends - wanted.keys()


@pytest.mark.parametrize("text", [SHORTEST, WIDEST], ids=["shortest", "widest"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_best_value_of_each_node_is_found_under_edits(strategy: Strategy, text: str) -> None:
    for seed in range(12):
        _follow(seed, strategy, text)


@pytest.mark.parametrize("text", [SHORTEST, WIDEST], ids=["shortest", "widest"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_best_value_is_found_in_many_histories(strategy: Strategy, text: str) -> None:
    for seed in many_seeds(12, 33):
        _follow(seed, strategy, text)


@pytest.mark.parametrize("text", [SHORTEST, WIDEST], ids=["shortest", "widest"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_best_value_is_found_if_the_graph_is_opened_before_each_edit(strategy: Strategy, text: str) -> None:
    for seed in many_seeds(45, 1):
        _follow(seed, strategy, text, Reopened)


def test_values_do_not_keep_each_other_up_in_a_circle() -> None:
    graph, rules = Graph("update"), parse(SHORTEST).rules
    edges = {(f"<http://e/n{one}>", "<http://e/e0>", f"<http://e/n{other}>") for one, other in ((1, 2), (2, 1))}
    bridge = ("<http://e/n0>", "<http://e/e1>", "<http://e/n1>")
    start = ("<http://e/n0>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Start>")
    asserted = {*edges, bridge, start}
    graph.commit(set(), Commit(frozenset(asserted), frozenset(), rules))
    assert ("distance", ("<http://e/n2>", number(1))) in graph.facts()
    graph.commit(asserted, Commit(frozenset(), frozenset({bridge}), rules))
    assert {terms for relation, terms in graph.facts() if relation == "distance"} == {("<http://e/n0>", number(0))}


def test_a_new_aggregate_has_its_values_after_the_rounds_begin_again() -> None:
    graph, rules = Graph("update"), parse(SHORTEST).rules
    start = ("<http://e/n0>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Start>")
    graph.commit(set(), Commit(frozenset({start}), frozenset(), rules[:2] + rules[3:]))
    graph.materializer.change(Edit(own=rules))
    graph.materializer.change(Edit())
    assert ("distance", ("<http://e/n0>", number(0))) in graph.facts()


def test_a_value_does_not_keep_itself_up() -> None:
    graph, rules = Graph("update"), parse(SHORTEST).rules
    loop = ("<http://e/n0>", "<http://e/e0>", "<http://e/n0>")
    start = ("<http://e/n0>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Start>")
    graph.commit(set(), Commit(frozenset({loop, start}), frozenset(), rules))
    assert ("distance", ("<http://e/n0>", number(0))) in graph.facts()
    graph.commit({loop, start}, Commit(frozenset(), frozenset({start}), rules))
    assert not [terms for relation, terms in graph.facts() if relation == "distance"]


def test_a_recursion_without_an_end_is_rolled_back_and_named() -> None:
    rules = parse(SHORTEST.replace("length(:e1, 1)", "length(:e1, -1)")).rules
    graph = Graph("update", limits=Limits(rounds=50))
    start = ("<http://e/n0>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Start>")
    graph.commit(set(), Commit(frozenset({start}), frozenset(), rules))
    before = graph.facts()
    loop = ("<http://e/n0>", "<http://e/e1>", "<http://e/n0>")
    with pytest.raises(LimitError, match="rule-2: BIND has made new terms"):
        graph.commit({start}, Commit(frozenset({loop}), frozenset(), rules))
    graph.materializer.rollback()
    assert graph.facts() == before
