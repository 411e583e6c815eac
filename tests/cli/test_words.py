"""What commands say to someone who is new: which option was meant, what belongs to what, what a row means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call, error_of, succeed

E = "http://example.org/"


def test_a_file_in_the_place_of_a_store_is_told(family: Path) -> None:
    expected = f"{family}: is a file, and a store is a folder; to load a file, name it after -f"
    assert error_of("load", "-l", family, "-f", family) == expected
    for command in (("stats",), ("query", "--query", "ASK {}"), ("explain", "<http://e/a> a <http://e/b>"), ("check",)):
        told = call(command[0], "-l", family, *command[1:]).stderr
        assert told == f"kgreason: {expected}\n"


def test_a_store_in_the_place_of_a_file_is_told(store: Path) -> None:
    assert error_of("load", "-l", store, "-f", store) == f"{store}: is a folder; name the files in it"


def test_a_prefix_that_is_not_known_says_how_it_is_given(store: Path) -> None:
    told = error_of("explain", "-l", store, "ex:ann a ex:Person")
    assert told.startswith("ex:ann a ex:Person: the prefix ex: is not declared; give --prefix ex=http://example.org/")
    assert "Parser error" not in told


@pytest.mark.parametrize("options", [(), ("--prefix", f"={E}")])
def test_common_prefixes_are_known(store: Path, options: tuple[str, ...]) -> None:
    asked = f"<{E}hasParent> rdfs:subPropertyOf <{E}hasAncestor>"
    assert "(asserted)" in succeed("explain", "-l", store, asked, *options)


def test_text_that_is_no_triple_says_where(store: Path) -> None:
    told = error_of("explain", "-l", store, f"<{E}ann> <{E}p> <x")
    assert told.startswith(f"<{E}ann> <{E}p> <x: not a triple at column ")
    assert "Parser error" not in told


def test_xml_that_is_not_well_formed_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.rdf"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    path.write_text(f'<rdf:RDF xmlns:rdf="{rdf}">\n<rdf:Description>\n</rdf:RDF>')
    assert error_of("load", "-l", tmp_path / "new", "-f", path).startswith(f"{path}:3:")


def test_a_rule_of_a_rule_set_cannot_be_removed_and_the_message_says_so(store: Path) -> None:
    told = error_of("rules", "remove", "-l", store, "--name", "prp-trp")
    assert told.startswith("prp-trp: no rule of this name was added; it is a rule of the rule set owl2rl")
    assert "remove the axioms" in told
    assert error_of("rules", "remove", "-l", store, "--name", "nobody") == "nobody: no rule of this name was added"


def test_premises_that_contradict_themselves_are_told(family: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ttl"
    wrong.write_text(f"<{E}a> a <http://www.w3.org/2002/07/owl#Nothing> .")
    told = succeed("entails", wrong, "--conclusion", family)
    assert told.startswith("entailed, because the premises contradict themselves and entail everything")
    assert json.loads(succeed("entails", wrong, "--conclusion", family, "--json")) == {
        "entailed": True,
        "contradictory": True,
        "unproved": [],
    }
    assert succeed("entails", family, "--conclusion", family) == "entailed\n"


def test_every_row_of_stats_is_explained(store: Path) -> None:
    told = succeed("stats", "--help")
    rows = [line.split()[0] for line in told.partition("Rows:\n")[2].partition("\n\n")[0].splitlines()]
    assert rows == [*json.loads(succeed("stats", "-l", store, "--json"))]
    assert rows == [line.split()[0] for line in succeed("stats", "-l", store).splitlines()]


def test_the_help_names_every_command_in_a_whole_sentence_and_the_statuses() -> None:
    told = succeed("--help")
    commands = told.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in commands][:3] == ["load", "query", "update"]
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)
    assert [line.split()[0] for line in told.partition("Exit status:\n")[2].splitlines()] == ["0", "1", "2", "3", "130"]


def test_a_query_and_an_update_name_each_other(store: Path) -> None:
    assert error_of("query", "-l", store, "--query", "CLEAR ALL").endswith(
        "this is a SPARQL Update, not a query: use `update` for it"
    )
    assert error_of("update", "-l", store, "--update", "ASK {}").endswith(
        "this is a SPARQL query, not an update: use `query` for it"
    )
    assert error_of("update", "-l", store, "--update", "") == "<update>: the update is empty"
    assert error_of("query", "-l", store, "--query", " ").endswith("the query is empty")


def test_an_iri_without_brackets_is_told(store: Path) -> None:
    assert "an IRI is written in angle brackets" in error_of("explain", "-l", store, f"{E}ann a {E}Person")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input says that it is a terminal, and the text of a test is what a person types."""
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True, raising=False)


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("command", "typed", "expected"),
    [
        (("query",), "ASK {}", "reading the query from the terminal; end it with Ctrl-D. --query gives it"),
        (("query", "--query-file", "-"), "ASK {}", "reading the query from the terminal"),
        (("update",), "CLEAR ALL", "reading the update from the terminal"),
        (("load", "-f", "-", "--format", "nt"), "", "reading RDF from the terminal"),
        (("unload", "-f", "-", "--format", "nt"), "", "reading RDF from the terminal"),
        (("rules", "add", "-"), "p(?x) :- q(?x) .", "reading rules from the terminal"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else None,
)
def test_a_command_that_waits_for_a_person_says_so(
    command: tuple[str, ...], typed: str, expected: str, store: Path
) -> None:
    result = call(*command, "-l", store, stdin=typed)
    assert result.exit_code == 0
    assert f"kgreason: {expected}" in result.stderr


SHORT = ("--prefix", f"={E}")


def test_every_command_that_prints_terms_takes_prefixes(store: Path) -> None:
    asked = "SELECT ?who { :ann :hasAncestor ?who } ORDER BY ?who"
    assert ":eve" in succeed("query", "-l", store, "--query", asked, "--results-format", "table", *SHORT)
    assert f"\n{E}eve" in succeed("query", "-l", store, "--query", asked, *SHORT)
    update = "INSERT DATA { :ida :hasParent :una ; :hasAge 80 }"
    assert "A :ida :hasAge 80 .\n" in succeed("diff", "-l", store, "--update", update, *SHORT)
    succeed("update", "-l", store, "--update", update, *SHORT)
    assert "A :una a :Person .\n" in succeed("watch", "-l", store, "--from", 1, "--once", *SHORT)
    assert ":una" in succeed("dump", "-l", store, "--format", "ttl", *SHORT)
    told = error_of("dump", "-l", store, *SHORT, status=2)
    assert told.startswith("--prefix: the format nt has no prefixes; use --format ttl, trig, n3 or rdf")
    clash = "INSERT DATA { :Person <http://www.w3.org/2002/07/owl#disjointWith> :Person }"
    assert ":eve a :Person" in call("update", "-l", store, "--update", clash, *SHORT).stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("stats", "the option -l STORE is missing: the folder of the store"),
        ("load -l s", "the option -f FILE... is missing: RDF files; - is standard input, and needs --format"),
        (
            "load -l s family.ttl",
            "the option -f FILE... is missing: RDF files; - is standard input, and needs --format",
        ),
        ("load -l s -f", "the option -f needs a value"),
        ("query -l s --querry x", "there is no option --querry; did you mean --query or --query-file?"),
        (
            "query -l s SELECT ?x",
            "the words SELECT ?x belong to no option; write --query (a query in quotation",
        ),
        ("diff -l s shop.ttl", "the word shop.ttl belongs to no option; write -f (files to load), --remove (files to"),
        ("load -l s -f x.ttl --rules owl2rl own.dl", "the word own.dl belongs to no option; write --rules before each"),
        ("stats -l s shop.ttl", "the word shop.ttl belongs to no option; put text with spaces in quotation marks"),
        ("rules -l s", "-l belongs to a subcommand: write add or convert or list or placement or remove before it"),
        ("explain -l . ", "the argument 'S P O' is missing"),
        ("load -l s -f x --budget 0", "--budget 0: it must be at least 1"),
        ("query -l s --timeout 0", "--timeout 0.0: it must be more than 0"),
        ("load -l s -f x --budget many", "--budget many: it must be a whole number"),
        ("dump -l s --format foo", "--format foo: it must be one of nt, nq, ttl, trig, n3, rdf, jsonld"),
        ("quer", "there is no command quer; did you mean query?"),
        ("check", "give RDF files, or a store with -l"),
        ("check -l s x.ttl", "give RDF files or a store (-l), not both"),
    ],
)
def test_a_wrong_command_line_is_told_in_plain_words(words: str, expected: str, store: Path) -> None:
    words = words.replace("-l s", f"-l {store}").replace("-l .", f"-l {store}")
    told = error_of(*words.split(), status=2)
    assert told.startswith(expected)
    assert " (see kgreason " in told


