"""Kills a graph that keeps its history ahead of steps towards the disk, each time in a process of its own.

    python -m tests.history.killed FOLDER FIRST STRIDE

At every STRIDE-th step from FIRST on, until the edits come to their end. After each kill another process opens the
store for writing and checks that the history is complete and agrees with the graph. Prints a line for each kill: its
number, the step ahead of which it was, and the last commit that was found. The process itself opens no store, so that
it may fork.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store import folder
from kgreason.store.folder import Folder
from kgreason.store.history.log import FileHistory
from kgreason.store.journal import journal
from kgreason.store.journal.journal import Journal
from kgreason.store.oxigraph.store import OxigraphStore
from tests.store.killed_histories import say, watch

SUB = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
EDITS: tuple[tuple[str, str], ...] = (
    ("", f"<e:A> {SUB} <e:B> . <e:x> a <e:A> . <e:y> a <e:A> ."),
    ("<e:x> a <e:A> .", "<e:z> a <e:A> ."),
    ("", " ".join(f"<e:i{number}> a <e:A> ." for number in range(9))),
    (f"<e:A> {SUB} <e:B> .", "<e:x> a <e:B> ."),
    ("checkpoint", ""),
    ("<e:y> a <e:A> .", f"<e:A> {SUB} <e:C> ."),
    ("<e:x> a <e:B> .", ""),
)
"""The edits: what each removes and adds. The third is so large that it becomes a snapshot (`_SMALL`)."""
_SMALL = 12
STEPS: tuple[tuple[Any, str], ...] = (
    (os, "write"),
    (os, "ftruncate"),
    (os, "fsync"),
    (journal, "_sync"),
    (folder, "sync_folder"),
    (Path, "replace"),
    (FileHistory, "append"),
    (Journal, "append"),
    (OxigraphStore, "apply"),
    (OxigraphStore, "flush"),
    (Folder, "close"),
)


def live(store: Path, done: Path) -> None:
    """Make the edits, and note after each commit that it is made."""
    commits.SMALL = _SMALL  # type: ignore[attr-defined]
    with KnowledgeGraph.open(store, rules=["rdfs"], history="all") as graph:
        for removed, added in EDITS:
            if removed == "checkpoint":
                graph._engine().checkpoint()
                continue
            with graph.transaction() as tx:
                tx.remove(removed).add(added)
            done.write_text(str(graph.commit))


def check(store: Path, done: Path) -> None:
    """Check that the history of a store has every commit, and agrees with what a graph in memory shows."""
    with KnowledgeGraph.open(store, rules=["rdfs"], history="all") as graph:
        last = graph.commit
        assert last >= int(done.read_text() if done.exists() else 0)
        assert [head.commit for head in graph.log()] == list(range(last, 0, -1))
        with KnowledgeGraph.open(rules=["rdfs"], history="all") as twin:
            edits = [edit for edit in EDITS if edit[0] != "checkpoint"]
            for number, (removed, added) in enumerate(edits[:last], 1):
                with twin.transaction() as tx:
                    tx.remove(removed).add(added)
                with graph.as_of(number) as past:
                    assert lines(past) == lines(twin)
                patches = [g.changes(number - 1, number).to_patch().splitlines() for g in (graph, twin)]
                assert sorted(patches[0]) == sorted(patches[1])
            assert lines(graph) == lines(twin)
        graph.add("<e:more> a <e:A> .")
        assert graph.log(1)[0].commit == last + 1
    say(f"{last}\n")


def lines(graph: KnowledgeGraph) -> set[bytes]:
    return {line for chunk in graph.dump() for line in chunk.splitlines()}


def in_a_process(call: Callable[..., None], *arguments: Any) -> int:
    """The status of a process that makes a call."""
    child = os.fork()
    if not child:
        try:
            call(*arguments)
        except BaseException:  # the child must not go on as the parent does
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def watched(kill_at: int, store: Path, done: Path) -> None:
    watch(kill_at, STEPS)
    live(store, done)


def main(place: Path, first: int, stride: int) -> None:
    for kill_at in count(first, stride):
        store, done = place / f"store-{kill_at}", place / f"done-{kill_at}"
        say(f"{kill_at} ")
        status = in_a_process(watched, kill_at, store, done)
        if status not in (0, signal.SIGKILL) or in_a_process(check, store, done):
            sys.exit(f"failed at step {kill_at}")
        shutil.rmtree(store)
        if status == 0:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
