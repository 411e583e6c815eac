"""Where the time of a commit went: which parts there are, and that they add up to at most the whole."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.resources import resource
from kgreason.spans import PARTS, Spans, peak_bytes, span, span_seconds

ONTOLOGY = resource("ontologies", "univ-bench.ttl")


def test_the_seconds_of_a_span_leave_out_those_inside() -> None:
    spans, begun = Spans(), time.perf_counter()
    with spans.open():
        assert span_seconds() == {}
        with span("a"):
            with span("b"):
                time.sleep(0.002)
            with span("a"):
                assert span_seconds()["b"] >= 0.002
    with spans.open(), pytest.raises(ZeroDivisionError), span("c"):
        1 / 0  # noqa: B018
    assert list(spans.seconds) == ["a", "b", "c"]
    assert min(spans.seconds.values()) >= 0
    assert sum(spans.seconds.values()) <= time.perf_counter() - begun
    assert spans.seconds["a"] + spans.seconds["c"] < spans.seconds["b"]


def test_without_open_spans_nothing_is_measured() -> None:
    with span("a"):
        assert span_seconds() == {}


def test_other_spans_go_on_afterwards() -> None:
    outer, inner = Spans(), Spans()
    with outer.open(), span("a"):
        with inner.open(), span("b"):
            pass
        with span("c"):
            pass
    assert (set(outer.seconds), set(inner.seconds)) == ({"a", "c"}, {"b"})


def test_a_load_tells_its_parts(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules="owl2rl") as graph:
        loaded = graph.load(ONTOLOGY)
        parts = loaded["seconds_by_part"]
        assert set(parts) == set(PARTS) - {"journal"}
        assert min(parts.values()) >= 0
        assert sum(parts.values()) <= loaded["seconds"] + 0.001
        assert 0 < loaded["peak_bytes"] <= peak_bytes()
        assert graph.stats()["seconds_by_part"] == parts
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert graph.stats()["seconds_by_part"] == parts


def test_an_edit_tells_its_parts_alone(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.load(ONTOLOGY)
        graph.add("<http://e/a> a <http://e/C> .")
        assert set(graph.stats()["seconds_by_part"]) == {"read", "intern", "evaluate", "journal", "store"}
        graph.add("<http://e/C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/D> .")
        assert set(graph.stats()["seconds_by_part"]) == set(PARTS) - {"snapshot"}
        graph.add(("<http://e/b>", "<http://e/p>", "<http://e/C>"))
        assert set(graph.stats()["seconds_by_part"]) == {"read", "evaluate", "journal", "store"}


def test_a_rollback_leaves_the_parts_of_the_last_commit() -> None:
    with KnowledgeGraph.open(rules="owl2rl") as graph:
        assert "seconds_by_part" not in graph.stats()
        graph.add("<http://e/a> a <http://e/C> .")
        parts = graph.stats()["seconds_by_part"]
        graph.add("<http://e/a> a <http://e/C> .")
        tx = graph.transaction().load(ONTOLOGY)
        tx.end(False)
        assert graph.stats()["seconds_by_part"] == parts
