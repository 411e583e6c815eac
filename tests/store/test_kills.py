"""A load that is killed is there or is not: store, snapshot and engine agree on the last commit."""

from __future__ import annotations

import random
import shutil
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.lubm import generate
from kgreason.resources import resource
from kgreason.store.folder import Folder
from kgreason.store.rows import SMALL
from tests.graph.states import in_default
from tests.graph.updates.test_failures import SECOND
from tests.graph.views import View, agrees, view
from tests.oracle.notation import triples
from tests.store import interrupted
from tests.store.test_store import AXIOMS
from tests.strategies.ontologies import nquads
from tests.volume import many


class Siege(NamedTuple):
    """A store ahead of a load, the file to load, and what the graph shows before and after."""

    store: Path
    file: Path
    before: View
    after: View
    small: int

    def held(self, folder: Path, **kill: Any) -> tuple[bool, interrupted.Work | None]:
        """Load in a child that is killed; whether the load is there then, and what it took if it came to an end."""
        folder.mkdir()
        store = folder / "store"
        if self.store.exists():
            shutil.copytree(self.store, store)
        work = interrupted.run(store, self.file, self.small, **kill)
        with KnowledgeGraph.open(store) as graph:
            seen = without_stats(graph)
            assert seen in (self.before, self.after)
            assert agrees(graph)
        assert not (store / "kgreason.json").exists() or is_up_to_date(store)
        assert work is None or seen == self.after
        return seen == self.after, work


def is_up_to_date(store: Path) -> bool:
    with Folder(store, write=False) as folder:
        return not folder.is_behind


def without_stats(graph: KnowledgeGraph) -> View:
    return view(graph)._replace(stats={})


@pytest.fixture(scope="module", params=["first load", "later load", "later commit"])
def siege(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Siege:
    """Loads of some thousand triples; the later one takes rules away, as a bulk load or as a commit in the journal."""
    is_first = request.param == "first load"
    folder = tmp_path_factory.mktemp("siege")
    (_, lines), (_, others) = islice(generate(1), 2)
    ontology = resource("ontologies", "univ-bench.ttl")
    first, second = folder / "first.nt", folder / "second.nt"
    first.write_text("".join(islice(lines, 1500)) + nquads(in_default(triples(AXIOMS))))
    second.write_text("".join(islice(others, 1500)) + nquads(in_default(triples(SECOND))))
    loads = [(ontology, first)] if is_first else [(ontology, first), (second,)]
    with KnowledgeGraph.open(folder / "store") as graph:
        graph.load(*loads[0][:1])
        for paths in loads[:-1]:
            graph.load(*paths)
        before = without_stats(graph)
    if is_first:
        shutil.rmtree(folder / "store")
        with KnowledgeGraph.open() as graph:
            before = without_stats(graph)
    with KnowledgeGraph.open() as graph:
        if not is_first:
            graph.load(ontology)
            graph.load(*loads[0])
        graph.load(loads[-1][-1])
        small = SMALL if request.param == "later commit" else 0
        return Siege(folder / "store", loads[-1][-1], before, without_stats(graph), small)


def kill_at_random(siege: Siege, folder: Path, times: int) -> None:
    """The moments are spread over the time that the load takes, so that about all are killed."""
    _, work = siege.held(folder / "measure")
    assert work
    draw, killed = random.Random(times), 0
    for number in range(times):
        _, ended = siege.held(folder / str(number), kill_after=draw.uniform(0, work[1]))
        killed += ended is None
    assert killed


def test_loads_killed_at_a_random_moment(siege: Siege, tmp_path: Path) -> None:
    kill_at_random(siege, tmp_path, many(15))


def test_loads_killed_ahead_of_every_step(siege: Siege, tmp_path: Path) -> None:
    """The load is there once the manifest has been replaced, or the journal has it, and not before."""
    _, work = siege.held(tmp_path / "count")
    assert work
    outcomes = []
    for number in range(work[0]):
        is_there, ended = siege.held(tmp_path / str(number), kill_at=number)
        assert ended is None
        outcomes.append(is_there)
    assert outcomes == sorted(outcomes)
    assert not outcomes[0]
    assert outcomes[-1]
