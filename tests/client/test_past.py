"""The past of a graph of a server is that of a graph of this process, in Python and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.client.graph import RemoteGraph
from kgreason.errors import HistoryError, InputError
from tests.cli.calling import error_of, succeed
from tests.server.serving import served

RULE = "@rule own [?x, <http://e/p>, ?x] :- [?x, a, <http://e/Cat>] ."
PETS = "SELECT ?x { ?x a <http://e/Pet> } ORDER BY ?x"


def make_store(path: Path) -> Path:
    with KnowledgeGraph.open(path, rules=["rdfs"], history="all") as graph:
        graph.add("<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Pet> .")
        graph.add("<http://e/tom> a <http://e/Cat> .")
        with graph.transaction({"note": "rules"}) as tx:
            tx.add_rules(RULE)
            tx.relation("near").insert([("urn:a", 5)])
        graph.remove("<http://e/tom> a <http://e/Cat> .")
    return path


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[KnowledgeGraph, RemoteGraph]]:
    """A graph of this process and a graph of a server, with the same commits."""
    with (
        KnowledgeGraph.open(make_store(tmp_path / "here")) as here,
        served(make_store(tmp_path / "there")) as address,
        kgreason.connect(address) as there,
    ):
        yield here, there


def test_it_is_the_same(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    here, there = both
    logs = [[replace(head, time="") for head in graph.log()] for graph in both]
    assert logs[0] == logs[1]
    assert [head.commit for head in there.log(2)] == [4, 3]
    assert there.log(0) == []
    for m in range(5):
        for n in range(5):
            deltas = [graph.changes(m, n) for graph in both]
            assert sorted(deltas[0].to_patch()) == sorted(deltas[1].to_patch())
            assert deltas[0].rules == deltas[1].rules
    for n in range(5):
        with here.as_of(n) as past, there.as_of(n) as remote:
            assert list(map(str, past.select(PETS))) == list(map(str, remote.select(PETS)))
            assert past.ask("ASK { ?x <http://e/p> ?x }") == remote.ask("ASK { ?x <http://e/p> ?x }")
    for n in (4, 3, 3):
        found = [graph.revert(n) for graph in both]
        assert found[0].conflicts == found[1].conflicts
        assert found[0].delta.commit == found[1].delta.commit
        assert sorted(found[0].delta.to_patch()) == sorted(found[1].delta.to_patch())


def test_errors(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    for graph in both:
        with pytest.raises(HistoryError, match="there is no commit 9; the last commit is 4"):
            graph.changes(1, 9)
        with pytest.raises(InputError, match="commit -1"):
            graph.changes(-1, 2)
        with pytest.raises(HistoryError, match="there is no commit 9; the last commit is 4"):
            graph.revert(9)
    with pytest.raises(HistoryError, match="there is no commit 9"):
        both[1].as_of(9).ask("ASK {}")


def test_commands_print_the_same(both: tuple[KnowledgeGraph, RemoteGraph], tmp_path: Path) -> None:
    places = str(both[1].url), tmp_path / "here"
    for words in (["--diff", 1, 3], ["--diff", 4, 2], ["--limit", 0]):
        told = [succeed("log", "-l", place, *words) for place in places]
        assert sorted(told[0]) == sorted(told[1])
    assert [len(succeed("log", "-l", place).splitlines()) for place in places] == [5, 5]
    assert len({succeed("query", "-l", place, "--query", PETS, "--as-of", 2) for place in places}) == 1
    both[0].close()
    assert len({succeed("revert", "-l", place, 4).partition(" in ")[0] for place in places}) == 1
    assert len({error_of("query", "-l", place, "--query", PETS, "--as-of", 99) for place in places}) == 1
