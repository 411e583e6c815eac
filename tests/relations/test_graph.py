"""Relations of a graph: edits, deltas, reading, keys, types, proofs, reopening."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import ContradictionError, InputError, InputTypeError, LimitError, RuleError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.rules.model import Variable
from kgreason.rules.parser import ruleset
from kgreason.rules.relations.names import INNER
from kgreason.store.journal.record import Record
from tests.tables import table

REACH = "reach(?x, ?y) :- edge(?x, ?y) . reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) ."
WEIGHTED = "@relation edge(from, to, weight: xsd:integer) key(from, to) ."
A, B, C = "<urn:a>", "<urn:b>", "<urn:c>"
EX = {"ex": "urn:"}


def with_rules(text: str, path: Path | None = None) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, rules=["none"])
    with graph.transaction() as tx:
        tx.add_rules(text)
    return graph


def texts(rows: object) -> list[tuple[str, ...]]:
    return sorted(tuple(map(str, row)) for row in rows)  # type: ignore[attr-defined]


def test_inserted_facts_are_in_the_delta_with_what_follows() -> None:
    with with_rules(REACH) as graph:
        delta = graph.relation("edge").insert([(A, B), (B, C)])
        assert delta.relations == ["edge", "reach"]
        assert delta.relation("edge").appeared(asserted=True) == [(A, B), (B, C)]
        assert sorted(delta.relation("reach").appeared(asserted=False)) == [(A, B), (A, C), (B, C)]
        gone = graph.relation("edge").delete([(A, B)])
        assert gone.relation("edge").disappeared() == [(A, B)]
        assert sorted(gone.relation("reach").disappeared()) == [(A, B), (A, C)]
        assert texts(graph.relation("reach")) == [(B, C)]


def test_a_derived_fact_that_is_asserted_turns() -> None:
    with with_rules(REACH) as graph:
        graph.relation("edge").insert([(A, B)])
        assert graph.relation("reach").insert([(A, B)]).relation("reach").turned(asserted=True) == [(A, B)]
        assert graph.relation("edge").delete([(A, B)]).relation("reach").disappeared() == []
        assert texts(graph.relation("reach").facts(asserted=True)) == [(A, B)]


def test_an_edit_that_changes_nothing_is_no_commit() -> None:
    with with_rules(REACH) as graph:
        graph.relation("edge").insert([(A, B)])
        assert graph.relation("edge").insert([(A, B)]).commit == 0
        assert graph.relation("edge").delete([(B, A)]).commit == 0
        assert graph.relation("edge").insert([]).commit == 0


def test_subscribers_hear_of_facts() -> None:
    heard: list[Delta] = []
    with with_rules(REACH) as graph:
        graph.subscribe(heard.append)
        graph.relation("edge").insert([(A, B)])
    assert [each.relations for each in heard] == [["edge", "reach"]]


def test_a_transaction_commits_facts_triples_and_rules_together() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("[?x, <urn:near>, ?y] :- edge(?x, ?y), [?x, a, <urn:C>] .")
            tx.add((A, "a", "urn:C"))
            tx.relation("edge").insert([(A, B), (A, C)]).delete([(A, C)])
        assert tx.delta.appeared(asserted=False) == [(A, "<urn:near>", B)]


def test_a_failed_transaction_changes_nothing() -> None:
    with with_rules(REACH) as graph:
        terms = graph.stats()["terms"]
        tx = graph.transaction()
        tx.relation("edge").insert([(A, B)])
        tx.end(False)
        assert len(graph.relation("edge")) == 0
        assert graph.stats()["terms"] == terms


def test_a_what_if_changes_nothing_and_has_the_delta() -> None:
    with with_rules(REACH) as graph:
        graph.relation("edge").insert([(A, B)])
        with graph.what_if() as tx:
            tx.relation("edge").insert([(B, C)])
        assert sorted(tx.delta.relation("reach").appeared()) == [(A, C), (B, C)]
        assert len(graph.relation("reach")) == 1


def test_a_budget_rolls_facts_back() -> None:
    with KnowledgeGraph.open(rules=["none"], budget=50) as graph:
        with graph.transaction() as tx:
            tx.add_rules(REACH)
        with pytest.raises(LimitError):
            graph.relation("edge").insert([(f"urn:{i}", f"urn:{i + 1}") for i in range(50)])
        assert len(graph.relation("edge")) == len(graph.relation("reach")) == 0


def test_a_fact_is_explained() -> None:
    with with_rules(REACH) as graph:
        graph.relation("edge").insert([(A, B), (B, C)])
        proof = graph.relation("reach").explain((A, C))
        assert str(proof.fact.relation) == "reach"
        assert [str(each.fact.relation) for each in proof.premises] == ["reach", "edge"]
        assert graph.relation("edge").explain((A, B)).is_asserted


def test_a_store_keeps_facts(tmp_path: Path) -> None:
    with with_rules(f"{WEIGHTED} heavy(?x) :- edge(?x, ?y, ?w), FILTER(?w > 5) .", tmp_path / "s") as graph:
        edge = graph.relation("edge")
        edge.insert([("urn:a", "urn:b", 5), ("urn:b", '"x, \\"y)\\n"@en', 7)])
        edge.upsert([("urn:a", "urn:b", 9)])
        before = texts(edge), texts(graph.relation("heavy"))
    for _ in range(2):
        with KnowledgeGraph.open(tmp_path / "s") as graph:
            assert (texts(graph.relation("edge")), texts(graph.relation("heavy"))) == before
            graph.add((A, "urn:p", B))  # the engine starts, and replays the journal
            assert (texts(graph.relation("edge")), texts(graph.relation("heavy"))) == before
            assert graph.relation("edge").columns == ("from", "to", "weight")
            graph.remove((A, "urn:p", B))
    with KnowledgeGraph.open(tmp_path / "s", read_only=True) as graph:
        assert (texts(graph.relation("edge")), texts(graph.relation("heavy"))) == before


def test_a_record_with_facts_has_a_version() -> None:
    record = Record(3, facts=((1, 'edge(<urn:a>, "x\\n, )"@en, "5"^^<urn:t>) .'), (-1, "off() .")))
    patch = record.patch()
    assert Record.parse(patch) == record
    assert b'H version "2"^^<' in patch
    with pytest.raises(ValueError, match="newer version"):
        Record.parse(patch.replace(b'version "2"', b'version "3"'))
    assert b"version" not in Record(3).patch()


@table(
    ("row", "problem"),
    [
        (("urn:a", "urn:b", "x"), "row 1, column weight, value 'x': not a value of its datatype"),
        (("urn:a", "urn:b", 1.5), "row 1, column weight, value 1.5: expected a literal of"),
        (("urn:a", None, 1), "row 1, column to, value None: the value is missing"),
        (("urn:a", "tom", 1), "row 1, column to, value 'tom': the value 'tom' is not a term"),
        (("urn:a", "urn:b"), "row 1: 2 values, but edge has 3 places"),
        (("urn:a", object(), 1), "row 1, column to, value <object"),
    ],
)
def test_a_wrong_value_names_row_column_and_value(row: tuple[object, ...], problem: str) -> None:
    with with_rules(WEIGHTED) as graph:
        with pytest.raises(InputError, match=re.escape(problem)):
            graph.relation("edge").insert([row])
        assert len(graph.relation("edge")) == 0


@pytest.mark.parametrize("rows", [5, [5], ["ab"], ("urn:a", "urn:b", 5)])
def test_rows_of_a_wrong_form_are_an_error(rows: object) -> None:
    with with_rules(WEIGHTED) as graph, pytest.raises(InputTypeError):
        graph.relation("edge").insert(rows)


def test_a_second_fact_with_a_key_is_refused_and_upsert_replaces_it() -> None:
    with with_rules(WEIGHTED) as graph:
        edge = graph.relation("edge")
        edge.insert([(A, B, 5)])
        with pytest.raises(InputError, match=r"row 2: edge\(.*\) has the same key as edge\(.*5.*\), which is asserted"):
            edge.insert([(B, C, 1), (A, B, 6)])
        with pytest.raises(InputError, match="rows 1 and 2 have the same key"):
            edge.upsert([(B, C, 1), (B, C, 2)])
        delta = edge.upsert([(A, B, 6), (B, C, 1)])
        assert len(delta.relation("edge").disappeared()) == 1
        assert len(edge) == 2
        with graph.transaction() as tx:
            tx.relation("edge").upsert([(A, B, 7)]).upsert([(A, B, 8)]).delete([(B, C, 1)]).insert([(B, C, 2)])
        assert sorted(int(row[2].value) for row in edge) == [2, 8]  # type: ignore[union-attr]


def test_upsert_needs_a_key() -> None:
    with with_rules(REACH) as graph, pytest.raises(InputError, match="edge has no key"):
        graph.relation("edge").upsert([(A, B)])


def test_only_rules_make_facts_of_derived_relations() -> None:
    with with_rules("@relation derived d(x) . @relation internal i(x) . d(?x) :- i(?x) . i(?x) :- e(?x) .") as graph:
        for name in "di":
            with pytest.raises(InputError, match="only rules make its facts"):
                graph.relation(name).insert([(A,)])
        delta = graph.relation("e").insert([(A,)])
        assert delta.relations == ["d", "e"]
        assert texts(graph.relation("i")) == [(A,)]


def test_rules_that_do_not_fit_a_declaration_are_refused() -> None:
    with with_rules(WEIGHTED) as graph:
        for text in ("p(?x) :- edge(?x, ?y) .", "@relation edge(a) .", 'p(?x) :- edge(?x, ?y, "a") .'):
            with pytest.raises(RuleError, match="edge"), graph.transaction() as tx:
                tx.add_rules(text)
        with graph.transaction() as tx:
            tx.remove_rules(WEIGHTED).add_rules("@relation edge(a) .")
        assert graph.relation("edge").columns == ("a",)


def test_a_declaration_that_facts_do_not_fit_is_refused() -> None:
    with with_rules("p(?x) :- q(?x) .") as graph:
        graph.relation("edge").insert([(A, B)])
        for text in ("@relation edge(a, b, c) .", "@relation edge(a, b: xsd:integer) ."):
            with pytest.raises(InputError, match="edge"), graph.transaction() as tx:
                tx.add_rules(text)
        graph.relation("edge").insert([(A, C)])
        with pytest.raises(InputError, match="key"), graph.transaction() as tx:
            tx.add_rules("@relation edge(a, b) key(a) .")


def test_names_of_kgreason_are_refused() -> None:
    with KnowledgeGraph.open() as graph:
        for name in ("eq_rep", "false", "DATA", "NOT p(?x)", "", "5", "dt_value"):
            with pytest.raises(InputError):
                graph.relation(name)


def test_relations_of_one_name_are_told_apart() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.relation("p").insert([(A,)])
        graph.relation("p", 2).insert([(A, B)])
        with pytest.raises(InputError, match="1 and 2 places"):
            len(graph.relation("p"))
        assert len(graph.relation("p", 1)) == len(graph.relation("p", 2)) == 1


def test_a_relation_without_places() -> None:
    with with_rules("[<urn:a>, <urn:p>, <urn:b>] :- on() .") as graph:
        assert graph.relation("on").insert([()]).appeared() == [(A, "<urn:p>", B)]
        assert () in graph.relation("on")
        assert texts(graph.relation("on")) == [()]
        assert len(graph.relation("on").delete([()]).disappeared()) == 1


def test_facts_are_matched() -> None:
    with with_rules(WEIGHTED) as graph:
        edge = graph.relation("edge")
        edge.insert([("ex:a", "ex:b", 5), ("ex:a", "ex:c", 6), ("ex:b", "ex:c", 5)], prefixes=EX)
        assert len(edge.match("ex:a", None, None, prefixes=EX)) == 2
        assert len(edge.match(None, None, 5)) == 2
        assert len(edge.match(None, None, "5")) == 2
        assert ("urn:a", "urn:b", 5) in edge
        assert ("urn:a", "urn:b", 6) not in edge
        assert ("urn:a",) not in edge
        with pytest.raises(InputError, match="3 places"):
            edge.match("urn:a")


def test_a_relation_that_nobody_uses_is_empty() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        assert list(graph.relation("edge")) == []
        assert len(graph.relation("edge")) == 0
        assert len(graph.relation("edge").match(A)) == 0


def test_facts_of_relations_are_counted_and_dumped() -> None:
    with with_rules(REACH) as graph:
        graph.relation("edge").insert([(A, B), (B, C)])
        assert graph.stats()["relations"] == 5
        assert sorted(graph.dump_relations()) == sorted(
            [f"edge({A}, {B}) .", f"edge({B}, {C}) .", f"reach({A}, {B}) .", f"reach({A}, {C}) .", f"reach({B}, {C}) ."]
        )
        assert sorted(graph.dump_relations(asserted=True)) == [f"edge({A}, {B}) .", f"edge({B}, {C}) ."]


def test_numbers_are_written_in_the_type_of_their_column() -> None:
    with with_rules("@relation m(a: xsd:double, b: xsd:byte, c: xsd:decimal, d: xsd:date, e: rdfs:Literal) .") as graph:
        graph.relation("m").insert([(5, 5, Decimal("1.50"), "2026-01-01", "x")])
        xsd = "http://www.w3.org/2001/XMLSchema#"
        written = ("5.0", "double"), ("5", "byte"), ("1.50", "decimal"), ("2026-01-01", "date")
        numbers = (f'"{text}"^^<{xsd}{kind}>' for text, kind in written)
        assert texts(graph.relation("m")) == [(*numbers, '"x"')]
        with pytest.raises(InputError, match="column b"):
            graph.relation("m").insert([(5, 500, 1, "2026-01-01", "x")])


def test_a_closed_graph_has_no_relations() -> None:
    graph = with_rules(REACH)
    graph.close()
    with pytest.raises(StoreError):
        graph.relation("edge")


def test_the_relations_of_the_rule_sets_are_no_users() -> None:
    sets = ("owl2rl", "rdfs", "rhodf", "representatives", "datatypes", "twins", "links", "swrl", "owl2el")
    atoms = (atom for name in sets for rule in ruleset(name).rules for atom in rule.atoms())
    assert {atom.relation for atom in atoms} - {None, "false"} == INNER


def test_the_proof_of_a_fact_by_an_equal_term_uses_a_rule_with_variables() -> None:
    """The rule eq-rep-s for a relation; found by the proofs of random graphs."""
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@prefix : <http://e/> . near(?x, ?y) :- [?x, :p, ?y] . [?x, :near, ?y] :- near(?x, ?y) .")
        same = "<http://www.w3.org/2002/07/owl#sameAs>"
        graph.add(f"@prefix : <http://e/> . :d {same} :b ; :p :c . :b {same} :a .")
        proof = graph.relation("near", 2).explain(("<http://e/a>", "<http://e/c>"))
        assert proof is not None
        link = next(step.rule.body[0] for step in proof.steps() if step.rule and step.rule.group == "representatives")
        assert [isinstance(term, Variable) for term in link.terms] == [True, False, True]


HIDING = "r(?x, ?x) :- [?x, <urn:p>, ?x], FILTER(isIRI(?x)) ."
"""A rule with hidden relations, whose names are terms of the dictionary."""


def _with_a_loop() -> KnowledgeGraph:
    graph = KnowledgeGraph.open(rules=["none"], on_contradiction="refuse")
    graph.add(f"{A} <urn:p> {A} .")
    return graph


@pytest.mark.parametrize("is_refused", [True, False])
def test_a_fact_is_the_users_although_a_hidden_relation_had_its_id(is_refused: bool) -> None:
    with _with_a_loop() as graph:
        if is_refused:
            with pytest.raises(ContradictionError), graph.transaction() as tx:
                tx.add_rules(f"{HIDING} false :- [?x, <urn:p>, ?x] .")
        else:
            with graph.what_if() as tx:
                tx.add_rules(HIDING)
        delta = graph.relation("u", 1).insert([(A,)])
        assert (delta.commit, texts(graph.relation("u", 1))) == (2, [(A,)])


def test_a_contradiction_is_found_although_a_relation_of_the_user_had_its_id() -> None:
    with _with_a_loop() as graph:
        with graph.what_if() as tx:
            tx.relation("u", 1).insert([(A,)])
        with pytest.raises(ContradictionError), graph.transaction() as tx:
            tx.add_rules("false :- [?x, <urn:p>, ?x] .")
