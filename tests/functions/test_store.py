"""Stores whose rules call Python functions: reopening, missing and changed functions, readers, kills, forks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, RuleError, StoreError
from kgreason.functions import registry
from kgreason.graph.changes.follower import Follower
from kgreason.graph.fork import fork
from kgreason.rules import lowering
from kgreason.rules.model import Atom, Computed, Rule
from kgreason.store.folder import MANIFEST

from .test_rules import AREA, HEADER, NAMES, area, objects

DATA = ":a :w 8 ; :h 8 ."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a rule that calls `area`."""
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"], functions=[area]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(HEADER + AREA)
        graph.add(DATA, prefixes=NAMES)
    return tmp_path / "store"


def test_a_store_opens_again_with_its_functions(path: Path) -> None:
    def forbidden(w: int, h: int) -> int:
        raise AssertionError("the result is in the store")

    forbidden.__name__ = "area"
    with KnowledgeGraph.open(path, functions=[forbidden]) as graph:
        graph.add(":b :w 8 ; :h 8 .", prefixes=NAMES)
        assert objects(graph, ":area") == ["64", "64"]
    with KnowledgeGraph.open(path, functions=[area]) as graph:
        graph.add(":c :w 2 ; :h 3 .", prefixes=NAMES)
        assert objects(graph, ":area") == ["6", "64", "64"]
        assert not graph.warnings


