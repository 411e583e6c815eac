"""Figures for Prometheus: the graph, commits, the process, the disk, killed queries, refused logins."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kgreason import KnowledgeGraph
from tests.server.operation.operating import ADMIN, READ, WRITE, Operated, bearer, operated

from kgreason.server.operation import figures  # isort: skip

ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"
OWL = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> ."


def read(server: Operated) -> dict[str, float]:
    text = server.http.get("/metrics", headers=bearer(READ)).text
    samples = (each for family in text_string_to_metric_families(text) for each in family.samples)
    return {each.name + "".join(f"[{value}]" for value in each.labels.values()): each.value for each in samples}


def test_figures_of_the_graph_its_commits_and_the_disk(tmp_path: Path) -> None:
    text = f"{OWL} :Cat owl:disjointWith :Dog . :tom a :Cat, :Dog ."
    with operated(tmp_path, text=text, query_seconds=0.5) as server:
        before = read(server)
        with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
            stats = graph.stats()
        assert before["kgreason_facts[asserted]"] == stats["asserted"] > 0
        assert before["kgreason_facts[inferred]"] == stats["inferred"]
        assert before["kgreason_contradictions"] == 1
        assert before["kgreason_validation_results"] == 0
        assert before["kgreason_store_bytes"] > 1000
        assert before["kgreason_disk_free_bytes"] > 0
        assert before["kgreason_commit_seconds_count"] == before["kgreason_queries_killed_total"] == 0
        server.http.post("/update", data={"update": "INSERT DATA { <e:a> <e:b> <e:c> }"}, headers=bearer(WRITE))
        assert server.http.post("/query", data={"query": ENDLESS}, headers=bearer(READ)).status_code == 504
        assert server.http.get("/query", headers=bearer("x" * 16)).status_code == 401
        shapes = "<e:s> <http://www.w3.org/ns/shacl#targetNode> <e:a> ; <http://www.w3.org/ns/shacl#closed> true ."
        turtle = {"Content-Type": "text/turtle"}
        assert server.http.put("/shapes", content=shapes, headers=bearer(ADMIN) | turtle).is_success
        after = read(server)
        assert after["kgreason_commit_seconds_count"] == 2
        assert after["kgreason_validation_results"] == 1
        assert after["kgreason_facts[asserted]"] == stats["asserted"] + 1
        assert after["kgreason_queries_killed_total"] == 1
        assert after["kgreason_refused_logins_total"] == 1
        assert after["kgreason_requests_total[GET][/query][401]"] == 1
        if sys.platform == "linux":
            assert after["process_resident_memory_bytes"] > 1 << 20


def test_a_long_commit_does_not_hold_up_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_PATIENCE", 0.01)
    with operated(tmp_path) as server:
        is_done, is_begun = threading.Event(), threading.Event()
        stats = KnowledgeGraph.stats

        def slow(graph: KnowledgeGraph) -> dict[str, object]:
            is_begun.set()
            assert is_done.wait(60)
            return stats(graph)

        monkeypatch.setattr(KnowledgeGraph, "stats", slow)
        try:
            for _ in range(3):
                found = read(server)
                assert is_begun.wait(60)
            assert "kgreason_facts[asserted]" not in found
            assert found["kgreason_edits_waiting"] == 0
        finally:
            is_done.set()
