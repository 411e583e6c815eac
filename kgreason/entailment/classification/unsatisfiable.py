"""`unsatisfiable`: the named classes of a graph that nothing can be in, each with a proof.

    graph + a member of each class -> new contradictions -> their proofs -> the members that a proof needs

A class is unsatisfiable if a member of it would contradict the ontology. So each class gets a member that exists for
this question alone. A proof that needs one member decides the class of this member. A proof may need several members,
because they have become equal; then each of their classes is asked about alone. The members of decided classes leave
the graph. The other classes are asked about again, until there is no new contradiction. The rules of OWL 2 EL can find
out that a class is below owl:Nothing. Such a class needs no member.

Laws: each class that is returned has a proof. A class that is not returned is satisfiable as far as the rules of the
graph can tell: rules without NOT derive no less from more members. Threads: the graph belongs to the caller alone, and
has its former triples at the end.
Cost: two commits for each round, one with the new members and one without them. A class that is asked about alone takes
two more commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.proof import Proof
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

_CLASSES = (v.OWL_CLASS, v.RDFS_CLASS)
_BUILT_IN = tuple(f"<{space}" for space in (v.OWL, v.RDF, v.RDFS, v.XSD))
_MEMBER = "urn:a-member-of:"


class Unsatisfiable(NamedTuple):
    """A class that nothing can be in: its `name` as N-Triples text, and a `proof` of the contradiction of a member.

    If the class is below owl:Nothing, `proof` proves that.
    """

    name: str
    proof: Proof

    def __str__(self) -> str:
        return f"nothing can be in {self.name}"


def unsatisfiable(graph: KnowledgeGraph) -> list[Unsatisfiable]:
    """Return the named classes of a graph that nothing can be in, in the order of their names.

    The graph must be open for writing. It gets members of its classes and loses them again, so nobody else may use it
    meanwhile. Raises StoreError if the graph is closed, and InputError if it refuses contradictions: then it cannot
    have such members.

    >>> with KnowledgeGraph.open() as graph:
    ...     _ = graph.add('''@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Cat owl:disjointWith :Dog .
    ...         :CatDog a owl:Class ; rdfs:subClassOf :Cat , :Dog .''')
    ...     [each.name for each in unsatisfiable(graph)]
    ['<http://e/CatDog>']
    """
    if graph.options["on_contradiction"] == "refuse":
        raise InputError(
            "the graph refuses contradictions, so it cannot say which classes would have contradictory members"
        )
    found = {name: graph.explain((name, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING)) for name in _below_nothing(graph)}
    waiting = [name for name in _classes(graph) if name not in found]
    known = graph.contradictions()
    while waiting:
        proofs = _proofs(graph, members(waiting), known)
        if not proofs:
            break
        decided = dict[str, Proof | None]()
        for proof, needed in proofs:
            for name in needed:
                if name not in decided:
                    alone = [(proof, needed)] if len(needed) == 1 else _proofs(graph, members([name]), known)
                    decided[name] = alone[0][0] if alone else None
        found |= {name: proof for name, proof in decided.items() if proof is not None}
        waiting = [name for name in waiting if name not in decided]
    return [Unsatisfiable(name, found[name]) for name in sorted(found)]


def _below_nothing(graph: KnowledgeGraph) -> list[str]:
    names = {str(subject) for subject, *_ in graph.match(None, v.RDFS_SUB_CLASS_OF[1:-1], v.OWL_NOTHING[1:-1])}
    return sorted(filter(_is_named, names))


def _classes(graph: KnowledgeGraph) -> list[str]:
    """Return the named classes of a graph: what is declared as a class, and what is below or above another class."""
    names = {str(subject) for each in _CLASSES for subject, *_ in graph.match(None, v.RDF_TYPE[1:-1], each[1:-1])}
    for subject, _, above, *_ in graph.match(None, v.RDFS_SUB_CLASS_OF[1:-1]):
        names |= {str(subject), str(above)}
    return sorted(filter(_is_named, names))


def _is_named(name: str) -> bool:
    return name.startswith("<") and not name.startswith(_BUILT_IN)


def members(names: Iterable[str]) -> dict[str, str]:
    """Return a member for each class, as N-Triples text: its name ends as that of the class does.

    >>> members(["<http://e/Cat>", "<http://f/Cat>"])
    {'<urn:a-member-of:Cat>': '<http://e/Cat>', '<urn:a-member-of:Cat-2>': '<http://f/Cat>'}
    """
    found = dict[str, str]()
    for name in names:
        local = name[1:-1].rstrip("/#").rpartition("#")[2].rpartition("/")[2]
        member, number = f"<{_MEMBER}{local}>", 1
        while member in found:
            number += 1
            member = f"<{_MEMBER}{local}-{number}>"
        found[member] = name
    return found


def _proofs(
    graph: KnowledgeGraph, classes: Mapping[str, str], known: Sequence[Contradiction]
) -> list[tuple[Proof, list[str]]]:
    """Return a proof of each contradiction that members of classes raise, with the classes whose members it needs.

    `classes` maps members to their classes. `known`: the contradictions of the graph without members.
    """
    triples: list[Triple] = [(member, v.RDF_TYPE, name) for member, name in classes.items()]
    with graph.transaction() as tx:
        tx.add(*triples)
    try:
        proofs = graph.prove_contradictions(known=known)
        return [(proof, needed) for proof in proofs if (needed := _needed(proof, classes))]
    finally:
        with graph.transaction() as tx:
            tx.remove(*triples)


def _needed(proof: Proof, classes: Mapping[str, str]) -> list[str]:
    """Return the classes whose members a proof needs."""
    subjects = (str(step.fact.terms[0]) for step in proof.steps() if step.is_asserted and step.fact.terms)
    return list(dict.fromkeys(classes[each] for each in subjects if each in classes))
