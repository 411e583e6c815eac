"""`rules list` shows rules as people wrote them; `rules remove` takes away those that were meant, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError
from kgreason.rules.parser import parse
from tests.cli.calling import error_of, succeed

E = "http://example.org/"
SIBLING = f"@prefix : <{E}> .\n[?who, :sibling, ?other] :- [?other, :hasParent, ?p], [?who, :hasParent, ?p] .\n"
OLD = f"@prefix : <{E}> .\n[?x, a, :Old] :- [?x, :hasAge, ?years] .\n"


@pytest.fixture
def two_files(store: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two rule files that a store has; neither names its only rule, so that both rules are called rule-1."""
    files = tmp_path / "family.dl", tmp_path / "ages.dl"
    for file, text in zip(files, (SIBLING, OLD), strict=True):
        file.write_text(text)
        succeed("rules", "add", "-l", store, file)
    return files


def own(store: Path) -> list[str]:
    """Where the rules of the user come from."""
    listed = json.loads(succeed("rules", "list", "-l", store, "--json"))
    return [rule["why"] for rule in listed if rule["why"].startswith(("from ", "a rule of your own"))]


def test_a_name_that_rules_of_two_files_have_is_refused(store: Path, two_files: tuple[Path, Path]) -> None:
    told = error_of("rules", "remove", "-l", store, "--name", "rule-1")
    assert told.startswith(f"rule-1: 2 rules have this name: one from {two_files[0]}, one from {two_files[1]}; ")
    assert "--file" in told
    assert len(own(store)) == 2


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_file_tells_them_apart(is_whole: bool, store: Path, two_files: tuple[Path, Path]) -> None:
    file = two_files[0] if is_whole else two_files[0].name
    assert succeed("rules", "remove", "-l", store, "--name", "rule-1", "--file", file).startswith("removed 1 rule ")
    assert own(store) == [f"from {two_files[1]}"]
    assert succeed("rules", "remove", "-l", store, "--name", "rule-1").startswith("removed 1 rule ")


def test_all_rules_that_came_from_a_file_go_with_it(store: Path, two_files: tuple[Path, Path]) -> None:
    two_files[0].unlink()
    succeed("rules", "remove", "-l", store, "--file", "family.dl")
    assert own(store) == [f"from {two_files[1]}"]
    told = error_of("rules", "remove", "-l", store, "--file", "family.dl")
    assert told == f"family.dl: no rule came from this file; rules came from {two_files[1]}"
    told = error_of("rules", "remove", "-l", store, "--name", "nobody", "--file", "ages.dl")
    assert told == "nobody: no rule of this name came from ages.dl"


def test_rules_given_as_text_with_the_same_given_name(store: Path) -> None:
    for text in (SIBLING, OLD):
        succeed("rules", "add", "-l", store, "--rule", text)
    told = error_of("rules", "remove", "-l", store, "--name", "rule-1")
    assert told.startswith("rule-1: 2 rules have this name: both were added as text; ")
    succeed("rules", "remove", "-l", store, "--rule", OLD)
    assert succeed("rules", "remove", "-l", store, "--name", "rule-1").startswith("removed 1 rule ")