def test_an_expression_and_a_call_that_waited_for_each_other_are_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Format 5 has stores in which neither was computed."""

    def waiting(rule: Rule, asked: Computed) -> tuple[Atom, ...]:
        return (*rule.body, *(lowering.result_atom(each) for each in rule.computed if each != asked))

    rule = "@rule r [?x, :area, ?a] :- [?x, :w, ?w], BIND(?w + 1 AS ?b), BIND(area(?w, ?w) AS ?a), FILTER(?b > 1) ."
    path = tmp_path / "store"
    with monkeypatch.context() as patch:
        patch.setattr(lowering, "_askable_atoms", waiting)
        with KnowledgeGraph.open(path, rules=["none"], functions=[area]) as graph:
            with graph.transaction() as tx:
                tx.add_rules(HEADER + rule)
            graph.add(DATA, prefixes=NAMES)
            assert objects(graph, ":area") == []
    manifest = path / MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 5}))
    with KnowledgeGraph.open(path, functions=[area]) as graph:
        assert objects(graph, ":area") == ["64"]


def wrong(w: float, h: float) -> float:
    return w * h


wrong.__name__ = "area"


@pytest.mark.parametrize(
    ("functions", "problem"),
    [
        ([], r"the function area\(int, int\) -> int is missing"),
        ([wrong], r"the function area\(int, int\) -> int is now area\(float, float\) -> float"),
    ],
)
def test_a_store_without_its_functions_opens_for_reading(
    path: Path, functions: list[Callable[..., Any]], problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    with KnowledgeGraph.open(path, functions=functions) as graph:
        assert [record for record in caplog.records if record.name == "kgreason"]
        assert objects(graph, ":area") == ["64"]
        assert graph.stats()["inferred"] == 1
        assert b"64" in b"".join(graph.dump())
        assert "area(8, 8) = 64" in graph.explain((":a", ":area", 64), prefixes=NAMES).to_text(NAMES)
        [rule] = graph.own_rules()
        assert rule.name == "area"
        with pytest.raises(StoreError, match=f"{problem}.*the store is open for reading only: pass functions="):
            graph.add(":b :w 1 .", prefixes=NAMES)
        with graph.what_if() as tx:
            tx.add(":a :w 9 .", prefixes=NAMES).remove(":a :w 9 .", prefixes=NAMES)
        with pytest.raises(RuleError, match="rule area: the function area is missing"), graph.what_if() as tx:
            tx.add(":a :w 9 .", prefixes=NAMES)
        [warning] = graph.warnings
        assert "the store is open for reading only" in warning
    with KnowledgeGraph.open(path, functions=[area]) as graph:
        graph.add(":a :w 1 .", prefixes=NAMES)


def test_a_store_needs_no_function_once_its_rules_are_gone(path: Path) -> None:
    with KnowledgeGraph.open(path, functions=[area]) as graph, graph.transaction() as tx:
        tx.remove_rules("area")
    with KnowledgeGraph.open(path) as graph:
        graph.add(":b :w 1 .", prefixes=NAMES)
        assert not graph.warnings


def test_readers_and_followers(path: Path) -> None:
    with KnowledgeGraph.open(path, functions=[area]) as graph:
        graph.add(":b :w 2 ; :h 2 .", prefixes=NAMES)
        with KnowledgeGraph.open(path, read_only=True) as reader:
            assert reader.ask("ASK { <http://e/b> <http://e/area> 4 }")
            with pytest.raises(RuleError, match="the function area is missing"):
                reader.explain((":b", ":area", 4), prefixes=NAMES)
            [warning] = reader.warnings
            assert warning == "the function area(int, int) -> int is missing: the store is open for reading only"
        with KnowledgeGraph.open(path, functions=[area], read_only=True) as reader:
            assert "area(2, 2) = 4" in reader.explain((":b", ":area", 4), prefixes=NAMES).to_text(NAMES)
        told = b"".join(record.added for record in Follower(path, 0, [area]).read())
        assert b'"4"^^' in told
        with pytest.raises(RuleError, match="the function area is missing"):
            list(Follower(path, 0).read())
    with fork(path, functions=[area]) as graph:
        graph.add(":c :w 3 ; :h 3 .", prefixes=NAMES)
        assert objects(graph, ":area") == ["4", "64", "9"]
    with fork(path) as graph, pytest.raises(RuleError, match="the function area is missing"):
        graph.add(":c :w 3 ; :h 3 .", prefixes=NAMES)


def test_a_killed_store_makes_its_commits_again(path: Path, tmp_path: Path) -> None:
    with KnowledgeGraph.open(path, functions=[area]) as graph:
        graph.add(":b :w 2 ; :h 2 .", prefixes=NAMES)
        shutil.copytree(path, tmp_path / "killed")
    with pytest.raises(StoreError, match=r"the function area.* is missing.*was not closed properly"):
        KnowledgeGraph.open(tmp_path / "killed")
    with KnowledgeGraph.open(tmp_path / "killed", functions=[area]) as graph:
        assert objects(graph, ":area") == ["4", "64"]
    with KnowledgeGraph.open(tmp_path / "killed") as graph:
        assert objects(graph, ":area") == ["4", "64"]


def test_rule_files(tmp_path: Path) -> None:
    (tmp_path / "area.dl").write_text(HEADER + AREA)
    with pytest.raises(RuleError, match=r"area\.dl:1:\d+: rule area: area is no function of SPARQL"):
        KnowledgeGraph.open(rules=["none", tmp_path / "area.dl"])
    with KnowledgeGraph.open(rules=["none", tmp_path / "area.dl"], functions=[area]) as graph:
        graph.add(DATA, prefixes=NAMES)
        assert objects(graph, ":area") == ["64"]
    with KnowledgeGraph.open(rules=["none"], functions=[area]) as graph:
        with graph.transaction() as tx:
            tx.load_rules(tmp_path / "area.dl").add(DATA, prefixes=NAMES)
        assert objects(graph, ":area") == ["64"]
        with graph.transaction() as tx:
            tx.unload_rules(tmp_path / "area.dl")
        assert not objects(graph, ":area")


class Entry:
    """An entry point of an installed package."""

    value = "package:area"

    def __init__(self, found: object) -> None:
        self._found = found

    def load(self) -> object:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def test_entry_points_serve_stores_on_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [Entry(area)] if group == registry.GROUP else []
    )
    with KnowledgeGraph.open(path) as graph:
        graph.add(":b :w 2 ; :h 2 .", prefixes=NAMES)
        assert objects(graph, ":area") == ["4", "64"]


def test_an_entry_point_that_cannot_be_loaded_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry(ImportError("no such module"))])
    with pytest.raises(InputError, match=r"the entry point kgreason\.functions: package:area cannot be loaded"):
        KnowledgeGraph.open(path)


def test_a_killed_store_knows_the_types_of_its_functions(tmp_path: Path) -> None:
    """The manifest is older than the rule, which is in the journal alone."""
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"], functions=[area]) as graph:
        graph.add(DATA, prefixes=NAMES)
        with graph.transaction() as tx:
            tx.add_rules(HEADER + AREA)
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    with pytest.raises(StoreError, match=r"area\(int, int\) -> int is now area\(float, float\) -> float"):
        KnowledgeGraph.open(tmp_path / "killed", functions=[wrong])
    with KnowledgeGraph.open(tmp_path / "killed", functions=[area]) as graph:
        assert objects(graph, ":area") == ["64"]
        [rule] = graph.own_rules()
        assert rule.name == "area"
