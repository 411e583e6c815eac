"""Rule sets in graphs and stores: every door takes them, journal and snapshot keep them, blank nodes live with rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, RuleError, RuleSyntaxError, StratificationError
from kgreason.graph.fork import fork
from kgreason.store.folder import read_manifest
from tests.cli.calling import error_of, succeed

E = "http://example.org/"
P = f"PREFIX : <{E}>\n"
FAMILY = f"{P}RULE :uncle {{ ?x :uncle ?z }} WHERE {{ ?x :parent ?y . ?y :brother ?z NOT {{ ?z a :Dead }} }}\n"
DATA = f"{P} :tom :parent :ann . :ann :brother :joe, :bob . :bob a :Dead ."


def ask(graph: KnowledgeGraph, pattern: str) -> bool:
    return graph.ask(f"{P}ASK {{ {pattern} }}")


def test_every_door_takes_rule_sets(tmp_path: Path) -> None:
    path = tmp_path / "family.srl"
    path.write_text(FAMILY, "utf-8")
    with KnowledgeGraph.open(rules=[path]) as graph:
        graph.add(DATA)
        assert ask(graph, ":tom :uncle :joe")
        assert not ask(graph, ":tom :uncle :bob")
        with graph.transaction() as tx:
            tx.unload_rules(path)
        assert not ask(graph, ":tom :uncle ?x")
        with graph.transaction() as tx:
            tx.add_rules(FAMILY, syntax="srl")
        assert ask(graph, ":tom :uncle :joe")
        with graph.transaction() as tx:
            tx.remove_rules(FAMILY, syntax="srl")
        assert not graph.own_rules()
        with graph.transaction() as tx:
            tx.load_rules(path)
        with graph.transaction() as tx:
            tx.remove_rules(f"{E}uncle")
        assert not graph.own_rules()
        with (
            pytest.raises(InputError, match="syntax 'sparql': it must be one of datalog, srl, rq"),
            graph.transaction() as tx,
        ):
            tx.add_rules(FAMILY, syntax="sparql")  # type: ignore[arg-type]


def test_a_store_keeps_the_dialect(tmp_path: Path) -> None:
    path, store = tmp_path / "family.srl", tmp_path / "store"
    path.write_text(FAMILY, "utf-8")
    query = f"{P}CONSTRUCT {{ ?z :nephew ?x }} WHERE {{ ?x :uncle ?z }}"
    with KnowledgeGraph.open(store, rules=[path]) as graph:
        graph.add(DATA)
        with graph.transaction() as tx:
            tx.add_rules(query, syntax="rq")
        known = graph.own_rules()
        assert {rule.dialect for rule in known} == {"srl", "rq"}
        assert {rule.file for rule in known} == {str(path), ""}
    for _ in range(2):
        with KnowledgeGraph.open(store) as graph:
            assert [(rule, rule.file) for rule in graph.own_rules()] == [(rule, rule.file) for rule in known]
            assert ask(graph, ":joe :nephew :tom")
            graph.add(f"{P} :tom :likes :joe .")
    succeed("unload", "-l", store, "-f", "-", "--format", "ttl", stdin=f"{P} :ann :brother :joe .")
    with KnowledgeGraph.open(store) as graph:
        assert {rule.dialect for rule in graph.own_rules()} == {"srl", "rq"}
        assert not ask(graph, ":joe :nephew :tom")
        with graph.transaction() as tx:
            tx.remove_rules(query, syntax="rq")
        assert {rule.dialect for rule in graph.own_rules()} == {"srl"}


def test_a_snapshot_without_dialects_is_of_our_own_language(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store, rules=[]) as graph, graph.transaction() as tx:
        tx.add_rules(f"@prefix : <{E}> . [?x, :p, ?y] :- [?y, :p, ?x] .")
    (listed,) = store.rglob("dialects.json")
    assert json.loads(listed.read_text("utf-8")) == [""]
    listed.unlink()
    with KnowledgeGraph.open(store) as graph:
        assert [rule.dialect for rule in graph.own_rules()] == [""]
    assert read_manifest(store)


def test_rules_that_make_terms_for_each_other_are_refused_by_name(tmp_path: Path) -> None:
    circular = f"{P}RULE :next {{ ?x :n ?z }} WHERE {{ ?x :n ?y SET(?z := ?y + 1) }}"
    with KnowledgeGraph.open(rules=[]) as graph:
        with (
            pytest.raises(StratificationError, match=rf"rule {E}next assigns \?v\d in SPARQL-RL"),
            graph.transaction() as tx,
        ):
            tx.add_rules(circular, syntax="srl")
        with graph.transaction() as tx:
            tx.add_rules(f"{P}RULE {{ ?x :n ?z }} WHERE {{ ?x :m ?y SET(?z := ?y + 1) }}", syntax="srl")
        graph.add(f"{P} :a :m 1 .")
        assert ask(graph, ":a :n 2")


def test_rule_sets_call_python_functions(tmp_path: Path) -> None:
    def double(value: int) -> int:
        return 2 * value

    text = f"{P}RULE {{ ?x :twice ?z }} WHERE {{ ?x :n ?y SET(?z := double(?y)) }}"
    with KnowledgeGraph.open(tmp_path / "store", rules=[], functions=[double]) as graph:
        graph.add(f"{P} :a :n 21 .")
        with graph.transaction() as tx:
            tx.add_rules(text, syntax="srl")
        assert ask(graph, ":a :twice 42")
        with pytest.raises(RuleSyntaxError, match="halve is no function of SPARQL"), graph.transaction() as tx:
            tx.add_rules(text.replace("double", "halve"), syntax="srl")
    with KnowledgeGraph.open(tmp_path / "store", functions=[double]) as graph:
        graph.add(f"{P} :b :n 4 .")
        assert ask(graph, ":b :twice 8")
        assert {rule.dialect for rule in graph.own_rules()} == {"srl"}


def test_triple_terms_are_matched_and_made() -> None:
    text = (
        f"{P}RULE {{ ?x :said <<( ?x :likes ?y )>> }} WHERE {{ ?x :likes ?y }}\n"
        "RULE { ?y :likedBy ?x } WHERE { ?z :said <<( ?x :likes ?y )>> }\n"
        "RULE { ?x :doubted true } WHERE { ?x :likes ?y ~ ?r . ?r :doubt ?n FILTER(?n > 5) }\n"
    )
    with KnowledgeGraph.open(rules=[]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(text, syntax="srl")
        graph.add(f"{P} :ann :likes :joe ~ :r . :r :doubt 7 . :tom :likes :joe ~ :s . :s :doubt 1 .")
        assert ask(graph, ":joe :likedBy :ann, :tom . :ann :doubted true")
        assert not ask(graph, ":tom :doubted ?x")
        graph.remove(f"{P} :ann :likes :joe .")
        assert not ask(graph, ":joe :likedBy :ann")
        assert not ask(graph, ":ann :doubted ?x")


def test_a_part_looks_into_triple_terms_in_a_recursion() -> None:
    text = f"{P}RULE {{ ?y :p ?z }} WHERE {{ ?x :p ?y . ?r :next <<( ?y :to ?z )>> }}"
    with KnowledgeGraph.open(rules=[]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(text, syntax="srl")
        graph.add(f"{P} :a :p :b . :r :next <<( :b :to :c )>>, <<( :c :to :d )>> .")
        assert ask(graph, ":c :p :d")


def test_a_part_goes_with_its_rule() -> None:
    text = f"{P}RULE :seen {{ ?y :seen ?z }} WHERE {{ ?r :next <<( ?y :to ?z )>> }}"
    with KnowledgeGraph.open(rules=[]) as graph:
        for removed in (f"{E}seen", text):
            with graph.transaction() as tx:
                tx.add_rules(text, syntax="srl")
            assert len(graph.own_rules()) == 2
            with graph.transaction() as tx:
                tx.remove_rules(removed, syntax="srl")
            assert not graph.own_rules()


def test_a_blank_node_of_a_head_lives_as_long_as_its_row(tmp_path: Path) -> None:
    text = f"{P}RULE {{ [ a :Visit ; :by ?x ] :to ?y }} WHERE {{ ?x :visits ?y }}"
    query = f"{P}SELECT ?v ?x {{ ?v a :Visit ; :by ?x ; :to :rome }} ORDER BY ?x"
    with KnowledgeGraph.open(tmp_path / "store", rules=[]) as graph:
        graph.add(f"{P} :ann :visits :rome . :joe :visits :rome .")
        with graph.transaction() as tx:
            tx.add_rules(text, syntax="srl")
        first, second = (row["v"] for row in graph.select(query))
        assert first != second
        graph.remove(f"{P} :ann :visits :rome .")
        assert [row["v"] for row in graph.select(query)] == [second]
        graph.add(f"{P} :ann :visits :rome .")
        assert [row["v"] for row in graph.select(query)] == [first, second]
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(f"{P} :eve :visits :rome .")
        assert [row["v"] for row in graph.select(query)][:1] == [first]
        with fork(tmp_path / "store") as copy:
            assert [rule.dialect for rule in copy.own_rules()] == ["srl"]
            assert len(list(copy.select(query))) == 3
        with graph.transaction() as tx:
            tx.remove_rules(text, syntax="srl")
        assert not list(graph.select(query))


def test_a_proof_shows_filters_under_not() -> None:
    text = f"{P}RULE {{ ?x :ok ?y }} WHERE {{ ?x :p ?y NOT {{ ?x :q ?z FILTER(?z > ?y) }} NOT {{ FILTER(?y > 7) }} }}"
    with KnowledgeGraph.open(rules=[]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(text, syntax="srl")
        graph.add(f"{P} :a :p 3 ; :q 2 .")
        proof = graph.explain((":a", ":ok", 3), prefixes={"": E}).to_text({"": E})
        graph.add(f"{P} :b :p 3 ; :q 1, 4 . :c :p 8 .")
        triples = (
            graph.why_not((each, ":ok", value), prefixes={"": E}).to_text({"": E})
            for each, value in ((":b", 3), (":c", 8))
        )
        found, alone = triples
    assert "    no ([:a, :q, ?v1], FILTER(?v1 > 3))\n    no FILTER(3 > 7)\n" in proof
    assert "fails: no ([:b, :q, ?v1], FILTER(?v1 > 3)), because :b :q 4 (asserted)" in found
    assert "fails: no FILTER(8 > 7)" in alone


def test_imports_come_from_the_catalogue_or_from_beside(tmp_path: Path) -> None:
    main, other, third = (tmp_path / name for name in ("main.srl", "other.srl", "third.srl"))
    main.write_text(f"{P}IMPORTS <{E}other> RULE {{ ?x :a ?y }} WHERE {{ ?x :b ?y }}", "utf-8")
    other.write_text(f"{P}IMPORTS <third.srl> RULE {{ ?x :b ?y }} WHERE {{ ?x :c ?y }}", "utf-8")
    third.write_text(f"{P}IMPORTS <{E}other> DATA {{ :s :c :o }}", "utf-8")
    catalogue = {f"{E}other": other, f"{E}third.srl": third}
    with KnowledgeGraph.open(rules=[main], catalogue=catalogue) as graph:
        assert len(graph.own_rules()) == 3
        graph.add(f"{P} :x :c :y .")
        assert ask(graph, ":x :a :y . :s :a :o")
        with graph.transaction() as tx:
            tx.unload_rules(main)
        assert not graph.own_rules()
        with graph.transaction() as tx:
            tx.add_rules(f"IMPORTS <{E}other>", syntax="srl")
        assert ask(graph, ":x :b :y")
    third.write_text(f"{P}IMPORTS <main.srl> DATA {{ :s :c :o }}", "utf-8")
    with pytest.raises(RuleSyntaxError, match=rf"{main}:2:9: no rule set with the IRI <{E}other> is known"):
        KnowledgeGraph.open(rules=[main])
    main.write_text(f"{P}IMPORTS <third.srl>", "utf-8")
    with KnowledgeGraph.open(rules=[main]) as graph:
        graph.add(f"{P} :x :y :z .")
        assert ask(graph, ":s :c :o")


def test_a_text_imports_no_file_beside(tmp_path: Path) -> None:
    known, secret = tmp_path / "known.srl", tmp_path / "secret.srl"
    known.write_text("DATA { <e:a> <e:b> <e:c> }", "utf-8")
    secret.write_text("DATA { <e:x> <e:y> <e:z> }", "utf-8")
    with KnowledgeGraph.open(catalogue={f"{E}known": known}) as graph, graph.transaction() as tx:
        tx.add_rules(f"IMPORTS <{E}known>", syntax="srl")
        for before in ("", f"IMPORTS <{E}known> "):
            with pytest.raises(RuleSyntaxError, match="no rule set with the IRI"):
                tx.add_rules(f"{before}IMPORTS <{secret.as_uri()}>", syntax="srl")


def test_an_error_in_an_imported_rule_set_names_its_file(tmp_path: Path) -> None:
    main, other = tmp_path / "main.srl", tmp_path / "other.srl"
    main.write_text("IMPORTS <other.srl>", "utf-8")
    other.write_text("RULE", "utf-8")
    with pytest.raises(RuleError, match=rf"{other}:1:5: found the end of the text"):
        KnowledgeGraph.open(rules=[main])


def test_the_command_line_takes_rule_sets(tmp_path: Path) -> None:
    store, path, query = tmp_path / "store", tmp_path / "family.srl", tmp_path / "nephew.rq"
    path.write_text(FAMILY, "utf-8")
    query.write_text(f"{P}CONSTRUCT {{ ?z :nephew ?x }} WHERE {{ ?x :uncle ?z }}", "utf-8")
    succeed("load", "-l", store, "-f", "-", "--format", "ttl", "--rules", path, stdin=DATA)
    succeed("rules", "add", "-l", store, query)
    assert "nephew" in succeed("rules", "list", "-l", store)
    assert "joe" in succeed("query", "-l", store, "--query", f"SELECT * {{ ?z <{E}nephew> ?x }}")
    text = "RULE { ?x :q 1 } WHERE { ?x :uncle ?z }"
    succeed("rules", "add", "-l", store, "--syntax", "srl", "--prefix", f"={E}", "--rule", text)
    assert "1" in succeed("query", "-l", store, "--query", f"SELECT * {{ ?z <{E}q> ?x }}")
    succeed("rules", "remove", "-l", store, "--syntax", "srl", "--prefix", f"={E}", "--rule", text)
    succeed("rules", "remove", "-l", store, path)
    succeed("rules", "remove", "-l", store, "--file", query)
    with KnowledgeGraph.open(store) as graph:
        assert not graph.own_rules()
    told = error_of("rules", "add", "-l", store, "--syntax", "srl", "--rule", "RULE")
    assert told == "<rule>:1:5: found the end of the text, expected an IRI or '{'"
