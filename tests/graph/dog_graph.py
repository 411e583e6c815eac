"""A small graph to edit, and edits of it."""

from __future__ import annotations

from pathlib import Path

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph

from .views import lines

PREFIX = "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


ONTOLOGY = PREFIX + ":Dog rdfs:subClassOf :Animal . :rex a :Dog ."


REX = ("<http://e/rex>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Dog>")


ANIMAL = (*REX[:2], "<http://e/Animal>")


CLOSURE = (
    PREFIX
    + """
@group paths .
@rule step path(?x, ?y) :- [?x, :to, ?y] .
@rule "and on" path(?x, ?z) :- path(?x, ?y), [?y, :to, ?z] .
@rule shown [?x, :reaches, ?y] :- path(?x, ?y) ."""
)


class InjectedError(Exception):
    """What the tests inject."""


def add(graph: KnowledgeGraph, *items: object) -> Delta:
    with graph.transaction() as tx:
        tx.add(*items)
    return tx.delta


def remove(graph: KnowledgeGraph, *items: object) -> Delta:
    with graph.transaction() as tx:
        tx.remove(*items)
    return tx.delta


def add_rules(graph: KnowledgeGraph, text: str) -> Delta:
    with graph.transaction() as tx:
        tx.add_rules(text)
    return tx.delta


def asserted(graph: KnowledgeGraph) -> list[tuple[str, ...]]:
    return [tuple(line.removesuffix(" .").split(" ", 2)) for line in lines(graph.dump(asserted=True))]


def dog_graph(path: Path | None) -> KnowledgeGraph:
    """A graph of a dog, at a path or in memory."""
    graph = KnowledgeGraph.open(path)
    add(graph, ONTOLOGY)
    return graph
