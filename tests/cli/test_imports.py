"""`--catalogue`: each command that reads or edits brings the documents of owl:imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import call, error_of, succeed, triples

PREFIXES = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"""
FOLLOWS = "<http://e/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C> ."
UPDATE = "{} DATA {{ <http://e/a> <http://www.w3.org/2002/07/owl#imports> <http://e/b> }}"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder of one document."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "b.ttl").write_text(PREFIXES + ":b a owl:Ontology . :B rdfs:subClassOf :C .")
    return tmp_path / "library"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that imports it."""
    (tmp_path / "a.ttl").write_text(PREFIXES + ":x a :B . :a owl:imports :b .")
    return tmp_path / "a.ttl"


def test_a_load_brings_documents_and_an_unload_takes_them(library: Path, file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    told = call("load", "-l", store, "-f", file)
    assert told.exit_code == 0
    assert "warning: <http://e/a> imports <http://e/b>: no document with this IRI is known" in told.stderr
    assert FOLLOWS not in triples(store)
    assert not call("load", "-l", store, "-f", file, "--catalogue", library).stderr
    assert FOLLOWS in triples(store)
    succeed("unload", "-l", store, "-f", file)
    assert not triples(store)


def test_updates_and_what_they_would_change(library: Path, file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    succeed("load", "-l", store, "-f", file, "--catalogue", library)
    succeed("update", "-l", store, "-u", UPDATE.format("DELETE"))
    assert FOLLOWS not in triples(store)
    for edit in (("-u", UPDATE.format("INSERT")), ("-f", file)):
        assert FOLLOWS in succeed("diff", "-l", store, *edit, "--catalogue", library)
        assert FOLLOWS not in succeed("diff", "-l", store, *edit)
    assert FOLLOWS not in triples(store)
    succeed("update", "-l", store, "-u", UPDATE.format("INSERT"), "--catalogue", library)
    assert FOLLOWS in triples(store)
    assert FOLLOWS in succeed("diff", "-l", store, "--remove", file)


def test_materialize(library: Path, file: Path) -> None:
    assert FOLLOWS in succeed("materialize", file, "-o", "-", "--catalogue", library)
    told = call("materialize", file, "-o", "-")
    assert FOLLOWS not in told.stdout
    assert "warning: <http://e/a> imports <http://e/b>" in told.stderr


def test_check_says_which_documents_it_did_not_see(library: Path, file: Path) -> None:
    assert not call("check", file, "--catalogue", library).stderr
    told = call("check", file)
    assert told.exit_code == 0
    assert "warning: <http://e/a> imports <http://e/b>" in told.stderr


def test_a_mistake_in_a_catalogue_or_a_document_is_told(library: Path, file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    told = error_of("load", "-l", store, "-f", file, "--catalogue", tmp_path / "gone")
    assert told == f"{tmp_path / 'gone'}: No such file or directory"
    (library / "b.ttl").write_text(PREFIXES + ":b a owl:Ontology .\n:B :p .")
    for command in (("load", "-l", store, "-f", file), ("materialize", file, "-o", tmp_path / "out.nt")):
        told = error_of(*command, "--catalogue", library)
        assert told.startswith(f"{library / 'b.ttl'}:4:7: ")
        assert told.endswith("; <http://e/a> imports it as <http://e/b>")
    assert not (tmp_path / "out.nt").exists()
