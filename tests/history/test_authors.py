"""Who made a commit, and when: in the delta, the history, the journal, and after the store was opened again."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError
from kgreason.graph.changes.delta import Delta
from kgreason.store.folder import journal_path
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import Record
from kgreason.wire import deltas

CAT = "<http://e/tom> a <http://e/Cat> ."
DOG = "<http://e/rex> a <http://e/Dog> ."


def test_a_commit_has_its_author_and_its_time(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.add(CAT)
        heard: list[Delta] = []
        graph.subscribe(heard.append)
        with graph.transaction(author="ann") as tx:
            tx.add(DOG)
        assert (tx.delta.author, tx.delta.time) == ("ann", graph.log(1)[0].time)
        assert heard == [tx.delta]
        assert [(each.author, each.time[-1:]) for each in graph.log()] == [("ann", "Z"), ("", "Z")]
        told = deltas.from_json(deltas.to_json(tx.delta))
        assert (told.author, told.time) == (tx.delta.author, tx.delta.time)
        assert tx.delta.to_json()["author"] == "ann"
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert graph.log(1)[0].author == "ann"
        [past] = graph.deltas_since(1)
        assert (past.author, past.time) == (tx.delta.author, tx.delta.time)
        assert graph.changes(0, 2).author == graph.changes(2, 1).author == ""
    with Journal(journal_path(tmp_path / "store"), write=False, last=1) as journal:
        [record] = journal.records(1)
    assert (record.author, record.time) == (tx.delta.author, tx.delta.time)


def test_an_author_alone_makes_no_commit() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(CAT)
        with graph.transaction(author="ann") as tx:
            tx.add(CAT)
        assert (tx.delta.commit, graph.commit) == (0, 1)
        with graph.what_if() as tx:
            tx.add(DOG)
        assert "author" not in tx.delta.to_json()


def test_within_a_block_every_commit_has_its_author() -> None:
    with KnowledgeGraph.open(history="all") as graph:
        with graph.evaluating(author="bob"):
            graph.add(CAT)
            graph.update("INSERT DATA { <http://e/a> a <http://e/B> }")
            graph.revert(2)
            with graph.transaction(author="ann") as tx:
                tx.add(DOG)
        graph.remove(DOG)
        assert [each.author for each in graph.log()] == ["", "ann", "bob", "bob", "bob"]


@pytest.mark.parametrize("author", ["", " ", "a\nb", "a\x1b[1m", "a" * 201])
def test_an_author_is_a_name_of_one_line(author: str) -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(InputError, match="author"):
        graph.transaction(author=author)


def test_an_author_is_a_text() -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(InputTypeError, match="author"):
        graph.transaction(author=7)  # type: ignore[arg-type]


def test_headers_cannot_pretend_an_author() -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(ValueError, match="author"):
        graph.transaction({"author": "ann"})


def test_records_of_older_versions_are_read() -> None:
    old = b'H commit "7" .\nH stream "s" .\nTX .\nTC .\n'
    assert Record.parse(old) == Record(7, headers={"stream": "s"})


def test_the_log_names_the_author(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "kgreason"), KnowledgeGraph.open() as graph, graph.evaluating(author="ann"):
        graph.add(CAT)
    assert " by ann in " in caplog.messages[-1]
