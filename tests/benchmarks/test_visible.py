"""Transactions and processes at small sizes: SPARQL sees them, and the graph is as before."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pyoxigraph
import pytest

from benchmarks import reopening, visible
from benchmarks.process import kgreason
from benchmarks.states import closure
from benchmarks.transactions import Rival, commit, new_lines, samples, turn
from benchmarks.workspace import Workspace
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.benchmarks.small import COURSES, ONTOLOGY, write


@pytest.fixture
def loaded(tmp_path: Path) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(rules=["owl2rl"])
    graph.load(write(tmp_path / "data.nt"), ONTOLOGY)
    return graph


def dumped(graph: KnowledgeGraph) -> list[bytes]:
    return sorted(b"".join(graph.dump()).splitlines())


def test_samples_share_no_line_until_all_were_in_one() -> None:
    lines = [b"%d\n" % number for number in range(10)]
    drawn = b"".join(islice(samples(lines, 3), 3)).splitlines(keepends=True)
    assert len(drawn) == len(set(drawn)) == 9
    assert set(drawn) < set(lines)
    assert next(islice(samples(lines, 3), 3, None)).count(b"\n") == 3


def test_new_rows_are_new_and_differ(loaded: KnowledgeGraph) -> None:
    rows = list(islice(new_lines(loaded, COURSES), 30))
    assert len(set(rows)) == 30
    assert not set(dumped(loaded)) & {row.rstrip() for row in rows}


def test_a_turn_is_two_commits_and_leaves_the_graph_as_it_was(loaded: KnowledgeGraph) -> None:
    before, commits = dumped(loaded), list[int]()
    loaded.subscribe(lambda delta: commits.append(delta.commit))
    new, there = next(new_lines(loaded, COURSES)), b"<http://e/student1> %s <http://e/course1> .\n" % COURSES.encode()
    for line in (new, there):
        taken = turn(loaded, line)
        assert taken.deleted > 0
        assert taken.added > 0
    assert len(commits) == 4
    assert dumped(loaded) == before


def test_a_commit_that_changes_nothing_is_no_figure(loaded: KnowledgeGraph) -> None:
    with pytest.raises(RuntimeError, match="does not see"):
        commit(loaded, next(new_lines(loaded, COURSES)), added=False)


def test_one_triple_stands_beside_oxigraph(
    loaded: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible, "GROWN", 5)
    before = len(dumped(loaded))
    with visible.appended(tmp_path / "journal") as journal:
        found = visible.one_triple(loaded, Rival(pyoxigraph.Store(), journal), COURSES, 3)
    ratios = [value for value, unit in found.others.values() if unit == "x"]
    assert found.value == max(ratios)
    assert len(ratios) == 4
    assert len(dumped(loaded)) >= before + 5
    assert (tmp_path / "journal").read_text().count("INSERT DATA") == 7


def test_changes_stand_over_a_bootstrap(loaded: KnowledgeGraph, tmp_path: Path) -> None:
    before = dumped(loaded)
    parts = visible.hundredths(tmp_path / "data.nt")
    found = visible.over_bootstrap(loaded, {"1pct": parts}, closure(12, 30), 2)
    assert found.value == max(found.others[f"{side}-1pct"][0] for side in ("deleted", "added"))
    assert "6 by" in found.how
    assert dumped(loaded) == before


def test_a_closure_is_edited_on_disk(workspace: Workspace) -> None:
    found = visible.closure(workspace, 12, 30, 1)
    assert set(found.others) == {f"{side}-{size}" for side in ("deleted", "added") for size in ("1pct", "edge")}


@pytest.mark.skipif(os.name != "posix", reason="needs wait4")
def test_a_closed_store_is_reopened_and_edited(workspace: Workspace) -> None:
    load = kgreason("load", "-l", "store", "-f", workspace.ontology("family.ttl").name, "--rules", "owl2rl")
    assert reopening.over_load(workspace, load, 1).value > 0
    with KnowledgeGraph.open(workspace.folder / "edited") as graph:
        assert b"".join(graph.dump(asserted=True)).count(b"<http://xmlns.com/foaf/0.1/knows>") == 2
