"""Stores in which a stamp is a level without frailty: earlier versions wrote such ones, in the same format.

Only the order of stamps matters, and it is that of the levels. So these stores are opened as they are, and edits give
their facts stamps above the others.
"""

from __future__ import annotations

import logging
import shutil
import tarfile
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.engine import Engine
from kgreason.engine.memory.layout import ASSERTED, ONE_LEVEL, STAMP, STATE, SUPPORT
from kgreason.engine.support import supported_alone
from kgreason.graph.recovery import restored
from kgreason.materialize.edit import Edit
from kgreason.store.folder import FORMAT, read_manifest
from tests.strategies.ontologies import Quad

from .states import rows_of
from .test_older_stores import MORE, STORES, check_as_before, expected_of
from .views import agrees, lasting, lines, view

PREFIX = "PREFIX : <http://e/> "


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("stores") / "levels"
    with tarfile.open(Path(__file__).parent / "stores" / "levels.tar.xz") as stored:
        stored.extractall(folder, filter="data")
    return folder


def _quad(edge: str) -> Quad:
    subject, object_ = (f"<http://e/{name}>" for name in edge)
    return subject, "<http://e/t>", object_, None


def check_support(engine: Engine) -> None:
    """Every inferred fact has a derivation from smaller stamps."""
    facts = engine.circuit.facts
    rows = facts.present()
    records = facts.records(rows)
    inferred = records[:, STATE] & ASSERTED == 0
    assert (records[inferred, SUPPORT] > 0).all()
    owners = dict.fromkeys(engine.rules, 0)  # with one owner for all rules, this finds each fact that has one
    assert set(rows[inferred].tolist()) == set(supported_alone(engine, owners, lambda: None)[:, 0].tolist())


@pytest.mark.parametrize("name", STORES)
def test_a_store_is_opened_as_it_is_and_edited(
    archive: Path, name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(shutil.copytree(archive / name, tmp_path / name))
    manifest = read_manifest(path)
    with caplog.at_level(logging.INFO, "kgreason"), KnowledgeGraph.open(path) as graph:
        check_as_before(graph, expected_of(archive, name))
        assert not caplog.records, "nothing is computed again"
        before = lines(graph.dump())
        graph.update(PREFIX + "INSERT DATA { :n1 :t :n2 . :n2 :t :n3 . :n3 :t :n1 . :n1 :p :n4 }")
        graph.update(PREFIX + "DELETE DATA { :b :t :c . :n2 :t :n3 }; INSERT DATA { :n3 :t :n2 }")
        assert agrees(graph)
        seen = lasting(view(graph))
    with KnowledgeGraph.open(path) as graph:
        assert lasting(view(graph)) == seen
        graph.update(PREFIX + "INSERT DATA { :b :t :c } ; DELETE DATA { :n1 :t :n2 . :n3 :t :n1 , :n2 . :n1 :p :n4 }")
        if "<http://e/b> <http://e/t> <http://e/c> ." in before:
            assert lines(graph.dump()) == before
        assert agrees(graph)
    assert manifest is None or manifest.format == FORMAT
    assert MORE not in before


@pytest.mark.parametrize("name", ["aliases", "rules"])
def test_facts_of_edits_are_above_the_levels(archive: Path, name: str, tmp_path: Path) -> None:
    path = Path(shutil.copytree(archive / name, tmp_path / "store"))
    manifest = read_manifest(path)
    assert manifest is not None
    live, saved = restored(manifest, path / f"snapshot-{manifest.commit}")
    assert saved is not None
    assert 0 < saved.records[:, STAMP].max() < ONE_LEVEL - 1, "levels"
    new, old = (rows_of(live, map(_quad, edges)) for edges in (["12", "23", "31", "d1"], ["bc"]))
    for edit in (Edit(added=new), Edit(removed=old), Edit(old, new[:1]), Edit(new, old)):
        live.change(edit, strategy="update")
        live.accept()
        check_support(live.engine)
    stamps = live.engine.circuit.facts.records(live.engine.circuit.facts.present())[:, STAMP]
    assert stamps.max() > ONE_LEVEL, "a fact that returned is above the others"
