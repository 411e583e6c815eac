"""How the oracle reads lists: whole, finite, and with every value that replacing equals gives a node."""

from __future__ import annotations

import pytest

from tests.oracle.graph import Graph
from tests.oracle.notation import term, triples

L = "_:l"


def lists(text: str) -> set[tuple[frozenset[str], ...]]:
    return set(Graph(triples(text)).lists(L))


def items(*names: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(term, name.split())) for name in names)


def test_a_list_is_read_in_order() -> None:
    assert lists("LIST _:l B A B C") == {items("B", "A", "B", "C")}


def test_a_node_may_have_several_values() -> None:
    assert lists("LIST _:l A B . _:l rdf:first C") == {items("A C", "B")}


def test_several_rests_are_several_lists() -> None:
    assert lists("LIST _:l A B . _:l rdf:rest rdf:nil") == {items("A"), items("A", "B")}


@pytest.mark.parametrize(
    "broken",
    [
        "_:l rdf:first A",
        "_:l rdf:first A . _:l rdf:rest _:m",
        "_:l rdf:first A . _:l rdf:rest _:l",
        "_:l rdf:first A . _:l rdf:rest _:m . _:m rdf:rest rdf:nil",
        "_:l rdf:first A . _:l rdf:rest _:m . _:m rdf:first B . _:m rdf:rest _:l",
    ],
)
def test_a_broken_list_is_none(broken: str) -> None:
    assert lists(broken) == set()


def test_the_empty_list_is_none() -> None:
    assert list(Graph().lists(term("rdf:nil"))) == []
