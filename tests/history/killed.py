"""Kills a graph that keeps its history ahead of steps towards the disk, each time in a process of its own.

    python -m tests.history.killed FOLDER FIRST STRIDE

At every STRIDE-th step from FIRST on, until the edits come to their end. After each kill another process opens the
store for writing and checks that the history is complete and agrees with the graph. Prints a line for each kill: its
number, the step ahead of which it was, and the last commit that was found. The process itself opens no store, so that
it may fork.
"""

from __future__ import annotations

import shutil
import signal
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.history.log import FileHistory
from tests.graph.views import lines
from tests.store import killed_histories
from tests.store.killed_histories import in_child, say, watch

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
STEPS: tuple[tuple[Any, str], ...] = (*killed_histories.STEPS, (FileHistory, "append"))


def live(store: Path, done: Path) -> None:
    """Make the edits, and note after each commit that it is made."""
    commits.SMALL = _SMALL  # type: ignore[attr-defined]
    with KnowledgeGraph.open(store, rules=["rdfs"], history="all") as graph:
        for removed, added in EDITS:
            if removed == "checkpoint":
                graph._committer().checkpoint()
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
                    assert lines(past.dump()) == lines(twin.dump())
                patches = [g.changes(number - 1, number).to_patch().splitlines() for g in (graph, twin)]
                assert sorted(patches[0]) == sorted(patches[1])
            assert lines(graph.dump()) == lines(twin.dump())
        graph.add("<e:more> a <e:A> .")
        assert graph.log(1)[0].commit == last + 1
    say(f"{last}\n")


def live_until(kill_at: int, store: Path, done: Path) -> None:
    watch(kill_at, STEPS)
    live(store, done)


def main(place: Path, first: int, stride: int) -> None:
    for kill_at in count(first, stride):
        store, done = place / f"store-{kill_at}", place / f"done-{kill_at}"
        say(f"{kill_at} ")
        status = in_child(partial(live_until, kill_at, store, done))
        if status not in (0, -signal.SIGKILL) or in_child(partial(check, store, done)):
            sys.exit(f"failed at step {kill_at}")
        shutil.rmtree(store)
        if status == 0:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
