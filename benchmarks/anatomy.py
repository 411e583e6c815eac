"""A generated ontology in the shape of SNOMED CT, in OWL functional syntax and in Turtle.

A class is below one or two more general classes. Some classes are defined: a more general class and role groups, each
with one to three relations to other classes. Some have such relations without being defined. Axioms are right-linear:
there is a class on the left of each. Eight of sixty roles have a superrole; a few are transitive, or have a chain.

The classes are a tree of the given width, numbered from general to special. The fillers of relations come from the
most general quarter and are skewed towards its low numbers. So a definition is met by classes that nobody put there.

Cost: 0.1 s and 2 MB of Turtle for 10,000 classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

NAMESPACE = "http://example.org/anatomy#"
_ROLES, _SUBROLES, _TRANSITIVE, _CHAINS = 60, 8, (0, 1), ((2, 0, 2), (3, 0, 3), (4, 1, 4))
_DEFINED, _RELATED, _SECOND_PARENT = 0.25, 0.25, 0.35
_WIDTH = 6
_HEAD = """@prefix : <{0}> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
<{1}> a owl:Ontology .
"""

Relation: TypeAlias = tuple[int, int]
"""A role and the class that fills it."""


class Axiom(NamedTuple):
    """The axiom of a class: its superclasses, its role groups, and whether these two define the class."""

    name: int
    parents: tuple[int, ...]
    groups: tuple[tuple[Relation, ...], ...]
    is_definition: bool


def axioms(classes: int, seed: int = 0) -> Iterator[Axiom]:
    """Yield an axiom for each class but the first."""
    random = Random(seed)
    fillers = max(1, classes // 4)

    def groups() -> tuple[tuple[Relation, ...], ...]:
        def relation() -> Relation:
            return 5 + int((_ROLES - 5) * random.random() ** 3), int(fillers * random.random() ** 2)

        return tuple(
            tuple(dict.fromkeys(relation() for _ in range(random.randint(1, 3))))
            for _ in range(random.choice((1, 1, 2)))
        )

    for name in range(1, classes):
        parents = {(name - 1) // _WIDTH}
        if random.random() < _SECOND_PARENT:
            parents.add(int(name * random.random()))
        kind = random.random()
        if kind < _DEFINED + _RELATED:
            found = groups()
            if random.random() < 0.2:
                found = (*found, ((random.choice((0, 1, 2, 3, 4)), int(fillers * random.random() ** 2)),))
            yield Axiom(name, tuple(sorted(parents)), found, kind < _DEFINED)
        else:
            yield Axiom(name, tuple(sorted(parents)), (), False)


def roles() -> tuple[list[Relation], tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """Return the pairs (role, superrole), the transitive roles, and the chains (first, second, role)."""
    return [(_ROLES - 1 - n, n) for n in range(_SUBROLES)], _TRANSITIVE, _CHAINS


def write_functional(file: Path, classes: int, seed: int = 0, copies: int = 1) -> None:
    """Write the ontology in OWL functional syntax, for reasoners that read it.

    With `copies` the file has so many ontologies of this size. They share no class, so the file is as deep as one.
    """
    below, transitive, chains = roles()
    with file.open("w") as out:
        out.write(f"Prefix(:=<{NAMESPACE}>)\nPrefix(owl:=<http://www.w3.org/2002/07/owl#>)\n")
        out.write(f"Ontology(<{NAMESPACE[:-1]}>\n")
        out.writelines(f"Declaration(Class(:C{n}))\n" for n in range(copies * classes))
        out.writelines(f"Declaration(ObjectProperty(:r{n}))\n" for n in (*range(_ROLES), "group"))
        out.writelines(f"SubObjectPropertyOf(:r{r} :r{s})\n" for r, s in below)
        out.writelines(f"TransitiveObjectProperty(:r{r})\n" for r in transitive)
        out.writelines(f"SubObjectPropertyOf(ObjectPropertyChain(:r{r} :r{s}) :r{t})\n" for r, s, t in chains)
        for each, first in ((each, classes * copy) for copy in range(copies) for each in axioms(classes, seed + copy)):
            name, parts = f":C{first + each.name}", [f":C{first + parent}" for parent in each.parents]
            for group in each.groups:
                some = [f"ObjectSomeValuesFrom(:r{role} :C{first + filler})" for role, filler in group]
                inner = some[0] if len(some) == 1 else f"ObjectIntersectionOf({' '.join(some)})"
                parts.append(f"ObjectSomeValuesFrom(:rgroup {inner})")
            if each.is_definition:
                out.write(f"EquivalentClasses({name} ObjectIntersectionOf({' '.join(parts)}))\n")
            else:
                out.writelines(f"SubClassOf({name} {part})\n" for part in parts)
        out.write(")\n")


def write_turtle(file: Path, classes: int, seed: int = 0) -> None:
    """Write the same ontology in Turtle, as the OWL 2 mapping to RDF has it."""
    below, transitive, chains = roles()
    with file.open("w") as out:
        out.write(_HEAD.format(NAMESPACE, NAMESPACE[:-1]))
        out.writelines(f":C{n} a owl:Class .\n" for n in range(classes))
        out.writelines(f":r{n} a owl:ObjectProperty .\n" for n in (*range(_ROLES), "group"))
        out.writelines(f":r{r} rdfs:subPropertyOf :r{s} .\n" for r, s in below)
        out.writelines(f":r{r} a owl:TransitiveProperty .\n" for r in transitive)
        out.writelines(f":r{t} owl:propertyChainAxiom ( :r{r} :r{s} ) .\n" for r, s, t in chains)
        for each in axioms(classes, seed):
            parts = [f":C{parent}" for parent in each.parents]
            for group in each.groups:
                some = [_some(f"r{role}", f":C{filler}") for role, filler in group]
                parts.append(_some("rgroup", some[0] if len(some) == 1 else _all(some)))
            if each.is_definition:
                out.write(f":C{each.name} owl:equivalentClass {_all(parts)} .\n")
            else:
                out.writelines(f":C{each.name} rdfs:subClassOf {part} .\n" for part in parts)


def _some(role: str, filler: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty :{role} ; owl:someValuesFrom {filler} ]"


def _all(parts: list[str]) -> str:
    return f"[ a owl:Class ; owl:intersectionOf ( {' '.join(parts)} ) ]"
