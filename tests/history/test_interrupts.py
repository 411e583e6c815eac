"""Ctrl-C at any line of a commit, and a store of an older format: the history has every commit, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kgreason.graph import recovery
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store import folder
from kgreason.store.history import log
from kgreason.store.homes import disk


@pytest.mark.parametrize("most", [1, 1000])
def test_ctrl_c_ahead_of_every_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Each commit is interrupted once, one line later than the commit before it."""
    monkeypatch.setattr(log, "_MOST", most)
    with KnowledgeGraph.open(tmp_path, rules=["none"], history="all") as graph:
        graph.add("<e:s> <e:p> <e:o> .")
        at = 0
        while True:
            lines = 0

            def tracing(frame: FrameType, event: str, _: Any) -> Any:
                nonlocal lines
                if frame.f_code.co_filename == log.__file__:
                    lines += event == "line"
                    if lines == at + 1:  # noqa: B023  # it is called in this round only
                        lines += 1
                        raise KeyboardInterrupt
                return tracing

            before = graph.commit
            sys.settrace(tracing)
            try:
                graph.add(f"<e:{at}> <e:p> <e:o> .")
                break
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
            assert graph.commit == before
            assert [head.commit for head in graph.log()] == list(range(before, 0, -1))
            graph.add(f"<e:again{at}> <e:p> <e:o> .")
            at += 1
        assert at > 10
        assert [delta.commit for delta in graph.deltas_since(0)] == list(range(1, graph.commit + 1))
        assert [len(delta.appeared()) for delta in graph.deltas_since(0)] == [1] * graph.commit


def test_a_store_of_an_older_format_keeps_its_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To bring a store to the present format is a commit, which changes nothing."""
    with KnowledgeGraph.open(tmp_path, rules=["rdfs"], history="all") as graph:
        graph.add("<e:a> a <e:A> .")
        graph.add("<e:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <e:B> .")
        graph._committer().checkpoint()
        graph.add("<e:b> a <e:A> .")
    for module in (folder, recovery, disk):
        monkeypatch.setattr(module, "FORMAT", folder.FORMAT + 1 if module is folder else folder.FORMAT)
    with KnowledgeGraph.open(tmp_path) as graph:
        assert graph.commit == 4
        assert not graph.changes(3, 4)
        assert [len(graph.as_of(number)) for number in range(5)] == [0, 1, 3, 5, 5]
        graph.remove("<e:a> a <e:A> .")
        assert len(graph.log()) == 5
