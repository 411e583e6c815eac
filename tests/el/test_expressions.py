"""Copies of class expressions: which node stands for which, in histories of all kinds of triples."""

from __future__ import annotations

import tracemalloc
from collections.abc import Hashable, Iterable
from random import Random
from typing import NoReturn

import numpy as np
import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.schema.expressions import Expressions
from kgreason.materialize.schema.stated_facts import StatedFacts
from kgreason.rules.model import Triple
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from tests.oracle.vocabulary import OWL, RDF, RDFS
from tests.volume import many_seeds

ON, SOME, SELF, VALUE, AND, OR = (
    f"<{OWL}{name}>" for name in ("onProperty", "someValuesFrom", "hasSelf", "hasValue", "intersectionOf", "unionOf")
)
FIRST, REST, NIL = (f"<{RDF}{name}>" for name in ("first", "rest", "nil"))
NODES = [f"_:b{number}" for number in range(9)]
NAMES = ["<http://e/A>", "<http://e/B>"]


def written(triples: Iterable[Triple]) -> dict[str, Hashable]:
    """What each blank node says as an expression, by definition: nothing if it says two things, or has such a part."""
    said: dict[str, dict[str, list[str]]] = {}
    for subject, predicate, object_ in triples:
        said.setdefault(subject, {}).setdefault(predicate, []).append(object_)

    def members(cell: str, seen: frozenset[str]) -> list[str] | None:
        if cell == NIL:
            return []
        here = said.get(cell, {})
        if cell in seen or here.keys() != {FIRST, REST} or any(len(each) > 1 for each in here.values()):
            return None
        rest = members(here[REST][0], seen | {cell})
        return None if rest is None else [here[FIRST][0], *rest]

    def of(node: str, outer: frozenset[str]) -> Hashable | None:
        if node not in said or not node.startswith("_:"):
            return node
        here = said[node]
        if node in outer or any(len(each) > 1 for each in here.values()):
            return None
        outer |= {node}
        if here.keys() == {ON, SOME}:
            inside = of(here[SOME][0], outer)
            return None if inside is None else (SOME, here[ON][0], inside)
        for kind in (SELF, VALUE):
            if here.keys() == {ON, kind}:
                return (kind, here[ON][0], here[kind][0])
        if here.keys() == {AND} and (found := members(here[AND][0], frozenset())):
            parts = [of(part, outer) for part in found]
            return None if None in parts else (AND, frozenset(parts))
        return None

    return {node: key for node in said if node.startswith("_:") and (key := of(node, frozenset())) is not None}


def expected(dictionary: Dictionary, triples: Iterable[Triple]) -> dict[str, str]:
    """The node that stands for each node, by definition: the first by its id that says the same."""
    firsts: dict[Hashable, str] = {}
    keys = written(triples)
    ids = dict(zip(keys, dictionary.find(keys).tolist(), strict=True))
    for node in sorted(keys, key=ids.__getitem__):
        firsts.setdefault(keys[node], node)
    return {node: firsts[keys[node]] if node in keys else node for node in NODES}


def drawn(random: Random) -> Triple:
    """A part of an expression, often of one that another node has."""
    node, other = random.choices(NODES, k=2)
    inside = random.choice([*NAMES, other])
    return random.choice(
        [
            (node, ON, random.choice(NAMES)),
            (node, SOME, inside),
            (node, SELF, '"true"'),
            (node, VALUE, inside),
            (node, AND, random.choice(NODES[5:])),
            (node, OR, random.choice(NODES[5:])),
            (random.choice(NODES[5:]), FIRST, inside),
            (random.choice(NODES[5:]), REST, random.choice([NIL, NIL, *NODES[5:]])),
        ]
    )


def drawn_restriction(random: Random) -> set[Triple]:
    """A whole restriction, often equal to that of another node. What is inside is often described too."""
    node, inside = random.choices(NODES, k=2)
    return {(node, ON, NAMES[0]), (node, random.choice([SOME, VALUE]), random.choice([NAMES[0], inside]))}


def rows(dictionary: Dictionary, triples: Iterable[Triple]) -> Int32:
    return dictionary.intern(term for triple in triples for term in triple).astype(np.int32).reshape(-1, 3)


