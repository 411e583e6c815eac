"""`kgreason entails`, and `kgreason check` of files: what they print, and with which status they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.calling import call, error_of, succeed

E, XSD = "http://example.org/", "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"@prefix : <{E}> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
PREFIXES += " @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def document(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.ttl"
    path.write_text(PREFIXES + text)
    return path


def test_entailed(family: Path, tmp_path: Path) -> None:
    conclusion = document(tmp_path, "conclusion", ":hasParent rdfs:range [ owl:unionOf (:Person :Robot) ] .")
    assert succeed("entails", family, "--conclusion", conclusion) == "entailed\n"
    assert json.loads(succeed("entails", family, "--conclusion", conclusion, "--json")) == {
        "entailed": True,
        "contradictory": False,
        "unproved": [],
    }


def test_triples_that_are_not_entailed_are_shown(family: Path, tmp_path: Path) -> None:
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
    succeed("entails", family, "--conclusion", conclusion)
    assert call("entails", family, "--conclusion", conclusion, "--semantics", "rdf-based").exit_code == 1
    assert call("entails", family, "--conclusion", conclusion, "--rules", "rdfs").exit_code == 1


def test_errors_of_entails(family: Path, tmp_path: Path) -> None:
    assert "missing.ttl" in error_of("entails", family, "--conclusion", tmp_path / "missing.ttl", status=2)
    assert "--help" in error_of("entails", family, status=2)
    assert "--help" in error_of("entails", "--conclusion", family, status=2)


def test_files_are_checked(family: Path, tmp_path: Path) -> None:
    assert succeed("check", family) == "no contradictions\n"
    clash = document(tmp_path, "clash", ":Person owl:disjointWith :Robot . :eve a :Robot .")
    result = call("check", family, clash, "--prefix", f"={E}")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("cax-dw: :eve is in :Person and in :Robot, ")
    assert succeed("check", family, clash, "--rules", "rdfs") == "no contradictions\n"


def test_imports_are_checked(family: Path, tmp_path: Path) -> None:
    folder = tmp_path / "imports"
    folder.mkdir()
    document(folder, "disjoint", f"<{E}doc> a owl:Ontology . :Person owl:disjointWith :Robot .")
    robots = document(tmp_path, "robots", f"<{E}top> a owl:Ontology ; owl:imports <{E}doc> . :eve a :Robot .")
    assert call("check", family, robots, "--catalogue", folder).exit_code == 1
    conclusion = document(tmp_path, "conclusion", ":Robot owl:disjointWith :Person .")
    succeed("entails", robots, "--conclusion", conclusion, "--catalogue", folder)
    assert call("entails", robots, "--conclusion", conclusion).exit_code == 1


def test_files_or_a_store(store: Path, family: Path) -> None:
    assert "RDF files or a store" in error_of("check", family, "-l", store, status=2)
    assert "RDF files, or a store" in error_of("check", status=2)
    assert "are for files" in error_of("check", "-l", store, "--rules", "rdfs", status=2)
    assert succeed("check", "-l", store) == "no contradictions\n"


def test_contradictions_with_one_cause_have_examples_and_a_count(tmp_path: Path) -> None:
    facts = [f":x{number} a :A , :B . :y{number} :p {number} ." for number in range(5)]
    ontology = f":A owl:disjointWith :B . :p rdfs:range <{XSD}anyURI> . :z a owl:Nothing ."
    path = document(tmp_path, "mess", " ".join([ontology, *facts]))
    text = call("check", path, "--prefix", f"={E}").stdout.splitlines()
    assert [line.split()[:2] for line in text if line and not line.startswith(" ")] == [
        *([["cax-dw:", f":x{number}"] for number in range(3)]),
        ["and", "2"],
        ["cls-nothing2:", ":z"],
        *([["dt-not-type:", f":y{number}"] for number in range(3)]),
        ["and", "2"],
        ["11", "contradictions,"],
    ]
    assert text[-1] == "11 contradictions, with 3 causes"
    assert "and 2 more by cax-dw with the same cause; `--limit 0` shows all" in text
    few, all_of_them = (call("check", path, "--limit", limit) for limit in (1, 0))
    assert (few.exit_code, all_of_them.exit_code) == (1, 1)
    assert [each.stdout.count(": false :- ") for each in (few, all_of_them)] == [3, 11]
    found, one_each = (json.loads(call("check", path, "--json", *how).stdout) for how in ((), ("--limit", "1")))
    assert [each["group"]["number"] for each in found] == [1] * 5 + [2] + [3] * 5
    assert [each["group"]["count"] for each in one_each] == [5, 1, 5]


def test_the_case_of_thousands_of_labels(shared_cases: Path, tmp_path: Path) -> None:
    program = shared_cases / "23-many-contradictions" / "gen.py"
    written = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, text=True, check=True).stdout
    path = tmp_path / "labels.ttl"
    path.write_text("".join(written.splitlines(keepends=True)[:201]))
    text = call("check", path).stdout.splitlines()
    assert len(text) < 50
    assert text[-1] == "200 contradictions, with 1 cause"
