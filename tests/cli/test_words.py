"""What commands say to someone who is new: which option was meant, what belongs to what, what a row means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call, done, failed

E = "http://example.org/"


def test_a_file_in_the_place_of_a_store_is_told(family: Path) -> None:
    expected = f"{family}: is a file, and a store is a folder; to load a file, name it after -f"
    assert failed("load", "-l", family, "-f", family) == expected
    for command in (("stats",), ("query", "--query", "ASK {}"), ("explain", "<http://e/a> a <http://e/b>"), ("check",)):
        told = call(command[0], "-l", family, *command[1:]).stderr
        assert told == f"kgreason: {expected}\n"


def test_a_store_in_the_place_of_a_file_is_told(store: Path) -> None:
    assert failed("load", "-l", store, "-f", store) == f"{store}: is a folder; name the files in it"


def test_a_prefix_that_is_not_known_says_how_it_is_given(store: Path) -> None:
    told = failed("explain", "-l", store, "ex:ann a ex:Person")
    assert told.startswith("ex:ann a ex:Person: the prefix ex: is not declared; give --prefix ex=http://example.org/")
    assert "Parser error" not in told


@pytest.mark.parametrize("options", [(), ("--prefix", f"={E}")])
def test_common_prefixes_are_known(store: Path, options: tuple[str, ...]) -> None:
    asked = f"<{E}hasParent> rdfs:subPropertyOf <{E}hasAncestor>"
    assert "(asserted)" in done("explain", "-l", store, asked, *options)


def test_text_that_is_no_triple_says_where(store: Path) -> None:
    told = failed("explain", "-l", store, f"<{E}ann> <{E}p> <x")
    assert told.startswith(f"<{E}ann> <{E}p> <x: not a triple at column ")
    assert "Parser error" not in told


def test_xml_that_is_not_well_formed_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.rdf"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    path.write_text(f'<rdf:RDF xmlns:rdf="{rdf}">\n<rdf:Description>\n</rdf:RDF>')
    assert failed("load", "-l", tmp_path / "new", "-f", path).startswith(f"{path}:3:")


def test_a_rule_of_a_rule_set_cannot_be_removed_and_the_message_says_so(store: Path) -> None:
    told = failed("rules", "remove", "-l", store, "--name", "prp-trp")
    assert told.startswith("prp-trp: no rule of this name was added; it is a rule of the rule set owl2rl")
    assert "remove the axioms" in told
    assert failed("rules", "remove", "-l", store, "--name", "nobody") == "nobody: no rule of this name was added"


def test_premises_that_contradict_themselves_are_told(family: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ttl"
    wrong.write_text(f"<{E}a> a <http://www.w3.org/2002/07/owl#Nothing> .")
    told = done("entails", wrong, "--conclusion", family)
    assert told.startswith("entailed, because the premises contradict themselves and entail everything")
    assert json.loads(done("entails", wrong, "--conclusion", family, "--json")) == {
        "entailed": True,
        "contradictory": True,
        "unproved": [],
    }
    assert done("entails", family, "--conclusion", family) == "entailed\n"


def test_every_row_of_stats_is_explained(store: Path) -> None:
    told = done("stats", "--help")
    rows = [line.split()[0] for line in told.partition("Rows:\n")[2].partition("\n\n")[0].splitlines()]
    assert rows == [*json.loads(done("stats", "-l", store, "--json"))]
    assert rows == [line.split()[0] for line in done("stats", "-l", store).splitlines()]


def test_a_query_and_an_update_name_each_other(store: Path) -> None:
    assert failed("query", "-l", store, "--query", "CLEAR ALL").endswith(
        "this is a SPARQL Update, not a query: use `update` for it"
    )
    assert failed("update", "-l", store, "--update", "ASK {}").endswith(
        "this is a SPARQL query, not an update: use `query` for it"
    )
    assert failed("update", "-l", store, "--update", "") == "<update>: the update is empty"
    assert failed("query", "-l", store, "--query", " ").endswith("the query is empty")


def test_an_iri_without_brackets_is_told(store: Path) -> None:
    assert "an IRI is written in angle brackets" in failed("explain", "-l", store, f"{E}ann a {E}Person")


def test_a_message_names_options_in_place_of_arguments(store: Path, family: Path) -> None:
    with KnowledgeGraph.open(store):
        told = failed("update", "-l", store, "-u", "CLEAR ALL")
    assert told.endswith("has the store open for writing; close it there, or wait longer with --wait SECONDS")
    rules = family.with_name("family.dl")
    rules.write_text(f"<{E}Person>[?x] :- <{E}hasParent>[?x, ?y] .")
    told = failed("load", "-l", store, "-f", rules)
    assert told == f"{rules}: is a file of rules, not of RDF; add its rules with `kgreason rules add -l STORE FILE`"
    told = failed("query", "-l", store, "--query", "ASK { ?x a ex:C }")
    assert told.endswith(
        "begin the query with PREFIX ex: <http://example.org/>, or give --prefix ex=http://example.org/"
    )