def test_rules_come_from_standard_input(store: Path) -> None:
    rule = f"[?x, a, <{E}Old>] :- [?x, <{E}hasAge>, ?y] ."
    assert succeed("rules", "add", "-l", store, "-", stdin=rule).startswith("added 1 rule in ")
    assert succeed("rules", "remove", "-l", store, "-", stdin=rule).startswith("removed 1 rule in ")
    assert error_of("rules", "add", "-l", store, "-", stdin="nonsense").startswith("<stdin>:1:")


def test_a_message_names_options_in_place_of_arguments(store: Path, family: Path) -> None:
    with KnowledgeGraph.open(store):
        told = error_of("update", "-l", store, "-u", "CLEAR ALL")
    assert told.endswith("has the store open for writing; close it there, or wait longer with --wait SECONDS")
    rules = family.with_name("family.dl")
    rules.write_text(f"<{E}Person>[?x] :- <{E}hasParent>[?x, ?y] .")
    told = error_of("load", "-l", store, "-f", rules)
    assert told == f"{rules}: is a file of rules, not of RDF; add its rules with `kgreason rules add -l STORE FILE`"
    told = error_of("query", "-l", store, "--query", "ASK { ?x a ex:C }")
    assert told.endswith(
        "begin the query with PREFIX ex: <http://example.org/>, or give --prefix ex=http://example.org/"
    )


