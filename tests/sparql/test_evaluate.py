"""What an update does to a graph with rules: it edits what is asserted, and sees what is entailed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.errors import InputError, QueryError
from kgreason.sparql.evaluate import Outcome
from tests.sparql.graphs import ClosedGraph

PREFIX = "PREFIX e: <http://e/>\n"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
FRIENDS = b"<http://e/a> <http://e/knows> <http://e/b> .\n"
IN_G = b"<http://e/c> <http://e/knows> <http://e/d> <http://e/g> .\n"


def updated(text: str, rows: bytes = b"") -> tuple[ClosedGraph, Outcome]:
    graph = ClosedGraph(rows)
    return graph, graph.update(PREFIX + text)


def lines(graph: ClosedGraph) -> list[str]:
    return sorted(f"{quad} ." for quad in graph.quads)


def test_a_row_that_is_entailed_alone_cannot_be_deleted() -> None:
    graph, outcome = updated("DELETE DATA { e:b e:knows e:a }", FRIENDS)
    assert not graph.steps
    assert (outcome.unasserted, graph.entailed(outcome)) == (1, 1)


def test_a_row_that_is_asserted_and_entailed_stays() -> None:
    graph, outcome = updated(
        "DELETE DATA { e:b e:knows e:a }", FRIENDS + b"<http://e/b> <http://e/knows> <http://e/a> .\n"
    )
    assert lines(graph) == ["<http://e/a> <http://e/knows> <http://e/b> ."]
    assert (outcome.unasserted, graph.entailed(outcome)) == (0, 1)


def test_a_row_that_comes_back_is_not_entailed() -> None:
    graph, outcome = updated("DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }", FRIENDS)
    assert len(graph.quads) == 2
    assert (outcome.unasserted, graph.entailed(outcome)) == (1, 0)


def test_where_sees_what_is_entailed() -> None:
    graph, _ = updated("INSERT { ?x e:friends true } WHERE { e:b e:knows ?x }", FRIENDS)
    assert '<http://e/a> <http://e/friends> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .' in lines(graph)


def test_delete_where_takes_what_is_asserted() -> None:
    graph, outcome = updated("DELETE WHERE { ?x e:knows ?y }", FRIENDS)
    assert not graph.quads
    assert (outcome.unasserted, graph.entailed(outcome)) == (1, 0)


def test_the_default_graph_shows_what_a_named_graph_holds() -> None:
    graph, outcome = updated("DELETE DATA { e:c e:knows e:d }", IN_G)
    assert len(graph.quads) == 1
    assert (outcome.unasserted, graph.entailed(outcome)) == (1, 1)
    graph, outcome = updated("DELETE DATA { GRAPH e:g { e:c e:knows e:d } }", IN_G)
    assert not graph.quads
    assert (outcome.unasserted, graph.entailed(outcome)) == (0, 0)


def test_with_a_graph_sees_its_quads_alone() -> None:
    graph, _ = updated("WITH e:g INSERT { ?x e:in e:g } WHERE { ?x e:knows ?y }", FRIENDS + IN_G)
    assert [line for line in lines(graph) if "/in>" in line] == [
        "<http://e/c> <http://e/in> <http://e/g> <http://e/g> ."
    ]


@pytest.mark.parametrize("written", ["1", "01", '"+1"^^<http://www.w3.org/2001/XMLSchema#integer>'])
def test_every_form_of_a_literal_goes(written: str) -> None:
    forms = b"".join(f'<http://e/a> <http://e/n> "{form}"^^<{INTEGER}> .\n'.encode() for form in ("01", "1", "001"))
    graph, outcome = updated(f"DELETE DATA {{ e:a e:n {written} }}", forms)
    assert not graph.quads
    assert outcome.unasserted == 0


def test_literals_are_asserted_as_they_are_written() -> None:
    graph, _ = updated("INSERT DATA { e:a e:n 01 } ; INSERT { ?s e:m 001 } WHERE { ?s e:n 1 }")
    assert lines(graph) == [
        f'<http://e/a> <http://e/m> "001"^^<{INTEGER}> .',
        f'<http://e/a> <http://e/n> "01"^^<{INTEGER}> .',
    ]


def test_data_operations_are_one_step() -> None:
    graph, outcome = updated("INSERT DATA { e:a e:p 1 } ; DELETE DATA { e:b e:p 1, 2 } ; INSERT DATA { e:b e:p 3 }")
    assert len(graph.steps) == 1
    assert outcome.unasserted == 2


def test_operations_see_those_before_them_without_a_wait() -> None:
    text = (
        "INSERT DATA { e:a e:p 1 } ; DELETE WHERE { e:x ?y ?z } ; INSERT DATA { e:c e:p 1 } ; DELETE DATA { e:a e:p 1 }"
    )
    assert len(updated(text)[0].steps) == 2


def test_a_graph_that_goes_to_itself_is_left_alone() -> None:
    graph, outcome = updated("MOVE e:g TO e:g ; COPY DEFAULT TO DEFAULT", FRIENDS + IN_G)
    assert not graph.steps
    assert not outcome.named


def test_a_delete_sees_the_other_form_that_was_inserted_before() -> None:
    graph, outcome = updated("INSERT DATA { e:a e:p 01 } ; DELETE DATA { e:a e:p 1 }")
    assert len(graph.steps) == 2
    assert (len(graph.quads), outcome.unasserted) == (0, 0)


def test_blank_nodes_are_deleted_by_a_pattern() -> None:
    graph, _ = updated("DELETE WHERE { ?x e:p ?y }", b"_:b1 <http://e/p> _:b2 .\n_:b1 <http://e/q> _:b2 .\n")
    assert lines(graph) == ["_:b1 <http://e/q> _:b2 ."]


def test_solutions_that_give_no_quad_give_nothing() -> None:
    text = """INSERT { ?x e:p 1 . e:a ?x 1 . e:a e:p ?x . e:a e:q <<( ?x e:p 1 )>> GRAPH ?x { e:a e:r 1 } }
        WHERE { VALUES ?x { "literal" UNDEF } }"""
    graph, _ = updated(text)
    assert lines(graph) == ['<http://e/a> <http://e/p> "literal" .']


def test_blank_nodes_are_new_for_every_solution() -> None:
    graph, _ = updated("INSERT { e:a e:p _:b GRAPH e:g { _:b e:q ?x } } WHERE { VALUES ?x { 1 2 1 } }")
    assert len(graph.quads) == 6
    assert len({quad.object for quad in graph.quads if str(quad.predicate) == "<http://e/p>"}) == 3


def test_copying_the_default_graph_copies_what_is_asserted() -> None:
    graph, _ = updated("COPY DEFAULT TO e:h ; MOVE e:g TO DEFAULT", FRIENDS + IN_G)
    assert lines(graph) == [
        "<http://e/a> <http://e/knows> <http://e/b> <http://e/h> .",
        "<http://e/c> <http://e/knows> <http://e/d> .",
    ]


def test_clear_says_what_stays() -> None:
    graph, outcome = updated("CLEAR DEFAULT", b"<http://e/d> <http://e/knows> <http://e/c> .\n" + IN_G)
    assert lines(graph) == [IN_G.decode().strip()]
    assert (outcome.unasserted, graph.entailed(outcome)) == (0, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("CREATE GRAPH e:g", "CREATE: the graph <http://e/g> already exists"),
        ("COPY e:x TO e:g", "COPY: there is no graph <http://e/x>"),
        ("ADD e:x TO e:x", "ADD: there is no graph <http://e/x>"),
        (
            "INSERT {} WHERE { SERVICE <http://localhost:1/x> { ?s ?p ?o } }",
            "the query cannot be evaluated: ",
        ),
    ],
)
def test_an_operation_that_fails_names_its_problem(text: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        updated(text, IN_G)


def test_silent_takes_a_graph_that_is_not_there_as_empty() -> None:
    graph, _ = updated("CREATE SILENT GRAPH e:g ; DROP GRAPH e:x ; CREATE GRAPH e:x ; ADD SILENT e:x TO e:g", IN_G)
    assert lines(graph) == [IN_G.decode().strip()]
    graph, _ = updated("MOVE SILENT e:x TO e:g", IN_G)
    assert not graph.quads


def test_load_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a b.trig"
    path.write_text("PREFIX e: <http://e/> { e:a e:p 01 } GRAPH e:h { e:b e:p 1 }", "utf-8")
    graph, _ = updated(f"LOAD <{path.as_uri()}> ; LOAD <{path.as_uri()}> INTO GRAPH e:g")
    assert lines(graph) == [
        f'<http://e/a> <http://e/p> "01"^^<{INTEGER}> .',
        f'<http://e/a> <http://e/p> "01"^^<{INTEGER}> <http://e/g> .',
        f'<http://e/b> <http://e/p> "1"^^<{INTEGER}> <http://e/g> .',
        f'<http://e/b> <http://e/p> "1"^^<{INTEGER}> <http://e/h> .',
    ]
    missing = (tmp_path / "missing.ttl").as_uri()
    with pytest.raises(InputError, match="there is no file"):
        updated(f"LOAD <{missing}>")
    assert not updated(f"LOAD SILENT <{missing}>")[0].quads
