"""`kgreason entails`, and `kgreason check` of files: what they print, and with which status they end."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import call, done, failed

E = "http://example.org/"
PREFIXES = f"@prefix : <{E}> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
PREFIXES += " @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def document(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.ttl"
    path.write_text(PREFIXES + text)
    return path


def test_entailed(family: Path, tmp_path: Path) -> None:
    conclusion = document(tmp_path, "conclusion", ":hasParent rdfs:range [ owl:unionOf (:Person :Robot) ] .")
    assert done("entails", family, "--conclusion", conclusion) == "entailed\n"
    assert json.loads(done("entails", family, "--conclusion", conclusion, "--json")) == {
        "entailed": True,
        "contradictory": False,
        "unproved": [],
    }


def test_what_is_not_entailed_is_shown(family: Path, tmp_path: Path) -> None:
    conclusion = document(tmp_path, "conclusion", ":ida a :Person , :Robot ; :isNameOf [] .")
    result = call("entails", family, "--conclusion", conclusion, "--prefix", f"={E}")
    assert (result.exit_code, result.stderr) == (1, "")
    first, second = result.stdout.splitlines()
    assert first == "not entailed: :ida a :Robot"
    assert second.startswith("not entailed: :ida :isNameOf _:")
    result = call("entails", family, "--conclusion", conclusion, "--json")
    assert result.exit_code == 1
    assert [len(part) for part in json.loads(result.stdout)["unproved"]] == [1, 1]


def test_semantics_and_rules(family: Path, tmp_path: Path) -> None:
    conclusion = document(tmp_path, "conclusion", ":Person a owl:Class .")
    done("entails", family, "--conclusion", conclusion)
    assert call("entails", family, "--conclusion", conclusion, "--semantics", "rdf-based").exit_code == 1
    assert call("entails", family, "--conclusion", conclusion, "--rules", "rdfs").exit_code == 1


def test_errors_of_entails(family: Path, tmp_path: Path) -> None:
    assert "missing.ttl" in failed("entails", family, "--conclusion", tmp_path / "missing.ttl", status=2)
    assert "--help" in failed("entails", family, status=2)
    assert "--help" in failed("entails", "--conclusion", family, status=2)


def test_files_are_checked(family: Path, tmp_path: Path) -> None:
    assert done("check", family) == "no contradictions\n"
    clash = document(tmp_path, "clash", ":Person owl:disjointWith :Robot . :eve a :Robot .")
    result = call("check", family, clash, "--prefix", f"={E}")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("cax-dw: :eve is in :Person and in :Robot, ")
    assert done("check", family, clash, "--rules", "rdfs") == "no contradictions\n"


def test_imports_are_checked(family: Path, tmp_path: Path) -> None:
    folder = tmp_path / "imports"
    folder.mkdir()
    document(folder, "disjoint", f"<{E}doc> a owl:Ontology . :Person owl:disjointWith :Robot .")
    robots = document(tmp_path, "robots", f"<{E}top> a owl:Ontology ; owl:imports <{E}doc> . :eve a :Robot .")
    assert call("check", family, robots, "--catalogue", folder).exit_code == 1
    conclusion = document(tmp_path, "conclusion", ":Robot owl:disjointWith :Person .")
    done("entails", robots, "--conclusion", conclusion, "--catalogue", folder)
    assert call("entails", robots, "--conclusion", conclusion).exit_code == 1


def test_files_or_a_store(store: Path, family: Path) -> None:
    assert "RDF files or a store" in failed("check", family, "-l", store, status=2)
    assert "RDF files, or a store" in failed("check", status=2)
    assert "are for files" in failed("check", "-l", store, "--rules", "rdfs", status=2)
    assert done("check", "-l", store) == "no contradictions\n"
