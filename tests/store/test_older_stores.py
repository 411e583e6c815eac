"""Stores that older versions wrote open, answer as before and can be edited; those of newer versions are refused."""

from __future__ import annotations

import json
import logging
import shutil
import tarfile
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import StoreVersionError
from kgreason.graph.changes.follower import Follower
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.folder import FORMAT, OLDEST, Folder, _lock, read_manifest
from kgreason.store.homes.disk import Disk
from tests.graph.views import View, agrees, lasting, lines, view

ARCHIVES = Path(__file__).parent / "stores"
STORES = ["aliases", "representatives", "rules", "imports", "killed", "filling", "empty"]
MOMENTS = [
    "stage",
    "load",
    "commit_stage",
    "_rebase",
    "_note_manifest",
    "_adopt_stage",
    "write",
    "fill",
    "flush",
    "write_manifest",
    "reset",
]
MORE = "<http://e/new> <http://e/p> <http://e/b> ."


@pytest.fixture(scope="module", params=range(OLDEST, FORMAT))
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of stores of an older format, and what they show."""
    folder: Path = tmp_path_factory.mktemp("stores") / str(request.param)
    with tarfile.open(ARCHIVES / f"format-{request.param}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def number(stores: Path) -> int:
    """The number of the older format."""
    return int(stores.name)


@pytest.fixture
def copy(stores: Path, tmp_path: Path) -> Path:
    """A copy of the stores, for a test to change."""
    return shutil.copytree(stores, tmp_path / "copy")


def check_as_before(graph: KnowledgeGraph, expected: dict[str, Any]) -> None:
    assert sorted(lines(graph.dump())) == expected["closure"]
    assert sorted(lines(graph.dump(asserted=True, graphs=True))) == expected["asserted"]
    assert sorted(lines(graph.dump(graphs=True))) == expected["quads"]
    assert sorted({each.rule for each in graph.contradictions()}) == expected["contradictions"]
    assert sorted(rule.name for rule in graph.own_rules()) == expected["own"]
    assert graph.streams() == expected["streams"]
    assert agrees(graph)


def expected_of(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text())[name]
    return found


@pytest.mark.parametrize("name", STORES)
def test_an_older_store_is_brought_forward(
    copy: Path, name: str, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    path, before = copy / name, read_manifest(copy / name)
    with caplog.at_level(logging.INFO, "kgreason"), KnowledgeGraph.open(path) as graph:
        check_as_before(graph, expected_of(copy, name))
    told = [record.getMessage() for record in caplog.records if record.name == "kgreason"]
    assert len(told) == bool(before and before.commit)  # a store without a commit has nothing to bring forward
    assert all(f"{path}: the store has format {number}, which is older than {FORMAT}" in each for each in told)
    caplog.clear()
    with KnowledgeGraph.open(path) as graph:
        check_as_before(graph, expected_of(copy, name))
        graph.transaction().add(MORE).end(True)
        assert MORE in lines(graph.dump())
        seen = lasting(view(graph))
    with KnowledgeGraph.open(path, read_only=True) as graph:
        assert lasting(view(graph)) == seen
        assert agrees(graph)
    assert not caplog.records
    manifest = read_manifest(path)
    assert manifest is not None
    assert manifest.format == FORMAT


def test_statistics_are_those_of_the_new_state(copy: Path) -> None:
    with KnowledgeGraph.open(copy / "representatives") as graph:
        assert graph.stats()["facts"] == len(expected_of(copy, "representatives")["closure"])
        kept = graph.stats()
    with KnowledgeGraph.open(copy / "representatives") as graph:
        assert graph.stats() == kept


@pytest.mark.parametrize("name", STORES[:-1])
def test_a_reader_brings_an_older_store_forward_where_it_can(copy: Path, name: str) -> None:
    with KnowledgeGraph.open(copy / name, read_only=True) as graph:
        check_as_before(graph, expected_of(copy, name))


def test_a_reader_that_may_not_write_is_told_what_to_do(copy: Path, number: int) -> None:
    path = copy / "aliases"
    with (path / "lock").open("r+b") as other:
        _lock(other)
        with pytest.raises(
            StoreVersionError, match=rf"format {number}, which is older than {FORMAT}: open the store for writ"
        ):
            KnowledgeGraph.open(path, read_only=True)
    with pytest.raises(StoreVersionError, match="open the store for writing once"):
        Follower(path)
    KnowledgeGraph.open(path).close()
    assert [*Follower(path, 0).read()]


def test_a_fork_of_an_older_store_leaves_it_as_it_is(copy: Path) -> None:
    before = read_manifest(copy / "aliases")
    with fork(copy / "aliases") as graph:
        check_as_before(graph, expected_of(copy, "aliases"))
    assert read_manifest(copy / "aliases") == before


@pytest.mark.parametrize(("moment", "name"), [*product(MOMENTS, ("aliases", "rules", "killed"))])
def test_a_kill_while_a_store_is_brought_forward_loses_nothing(
    copy: Path, name: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever call is the last one that is made."""
    path = copy / name
    with monkeypatch.context() as patched:
        for owner in _owners(moment):
            patched.setattr(owner, moment, _killed)
        with suppress(KeyboardInterrupt):  # not every store makes every call
            KnowledgeGraph.open(path).close()
    with KnowledgeGraph.open(path) as graph:
        check_as_before(graph, expected_of(copy, name))


def test_a_built_in_of_an_older_store_runs_once_it_is_brought_forward(copy: Path, number: int) -> None:
    """Its vocabulary was no vocabulary then, so the terms had other ids."""
    if number == 3:
        pytest.skip("the archive of format 3 has no such store")
    before = expected_of(copy, "builtins")
    adult = "<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Adult> ."
    with KnowledgeGraph.open(copy / "builtins") as graph:
        assert (adult in before["closure"]) == (number > 4)
        assert sorted(lines(graph.dump())) == sorted({*before["closure"], adult})
        assert sorted(lines(graph.dump(asserted=True, graphs=True))) == before["asserted"]
        assert not graph.warnings
        assert agrees(graph)


def _owners(moment: str) -> list[Any]:
    from kgreason.graph.commits import Committer
    from kgreason.store.journal.journal import Journal
    from kgreason.store.oxigraph.store import OxigraphStore

    owners = (Folder, Disk, Committer, OxigraphStore, Journal)
    return [owner for owner in owners if hasattr(owner, moment)]


def _killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_newer_store_is_refused_with_both_numbers(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.transaction().add(MORE).end(True)
    for version in (FORMAT + 1, OLDEST - 1):
        _set_format(tmp_path / "store", version)
        for read_only in (True, False):
            with pytest.raises(
                StoreVersionError, match=rf"format {version}; this kgreason reads formats 3 to {FORMAT}"
            ):
                KnowledgeGraph.open(tmp_path / "store", read_only=read_only)


def _set_format(path: Path, version: int) -> None:
    manifest = json.loads((path / "kgreason.json").read_text())
    (path / "kgreason.json").write_text(json.dumps(manifest | {"format": version}))


def test_bringing_forward_is_a_commit_for_those_who_follow(copy: Path) -> None:
    """What they were told before, and what they are told now, adds up to the graph."""
    with KnowledgeGraph.open(copy / "killed") as graph:
        seen: View = view(graph)
    follower = Follower(copy / "killed", 0)
    told = b"".join(record.added for record in follower.read()).decode().splitlines()
    assert frozenset(told) == seen.rows
