"""`query`: what a graph knows of a class expression, as Protégé's DL query does.

    expression -> a new class that is equal to it, in a what-if -> the subsumptions and types that appear

Laws: nothing changes. The names of the new class and of its member are random, so nobody can have facts about them
in the graph. The answer has what the rules of the graph derive: if they do not read a part of the expression,
`unread` says so. Cost: a what-if, one query for the superclasses of all classes of the answer, and a second what-if
with a member of the class, to find out whether it can have one.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from kgreason.entailment.dl_query.manchester import turtle
from kgreason.entailment.dl_query.names import Graph, Names
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.ontology.read.unread_kinds import OF_AXIOMS
from kgreason.options import DEFAULT_GROUPS
from kgreason.terms import vocabulary as v

_APART = {v.OWL_THING, v.OWL_NOTHING}


class ClassAnswer(NamedTuple):
    """What a graph knows of a class expression. Names are N-Triples text, in order.

    - `equivalent`: the named classes that are equal to the expression.
    - `superclasses`, `subclasses`: the named classes above and below it that are not equal to it: the nearest ones, or
      all if `query` was asked for indirect ones. owl:Thing and owl:Nothing are left out.
    - `instances`: the individuals in it.
    - `contradiction`: why nothing can be in it; empty if something can, as far as the rules can tell. Otherwise the
      other fields are empty: the expression is equal to owl:Nothing.
    - `unread`: a line for each kind of a part that the rules do not read. So the answer may lack what follows from it.
    """

    equivalent: tuple[str, ...] = ()
    superclasses: tuple[str, ...] = ()
    subclasses: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    contradiction: str = ""
    unread: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the answer for `json.dumps`."""
        return self._asdict()


def query(
    graph: Graph, expression: str, *, indirect: bool = False, prefixes: Mapping[str, str] | None = None
) -> ClassAnswer:
    """Return what a graph knows of a class expression in Manchester syntax.

    Names in the expression are prefixed names, `<IRI>`, labels in single quotation marks, or words that are the label
    or the end of one IRI. `indirect` asks for all superclasses and subclasses. Raises InputError.

    >>> with KnowledgeGraph.open(rules=["owl2el"]) as graph:
    ...     _ = graph.add('''@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Hand rdfs:subClassOf :Thing ,
    ...         [ owl:onProperty :partOf ; owl:someValuesFrom :Arm ] . :Arm rdfs:subClassOf :Limb .''')
    ...     query(graph, "partOf some Limb").subclasses
    ('<http://e/Hand>',)
    """
    names = Names(graph, prefixes or {})
    asked, member = (f"<urn:{what}:{secrets.token_hex(16)}>" for what in ("the-class-asked-for", "a-member"))
    definition = f"{asked} a {v.OWL_CLASS} ; {v.OWL_EQUIVALENT_CLASS} {turtle(expression, names.iri)} ."
    unread = _unread_warnings(graph, definition, asked)
    with graph.what_if() as tx:
        tx.add(definition)
    above, below, instances = set[str](), set[str](), set[str]()
    for subject, predicate, object_ in tx.delta.appeared():
        if predicate == v.RDF_TYPE and object_ == asked:
            instances.add(subject)
        elif predicate == v.RDFS_SUB_CLASS_OF and subject == asked:
            above.add(object_)
        elif predicate == v.RDFS_SUB_CLASS_OF and object_ == asked:
            below.add(subject)
    if v.OWL_NOTHING in above:
        return ClassAnswer(contradiction="it is a subclass of owl:Nothing", unread=unread)
    with graph.what_if() as tx:
        tx.add(f"{definition} {member} a {asked} .")
    if raised := tx.delta.contradictions:
        told = str(raised[0]).replace(member, "a member").replace(asked, "the expression")
        return ClassAnswer(contradiction=told, unread=unread)
    above, below = (_names_in(found) - {asked} for found in (above, below))
    equal = above & below
    above, below = above - equal, below - equal
    if not indirect:
        known = _superclasses(graph, above | below)
        above, below = _nearest(above, known, upper=False), _nearest(below, known, upper=True)
    equivalent, superclasses, subclasses, members = (tuple(sorted(each)) for each in (equal, above, below, instances))
    return ClassAnswer(equivalent, superclasses, subclasses, members, unread=unread)


def _names_in(found: Collection[str]) -> set[str]:
    return {name for name in found if name.startswith("<") and name not in _APART}


def _superclasses(graph: Graph, names: Collection[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    if names:
        listed = " ".join(sorted(names))
        for row in graph.select(f"SELECT ?x ?y {{ VALUES ?x {{ {listed} }} ?x {v.RDFS_SUB_CLASS_OF} ?y }}"):
            found[str(row["x"])].add(str(row["y"]))
    return found


def _nearest(names: set[str], superclasses: Mapping[str, set[str]], *, upper: bool) -> set[str]:
    """Return the classes of `names` that have none of the others strictly above them, or below them."""
    strict = {
        (name, each)
        for name in names
        for each in superclasses.get(name, ())
        if each in names and name not in superclasses.get(each, ())
    }
    return names - {pair[0 if upper else 1] for pair in strict}


def _unread_warnings(graph: Graph, definition: str, asked: str) -> tuple[str, ...]:
    """Return the warnings of the graph's rules about the axioms of the class expression alone."""
    rules = [name for name in graph.options["rules"] if name.split("+")[0] in DEFAULT_GROUPS]
    with KnowledgeGraph.open(rules=rules or ["none"]) as alone:
        alone.add(definition)
        return tuple(each.replace(asked, "the expression") for each in alone.warnings if OF_AXIOMS in each)
