"""What is no fact of a relation: the error names row, column and value, and nothing has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError, RuleError

XSD = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "


def test_a_declaration_counts_for_a_relation_that_was_taken_before_it() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            edge = tx.relation("edge", 2)
            tx.add_rules(f"{XSD} @relation edge(a, n: xsd:integer) key(a) . @relation derived made(a) .")
            with pytest.raises(InputError, match="row 1, column n, value 'x'"):
                edge.insert([("urn:a", "x")])
            with pytest.raises(InputError, match="same key"):
                edge.insert([("urn:a", 1), ("urn:a", 2)])
            with pytest.raises(InputError, match="only rules make its facts"):
                tx.relation("made").insert([(5,)])
        assert not len(graph.relation("edge"))


@pytest.mark.parametrize(
    ("type_", "value", "said"),
    [
        ("xsd:integer", 10**5000, "value 2[*][*]16609 or more: the number is too large"),
        ("xsd:double", 10**400, "the number is too large"),
        ("xsd:string", "a\ud800b", "the text cannot be UTF-8"),
    ],
    ids=["integer", "double", "string"],
)
def test_a_value_that_is_no_literal(type_: str, value: object, said: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"{XSD} @relation v(n, w: {type_}) .")
        with pytest.raises(InputError, match=f"row 2, column w, {said}|row 2, column w, value .*: {said}"):
            graph.relation("v").insert([(1, "text" if type_ == "xsd:string" else 1), (2, value)])
        assert not len(graph.relation("v"))


def test_an_input_that_an_expression_alone_would_derive() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation input given(a) .")
        with pytest.raises(RuleError, match="no rule may derive it"), graph.transaction() as tx:
            tx.add_rules("given(?x) :- BIND(1 AS ?x) .")


def test_a_name_with_half_of_a_character() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph, pytest.raises(InputError, match="not the name of a relation"):
        graph.relation("a\ud800")


@pytest.mark.parametrize("name", ["FILTER", "MIN", "SKOLEM"])
def test_a_name_that_no_rule_could_write(name: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph, pytest.raises(InputError, match="a word of the rule language"):
        graph.relation(name)


def test_the_number_of_places() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with pytest.raises(InputTypeError, match="number of places"):
            graph.relation("edge", "two")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="0 or more"):
            graph.relation("edge", -1)
        with pytest.raises(InputError, match="row 1: 1 values, but edge has 10000"):  # at once, whatever the number is
            graph.relation("edge", 10**100).insert([("urn:a",)])


def test_a_quote_that_does_not_close(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('x\n"abc\nd\n')
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"{XSD} @relation one(a: xsd:string) .")
        with pytest.raises(InputError, match=r"rows.csv: unexpected end of data"):
            graph.relation("one").insert(tmp_path / "rows.csv")


def test_empty_lines(tmp_path: Path) -> None:
    """One ahead of the header says nothing; in a file with tabs, one is the empty string of a single column."""
    (tmp_path / "rows.csv").write_text("\nb,a\n1,2\n")
    (tmp_path / "rows.tsv").write_text("x\n\ny\n")
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"{XSD} @relation two(a, b) . @relation one(a: xsd:string) .")
        graph.relation("two").insert(tmp_path / "rows.csv")
        graph.relation("one").insert(tmp_path / "rows.tsv")
        assert (2, 1) in graph.relation("two")
        assert {term.value for (term,) in graph.relation("one")} == {"x", "", "y"}  # type: ignore[union-attr]


def test_membership_in_a_relation() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"{XSD} @relation v(n: xsd:integer, w) .").relation("v").insert([(5, 3)])
        found = graph.relation("v")
        assert (5, 3) in found
        assert (None, 3) not in found
        assert ("x", 3) not in found