@pytest.mark.parametrize("seed", many_seeds(0, 60))
def test_copies_are_nodes_that_say_the_same(seed: int) -> None:
    """Edits come, some are taken back. A second `Expressions` reads all that is left at once, in columns."""
    random, dictionary = Random(seed), Dictionary()
    dictionary.intern(NODES)
    ids = dictionary.find(NODES)
    live, there = Expressions(dictionary), set[Triple]()
    standing = dict(zip(ids.tolist(), ids.tolist(), strict=True))
    for _ in range(12):
        edit = {drawn(random) for _ in range(random.choice([1, 3, 12]))}
        if random.random() < 0.5:
            edit |= drawn_restriction(random)
        before = dict(standing)
        gone, come = there & edit, edit - there
        for node, was, now in live.change(rows(dictionary, gone), rows(dictionary, come)).tolist():
            assert standing[node] == was != now
            standing[node] = now
        after = there ^ edit
        scratch = Expressions(dictionary)
        scratch.change(rows(dictionary, []), rows(dictionary, after))
        right = dictionary.find(expected(dictionary, after).values()).tolist()
        assert live.stand_ins(ids.astype(np.int32)).tolist() == right == [standing[each] for each in ids.tolist()]
        assert scratch.stand_ins(ids.astype(np.int32)).tolist() == right
        for node in ids.tolist():
            assert list(scratch.triples(node)) == list(live.triples(node))
        if random.random() < 0.3:
            live.rollback()
            standing = before
        else:
            live.accept()
            there = after


def test_deep_expressions_are_compared() -> None:
    """Expressions of 150 levels are too deep for columns."""
    dictionary = Dictionary()

    def nested(prefix: str) -> list[Triple]:
        ends = [f"_:{prefix}{number}" for number in range(150)]
        pairs = zip(ends, [*ends[1:], "<http://e/A>"], strict=True)
        return [triple for node, inside in pairs for triple in ((node, ON, "<http://e/r>"), (node, SOME, inside))]

    expressions = Expressions(dictionary)
    moved = expressions.change(rows(dictionary, []), rows(dictionary, [*nested("a"), *nested("b")]))
    assert len(moved) == 150
    one, other = dictionary.find(["_:a0", "_:b0"]).astype(np.int32)
    assert expressions.stand_ins(np.array([other]))[0] == one


def test_values_are_individuals_whatever_describes_them() -> None:
    """Two blank nodes that are described as equal expressions are two individuals."""
    dictionary = Dictionary()
    expressions = Expressions(dictionary)
    pairs = [("_:x", "_:one"), ("_:y", "_:two")]
    restrictions = [each for x, e in pairs for each in ((x, SOME, NAMES[1]), (e, VALUE, x))]
    said = [*restrictions, *((node, ON, NAMES[0]) for pair in pairs for node in pair)]
    moved = expressions.change(rows(dictionary, []), rows(dictionary, said))
    assert moved[:, 0].tolist() == dictionary.find(["_:y"]).tolist()


class Facts(set[tuple[int, ...]]):
    """The facts of `StatedFacts` while edits come; `there` are the asserted triples."""

    def __init__(self, dictionary: Dictionary) -> None:
        super().__init__()
        self.stated, self.there, self._dictionary = StatedFacts(dictionary), set[Triple](), dictionary

    def edit(self, triples: set[Triple], *, is_kept: bool = True) -> None:
        """Assert those of `triples` that are not there, and retract the others; if not `is_kept`, take it back."""
        gone, come = (rows(self._dictionary, each) for each in (self.there & triples, triples - self.there))
        relations = self.stated.change(gone, come, lambda: rows(self._dictionary, self.there))
        if not is_kept:
            self.stated.rollback()
            return
        self.stated.accept()
        self.there ^= triples
        for changed, change in zip(relations, (self.difference_update, self.update), strict=True):
            change(tuple(row) for each in changed.values() for row in each.tolist())


