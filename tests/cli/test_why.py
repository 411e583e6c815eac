"""Why a triple is there, and whether a graph contradicts itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kgreason.terms.vocabulary import OWL
from tests.cli.calling import error_of, files, start, succeed

E = "http://example.org/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
CLASH = f"""
PREFIX : <{E}> PREFIX owl: <http://www.w3.org/2002/07/owl#>
INSERT DATA {{ :Person owl:disjointWith :Robot . :eve a :Robot . :ida a :Robot }}
"""


def test_a_proof_goes_down_to_what_was_loaded(store: Path) -> None:
    text = succeed("explain", "-l", store, f"<{E}ann> <{E}hasAncestor> <{E}eve>")
    assert text.splitlines() == [
        ":ann :hasAncestor :eve",
        "    by prp-spo1: [?v0, :hasAncestor, ?v1] :- [?v0, :hasParent, ?v1] .",
        "    with the axiom :hasParent rdfs:subPropertyOf :hasAncestor",
        "    :ann :hasParent :eve (asserted)",
    ], "with the prefixes of the loaded file"
    assert succeed("explain", "-l", store, ":ann :hasAncestor :eve") == text


def test_prefixes_are_for_reading_and_writing(store: Path) -> None:
    text = succeed("explain", "-l", store, ":eve a :Person", "--prefix", f"={E}", "--prefix", "ex=http://example.com/")
    assert text.splitlines() == [
        ":eve a :Person",
        "    by prp-rng: [?v1, a, :Person] :- [?v0, :hasParent, ?v1] .",
        "    with the axiom :hasParent rdfs:range :Person",
        "    :ann :hasParent :eve (asserted)",
    ]
    for given in (f"<{E}eve> {TYPE} <{E}Person>", f"<{E}eve> {TYPE} <{E}Person> .", ":eve rdf:type :Person ."):
        assert succeed("explain", "-l", store, given, "--prefix", f":=<{E}>") == text


def test_all_derivations(store: Path) -> None:
    succeed(
        "update", "-l", store, "-u", f"PREFIX : <{E}> INSERT DATA {{ :ann :hasParent :leo . :leo :hasParent :ida }}"
    )
    triple = f"<{E}ann> <{E}hasAncestor> <{E}ida>"
    proofs = succeed("explain", "-l", store, triple, "--all").split("\n\n")
    assert f"{proofs[0]}\n" == succeed("explain", "-l", store, triple)
    assert ["leo" in proof for proof in proofs] == [False, True]
    found = json.loads(succeed("explain", "-l", store, triple, "--all", "--format", "json"))
    assert found[0] == json.loads(succeed("explain", "-l", store, triple, "--format", "json"))
    assert len(found) == 2
    loaded = f'<{E}ann> <{E}hasName> "Ann"'
    asserted, derived = succeed("explain", "-l", store, loaded, "--all").split("\n\n")
    assert asserted == ':ann :hasName "Ann" (asserted)'
    assert derived.startswith(':ann :hasName "Ann"\n    by prp-inv2: ')
    plain = f"<{E}ann> <{E}hasParent> <{E}leo>"
    assert succeed("explain", "-l", store, plain, "--all") == ":ann :hasParent :leo (asserted)\n"


def test_formats(store: Path) -> None:
    triple = f"<{E}ann> <{E}hasAncestor> <{E}ida>"
    proof = json.loads(succeed("explain", "-l", store, triple, "--format", "json"))
    assert proof["steps"][proof["fact"]]["rule"]["name"] == "prp-trp"
    assert proof["steps"][proof["fact"]]["fact"]["terms"] == triple.split()
    drawn = succeed("explain", "-l", store, triple, "--format", "mermaid")
    assert drawn.startswith("flowchart BT\n")
    assert drawn.count('{{"prp-spo1"}}') == 2
    assert f"[{E[:-1]}" not in drawn


def test_a_fact_that_does_not_hold_has_no_proof(store: Path) -> None:
    for triple, expected in (
        (f"<{E}ann> <{E}hasAncestor> <{E}nobody>", "the graph does not have this triple"),
        (f"<{E}ann> <{E}hasAncestor>", "not a triple: it needs a subject, a predicate and an object"),
        ("", "not a triple"),
        ("no:ann :hasParent :eve", "the prefix no: is not declared"),
        (f"<{E}a> <{E}b> <{E}c>, <{E}d>", "2 triples; pass exactly one"),
    ):
        told = error_of("explain", "-l", store, triple)
        assert expected in told
        assert told.startswith(triple)
    assert "--help" in error_of("explain", "-l", store, "x", "--prefix", "nonsense", status=2)
    assert "--help" in error_of("explain", "-l", store, status=2)


def test_check(store: Path) -> None:
    assert succeed("check", "-l", store) == "no contradictions\n"
    assert json.loads(succeed("check", "-l", store, "--json")) == []
    succeed("update", "-l", store, "-u", CLASH)
    process = start("check", "-l", store, "--prefix", f"={E}")
    text, errors = process.communicate()
    assert (process.returncode, errors) == (1, "")
    assert text.split("\n\n")[1].splitlines() == [
        "cax-dw: :ida is in :Person and in :Robot, which are disjoint classes (axiom :Person owl:disjointWith :Robot)",
        "    by cax-dw: false :- [?v0, a, :Person], [?v0, a, :Robot] .",
        "    with the axiom :Person owl:disjointWith :Robot",
        "    :ida a :Person",
        "        by prp-rng: [?v1, a, :Person] :- [?v0, :hasParent, ?v1] .",
        "        with the axiom :hasParent rdfs:range :Person",
        "        :eve :hasParent :ida (asserted)",
        "    :ida a :Robot (asserted)",
    ]
    process = start("check", "-l", store, "--json")
    found = json.loads(process.communicate()[0])
    assert process.returncode == 1
    assert [proof["steps"][-1]["fact"]["relation"] for proof in found] == ["false", "false"]
    assert [proof["message"].split()[1] for proof in found] == [f"<{E}eve>", f"<{E}ida>"]
    group = {
        "number": 1,
        "rule": "cax-dw",
        "axioms": [[f"<{E}Person>", f"<{OWL}disjointWith>", f"<{E}Robot>"]],
        "count": 2,
    }
    assert [proof["group"] for proof in found] == [group, group]


def test_check_says_of_whom_two_values_are(store: Path) -> None:
    text = f"<{E}age> a <{OWL}FunctionalProperty> . <{E}ida> <{E}age> 17, 18"
    succeed("update", "-l", store, "-u", f"INSERT DATA {{ {text} }}")
    process = start("check", "-l", store, "--prefix", f"={E}", "--prefix", f"owl={OWL}")
    text, _ = process.communicate()
    assert process.returncode == 1
    assert text.splitlines() == [
        "prp-fp-literals: :ida has the values 17 and 18 of :age, which is a functional property: it has one value at "
        "most (axiom :age a owl:FunctionalProperty)",
        "    by prp-fp-literals: false :- [?v0, :age, ?v1], [?v0, :age, ?v2], dt_differ(?v1, ?v2) .",
        "    where ?v1 and ?v2 are literals with different values",
        "    with the axiom :age a owl:FunctionalProperty",
        "    :ida :age 17 (asserted)",
        "    :ida :age 18 (asserted)",
        "",
        "1 contradiction",
    ]
    assert json.loads(succeed("stats", "-l", store, "--json"))["contradictions"] == 1


def test_the_status_of_an_error_is_not_that_of_a_contradiction(store: Path, tmp_path: Path) -> None:
    assert error_of("check", "-l", tmp_path / "missing", status=2).startswith(
        f"{tmp_path / 'missing'}: there is no store"
    )
    (store / "kgreason.json").write_text("nonsense")
    assert "the manifest cannot be read" in error_of("check", "-l", store, status=2)
    assert "the manifest cannot be read" in error_of("explain", "-l", store, f"<{E}a> <{E}b> <{E}c>", status=1)
    assert "--help" in error_of("check", status=2)


@pytest.mark.parametrize("command", [("explain", f"<{E}eve> {TYPE} <{E}Person>"), ("check",)], ids=lambda each: each[0])
def test_asking_only_reads(command: tuple[str, ...], store: Path) -> None:
    succeed("update", "-l", store, "-u", f"INSERT DATA {{ <{E}a> <{E}b> <{E}c> }}")
    kept = files(store)
    succeed(*command, "-l", store)
    assert files(store) == kept


def modules(*arguments: object) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """A command line in a process of its own, and the modules that it imported."""
    code = """if True:
        import sys
        from kgreason.cli import main
        try:
            main(prog_name="kgreason")
        finally:
            print(*sys.modules, file=sys.stderr)
    """
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    *told, imported = done.stderr.splitlines()
    done.stderr = "\n".join(told)
    return done, set(imported.split())


ENGINE = {"numba", "kgreason.engine.engine", "kgreason.compiled", "kgreason.graph.commits"}
WITHOUT_ENGINE = {
    "an unknown rule": (("rules", "remove", "--name", "nobody"), "nobody: no rule of this name was added"),
    "a rule that was removed": (("rules", "remove", "--name", "gone"), "gone: no rule of this name was added"),
    "a rule that nobody added": (("rules", "remove", "--rule", "p(?x) :- q(?x) ."), "no such rule was added"),
    "rules that do not parse": (("rules", "add", "--rule", "nonsense"), "<rule>:1:"),
    "rules to remove that do not parse": (("rules", "remove", "--rule", "non.sense"), "<rule>:1:"),
    "a rule of a relation that is kgreason's": (("rules", "add", "--rule", "dt_ill(?x) :- q(?x) ."), "dt_ill"),
    "an update that does not parse": (("update", "-u", "INSERT nonsense"), "<update>:1:"),
    "text that is no triple": (("explain", "nonsense"), "not a triple"),
    "a triple that is not there": (("explain", f"<{E}ann> <{E}hasAge> 8"), "the graph does not have this triple"),
}


@pytest.mark.parametrize("case", WITHOUT_ENGINE)
def test_commands_that_need_no_engine_start_none(case: str, store: Path) -> None:
    """Also where the journal has commits, rules that came and went among them."""
    command, expected = WITHOUT_ENGINE[case]
    for rule in ("gone", "kept"):
        succeed(
            "rules", "add", "-l", store, "--rule", f"@rule {rule} [?x, <{E}{rule}>, ?y] :- [?x, <{E}hasParent>, ?y] ."
        )
    succeed("rules", "remove", "-l", store, "--name", "gone")
    kept = files(store)
    process, imported = modules(*command, "-l", store)
    assert process.returncode == 1
    assert process.stderr.startswith("kgreason: ")
    assert expected in process.stderr
    assert not process.stdout
    assert not ENGINE & imported
    assert files(store) == kept
    succeed("rules", "remove", "-l", store, "--name", "kept")


def test_a_store_without_contradictions_is_checked_without_the_engine(store: Path) -> None:
    process, imported = modules("check", "-l", store)
    assert (process.returncode, process.stdout) == (0, "no contradictions\n")
    assert not ENGINE & imported
    succeed("update", "-l", store, "-u", CLASH)
    process, imported = modules("check", "-l", store)
    assert process.returncode == 1
    assert process.stdout.startswith("cax-dw: ")


def test_rules_are_listed_without_the_engine(store: Path) -> None:
    process, imported = modules("rules", "list", "-l", store)
    assert "@rule prp-trp" in process.stdout
    assert not ENGINE & imported


def test_why_a_triple_does_not_hold(store: Path) -> None:
    kept = files(store)
    asked = "explain", "-l", store, ":ida a :Robot", "--prefix", f"={E}", "--why-not"
    assert succeed(*asked).splitlines() == [
        ":ida a :Robot does not hold",
        "    no triple of the graph has :Robot",
        "    no rule in force could derive it; only a change that asserts it would make it hold",
    ]
    asked = "explain", "-l", store, ":ann a :Person", "--prefix", f"={E}", "--why-not"
    assert succeed(*asked).splitlines() == [
        ":ann a :Person does not hold",
        "    rule prp-rng: [?v1, a, :Person] :- [?v0, :hasParent, ?v1] .",
        "        with the axiom :hasParent rdfs:range :Person",
        "        with ?v1 = :ann",
        "        missing: ?v0 :hasParent :ann",
    ]
    (rule,) = json.loads(succeed(*asked, "--format", "json"))["rules"]
    assert (rule["name"], rule["fails"][0]["condition"]) == ("prp-rng", f"?v0 <{E}hasParent> <{E}ann>")
    asked = "explain", "-l", store, ":eve a :Person", "--prefix", f"={E}", "--why-not"
    assert succeed(*asked).startswith(":eve a :Person holds; `explain` without --why-not shows why")
    assert "leave --all" in error_of(*asked, "--all", status=2)
    assert files(store) == kept
