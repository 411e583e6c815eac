"""A small owlready2 world, and what a graph should hold of it: the N-Quads that owlready2 itself writes."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import owlready2
import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason import KnowledgeGraph

ZOO = "http://e/zoo"
_LABEL = re.compile(r"_:owl[0-9a-f]{12}x")


def zoo(world: Any) -> Any:
    """An ontology in which who has an owner is a pet, and a pet that barks is a dog."""
    onto = world.get_ontology(f"{ZOO}#")
    with onto:

        class Animal(owlready2.Thing):  # type: ignore[misc]
            pass

        class Person(owlready2.Thing):  # type: ignore[misc]
            pass

        class has_owner(owlready2.ObjectProperty):  # type: ignore[misc]  # noqa: N801
            pass

        class owns(owlready2.ObjectProperty):  # type: ignore[misc]  # noqa: N801
            inverse_property = has_owner

        class age(owlready2.DataProperty, owlready2.FunctionalProperty):  # type: ignore[misc]  # noqa: N801
            pass

        class Pet(Animal):
            equivalent_to = [Animal & has_owner.some(Person)]  # noqa: RUF012

    return onto


def asserted_quads(graph: KnowledgeGraph) -> set[str]:
    """The asserted quads of named graphs, blank nodes by owlready2's numbers."""
    lines = b"".join(graph.dump(asserted=True, graphs=True)).decode().split("\n")
    quads = [next(iter(pyoxigraph.parse(line, RdfFormat.N_QUADS))) for line in lines if line]
    return {_LABEL.sub("_:", str(quad)) for quad in quads if not isinstance(quad.graph_name, pyoxigraph.DefaultGraph)}


def saved_quads(world: Any) -> set[str]:
    """What owlready2 writes of a world, but for what is inferred; graphs go by the IRIs of their ontologies."""
    file = BytesIO()
    world.save(file, format="nquads")
    lines = [line for line in file.getvalue().decode().splitlines() if not line.endswith(" <http://inferrences/> .")]
    text = "\n".join(re.sub(r"#> \.$", "> .", line) for line in lines)
    return {str(quad) for quad in pyoxigraph.parse(text, RdfFormat.N_QUADS)}


def iri(name: str) -> str:
    return f"<{ZOO}#{name}>"


def has(graph: KnowledgeGraph, *terms: str) -> bool:
    """Whether the closure has a triple."""
    return bool(graph.query(f"ASK {{ {' '.join(terms)} }}"))
