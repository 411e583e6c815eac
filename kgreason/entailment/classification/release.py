"""`release`: the triples that `kgreason classify` writes: inferred axioms of some kinds, and maybe the asserted ones.

    SubClass, EquivalentClass                      the taxonomy of the classes
    ClassAssertion                                 the direct classes of named individuals
    SubObjectProperty, SubDataProperty             the direct superproperties
    EquivalentObjectProperty                       groups of equal object properties
    PropertyAssertion                              links between named individuals; owl2el derives none

The names are those of the axiom generators of `robot reason`. In a group of equal classes or properties the first one
stands for the group, as in `Taxonomy`.

Laws: the written axioms imply all subsumptions that the rules have derived, if SubClass and EquivalentClass are among
the kinds. An asserted triple is left out only if `redundant` asks for it, if it says that a named class is below
another, if the written ones imply it, and if nobody has annotated it. Cost: a look at each triple.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.entailment.classification.taxonomy import Taxonomy, of_pairs
from kgreason.entailment.versions.comparison import triples_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rules.model import Triple as Row
from kgreason.terms import vocabulary as v

_IS_INFERRED = "<http://www.geneontology.org/formats/oboInOwl#is_inferred>"
"""The annotation of an inferred axiom in releases of ontologies."""
_AXIOM, _ANNOTATION_PROPERTY = f"<{v.OWL}Axiom>", f"<{v.OWL}AnnotationProperty>"
_SOURCE, _PROPERTY, _TARGET = (f"<{v.OWL}annotated{part}>" for part in ("Source", "Property", "Target"))
_OBJECT, _DATA = f"<{v.OWL}ObjectProperty>", f"<{v.OWL}DatatypeProperty>"
_EQUAL_PROPERTIES = f"<{v.OWL}equivalentProperty>"
_SYMMETRIC = {v.OWL_EQUIVALENT_CLASS, _EQUAL_PROPERTIES}
"""An axiom with one of these predicates says the same with its subject and its object exchanged."""


class Release(NamedTuple):
    """The triples to write, in order, and how many redundant asserted axioms stay because they are annotated."""

    rows: list[Triple]
    annotated: int


def release(
    graph: KnowledgeGraph,
    found: Taxonomy,
    generators: Iterable[str],
    *,
    indirect: bool = False,
    merge: bool = False,
    redundant: bool = True,
    annotate: bool = False,
    duplicates: bool = True,
    external: bool = True,
) -> Release:
    """Return what `kgreason classify` writes for a classified graph.

    - `generators`: the kinds of the inferred axioms, names of `GENERATORS`.
    - `indirect`: whether all superclasses and superproperties are written, not only the direct ones.
    - `merge`: whether the asserted triples are written as well.
    - `redundant`: whether asserted superclasses stay that the written axioms imply.
    - `annotate`: whether each axiom that nobody asserted gets an annotation that says so.
    - `duplicates`: whether inferred axioms are written that files or imported documents state already.
    - `external`: whether to write inferred axioms about terms that only imported documents describe.
    """
    is_compared = merge or annotate or not (duplicates and external)
    quads = graph.match(None, None, None, asserted=True) if is_compared else ()
    asserted = {_texts(quad.triple): quad.triple for quad in quads}
    inferred = sorted({row for name in generators for row in GENERATORS[name](graph, found, indirect)})
    if not external:
        own = {row[0] for row in asserted}
        inferred = [row for row in inferred if row[0] in own or (row[1] in _SYMMETRIC and row[2] in own)]
    if not duplicates:
        stated = triples_of(graph, asserted=True)
        stated |= _annotated_triples(stated)
        inferred = [row for row in inferred if not (row in stated or (row[1] in _SYMMETRIC and row[::-1] in stated))]
    written = dict(asserted) if merge else {}
    annotated, kept = 0, _annotated_triples(asserted)  # an annotated axiom is stated, even without its own triple
    if merge and not redundant:
        is_redundant = _redundancy(found)
        for row in [each for each in written if each[1] == v.RDFS_SUB_CLASS_OF and is_redundant(each[0], each[2])]:
            if row in kept:
                annotated += 1
            else:
                del written[row]
    for row in inferred:
        is_stated = row in asserted or row in kept or (row[1] in _SYMMETRIC and row[::-1] in asserted)
        if not (merge and is_stated and row not in kept):
            written[row] = Triple(*map(_term, row))
        if annotate and not is_stated:
            written |= {_texts(each): each for each in _annotation_triples(row)}
    return Release([written[row] for row in sorted(written)], annotated)


def _redundancy(found: Taxonomy) -> Callable[[str, str], bool]:
    """Return whether the taxonomy implies a pair of classes, but for the direct superclasses of each class of a group.

    A link between two classes of a group is redundant: the taxonomy says that they are equal.
    """
    first, links = {name: group[0] for group in found.equal for name in group}, set(found.links)

    def is_redundant(name: str, above: str) -> bool:
        return (first.get(name, name), first.get(above, above)) not in links and (name, above) in found.indirect

    return is_redundant


def _texts(triple: Triple) -> Row:
    return str(triple.subject), str(triple.predicate), str(triple.object)


def _term(text: str) -> NamedNode:
    return NamedNode(text[1:-1])


def _annotated_triples(asserted: Iterable[Row]) -> set[Row]:
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for subject, predicate, object_ in asserted:
        if predicate in (_SOURCE, _PROPERTY, _TARGET):
            parts[subject][predicate] = object_
    return {
        (each[_SOURCE], each[_PROPERTY], each[_TARGET])
        for each in parts.values()
        if each.keys() >= {_SOURCE, _PROPERTY, _TARGET}
    }


def _annotation_triples(row: Row) -> Iterator[Triple]:
    """Yield an owl:Axiom that says that a triple is inferred. The triple alone decides the label of the node."""
    node = BlankNode(f"i{sha256(' '.join(row).encode()).hexdigest()[:16]}")
    said = ((v.RDF_TYPE, _AXIOM), (_SOURCE, row[0]), (_PROPERTY, row[1]), (_TARGET, row[2]))
    yield from (Triple(node, _term(predicate), _term(object_)) for predicate, object_ in said)
    yield Triple(node, _term(_IS_INFERRED), Literal("true"))
    yield Triple(_term(_IS_INFERRED), _term(v.RDF_TYPE), _term(_ANNOTATION_PROPERTY))


def _sub_classes(_: KnowledgeGraph, found: Taxonomy, indirect: bool) -> Iterator[Row]:
    yield from (row for row in found.triples(indirect=indirect) if row[1] == v.RDFS_SUB_CLASS_OF)


def _equal_classes(_: KnowledgeGraph, found: Taxonomy, indirect: bool) -> Iterator[Row]:  # noqa: ARG001
    yield from (row for row in found.triples() if row[1] == v.OWL_EQUIVALENT_CLASS)


def _types(graph: KnowledgeGraph, found: Taxonomy, indirect: bool) -> Iterator[Row]:
    first = {name: group[0] for group in found.equal for name in group}
    classes: dict[str, set[str]] = defaultdict(set)
    for subject, _, object_, *_ in graph.match(None, v.RDF_TYPE, None):
        name, of = str(subject), str(object_)
        if v.is_own_iri(name) and v.is_own_iri(of):
            classes[name].add(first.get(of, of))
    used, above = set[str]().union(*classes.values()), defaultdict[str, set[str]](set)
    for name, each in chain(found.links, found.indirect) if used else ():
        lower, upper = first.get(name, name), first.get(each, each)
        if lower != upper and lower in used:
            above[lower].add(upper)
    for name, of_one in classes.items():
        implied = set().union(*(above[each] for each in of_one)) if not indirect else set()
        yield from ((name, v.RDF_TYPE, each) for each in of_one - implied)


def _sub_properties(kind: str) -> Callable[[KnowledgeGraph, Taxonomy, bool], Iterator[Row]]:
    def triples(graph: KnowledgeGraph, _: Taxonomy, indirect: bool) -> Iterator[Row]:
        found = _property_taxonomy(graph, kind)
        pairs = {*found.links, *found.indirect} if indirect else found.links
        yield from ((name, v.RDFS_SUB_PROPERTY_OF, above) for name, above in pairs)

    return triples


def _equal_properties(graph: KnowledgeGraph, _: Taxonomy, indirect: bool) -> Iterator[Row]:  # noqa: ARG001
    for first, *others in _property_taxonomy(graph, _OBJECT).equal:
        yield from ((first, _EQUAL_PROPERTIES, other) for other in others)


def _property_taxonomy(graph: KnowledgeGraph, kind: str) -> Taxonomy:
    names = {str(subject) for subject, *_ in graph.match(None, v.RDF_TYPE, kind)}
    above: dict[str, set[str]] = {name: set() for name in names if v.is_own_iri(name)}
    for predicate in (v.RDFS_SUB_PROPERTY_OF, _EQUAL_PROPERTIES):
        for subject, _, object_, *_ in graph.match(None, predicate, None):
            name, other = str(subject), str(object_)
            if name in above and other in above:
                above[name].add(other)
                if predicate == _EQUAL_PROPERTIES:
                    above[other].add(name)
    return of_pairs((name, each) for name in above for each in _properties_above(name, above))


def _properties_above(name: str, above: Mapping[str, Collection[str]]) -> set[str]:
    """Return the properties above one: owl2el derives no chains of rdfs:subPropertyOf."""
    found, waiting = {name}, [name]
    while waiting:
        new = set(above[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


def _links(graph: KnowledgeGraph, found: Taxonomy, indirect: bool) -> Iterator[Row]:  # noqa: ARG001
    for subject, *_ in graph.match(None, v.RDF_TYPE, _OBJECT):
        rows = graph.match(None, subject, None) if v.is_own_iri(str(subject)) else ()
        links = (_texts(quad.triple) for quad in rows)
        yield from (row for row in links if v.is_own_iri(row[0]) and v.is_own_iri(row[2]))


GENERATORS: Mapping[str, Callable[[KnowledgeGraph, Taxonomy, bool], Iterator[Row]]] = {
    "SubClass": _sub_classes,
    "EquivalentClass": _equal_classes,
    "ClassAssertion": _types,
    "PropertyAssertion": _links,
    "SubObjectProperty": _sub_properties(_OBJECT),
    "SubDataProperty": _sub_properties(_DATA),
    "EquivalentObjectProperty": _equal_properties,
}
"""The kinds of inferred axioms, by the names that `robot reason --axiom-generators` has."""
