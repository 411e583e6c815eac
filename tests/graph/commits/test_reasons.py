"""What-ifs that say why: which rule and axioms derive what would appear or disappear, and what would end."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from tests.volume import many

PREFIXES = {"": "http://e/", "owl": "http://www.w3.org/2002/07/owl#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
NAMES = [f":{letter}" for letter in "abcd"]
VERBS = ["a", "rdfs:subClassOf", "owl:disjointWith", "owl:sameAs", ":p", "rdfs:subPropertyOf", "owl:inverseOf"]
ROWS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VERBS), st.sampled_from([*NAMES, ":p"])), max_size=7)


def text(rows: list[tuple[str, str, str]]) -> str:
    return " ".join(f"{subject} {verb} {object_} ." for subject, verb, object_ in rows)


def state(graph: KnowledgeGraph) -> tuple[set[bytes], set[bytes], list[str]]:
    asserted, inferred = (set(b"".join(graph.dump(asserted=kind)).splitlines()) for kind in (True, False))
    return asserted, inferred, [str(each) for each in graph.contradictions()]


@settings(max_examples=many(5))
@given(ROWS, ROWS, ROWS)
def test_every_inferred_triple_has_a_reason(
    before: list[tuple[str, str, str]], gone: list[tuple[str, str, str]], come: list[tuple[str, str, str]]
) -> None:
    with KnowledgeGraph.open() as graph, KnowledgeGraph.open() as other:
        for each in (graph, other):
            each.add(text(before), prefixes=PREFIXES)
        with graph.what_if(reasons=1000) as tx:
            tx.remove(text(gone), prefixes=PREFIXES).add(text(come), prefixes=PREFIXES)
        changed = {*tx.delta.appeared(asserted=False), *tx.delta.disappeared(asserted=False)}
        assert set(tx.delta.reasons) == changed
        old = state(graph)
        assert old == state(other)
        for each in (graph, other):
            with each.transaction() as edit:
                edit.remove(text(gone), prefixes=PREFIXES).add(text(come), prefixes=PREFIXES)
        assert state(graph) == state(other)
        assert len(tx.delta.ended) <= len(old[2])
        kept = {str(each) for each in graph.contradictions()}
        assert not kept & {str(each) for each in tx.delta.ended}


def test_without_asking_there_are_no_reasons() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(":a rdfs:subClassOf :b .", prefixes=PREFIXES)
        with graph.what_if() as tx:
            tx.add(":x a :a .", prefixes=PREFIXES)
        assert len(tx.delta.appeared(asserted=False)) == 1
        assert not tx.delta.reasons
