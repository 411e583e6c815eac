"""`kgreason.connect`: a graph of a server has the methods, results and errors of a graph of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import DefaultGraph, QueryResultsFormat

import kgreason
from kgreason import KnowledgeGraph
from kgreason.client.graph import RemoteGraph
from kgreason.errors import (
    ContradictionError,
    InputError,
    KgreasonError,
    LimitError,
    NumberWarning,
    QueryTimeoutError,
    RuleSyntaxError,
    ServerError,
    StoreError,
)
from tests.server.conftest import ZOO
from tests.server.serving import served

EX = {"": "http://e/"}
RULES = """@prefix : <http://e/> .
@relation near(a, b, far: <http://www.w3.org/2001/XMLSchema#integer>) key(a, b) .
@rule friend
[?y, :friend, ?x] :- [?x, :friend, ?y] .
reach(?x, ?y) :- near(?x, ?y, ?d), FILTER(?d < 9), NOT [?x, :blocked, ?y] .
count(?x, ?n) :- AGGREGATE([?x, :friend, ?y] ON ?x BIND COUNT(DISTINCT ?y) AS ?n) .
"""
DISJOINT = "@prefix : <http://e/> . :Cat <http://www.w3.org/2002/07/owl#disjointWith> :Dog . :tom a :Dog ."
Graph = KnowledgeGraph | RemoteGraph


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[KnowledgeGraph, RemoteGraph]]:
    """A graph of this process and a graph of a server, with the same edits."""
    with (
        KnowledgeGraph.open(tmp_path / "here") as here,
        served(tmp_path / "there", text=ZOO) as address,
        kgreason.connect(address) as there,
    ):
        here.add(ZOO)
        for graph in (here, there):
            with graph.transaction() as tx:
                tx.add_rules(RULES)
                tx.add((":tom", ":friend", ":kit"), (":kit", ":size", 5, "http://e/g"), prefixes=EX)
                tx.relation("near").insert([("urn:a", "urn:b", 3), ("urn:b", "urn:c", 12)])
        yield here, there


def outcome(call: Callable[[Graph], Any], graph: Graph) -> Any:
    """The result of a call, or the class and the message of its error."""
    try:
        return call(graph)
    except KgreasonError as error:
        return type(error), str(error)


def terms(rows: Any) -> list[str]:
    return sorted(" ".join(map(str, row)) for row in rows)


CAT = "<http://e/tom> a <http://e/Animal>"
QUESTIONS: dict[str, Callable[[Graph], Any]] = {
    "select": lambda graph: terms(graph.select("SELECT * { ?x ?p ?y }")),
    "columns": lambda graph: [str(each) for each in graph.select("SELECT * { ?z :age ?a }", prefixes=EX).variables],
    "prefixes": lambda graph: graph.ask("ASK { :tom a :Animal }", prefixes=EX),
    "bindings": lambda graph: terms(graph.select("SELECT ?x ?y { ?x a ?y }", bindings={"x": ":tom"}, prefixes=EX)),
    "an unknown binding": lambda graph: graph.ask("ASK { ?x a ?y }", bindings={"z": 1}),
    "bindings of an update": lambda graph: graph.update(
        "INSERT { ?x a :Bound } WHERE {}", bindings={"x": ":tom"}, prefixes=EX
    ).delta.appeared(asserted=True),
    "construct": lambda graph: terms(graph.construct("CONSTRUCT { ?x a ?y } WHERE { ?x a ?y }")),
    "serialize": lambda graph: graph.construct(
        "CONSTRUCT { <a:b> <a:c> ?y } WHERE { <http://e/tom> :age ?y }", prefixes=EX
    ).serialize(format=kgreason_nt()),
    "default graph": lambda graph: terms(graph.select("SELECT * { ?x ?p ?y }", default_graph="http://e/g")),
    "both graphs": lambda graph: graph.ask("ASK { GRAPH ?g { ?x ?p 5 } }", default_graph="http://e/none"),
    "wrong form": lambda graph: graph.select("ASK {}"),
    "no query": lambda graph: graph.query("  "),
    "no SPARQL": lambda graph: graph.query("SELECT * {\n ?x ?p }"),
    "unknown prefix": lambda graph: graph.query("SELECT * { ?x ex:p ?y }"),
    "relative": lambda graph: graph.query("SELECT * { ?x <p> ?y }"),
    "update as query": lambda graph: graph.query("INSERT DATA { <a:b> <a:b> <a:b> }"),
    "no text": lambda graph: graph.query(5),  # type: ignore[arg-type]
    "match": lambda graph: terms(graph.match(None, ":age", prefixes=EX)),
    "match spelled": lambda graph: terms(graph.match(None, None, "7")),
    "match asserted": lambda graph: terms(graph.match(asserted=True)),
    "match graph": lambda graph: terms(graph.match(graph="http://e/g")),
    "match default": lambda graph: terms(graph.match(":tom", graph=DefaultGraph(), prefixes=EX)),
    "no term": lambda graph: graph.match("<a"),
    "in": lambda graph: [
        CAT in graph,
        "<a:a> <a:b> <a:c>" in graph,
        ("<http://e/kit>", "<http://e/size>", "5", "<http://e/g>") in graph,
    ],
    "len": len,
    "iteration": terms,
    "explain": lambda graph: graph.explain(CAT).to_text(EX),
    "explain as JSON": lambda graph: graph.explain(CAT).to_json(),
    "explain as a chart": lambda graph: graph.explain(CAT).to_mermaid(),
    "explain all": lambda graph: [each.to_json() for each in graph.explain_all(CAT)],
    "explain a fact": lambda graph: graph.relation("reach").explain(("urn:a", "urn:b")).to_text(),
    "explain a count": lambda graph: graph.relation("count").explain(("http://e/tom", 1)).to_text(),
    "explain nothing": lambda graph: graph.explain("<a:a> <a:b> <a:c>"),
    "explain no triple": lambda graph: graph.explain("<a:a> <a:b>"),
    "why not": lambda graph: graph.why_not("<http://e/kit> a <http://e/Animal>").to_text(EX),
    "why not friend": lambda graph: str(graph.why_not((":kit", ":friend", ":ann"), prefixes=EX)),
    "why not, holds": lambda graph: graph.why_not(CAT),
    "why not a fact": lambda graph: graph.relation("reach").why_not(("urn:b", "urn:c")).to_text(),
    "rules": lambda graph: graph.rules(),
    "own rules": lambda graph: [(each, each.file, each.sources) for each in graph.own_rules()],
    "stats": lambda graph: {name: count for name, count in graph.stats().items() if "_by" not in name},
    "warnings": lambda graph: graph.warnings,
    "options": lambda graph: graph.options,
    "streams": lambda graph: graph.streams(),
    "dump": lambda graph: b"".join(graph.dump()),
    "dump asserted": lambda graph: b"".join(graph.dump(asserted=True, graphs=True)),
    "dump inferred": lambda graph: b"".join(graph.dump(asserted=False)),
    "dump relations": lambda graph: list(graph.dump_relations()),
    "relations": lambda graph: [(repr(each), each.arity, len(each)) for each in graph.relations()],
    "facts": lambda graph: terms(graph.relation("near")),
    "derived facts": lambda graph: terms(graph.relation("reach").facts(asserted=False)),
    "match facts": lambda graph: terms(graph.relation("near").match(None, None, 12)),
    "a fact": lambda graph: [
        ("urn:a", "urn:b", 3) in graph.relation("near"),
        ("urn:a", "urn:b", 4) in graph.relation("near"),
    ],
    "no relation": lambda graph: list(graph.relation("nobody")),
    "bad relation": lambda graph: graph.relation("a b"),
    "contradictions": lambda graph: graph.contradictions(),
}


def kgreason_nt() -> Any:
    from pyoxigraph import RdfFormat

    return RdfFormat.N_TRIPLES


def test_questions_have_the_same_answers(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    for name, question in QUESTIONS.items():
        here, there = (outcome(question, graph) for graph in both)
        assert here == there, name


EDITS: dict[str, Callable[[Graph], Any]] = {
    "add text": lambda graph: graph.add("@prefix : <http://e/> . :rex a :Cat ; :age 3 ; :near [ :age 4 ] ."),
    "add with prefixes": lambda graph: graph.add(":rex a :Dog", prefixes=EX),
    "add rows": lambda graph: graph.add((":ida", "a", ":Cat"), (":ida", ":age", 7), prefixes=EX),
    "add nothing": lambda graph: graph.add(),
    "no Turtle": lambda graph: graph.add("<a:a> <a:b>"),
    "a file's name": lambda graph: graph.add("zoo.ttl"),
    "a bad row": lambda graph: graph.add(("<a:a>", "5", "<a:b>")),
    "no row": lambda graph: graph.add(7),
    "remove": lambda graph: graph.remove((":tom", "a", ":Cat"), prefixes=EX),
    "remove what is not there": lambda graph: graph.remove("<a:a> <a:b> <a:c> ."),
    "update": lambda graph: graph.update(
        "INSERT DATA { :tom a :Cat } ; DELETE { ?x :age ?y } WHERE { ?x :age ?y }", prefixes=EX
    ),
    "delete inferred": lambda graph: graph.update("DELETE DATA { <http://e/tom> a <http://e/Animal> }"),
    "no update": lambda graph: graph.update("INSERT { ", "mine.ru"),
    "empty update": lambda graph: graph.update(" "),
    "query as update": lambda graph: graph.update("ASK {}"),
    "relative update": lambda graph: graph.update("INSERT DATA { <a> <b> <c> }"),
    "update with base": lambda graph: graph.update("INSERT DATA { <a> <b> <c> }", base="http://e/"),
    "insert": lambda graph: graph.relation("near").insert([("urn:x", "urn:y", 1)]),
    "same key": lambda graph: graph.relation("near").insert([("urn:x", "urn:y", 2)]),
    "upsert": lambda graph: graph.relation("near").upsert([("urn:x", "urn:y", 2)]),
    "delete": lambda graph: graph.relation("near").delete([("urn:x", "urn:y", 2)]),
    "wrong type": lambda graph: graph.relation("near").insert([("urn:x", "urn:y", "far")]),
    "contradiction": lambda graph: graph.add(DISJOINT),
}


def content(delta: Any) -> Any:
    """What a delta, an update or an error says, without its random blank nodes."""
    if isinstance(delta, tuple) and not hasattr(delta, "_asdict"):
        return delta
    updated = delta[1:] if hasattr(delta, "_asdict") else ()
    delta = delta.delta if hasattr(delta, "delta") else delta
    facts = {name: terms(delta.relation(name).appeared()) for name in delta.relations}
    texts = [repr(delta).replace(f"commit {delta.commit}", "commit"), facts, delta.work, delta.missed, *updated]
    rows = [
        terms(each)
        for each in (delta.appeared(), delta.disappeared(), delta.quads(added=True), delta.turned(asserted=False))
    ]
    return texts + [[row for row in each if "_:" not in row] for each in rows]


def test_edits_have_the_same_deltas_and_errors(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    for name, edit in EDITS.items():
        here, there = (content(outcome(edit, graph)) for graph in both)
        assert here == there, name
    here, there = both
    assert [str(each) for each in here.contradictions()] == [str(each) for each in there.contradictions()]
    assert here.contradictions() == there.contradictions() != []
    assert [each.to_text() for each in here.prove_contradictions()] == [
        each.to_text() for each in there.prove_contradictions()
    ]
    assert len(here.prove_contradictions(each=1)) == len(there.prove_contradictions(each=1)) == 1
    for graph in both:
        graph.add(DISJOINT + ":Odd <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Cat , :Dog .")
    mine, theirs = ([(each.name, each.proof.to_text()) for each in graph.unsatisfiable_classes()] for graph in both)
    assert mine == theirs
    assert [name for name, _ in mine] == ["<http://e/Odd>"]
    assert sorted(here.dump_relations()) == sorted(there.dump_relations())
    assert here.stats()["facts"] == there.stats()["facts"] == len(there)


def test_files_are_read_here(both: tuple[KnowledgeGraph, RemoteGraph], tmp_path: Path) -> None:
    file, rules, bad = tmp_path / "more.ttl", tmp_path / "more.dl", tmp_path / "bad.nt"
    file.write_text("@prefix : <http://e/> . :ann :knows [ :age 7 ] . [] a :Cat .")
    rules.write_text("@prefix : <http://e/> .\n@rule older\n[?x, :older, ?x] :- [?x, :knows, ?y] .")
    bad.write_text("<a:a> <a:b> .\n")
    results = []
    for graph in both:
        loaded = graph.load(file)
        with graph.transaction() as tx:
            tx.load_rules(rules)
        lines = b"".join(graph.dump(asserted=True))
        assert b":" in lines
        own = [rule.file for rule in graph.own_rules() if rule.file]
        counts = {
            name: value
            for name, value in loaded.items()
            if name not in ("seconds", "seconds_by_part", "peak_bytes", "engine_bytes", "dictionary_bytes", "terms")
        }
        unload = outcome(lambda each: each.unload(bad), graph), graph.unload(file)["missed"]
        with graph.transaction() as tx:
            tx.unload_rules(rules)
        results.append((lines, own, counts, unload, outcome(lambda each: each.load(tmp_path / "none.ttl"), graph)))
    assert results[0] == results[1]
    assert results[0][1] == [str(rules)]


def test_a_transaction_is_one_commit_or_none(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    _, there = both
    before = there.commit
    with there.transaction({"stream": "sensors"}) as tx:
        tx.add("<a:a> <a:b> <a:c> .").remove("<a:a> <a:b> <a:c> .").add("<a:a> <a:b> <a:d> .")
    assert (tx.delta.commit, there.commit) == (before + 1, before + 1)
    assert tx.delta.appeared(asserted=True) == [("<a:a>", "<a:b>", "<a:d>")]
    assert there.streams() == {"sensors": {"stream": "sensors"}}
    with pytest.raises(ValueError, match="not a name"):
        there.transaction({"a b": "c"})
    with pytest.raises(RuleSyntaxError, match=r"^mine:1:"), there.transaction() as tx:
        tx.add("<a:a> <a:b> <a:e> .").add_rules("nonsense", "mine")
    with pytest.raises(KgreasonError, match="nobody"), there.transaction() as tx:
        tx.add("<a:a> <a:b> <a:e> .").remove_rules("nobody")
    with pytest.raises(StoreError, match="has no delta"):
        _ = tx.delta
    with pytest.raises(StoreError, match="has ended"):
        tx.add("<a:a> <a:b> <a:e> .")
    with there.what_if(reasons=5) as tried:
        tried.add(DISJOINT).remove(("http://e/tom", "http://e/friend", "http://e/kit"))
    assert "disjoint" in str(tried.delta.contradictions[0])
    assert all(each.rule for each in tried.delta.reasons.values())
    assert there.commit == before + 1
    assert there.contradictions() == []


def test_contradictions_are_refused_as_objects(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "strict", on_contradiction="refuse") as graph:
        graph.add(ZOO)
        with pytest.raises(ContradictionError) as here:
            graph.add(DISJOINT)
    with served(tmp_path / "strict") as address, kgreason.connect(address) as there:
        with pytest.raises(ContradictionError) as found:
            there.add(DISJOINT)
        assert there.options["on_contradiction"] == "refuse"
    assert str(found.value) == str(here.value)
    assert found.value.contradictions == here.value.contradictions


def test_budget_and_strategy_are_those_of_the_client(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address:
        with kgreason.connect(address, budget=1) as poor, pytest.raises(LimitError, match="budget"):
            poor.add(ZOO.replace(":tom", ":rex").replace(":Animal", ":Pet"))
        with kgreason.connect(address, strategy="bootstrap") as graph:
            assert graph.add("<http://e/a> a <http://e/Cat> .").work.strategy == "bootstrap"


def test_tokens_and_addresses(tmp_path: Path) -> None:
    tokens = {"r" * 16: "read", "w" * 16: "write", "a" * 16: "admin"}
    with served(tmp_path / "store", text=ZOO, tokens=tokens) as address:
        with kgreason.connect(address, token="r" * 16) as reader:
            assert reader.ask("ASK { <http://e/tom> a <http://e/Animal> }")
            with pytest.raises(ServerError, match="has the role read") as refused:
                reader.add("<a:a> <a:b> <a:c> .")
            assert refused.value.status == 403
        with kgreason.connect(address, token="w" * 16) as writer:
            writer.add("<a:a> <a:b> <a:c> .")
            with pytest.raises(ServerError, match="needs the role admin"):
                writer.add_rules(RULES)
            with writer.what_if() as tx:
                tx.add_rules(RULES)
        with kgreason.connect(address, token="a" * 16) as admin:
            admin.add_rules(RULES)
        with kgreason.connect(address) as nobody, pytest.raises(ServerError, match="give a token"):
            nobody.stats()
    with pytest.raises(ServerError, match="no server answers there"):
        kgreason.connect(address)
    for wrong in ("ftp://e", "http://", "store", "http://e:x"):
        with pytest.raises(InputError, match="address"):
            kgreason.connect(wrong)


def test_a_query_that_takes_too_long_ends(tmp_path: Path) -> None:
    slow = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"
    with served(tmp_path / "store", text=ZOO) as address, kgreason.connect(address) as graph:
        with pytest.raises(QueryTimeoutError, match=r"longer than 0\.3 s"):
            graph.query(slow, timeout=0.3)
        assert graph.ask("ASK {}")


def test_an_answer_that_takes_too_long_breaks_off(tmp_path: Path) -> None:
    long = "SELECT * { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(9)) + " }"
    with served(tmp_path / "store", text=ZOO) as address, kgreason.connect(address) as graph:
        with pytest.raises(QueryTimeoutError, match=r"longer than 0\.5 s"):
            graph.query(long, timeout=0.5)
        assert graph.ask("ASK {}")
    with (
        served(tmp_path / "store", answer_bytes=500_000) as address,
        kgreason.connect(address) as graph,
        pytest.raises(ServerError, match="the answer broke off"),
    ):
        graph.query(long, timeout=60)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x ?n ?x { ?x :age ?n }",
        "SELECT (GROUP_CONCAT(?n) AS ?all) ?all { ?x :age ?n }",
        "SELECT * { ?x :age ?n FILTER(?n > 6) }",
    ],
)
def test_a_query_is_rewritten_alike(both: tuple[KnowledgeGraph, RemoteGraph], query: str) -> None:
    here, there = (list(map(list, graph.select(query, prefixes=EX))) for graph in both)
    assert here == there
    written = [graph.select(query, prefixes=EX).serialize(format=QueryResultsFormat.CSV) for graph in both]
    assert written[0] == written[1]


def test_both_warn_of_a_query_that_may_be_inexact(both: tuple[KnowledgeGraph, RemoteGraph]) -> None:
    for graph in both:
        graph.add((":old", ":age", 10**30), prefixes=EX)
        assert graph.ask("ASK { ?x :age ?n }", prefixes=EX)
        with pytest.warns(NumberWarning, match=f'such as "{10**30}"'):
            graph.select("SELECT ?x { ?x :age ?n FILTER(?n > 6) }", prefixes=EX)
