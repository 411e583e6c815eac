"""A graph that starts from a closure which was evaluated elsewhere is the graph that evaluates it itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.memory import layout as at
from kgreason.errors import ContradictionError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.precomputed import Evaluated
from kgreason.options import SchemaMode
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import IS_ASSERTED, Int32
from tests.graph.states import in_default, rows_of
from tests.oracle.graph import Triple
from tests.oracle.notation import triples
from tests.oracle.specification import by_definition
from tests.strategies.ontologies import graphs

ZOO = """
    Cat rdfs:subClassOf Animal . has rdfs:domain Person . tom rdf:type Cat . a has tom . a owl:sameAs b .
    p rdf:type owl:FunctionalProperty . a p "1"^^xsd:integer . b p "01"^^xsd:integer . c p "x"^^xsd:integer
"""
TRANSITIVE = "MyTrans rdfs:subClassOf owl:TransitiveProperty . q rdf:type MyTrans . a q b . b q c . c q d"


class Elsewhere:
    """Bootstrap in a materializer of its own, whose ids and tables are others; `calls` counts the evaluations.

    The given triples have those of the graph. What the graph knows of literals stays, also when it has no triples.
    """

    def __init__(self, given: Iterable[Triple]) -> None:
        self._given, self.calls = in_default(given), 0

    def __call__(self, materializer: Materializer) -> tuple[Int32, Evaluated]:
        self.calls += 1
        other = Materializer(materializer.selection)
        other.engine.table(False, 7)
        other.dictionary.intern(["<http://e/unused>"])
        quads = rows_of(other, self._given)
        other.plan(quads[:, :3])
        codes = list(other.rules_by_code())
        other.engine.bootstrap({other.triples: np.unique(quads[:, :3], axis=0), **kept(materializer, other)}, codes)
        saved = other.save()
        known = materializer.dictionary.intern(other.dictionary.decode(np.arange(1, len(other.dictionary) + 1)))
        ids = np.concatenate([[0], known]).astype(np.int32)
        records = saved.records.copy()
        records[:, at.FIRST :] = ids[records[:, at.FIRST :]]
        return ids[quads], Evaluated(records, saved.tables, tuple(other.rules))


def kept(materializer: Materializer, other: Materializer) -> dict[int, Int32]:
    """Return the asserted facts of relations, such as those about literals, by table. `other` gives ids and tables."""
    rows, tables, kinds = materializer.engine.facts.contents()
    found = dict[int, Int32]()
    for number, (is_triple, width) in enumerate(materializer.engine.tables):
        ids = rows[(tables == number) & (kinds == IS_ASSERTED)][:, :width]
        if not is_triple and len(ids):
            known = other.dictionary.intern(materializer.dictionary.decode(np.ascontiguousarray(ids.ravel())))
            found[other.engine.table(False, width)] = np.array(known, dtype=np.int32).reshape(ids.shape)
    return found


def shown(graph: KnowledgeGraph) -> list[set[bytes]]:
    """All triples, those asserted, and what is contradictory."""
    parts = [set(b"".join(graph.dump(asserted=asserted)).splitlines()) for asserted in (None, True)]
    return [*parts, {repr(each).encode() for each in graph.contradictions()}]


def compare(given: Iterable[Triple], edits: list[tuple[set[Triple], set[Triple]]], schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as one, KnowledgeGraph.open(schema=schema) as other:
        one.start_from(Elsewhere(given))
        with other.transaction() as tx:
            tx.add_lines(lines(given))
        assert shown(one) == shown(other)
        for removed, added in edits:
            deltas = []
            for graph in (one, other):
                with graph.transaction() as tx:
                    tx.remove_lines(lines(removed)).add_lines(lines(added))
                deltas.append((set(tx.delta.added.splitlines()), set(tx.delta.removed.splitlines())))
            assert deltas[0] == deltas[1]
            assert shown(one) == shown(other)


def lines(given: Iterable[Triple]) -> bytes:
    return "".join(f"{' '.join(triple)} .\n" for triple in sorted(given)).encode()


@pytest.mark.parametrize("schema", ["axioms", "data"])
@pytest.mark.parametrize("given", [ZOO, TRANSITIVE, f"{ZOO} . {TRANSITIVE}", "a p b"])
def test_it_is_the_graph_that_was_loaded_and_goes_on_alike(given: str, schema: SchemaMode) -> None:
    gone, new = triples("a owl:sameAs b . q rdf:type MyTrans"), triples("Animal rdfs:subClassOf Being . tom q a")
    held = triples(given)
    compare(held, [(gone & held, new), (new, gone & held)], schema)


@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=5)
@given(graph=graphs(), data=st.data())
def test_random_graphs(schema: SchemaMode, graph: set[Triple], data: st.DataObject) -> None:
    graph = {triple for triple in graph if not triple[0].startswith('"')}
    gone = data.draw(st.sets(st.sampled_from(sorted(graph)), max_size=3)) if graph else set()
    compare(graph, [(gone, set()), (set(), gone)], schema)


def test_on_disk_it_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path) as graph:
        stats = graph.start_from(Elsewhere(triples(ZOO)))
        before = shown(graph)
    assert stats["asserted"] == len(triples(ZOO))
    with KnowledgeGraph.open(tmp_path) as graph:
        assert shown(graph) == before


@pytest.mark.parametrize("opened", [KnowledgeGraph.open, by_definition], ids=["columnar", "reference"])
def test_quads_that_were_parsed_elsewhere_are_an_edit_like_others(opened: Callable[..., KnowledgeGraph]) -> None:
    quads = [(s, p, o, "<http://e/g>") for s, p, o in sorted(triples(TRANSITIVE))]

    def interned(dictionary: Dictionary) -> Int32:
        ids = dictionary.intern([term for quad in quads for term in quad])
        return np.asarray(ids, np.int32).reshape(-1, 4)

    def failing(dictionary: Dictionary) -> Int32:
        dictionary.intern(["<http://e/never>"])
        raise KeyboardInterrupt

    with opened() as one, opened() as other:
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.add_lines(lines(triples("a q c . e q a")))
        known = len(one._engine().materializer.dictionary)
        with pytest.raises(KeyboardInterrupt):
            one.load_interned(failing)
        assert len(one._engine().materializer.dictionary) == known
        loaded = one.load_interned(interned)
        text = "".join(f"{' '.join(quad)} .\n" for quad in quads).encode()
        with other.transaction() as tx:
            tx.add_lines(text)
        assert set(loaded.delta.added.splitlines()) == set(tx.delta.added.splitlines())
        assert loaded["named"] == len(quads)
        with one.transaction() as tx:
            tx.remove_lines(text).add_interned(interned).remove(("http://e/a", "http://e/q", "http://e/c"))
        with other.transaction() as tx:
            tx.remove(("http://e/a", "http://e/q", "http://e/c"))
        assert shown(one) == shown(other)
        assert {*b"".join(one.dump(graphs=True)).splitlines()} == {*b"".join(other.dump(graphs=True)).splitlines()}


def test_a_closure_that_lacks_facts_of_the_graph_is_refused() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add_lines(lines(triples(f"{ZOO} . {TRANSITIVE}")))
        before, known = shown(graph), len(graph._engine().materializer.dictionary)
        with pytest.raises(StoreError, match="fewer facts than the graph"):
            graph.start_from(Elsewhere(triples("new p b")))
        assert shown(graph) == before
        assert len(graph._engine().materializer.dictionary) == known


def test_a_graph_that_was_emptied_starts_as_a_new_one() -> None:
    """What it called for before stays called for, and its rules are not left behind without having seen the closure."""
    before = lines(triples("Cat rdfs:subClassOf Animal . Cat owl:sameAs Kat . tom rdf:type Cat"))
    given = triples(f"{ZOO} . {TRANSITIVE}")
    with KnowledgeGraph.open() as one, KnowledgeGraph.open() as other:
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.add_lines(before).add_rules("[?x, <http://e/p>, ?y] :- [?x, <http://e/q>, ?y] .")
            with graph.transaction() as tx:
                tx.remove_lines(before)
        with one.transaction() as tx:
            tx.remove_rules("[?x, <http://e/p>, ?y] :- [?x, <http://e/q>, ?y] .")
            tx.start_from(Elsewhere(given))
        with other.transaction() as tx:
            tx.remove_rules("[?x, <http://e/p>, ?y] :- [?x, <http://e/q>, ?y] .")
            tx.add_lines(lines(given))
        assert shown(one) == shown(other)
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.add("<http://e/x> <http://e/q> <http://e/y> .")
        assert shown(one) == shown(other)


def test_nothing_else_comes_or_goes_with_a_closure() -> None:
    with KnowledgeGraph.open() as graph:
        tx = graph.transaction()
        tx.start_from(Elsewhere(triples(ZOO)))
        with pytest.raises(StoreError, match="must be the only edit of its transaction"):
            tx.remove_lines(lines(triples("tom rdf:type Cat")))
        tx.end(False)
        tx = graph.transaction()
        tx.add_lines(lines(triples("a p b")))
        with pytest.raises(StoreError, match="must be the only edit of its transaction"):
            tx.start_from(Elsewhere(triples(ZOO)))
        tx.end(False)


def test_what_fails_elsewhere_leaves_the_graph_empty() -> None:
    def fail(materializer: Materializer) -> tuple[Int32, Evaluated]:
        materializer.dictionary.intern(["<http://e/a>"])
        raise RuntimeError("elsewhere")

    with KnowledgeGraph.open() as graph:
        with pytest.raises(RuntimeError, match="elsewhere"):
            graph.start_from(fail)
        assert not any(shown(graph))
        graph.start_from(Elsewhere(triples(ZOO)))
        assert any(shown(graph))


def test_a_trial_changes_nothing() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.what_if() as tx:
            tx.start_from(Elsewhere(triples(ZOO)))
        assert tx.delta.added.count(b"\n") > len(triples(ZOO))
        assert not any(shown(graph))


def test_a_closure_that_was_computed_elsewhere_is_refused() -> None:
    wrong = triples("Cat owl:disjointWith Dog . tom rdf:type Cat . tom rdf:type Dog")
    with KnowledgeGraph.open(on_contradiction="refuse") as graph:
        with pytest.raises(ContradictionError, match="cax-dw"):
            graph.start_from(Elsewhere(wrong))
        assert len(graph) == 0
