"""A graph that takes a closure of itself with more triples, evaluated elsewhere, is the graph that loads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Strategy
from kgreason.errors import ContradictionError, LimitError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.edit import Edit
from kgreason.options import SchemaMode
from tests.graph.commits.extension import Extending, extended
from tests.graph.commits.test_start_from import TRANSITIVE, ZOO, lines, shown
from tests.histories.drawn import Feature
from tests.histories.following import Graph, run
from tests.oracle.graph import Triple
from tests.oracle.notation import triples
from tests.spark.close.engines import states
from tests.strategies.ontologies import graphs
from tests.volume import many_seeds

STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")


class Extended(Graph):
    """A graph whose commits begin with the closure of another engine, as soon as it has facts."""

    def _edit(self, edit: Edit) -> Edit:
        materializer = self.materializer
        return edit._replace(evaluated=extended(materializer, edit.added[:, :3])) if len(materializer.engine) else edit


KINDS: tuple[tuple[Feature, ...], ...] = (
    ("not", "circles"),
    ("not", "data", "relations"),
    ("not", "expressions", "aggregates"),
    ("not", "expressions", "nodes"),
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_histories_give_the_model(strategy: Strategy) -> None:
    for seed in range(8):
        run(seed, strategy, *KINDS[seed % 4], graph=Extended)


@pytest.mark.parametrize("part", range(4))
def test_many_histories_give_the_model(part: int) -> None:
    for seed in many_seeds(8, 240):
        if seed % 4 == part:
            run(seed, STRATEGIES[seed // 4 % 3], *KINDS[part], graph=Extended)


def compare(first: set[Triple], later: list[set[Triple]], schema: SchemaMode = "axioms") -> None:
    """Deltas and what is shown are equal after each load, and after a removal of everything that came later."""
    with KnowledgeGraph.open(schema=schema) as one, KnowledgeGraph.open(schema=schema) as other:
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.add_lines(lines(first))
        for added in later:
            loaded = one.start_from(Extending(added))
            with other.transaction() as tx:
                tx.add_lines(lines(added))
            deltas = (set(loaded.delta.added.splitlines()), set(loaded.delta.removed.splitlines()))
            assert deltas == (set(tx.delta.added.splitlines()), set(tx.delta.removed.splitlines()))
            assert loaded.delta.commit == tx.delta.commit
            assert shown(one) == shown(other)
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.remove_lines(lines(set().union(*later) - first))
        assert shown(one) == shown(other)


SAME = "a owl:sameAs b . b owl:sameAs x"
AXIOMS = "Animal rdfs:subClassOf Being . has rdfs:range Thing . p rdf:type owl:TransitiveProperty . Cat owl:sameAs Kat"


@pytest.mark.parametrize("schema", ["axioms", "data"])
@pytest.mark.parametrize("texts", [(ZOO, TRANSITIVE), (TRANSITIVE, ZOO), (f"{ZOO} . {TRANSITIVE}", AXIOMS, SAME)])
def test_it_is_the_graph_that_was_loaded_and_goes_on_alike(texts: tuple[str, ...], schema: SchemaMode) -> None:
    first, *later = map(triples, texts)
    compare(first, later, schema)


@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=5)
@given(graph=graphs(), data=st.data())
def test_random_graphs(schema: SchemaMode, graph: set[Triple], data: st.DataObject) -> None:
    graph = {triple for triple in graph if not triple[0].startswith('"')}
    parts: tuple[set[Triple], ...] = (set(), set(), set())
    for triple in sorted(graph):
        parts[data.draw(st.integers(0, 2))].add(triple)
    compare(parts[0], list(parts[1:]), schema)


def test_stamps_and_supports_are_those_of_an_update() -> None:
    first, later = triples(f"{ZOO} . q rdf:type owl:TransitiveProperty . a q b . b q c"), triples("c q d . tom q a")
    with KnowledgeGraph.open(strategy="update") as one, KnowledgeGraph.open(strategy="update") as other:
        for graph in (one, other):
            with graph.transaction() as tx:
                tx.add_lines(lines(first))
        one.start_from(Extending(later))
        with other.transaction() as tx:
            tx.add_lines(lines(later))
        found = [set(map(tuple, states(graph._engine().materializer.engine).tolist())) for graph in (one, other)]
        assert found[0] == found[1]


def test_it_is_one_commit_that_subscribers_and_the_history_have(tmp_path: Path) -> None:
    later = triples("kit rdf:type Cat . tom rdf:type Pet")
    heard: list[Delta] = []
    with KnowledgeGraph.open(tmp_path, history="all") as graph:
        with graph.transaction() as tx:
            tx.add_lines(lines(triples(ZOO)))
        graph.subscribe(heard.append)
        before = shown(graph)
        delta = graph.start_from(Extending(later)).delta
        assert [each.commit for each in heard] == [2] == [delta.commit]
        assert set(heard[0].added.splitlines()) == set(delta.added.splitlines()) != set()
        assert set(graph.changes(1, 2).added.splitlines()) == set(delta.added.splitlines())
        after = shown(graph)
    with KnowledgeGraph.open(tmp_path) as graph:
        assert shown(graph) == after
        assert [set(b"".join(graph.as_of(1).dump(asserted=each)).splitlines()) for each in (None, True)] == before[:2]
        with KnowledgeGraph.open() as other:
            for added in (triples(ZOO), later):
                with other.transaction() as tx:
                    tx.add_lines(lines(added))
            rows = [{str(row) for row in each.select("SELECT ?s ?p ?o { ?s ?p ?o }")} for each in (graph, other)]
        assert rows[0] == rows[1] != set()


def test_without_facts_it_is_a_load() -> None:
    with KnowledgeGraph.open() as one, KnowledgeGraph.open() as other:
        one.start_from(Extending(triples(ZOO)))
        with other.transaction() as tx:
            tx.add_lines(lines(triples(ZOO)))
        assert shown(one) == shown(other)


def test_what_is_there_already_is_no_commit() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add_lines(lines(triples(ZOO)))
        assert graph.start_from(Extending(triples(ZOO))).delta.commit == 0
        assert graph.commit == 1


def test_an_inferred_triple_that_is_asserted_stays_when_its_reason_goes() -> None:
    compare(
        triples("Cat rdfs:subClassOf Animal . tom rdf:type Cat"), [triples("tom rdf:type Animal . tom rdf:type Pet")]
    )


def test_what_is_refused_or_fails_changes_nothing() -> None:
    wrong = triples("tom rdf:type Dog . kit rdf:type Cat")
    with KnowledgeGraph.open(on_contradiction="refuse") as graph:
        with graph.transaction() as tx:
            tx.add_lines(lines(triples("Cat owl:disjointWith Dog . tom rdf:type Cat")))
        before, known = shown(graph), len(graph._engine().materializer.dictionary)
        with pytest.raises(ContradictionError, match="cax-dw"):
            graph.start_from(Extending(wrong))
        with graph.what_if() as tx:
            tx.start_from(Extending(triples("kit rdf:type Cat")))
        assert len(tx.delta.appeared()) > 0
        with graph.evaluating(budget=1), pytest.raises(LimitError):
            graph.start_from(Extending(triples("Cat rdfs:subClassOf Animal . Animal rdfs:subClassOf Being")))
        assert shown(graph) == before
        assert len(graph._engine().materializer.dictionary) == known
        with graph.transaction() as tx:
            tx.add_lines(lines(triples("kit rdf:type Cat")))
        assert shown(graph) != before


def test_it_must_be_the_only_edit() -> None:
    with KnowledgeGraph.open() as graph:
        tx = graph.transaction()
        tx.add_lines(lines(triples("a p b")))
        with pytest.raises(StoreError, match="`start_from` must be the only edit"):
            tx.start_from(Extending(triples(ZOO)))
        tx.end(False)
        tx = graph.transaction()
        tx.start_from(Extending(triples(ZOO)))
        with pytest.raises(StoreError, match="must be the only edit of its transaction"):
            tx.add_lines(lines(triples("a p b")))
        tx.end(False)
