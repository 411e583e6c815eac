"""The random ontologies hold what they promise: every kind and construct, valid RDF, and axioms that interact."""

from __future__ import annotations

from hypothesis import given
from pyoxigraph import RdfFormat, parse

from tests.oracle import owl2rl
from tests.oracle.graph import Graph, Triple
from tests.oracle.vocabulary import FIRST, OWL, REST, TYPE
from tests.strategies.axioms import INDIVIDUALS, KINDS, META, A, Axiom, B, P, axioms, class_expressions
from tests.strategies.expressions import NARY, node, written
from tests.strategies.ontologies import Quad, datasets, graphs, nquads, ontologies, union
from tests.strategies.sampling import sample

CONSTRUCTS = (*NARY, "complementOf", "inverseOf", "someValuesFrom", "allValuesFrom", "hasValue")
CARDINALITIES = ("maxCardinality", "maxQualifiedCardinality")


def test_every_kind_turns_up() -> None:
    drawn = sample(axioms(), 600)
    assert {axiom.kind for axiom in drawn} == KINDS
    assert all(axiom.triples for axiom in drawn)


def test_every_construct_turns_up_in_class_expressions() -> None:
    drawn = sample(class_expressions(), 300)
    predicates = {p for expression in drawn for _, p, _ in written(expression)}
    assert predicates >= {f"<{OWL}{construct}>" for construct in (*CONSTRUCTS, *CARDINALITIES)}


@given(ontologies(KINDS - META))
def test_kinds_can_be_left_out(drawn: list[Axiom]) -> None:
    assert not {axiom.kind for axiom in drawn} & META


@given(datasets())
def test_a_dataset_is_valid_n_quads(quads: list[Quad]) -> None:
    read = [
        (str(quad.subject), str(quad.predicate), str(quad.object), _graph(str(quad.graph_name)))
        for quad in parse(nquads(quads), RdfFormat.N_QUADS)
    ]
    assert read == quads
    assert union(quads) == {quad[:3] for quad in quads}


def _graph(name: str) -> str | None:
    return None if name == "DEFAULT" else name


def test_a_triple_may_stand_in_several_graphs() -> None:
    assert any(len(union(quads)) < len(quads) for quads in sample(datasets(), 50))


@given(ontologies(KINDS - {"brokenList"} - META))
def test_every_list_is_whole(drawn: list[Axiom]) -> None:
    graph = Graph(triple for axiom in drawn for triple in axiom.triples)
    inner = {rest for _, rest in graph.pairs(REST)}
    for head in {head for head, _ in graph.pairs(FIRST)} - inner:
        (items,) = graph.lists(head)
        assert all(len(item) == 1 for item in items)


def test_a_salt_makes_another_node_with_the_same_meaning() -> None:
    expression = ("someValuesFrom", P, ("unionOf", A, B))
    one, two = set(written(expression, 0)), set(written(expression, 1))
    assert node(expression, 0) != node(expression, 1)
    assert len(one) == len(two) == 9
    assert not {s for s, _, _ in one} & {s for s, _, _ in two}
    assert set(written(expression, 0)) == one


def test_axioms_interact() -> None:
    closures = [(graph, *owl2rl.close(graph)) for graph in sample(graphs(), 600)]
    assert {found.rule for _, _, contradictions in closures for found in contradictions} == owl2rl.CHECKS.keys()
    assert sum(_derives_a_type_in_two_steps(graph, closure) for graph, closure, _ in closures) > 60


def _derives_a_type_in_two_steps(graph: set[Triple], closure: set[Triple]) -> bool:
    one_step = {triple for row in owl2rl.ROWS.values() for triple in row(Graph(graph))}
    return any(s in INDIVIDUALS and p == TYPE for s, p, _ in closure - one_step - graph)