@pytest.mark.parametrize("seed", many_seeds(0, 60))
def test_facts_about_terms_depend_only_on_the_asserted_triples(seed: int) -> None:
    random, dictionary = Random(seed), Dictionary()
    dictionary.intern(NODES)
    live, terms = Facts(dictionary), [*NODES, *NAMES, "<http://e/C>"]
    for _ in range(12):
        edit = {drawn(random) for _ in range(random.choice([1, 3, 12]))}
        for _ in range(random.choice([0, 1, 4])):
            predicate = random.choice([f"<{RDF}type>", f"<{RDFS}subClassOf>", f"<{OWL}annotatedSource>", SOME])
            edit.add((random.choice(terms), predicate, random.choice(terms)))
        if random.random() < 0.3:
            edit |= set(random.sample(sorted(live.there), len(live.there) // 2))
        live.edit(edit, is_kept=random.random() < 0.7)
        scratch = Facts(dictionary)
        scratch.edit(live.there)
        assert live == scratch


def test_an_error_while_mentions_are_counted_leaves_the_facts_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise MemoryError

    for name in ("pad", "concatenate"):
        dictionary = Dictionary()
        facts, one = Facts(dictionary), (NODES[0], f"<{RDF}type>", f"<{OWL}Class>")
        facts.edit({one, (NODES[0], f"<{RDFS}subClassOf>", NODES[1])})
        with monkeypatch.context() as patch:
            patch.setattr(np, name, fail)
            with pytest.raises(MemoryError):
                facts.edit({one})
        facts.stated.rollback()
        facts.edit({one})
        scratch = Facts(dictionary)
        scratch.edit(facts.there)
        assert facts == scratch


def test_a_type_that_is_removed_and_added_brings_no_fact() -> None:
    """The type is the only triple that names a copy here, and a copy is no expression of its own."""
    dictionary = Dictionary()
    types = {(node, f"<{RDF}type>", f"<{OWL}Restriction>") for node in ("_:one", "_:two")}
    facts = Facts(dictionary)
    facts.edit(types | {triple for node, *_ in types for triple in ((node, ON, NAMES[0]), (node, SOME, NAMES[1]))})
    loaded = set(facts)
    facts.edit(types)
    facts.edit(types)
    assert facts == loaded


def test_one_more_copy_does_not_touch_the_others() -> None:
    """An edit needs less memory than a list of all 4,000 copies."""
    dictionary = Dictionary()
    expressions = Expressions(dictionary)

    def copies(first: int, last: int) -> Int32:
        nodes = [f"_:b{number}" for number in range(first, last)]
        return rows(dictionary, [triple for e in nodes for triple in ((e, ON, NAMES[0]), (e, SOME, NAMES[1]))])

    peaks: list[int] = []
    expressions.change(rows(dictionary, []), copies(0, 4000))
    expressions.change(rows(dictionary, []), copies(4000, 4001))
    expressions.accept()
    for number in range(4001, 4004):
        come = copies(number, number + 1)
        tracemalloc.start()
        assert len(expressions.change(come[:0], come)) == 1
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        expressions.accept()
    assert min(peaks) < 8 * 4000


def test_a_question_makes_nothing_that_stays() -> None:
    """The description of one expression is read where the load left it, not from dicts made for all 500."""
    dictionary = Dictionary()
    nodes = [f"_:b{number}" for number in range(500)]
    said = [triple for e in nodes for triple in ((e, ON, NAMES[0]), (e, SOME, NAMES[1]))]
    come = rows(dictionary, said)
    expressions = Expressions(dictionary)
    expressions.change(come[:0], come)
    expressions.accept()
    tracemalloc.start()
    described = list(expressions.triples(int(dictionary.find(["_:b7"])[0])))
    assert sorted(described) == sorted(map(tuple, rows(dictionary, said[14:16]).tolist()))
    del described
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < come.nbytes


def test_a_proof_by_a_copy_has_the_triples_of_both() -> None:
    text = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    _:one owl:onProperty :r ; owl:someValuesFrom :A . :B rdfs:subClassOf _:one .
    """
    other = text.replace("one", "two").replace(":B rdfs:subClassOf _:two", "_:two rdfs:subClassOf :C")
    claim = ("<http://e/B>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", "<http://e/C>")
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(text)
        graph.add(other)
        leaves = {step.fact for step in graph.explain(claim).steps() if step.rule is None}
        asserted = {fact.terms[1] for fact in leaves if len(fact.terms) == 3}
        assert {ON, SOME} <= asserted
        assert len([fact for fact in leaves if fact.terms[1] == SOME]) == 2