def test_a_name_that_the_user_gave_to_two_rules_of_a_file(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "both.dl"
    file.write_text("".join(f"@rule twice\n[?x, a, <{E}{name}>] :- [?x, <{E}hasAge>, ?y] .\n" for name in "AB"))
    succeed("rules", "add", "-l", store, file)
    assert succeed("rules", "remove", "-l", store, "--name", "twice").startswith("removed 2 rules ")


def test_the_files_are_known_after_the_store_is_opened_again(tmp_path: Path) -> None:
    (tmp_path / "first.dl").write_text(OLD)
    (tmp_path / "second.dl").write_text(SIBLING)
    with KnowledgeGraph.open(tmp_path / "store", rules=[str(tmp_path / "first.dl")]) as graph:
        with graph.transaction() as tx:
            tx.load_rules(tmp_path / "second.dl")
        kept = graph.rules()
    for _ in range(2):
        with KnowledgeGraph.open(tmp_path / "store") as graph:
            assert graph.rules() == kept
            with graph.transaction() as tx, pytest.raises(RuleError, match="2 rules have this name"):
                tx.remove_rules("rule-1")
    with KnowledgeGraph.open(tmp_path / "store") as graph, graph.transaction() as tx:
        tx.remove_rules("rule-1", file="second.dl")
    assert own(tmp_path / "store") == [f"from {tmp_path / 'first.dl'}"]


def test_a_rule_that_changes_its_file_has_the_new_one(store: Path, two_files: tuple[Path, Path]) -> None:
    moved = two_files[0].rename(two_files[0].with_name("moved.dl"))
    with KnowledgeGraph.open(store) as graph:
        with graph.transaction() as tx:
            tx.unload_rules(moved).load_rules(moved)
        kept = graph.rules()
    with KnowledgeGraph.open(store) as graph:
        assert graph.rules() == kept
    assert own(store) == [f"from {two_files[1]}", f"from {moved}"]


def test_a_rule_that_is_there_already_is_told(store: Path, two_files: tuple[Path, Path]) -> None:
    told = succeed("rules", "add", "-l", store, two_files[0])
    assert told.startswith("added 0 rules in ")
    assert "; 1 rule not added, because the store has the same already\n" in told


def test_rules_are_listed_as_they_were_written(store: Path, two_files: tuple[Path, Path]) -> None:
    text = succeed("rules", "list", "-l", store, "--prefix", f"={E}")
    rule = "[?who, :sibling, ?other] :- [?other, :hasParent, ?p], [?who, :hasParent, ?p] ."
    assert f"# your rule, from {two_files[0]}\n@rule rule-1\n{rule}\n" in text
    assert f"@prefix : <{E}> .\n" in text
    assert "@prefix xsd:" not in text
    listed = json.loads(succeed("rules", "list", "-l", store, "--json"))
    assert any("[?who, " in rule["rule"] for rule in listed)


def test_a_translated_rule_names_its_axiom(store: Path) -> None:
    text = succeed("rules", "list", "-l", store, "--prefix", f"={E}")
    assert "# from the axiom :hasParent rdfs:range :Person .\n@rule prp-rng\n" in text


def test_helper_rules_are_shown_with_all_only(store: Path) -> None:
    text, everything = succeed("rules", "list", "-l", store), succeed("rules", "list", "-l", store, "--all")
    assert "scm_all(" not in text
    assert "dt_" not in text
    assert "@rule prp-trp" in text
    assert "scm_all(" in everything
    hidden = everything.count("@rule ") - text.count("@rule ")
    assert f"# {hidden} helper rules not shown; --all shows them" in text


@pytest.mark.parametrize("options", [(), ("--all",), ("--prefix", f"={E}")])
def test_listed_rules_can_be_read_again(
    options: tuple[str, ...], store: Path, two_files: tuple[Path, Path], tmp_path: Path
) -> None:
    from kgreason.rules.canonical_form import canonical
    from kgreason.rules.parser import parse

    listed = parse(succeed("rules", "list", "-l", store, *options)).rules
    as_json = json.loads(succeed("rules", "list", "-l", store, "--json"))
    known = {canonical(rule) for each in as_json for rule in parse(f'@rule "{each["name"]}" {each["rule"]}').rules}
    assert {canonical(rule) for rule in listed} <= known


def test_strata_are_listed(tmp_path: Path) -> None:
    rules = tmp_path / "cats.dl"
    rules.write_text(
        "@prefix : <http://e/> . "
        "@rule stray :Stray[?x] :- :Cat[?x], NOT :Owned[?x] . @rule plain :Pet[?x] :- :Cat[?x] . "
        "@rule count [:all, :strays, ?n] :- AGGREGATE(:Stray[?x] BIND COUNT(*) AS ?n) ."
    )
    data = tmp_path / "cats.ttl"
    data.write_text("<http://e/tom> a <http://e/Cat> .")
    store = tmp_path / "store"
    succeed("load", "-l", store, "-f", data, "--rules", rules)
    listed = succeed("rules", "list", "-l", store)
    assert "@rule stray  # stratum 1\n" in listed
    assert "@rule count  # stratum 2\n" in listed
    assert "@rule plain\n" in listed
    parse(listed)
    strata = {rule["name"]: rule["stratum"] for rule in json.loads(succeed("rules", "list", "-l", store, "--json"))}
    assert strata == {"stray": 1, "count": 2, "plain": 0}
    with KnowledgeGraph.open(store) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@prefix : <http://e/> . @rule owned :Owned[?x] :- :Cat[?x], NOT :Wild[?x] .")
        strata = {rule["name"]: rule["stratum"] for rule in graph.rules()}
    assert strata == {"owned": 1, "stray": 2, "count": 3, "plain": 0}


def test_placement_shows_where_facts_go(tmp_path: Path) -> None:
    rules, ontology = tmp_path / "rules.dl", tmp_path / "pets.ttl"
    rules.write_text("@prefix : <http://e/> .\nfar(?x, ?z) :- [?x, :near, ?y], far(?y, ?z) .\n")
    ontology.write_text("@prefix ex: <http://x/> .\nex:of a <http://www.w3.org/2002/07/owl#TransitiveProperty> .\n")
    assert succeed("rules", "placement", rules).splitlines() == [
        "by ?1",
        "    far(?1, ?2)",
        "by ?2",
        "    [?1, :near, ?2]",
    ]
    shown = succeed("rules", "placement", ontology, "--rules", "owl2rl").splitlines()
    assert shown[shown.index("by ?2") + 1] == "    [?1, ex:of, ?2]"
    assert "everywhere" in shown