def test_rules_that_a_store_has_already_are_added_by_another_command(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.dl"
    file.write_text(f"[?x, a, <{E}Old>] :- [?x, <{E}hasAge>, ?y] .")
    made = f"{store}: the store was made with rules owl2rl, and opening it does not change its rules; leave --rules out"
    loaded = ("load", "-l", store, "-f", tmp_path / "family.ttl", "--rules")
    assert error_of(*loaded, "rdfs") == made
    assert error_of(*loaded, "owl2rl", "--rules", file) == (
        f"{made}; to add the rules of {file}, run `kgreason rules add -l STORE FILE`"
    )
    told = error_of("rules", "add", "-l", store, "--rule", "own.dl")
    assert told.endswith(
        "'own.dl' is the name of a file; to add its rules, name it without --rule: kgreason rules add -l STORE own.dl"
    )
    assert error_of("rules", "remove", "-l", store, "--rule", "abc") == (
        "abc: is not a rule (HEAD :- BODY .), and no rule of this name was added"
    )
    told = error_of("rules", "add", "-l", store, tmp_path / "family.ttl")
    assert told.endswith("this is RDF (Turtle), not a rule; load RDF files with `kgreason load -l STORE -f FILE`")
    for option in ("--rule", "--name"):
        told = error_of("rules", "remove", "-l", store, option, "own.dl")
        assert told == "'own.dl' is the name of a file; to remove its rules, give --file own.dl"


def test_the_text_of_a_rule_may_use_the_prefixes_of_the_command_line(store: Path) -> None:
    rule = "[?x, a, :Old] :- [?x, :hasAge, ?y] ."
    edit = ("-l", store, *SHORT, "--rule")
    assert succeed("rules", "add", *edit, rule).startswith("added 1 rule in ")
    assert succeed("rules", "remove", *edit, rule).startswith("removed 1 rule in ")
    assert succeed("rules", "add", *edit, f"@prefix : <http://other/> . {rule}").startswith("added 1 rule in ")
    assert ":Old" in succeed("rules", "list", "-l", store, "--prefix", "=http://other/")
    wrong = "[?x, a, :Old] :- [?x, :hasAge, ?y] .\n[?x, a :Old]"
    assert error_of("rules", "add", *edit, wrong).startswith("<rule>:2:8: ")
    assert "ex: is not declared" in error_of("rules", "add", *edit, rule.replace(":Old", "ex:Old"))
