"""What is told to `logging` under the name `kgreason`."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RdfSyntaxError
from kgreason.graph.changes import log
from kgreason.graph.state.running import Running

IMPORTS = (
    "<http://e/o> a <http://www.w3.org/2002/07/owl#Ontology> ; <http://www.w3.org/2002/07/owl#imports> <http://e/x> ."
)
PATH = "@prefix : <http://e/> ."


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["owl2rl"], aliases=20) as graph:
        yield graph


def messages(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    found = [record.getMessage() for record in caplog.records if (record.name, record.levelno) == ("kgreason", level)]
    return [re.sub(r"\d+\.\d{3} s", "? s", message) for message in found]


def test_one_line_for_each_commit(graph: KnowledgeGraph, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kgreason")
    graph.add(f"{PATH} :a :p :b .")
    graph.add(f"{PATH} :a :p :b .")
    with graph.what_if() as tx:
        tx.add(f"{PATH} :a :p :c .")
    graph.update("PREFIX : <http://e/> DELETE DATA { :a :p :b }")
    assert messages(caplog, logging.INFO) == [
        "Delta of commit 1: 1 (1 asserted) appeared, 0 disappeared, 0 turned in ? s",
        "Delta of commit 2: 0 appeared, 1 (1 asserted) disappeared, 0 turned in ? s",
    ]
    assert [line.partition(", switched")[0] for line in messages(caplog, logging.DEBUG)] == [
        "commit 1: Work(strategy='bootstrap'",
        "commit 2: Work(strategy='update'",
    ]


def test_warnings_that_are_new(graph: KnowledgeGraph, caplog: pytest.LogCaptureFixture) -> None:
    graph.add(IMPORTS)
    graph.add(f"{PATH} :a :p :b .")
    [missing] = messages(caplog, logging.WARNING)
    assert missing.startswith("commit 1: <http://e/o> imports <http://e/x>: no document")
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    graph.add(f"{PATH} {' '.join(f':a {same} :s{number} .' for number in range(9))}")
    [_, clique] = messages(caplog, logging.WARNING)
    assert clique.startswith("commit 3: owl:sameAs: 10 terms are")
    graph.add(f"{PATH} :c :p :b .")
    assert len(messages(caplog, logging.WARNING)) == 2


def test_a_commit_that_fails_is_not_told(graph: KnowledgeGraph, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kgreason")
    with pytest.raises(RdfSyntaxError):
        graph.add(IMPORTS, "<http://e/a> .")
    assert caplog.records == []


def test_nothing_is_computed_where_nobody_listens(graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    graph.add(IMPORTS)  # the first commit stores the warnings in the manifest
    monkeypatch.setattr(log.LOGGER, "propagate", False)
    assert not log.LOGGER.handlers

    def compute(_: Running) -> list[str]:
        raise AssertionError("nobody asked for warnings")

    with monkeypatch.context() as patched:
        patched.setattr(Running, "warnings", compute)
        graph.add(f"{PATH} :a :p :b .")


def test_nothing_is_written_where_nobody_listens(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log.LOGGER, "propagate", False)
    graph.add(IMPORTS)
    assert graph.warnings
    assert capfd.readouterr() == ("", "")
