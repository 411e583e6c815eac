"""Every command: what it is given, what it prints, and what its help says."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pyoxigraph as ox
import pytest

import kgreason
from kgreason.cli.commands import main
from tests.cli.calling import answers, call, error_of, files, start, succeed, triples

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "commands.md"
E = "http://example.org/"


def commands(group: click.Group = main, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_an_example_with_options_that_exist(path: tuple[str, ...]) -> None:
    text = succeed(*path, "--help")
    example = text.split("Example")[1]
    words = [word for line in example.splitlines() if f"kgreason {' '.join(path)} " in line for word in line.split()]
    assert words
    options = {option for parameter in COMMANDS[path].params for option in parameter.opts}
    assert {word for word in words if word.startswith("-") and word != "-"} <= options


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_page_of_commands_shows(path: tuple[str, ...]) -> None:
    assert f"kgreason {' '.join(path)}" in PAGE.read_text(encoding="utf-8")


def test_help_and_version() -> None:
    assert succeed("--version") == f"kgreason {kgreason.__version__}\n"
    assert succeed() == succeed("--help")
    assert all(path[0] in succeed() for path in COMMANDS)


def test_load_says_what_the_graph_has(tmp_path: Path, family: Path) -> None:
    text = succeed("load", "-l", tmp_path / "text", "-f", family, "-v").splitlines()
    values = json.loads(succeed("load", "-l", tmp_path / "json", "--file", family, "--json"))
    assert values["asserted"] == 8
    assert values["inferred"] > 2
    assert values["seconds"] > 0
    assert re.fullmatch(r"loaded 8 new triples in \d+\.\d\d s", text[0])
    assert text[1] == f"the store has 8 asserted and {values['inferred']} inferred triples, and no contradictions"
    assert [line.split()[0] for line in text[2:]] == list(values)
    short = succeed("load", "-l", tmp_path / "text", "-f", family).splitlines()
    assert [line.split(" in ")[0] for line in short] == ["loaded 0 new triples", text[1]]


def test_load_takes_many_files_and_standard_input(tmp_path: Path, family: Path) -> None:
    (tmp_path / "a.nt").write_text(f"<{E}ida> <{E}hasParent> <{E}una> .\n")
    (tmp_path / "b.nt.gz").write_bytes(gzip.compress(f"<{E}una> <{E}hasParent> <{E}zoe> .\n".encode()))
    one, many, later = tmp_path / "one", tmp_path / "many", tmp_path / "later"
    succeed("load", "-f", family, tmp_path / "a.nt", "-l", one, "-f", tmp_path / "b.nt.gz", "--rules", "owl2rl")
    succeed("load", f"--file={family}", tmp_path / "a.nt", tmp_path / "b.nt.gz", "-l", many)
    succeed("load", "-l", later, "-f", tmp_path / "b.nt.gz")
    succeed("load", "-l", later, "-f", "-", "--format", "nt", stdin=(tmp_path / "a.nt").read_text())
    succeed("load", "-l", later, "-f", "-", "--format", "ttl", stdin=family.read_text())
    assert triples(one) == triples(many) == triples(later)
    assert f"<{E}ann> <{E}hasAncestor> <{E}zoe> ." in triples(later, "--inferred")


def test_rules_and_schema_are_chosen_when_a_store_is_made(tmp_path: Path, family: Path) -> None:
    (tmp_path / "own.dl").write_text(f"[?x, <{E}isOld>, true] :- [?x, <{E}hasAge>, ?y] .")
    rdfs, own, data = (tmp_path / name for name in ("rdfs", "own", "data"))
    succeed("load", "-l", rdfs, "-f", family, "--rules", "rdfs")
    assert answers(rdfs, f"SELECT ?x {{ <{E}ann> <{E}hasAncestor> ?x }}") == {(f"{E}eve",)}
    succeed("load", "-l", own, "-f", family, "--rules", "owl2rl", "--rules", tmp_path / "own.dl")
    assert answers(own, f"SELECT ?x {{ ?x <{E}isOld> true }}") == {(f"{E}eve",)}
    succeed("load", "-l", data, "-f", family, "--schema", "data")
    assert answers(data, f"SELECT ?x {{ <{E}ann> <{E}hasAncestor> ?x }}") == {(f"{E}eve",), (f"{E}ida",)}
    assert "rdfs" in error_of("load", "-l", rdfs, "-f", family, "--rules", "owl2rl")
    assert "data" in error_of("load", "-l", data, "-f", family, "--schema", "axioms")


def test_query_results_come_in_every_format(store: Path, tmp_path: Path) -> None:
    select, ask = "SELECT ?x ?y { ?x :hasParent ?y } ORDER BY ?x", "ASK { ?x :hasParent ?y }"
    prefix = f"PREFIX : <{E}> "
    assert succeed("query", "-l", store, "--query", prefix + select).splitlines() == [
        "x,y",
        f"{E}ann,{E}eve",
        f"{E}eve,{E}ida",
    ]
    for syntax in ("csv", "tsv", "json", "xml"):
        text = succeed("query", "-l", store, "--query", prefix + select, "--results-format", syntax)
        assert text.endswith("\n")
        assert text.count(f"{E}eve") == 2
        assert "true" in succeed("query", "-l", store, "--query", prefix + ask, "--results-format", syntax)
    construct = prefix + "CONSTRUCT { ?y :hasChild ?x } { ?x :hasParent ?y }"
    lines = succeed("query", "-l", store, "--query", construct)
    assert f"<{E}eve> <{E}hasChild> <{E}ann> ." in lines.splitlines()
    turtle = succeed("query", "-l", store, "--query", construct, "--results-format", "ttl")
    assert set(ox.parse(turtle, ox.RdfFormat.TURTLE)) == set(ox.parse(lines, ox.RdfFormat.N_TRIPLES))


def test_a_query_comes_from_an_option_a_file_or_standard_input(store: Path, tmp_path: Path) -> None:
    query = f"SELECT ?x {{ ?x <{E}hasAncestor> <{E}ida> }}"
    (tmp_path / "query.rq").write_text(query)
    given = succeed("query", "-l", store, "--query", query)
    assert succeed("query", "-l", store, "--query-file", tmp_path / "query.rq") == given
    assert succeed("query", "--location", store, stdin=query) == given
    assert given.count(E) == 2


def test_dump_keeps_asserted_and_inferred_apart_and_literals_as_written(store: Path) -> None:
    everything, asserted, inferred = triples(store), triples(store, "--asserted"), triples(store, "--inferred")
    assert asserted | inferred == everything
    assert not asserted & inferred
    assert f'<{E}eve> <{E}hasAge> "07"^^<http://www.w3.org/2001/XMLSchema#integer> .' in asserted
    assert f"<{E}ann> <{E}hasAncestor> <{E}ida> ." in inferred


@pytest.mark.parametrize("syntax", ["nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld"])
def test_dump_writes_every_format(store: Path, syntax: str) -> None:
    succeed("load", "-l", store, "-f", "-", "--format", "nq", stdin=f"<{E}a> <{E}b> <{E}c> <{E}graph> .\n")
    text = succeed("dump", "-l", store, "--format", syntax)
    form = ox.RdfFormat.from_extension(syntax)
    assert form
    quads = set(ox.parse(text, form))
    assert {quad.triple for quad in quads} == {
        quad.triple for quad in ox.parse(succeed("dump", "-l", store), ox.RdfFormat.N_TRIPLES)
    }
    graphs = {quad.graph_name for quad in quads}
    assert (ox.NamedNode(f"{E}graph") in graphs) == (syntax in ("nq", "trig", "jsonld"))


def test_stats_are_those_of_the_load(tmp_path: Path, family: Path) -> None:
    store = tmp_path / "store"
    loaded = json.loads(succeed("load", "-l", store, "-f", family, "--json"))
    stats = json.loads(succeed("stats", "-l", store, "--format", "json"))
    assert stats == json.loads(succeed("stats", "-l", store, "--json"))
    assert stats.items() <= loaded.items()
    assert stats["facts"] == len(triples(store))
    assert f"{stats['facts']}" in succeed("stats", "-l", store).splitlines()[0]


def test_rules_are_listed_with_their_reasons(store: Path) -> None:
    found = json.loads(succeed("rules", "list", "-l", store, "--json"))
    assert {tuple(rule) for rule in found} == {("name", "rule", "why", "stratum")}
    [transitive] = [rule for rule in found if rule["name"] == "prp-trp"]
    assert f"<{E}hasAncestor>" in transitive["why"]
    assert "# from the axiom " in succeed("rules", "list", "-l", store).partition("@rule prp-trp")[0]


def test_the_listed_rules_are_rule_text(store: Path) -> None:
    from kgreason.rules.parser import parse

    program = parse(succeed("rules", "list", "-l", store, "--all"))
    assert len(program.rules) == json.loads(succeed("stats", "-l", store, "--json"))["rules"]


@pytest.mark.parametrize("syntax", ["nt", "nt.gz"])
def test_materialize_is_what_a_store_dumps(store: Path, family: Path, tmp_path: Path, syntax: str) -> None:
    out = tmp_path / f"out.{syntax}"
    succeed("materialize", family, "-o", out)
    assert set(text(out).splitlines()) == triples(store)
    succeed("materialize", family, "-o", out, "--inferred", "--rules", "owl2rl")
    assert set(text(out).splitlines()) == triples(store, "--inferred")
    assert {path.name for path in tmp_path.iterdir()} == {"family.ttl", "store", out.name}


def text(path: Path) -> str:
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()


def test_materialize_reads_standard_input_and_writes_standard_output(store: Path, family: Path) -> None:
    printed = succeed("materialize", "-", "--format", "ttl", "-o", "-", stdin=family.read_text())
    assert set(printed.splitlines()) == triples(store)


def test_materialize_writes_sorted_turtle_with_prefixes(store: Path, family: Path, tmp_path: Path) -> None:
    for name, more in (("all.ttl", ()), ("inferred.ttl.gz", ("--inferred",))):
        succeed("materialize", family, "-o", tmp_path / name, "--prefix", "ex=http://example.com/", *more)
        shown = text(tmp_path / name)
        assert shown.startswith("# The inferred triples" if more else "# All triples")
        assert f"@prefix : <{E}> ." in shown
        assert ":ida a :Person" in shown
        assert shown == succeed("dump", "-l", store, "--format", "ttl", *more)


def test_commands_know_the_prefixes_of_loaded_files(store: Path) -> None:
    asked = ("query", "-l", store, "--query", "SELECT ?x { ?x :hasParent :eve }", "--results-format")
    assert succeed(*asked, "table").splitlines()[2].strip() == ":ann"
    assert succeed(*asked, "csv").split() == ["x", f"{E}ann"], "programs read the other formats"
    other = "PREFIX : <http://other/> ASK { ?x :hasParent :eve }"
    assert succeed("query", "-l", store, "--query", other) == "false\n", "the query's own prefix counts first"
    other = "ASK { ?x :hasParent :eve }"
    assert succeed("query", "-l", store, "--query", other, "--prefix", "=http://other/") == "false\n"
    told = succeed("query", "-l", store, "--query", "CONSTRUCT WHERE { :ann :hasParent ?y }", "--results-format", "ttl")
    assert told.splitlines()[-1] == ":ann :hasParent :eve ."
    assert "the prefix : is not declared" in error_of("update", "-l", store, "-u", "INSERT DATA { :a :b :c }")


def test_materialize_takes_rules_and_schema(family: Path, tmp_path: Path) -> None:
    axioms = succeed("materialize", family, "-o", "-", "--rules", "rdfs", "--inferred")
    data = succeed("materialize", family, "-o", "-", "--rules", "rdfs", "--inferred", "--schema", "data")
    assert set(axioms.splitlines()) == set(data.splitlines())
    assert f"<{E}ann> <{E}hasAncestor> <{E}ida> ." not in axioms


def test_generalised_triples_are_used_but_never_shown(store: Path, family: Path) -> None:
    # "Ann" :isNameOf :ann is derived from the inverse, with a literal as its subject
    assert json.loads(succeed("stats", "-l", store, "--json"))["hidden"] > 0
    assert not answers(store, "SELECT * { ?s ?p ?o FILTER isLiteral(?s) }")
    for printed in (succeed("dump", "-l", store), succeed("materialize", family, "-o", "-")):
        assert f'<{E}ann> <{E}hasName> "Ann" .' in printed
        assert "isNameOf> <http://example.org/ann>" not in printed


def test_a_mistake_of_an_ontology_is_told_once(tmp_path: Path) -> None:
    broken = "<http://e/C> <http://www.w3.org/2002/07/owl#unionOf> <http://e/no-list> ."
    store = tmp_path / "store"
    first = call("load", "-l", store, "-f", "-", "--format", "nt", stdin=broken)
    assert "kgreason: warning: " in first.stderr
    second = call("load", "-l", store, "-f", "-", "--format", "nt", stdin="<http://e/a> <http://e/p> <http://e/b> .")
    assert (first.exit_code, second.exit_code, second.stderr) == (0, 0, "")
    result = call("materialize", "-", "--format", "nt", "-o", "-", stdin=broken)
    assert result.stderr == first.stderr


def test_contradictions_are_counted(tmp_path: Path) -> None:
    clash = """
        @prefix : <http://e/> .
        :A <http://www.w3.org/2002/07/owl#disjointWith> :B .
        :x a :A, :B .
    """
    for arguments in (("load", "-l", tmp_path / "store", "-f", "-"), ("materialize", "-", "-o", "-")):
        result = call(*arguments, "--format", "ttl", stdin=clash)
        assert result.exit_code == 0
        count, line = result.stderr.splitlines()
        assert count == "kgreason: warning: contradictions: 1"
        assert line == (
            "kgreason: warning: cax-dw: :x is in :A and in :B, which are disjoint classes "
            "(axiom :A owl:disjointWith :B)"
        ), "with the prefixes of the file"


def test_the_first_contradictions_are_shown_one_by_one(tmp_path: Path) -> None:
    clash = "<http://e/p> a <http://www.w3.org/2002/07/owl#IrreflexiveProperty> ."
    clash += "".join(f"<http://e/{n}> <http://e/p> <http://e/{n}> ." for n in range(7))
    count, *lines, more = call(
        "load", "-l", tmp_path / "store", "-f", "-", "--format", "ttl", stdin=clash
    ).stderr.splitlines()
    assert count == "kgreason: warning: contradictions: 7"
    assert [line.split(" is ")[0].split()[-1] for line in lines] == [f"<http://e/{n}>" for n in range(5)]
    assert more == "kgreason: warning: and 2 more; `kgreason check` shows them by their causes"


def test_lubm_makes_the_same_data_for_the_same_seed(tmp_path: Path) -> None:
    counts = json.loads(succeed("lubm", "--universities", 1, "-o", tmp_path / "a", "--json"))
    assert counts == {"universities": 1, "files": len(files(tmp_path / "a"))}
    succeed("lubm", "--universities", 1, "-o", tmp_path / "b", "--seed", "0")
    succeed("lubm", "--universities", 1, "-o", tmp_path / "c", "--seed", "1")
    assert files(tmp_path / "a") == files(tmp_path / "b") != files(tmp_path / "c")


def test_equal_terms_are_shown_as_asked(tmp_path: Path) -> None:
    file = tmp_path / "same.ttl"
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    file.write_text(f"<http://e/a> {same} <http://e/b> , <http://e/c> ; <http://e/p> <http://e/x> .")
    for options, count in (((), 9), (("--same-as", "representatives"), 5), (("--aliases", 8), 5)):
        store = tmp_path / f"store{len(options)}{count}{options[:1]}"
        succeed("load", "-l", store, "-f", file, *options)
        assert len(answers(store, "SELECT * { ?s ?p ?o }")) == count
        assert len(succeed("materialize", file, *options, "-o", "-").splitlines()) == count


def test_a_table_is_for_people(store: Path, tmp_path: Path) -> None:
    """In the order of the query, terms as Turtle has them, IRIs shortened by the prefixes of the query."""
    names = "OPTIONAL { ?y :hasAge ?age } OPTIONAL { ?x :hasName ?n }"
    query = f"PREFIX : <{E}> SELECT * {{ ?y ^:hasParent ?x {names} }}"
    table = succeed("query", "-l", store, "--query", f"{query} ORDER BY ?x", "--results-format", "table").splitlines()
    assert [line.split() for line in table] == [
        ["y", "x", "age", "n"],
        ["─" * len(table[1])],
        [":eve", ":ann", "7", '"Ann"'],
        [":ida", ":eve"],
        ["2", "rows"],
    ]
    assert succeed("query", "-l", store, "--query", query).splitlines()[0] == "y,x,age,n"
    for syntax in ("tsv", "json", "xml"):
        head = succeed("query", "-l", store, "--query", query, "--results-format", syntax).split(E)[0]
        assert re.findall(r'[?"](y|x|age|n)\b', head)[:4] == ["y", "x", "age", "n"]
    empty = succeed("query", "-l", store, "--query", f"SELECT ?b ?a {{ ?a <{E}none> ?b }}", "--results-format", "table")
    assert empty.split() == ["b", "a", "─" * 5, "0", "rows"]
    assert succeed("query", "-l", store, "--query", "ASK {}", "--results-format", "table") == "true\n"
    construct = "CONSTRUCT WHERE { ?s ?p ?o }"
    assert "triples" in error_of("query", "-l", store, "--query", construct, "--results-format", "table", status=2)


def test_a_long_table_has_every_row(tmp_path: Path) -> None:
    store, rows = tmp_path / "store", "".join(f"<{E}{n}> <{E}p> {n} .\n" for n in range(2_500))
    succeed("load", "-l", store, "-f", "-", "--format", "ttl", "--rules", "none", stdin=rows)
    text = succeed("query", "-l", store, "--query", "SELECT ?o { ?s ?p ?o }", "--results-format", "table")
    assert text.endswith("\n2,500 rows\n")
    assert {int(word) for word in text.splitlines() if word.strip().isdigit()} == set(range(2_500))


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals like this")
def test_on_a_terminal_a_table_is_the_default(store: Path) -> None:
    master, terminal = os.openpty()
    query = f"SELECT ?x ?y {{ ?x <{E}hasParent> ?y }} ORDER BY ?x"
    process = start("query", "-l", store, "--query", query, stdout=terminal, env={**os.environ, "COLUMNS": "30"})
    os.close(terminal)
    with os.fdopen(master, "rb") as out:
        shown = b""
        with contextlib.suppress(OSError):  # the other end was closed
            while part := os.read(out.fileno(), 4096):
                shown += part
    assert process.communicate()[1] == ""
    lines = shown.decode().splitlines()
    assert lines[0].split() == ["x", "y"]
    assert lines[-1] == "2 rows"
    assert max(map(len, lines)) <= 30
    assert [line.split()[0] for line in lines[2:4]] == [":ann", ":eve"]


@pytest.mark.parametrize("syntax", ["table", "csv", "tsv", "json", "xml"])
def test_a_query_that_fails_prints_nothing(store: Path, syntax: str) -> None:
    query = "SELECT * { ?s ?p ?o SERVICE <http://127.0.0.1:9/sparql> { ?s ?q ?r } }"
    told = error_of("query", "-l", store, "--query", query, "--results-format", syntax)
    assert told.startswith("the query cannot be evaluated: ")
    told = error_of("query", "-l", store, "--query", "SELECT nonsense", "--results-format", syntax)
    assert told.startswith("the query does not parse: ")
