"""Select the inferences of a graph that an owlready2 world should show, as rows of its quadstore.

Like `sync_reasoner`, this module selects only the most specific types of an individual and the nearest superclasses of
a class; `isinstance` and `ancestors()` find the other types and superclasses from these. So a type or superclass is
left out if another one lies strictly below it. Classes and properties that are below each other are equivalent. A class
below owl:Nothing is equivalent to owl:Nothing. A row that the world asserts itself is left out; so is a value that the
world asserts for the inverse property.

Only entities with an IRI are selected, and only if the world knows them as classes, object or data properties, or
individuals. Cost: one pass over the closure of the graph, and for each individual at most the square of the number of
its types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from owlready2 import base, driver
from pyoxigraph import Literal

from kgreason.bridges.owlready2.log import Datatype, Row, Value, rows
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.terms.tags import parse_quads

INFERENCES = "http://inferrences/"
"""The IRI of the ontology to which owlready2 adds inferences (the spelling is owlready2's)."""

Above: TypeAlias = Mapping[int, set[int]]
_NOWHERE = 0
"""The ontology number of a row that does not belong to an ontology yet."""


def inferred_rows(world: Any, graph: KnowledgeGraph, *, values: bool) -> set[Row]:
    """Return, as rows, the inferences that a world should show. With `values` these include values of properties."""
    known = _World(world)
    found = _Closure(known, graph, values)
    inferred = {
        *_memberships(found.types, _strictly_above(found.classes)),
        *_hierarchy(found.classes, base.rdfs_subclassof, base.owl_equivalentclass),
        *_hierarchy(found.properties, base.rdfs_subpropertyof, base.owl_equivalentproperty),
        *found.values,
    }
    return {row for row in inferred if not known.is_asserted(row)}


class _World:
    """The classes and properties of a world, and the rows that its ontologies assert."""

    def __init__(self, world: Any) -> None:
        self.world, db = world, world.graph.db
        self.storids = {f"<{iri}>": storid for storid, iri in db.execute("SELECT storid, iri FROM main.resources")}
        of_inferences = f"c IN (SELECT c FROM main.ontologies WHERE iri = '{INFERENCES}')"
        asserted = (row for objs in (True, False) for row in rows(db, f"NOT {of_inferences}", objs=objs))
        self._asserted = {_canonical_row(row) for row in asserted}
        self.classes = self._resources_of_type(base.owl_class)
        self.properties = self._resources_of_type(base.owl_object_property) | self._resources_of_type(
            base.owl_data_property
        )
        self._inverses: dict[int, set[int]] = defaultdict(set)
        for row in self._asserted:
            if row.p == base.owl_inverse_property:
                self._inverses[row.s].add(int(row.o))
                self._inverses[int(row.o)].add(row.s)

    def _resources_of_type(self, kind: int) -> set[int]:
        return {row.s for row in self._asserted if row.p == base.rdf_type and row.o == kind and row.s > 0}

    def is_asserted(self, row: Row) -> bool:
        """Whether an ontology of the world asserts `row`, or a row that has the same meaning (`_mirrored_rows`)."""
        if _canonical_row(row) in self._asserted:
            return True
        return row.d is None and any(mirror in self._asserted for mirror in self._mirrored_rows(row))

    def _mirrored_rows(self, row: Row) -> Iterator[Row]:
        """Yield the rows that mean the same as `row` and have its subject and object exchanged.

        Such a row is the other direction of an equivalence, or the value of the inverse property.
        """
        if row.p in (base.owl_equivalentclass, base.owl_equivalentproperty):
            yield Row(_NOWHERE, int(row.o), row.p, row.s, None)
        for inverse in self._inverses.get(row.p, ()):
            yield Row(_NOWHERE, int(row.o), inverse, row.s, None)


def _canonical_row(row: Row) -> Row:
    """Return a row in a form in which equal statements are equal rows.

    This form has no ontology, xsd:string for plain literals, and `en-US` for `en_US`.
    """
    d: Datatype = row.d
    if isinstance(d, str):
        d = d.replace("_", "-")
    elif d == 0:
        d = base._universal_datatype_2_abbrev[str]
    return Row(_NOWHERE, row.s, row.p, row.o, d)


class _Closure:
    """The part of a graph's closure that a world needs: types, pairs of subclass and subproperty, and values."""

    def __init__(self, known: _World, graph: KnowledgeGraph, values: bool) -> None:
        self.types: dict[int, set[int]] = defaultdict(set)
        self.classes: dict[int, set[int]] = defaultdict(set)
        self.properties: dict[int, set[int]] = defaultdict(set)
        self.values: set[Row] = set()
        self._known, self._with_values = known, values
        for chunk in graph.dump():
            for text in filter(None, chunk.decode().split("\n")):
                self._read(*text.removesuffix(" .").split(" ", 2))

    def _read(self, subject: str, predicate: str, object_: str) -> None:
        known = self._known
        s, p = known.storids.get(subject), known.storids.get(predicate)
        if s is None or p is None:
            return
        if p in known.properties:
            if self._with_values and not (s in known.classes or s in known.properties):
                self._value(s, p, object_)
        elif (o := known.storids.get(object_)) is not None and s != o:
            self._structure(s, p, o)

    def _structure(self, s: int, p: int, o: int) -> None:
        classes, properties = self._known.classes, self._known.properties
        if p == base.rdf_type and o in classes and s not in classes and s not in properties:
            self.types[s].add(o)
        elif p == base.rdfs_subclassof and s in classes and (o in classes or o == base.owl_nothing):
            self.classes[s].add(o)
        elif p == base.rdfs_subpropertyof and s in properties and o in properties:
            self.properties[s].add(o)

    def _value(self, s: int, p: int, object_: str) -> None:
        if object_.startswith('"'):
            self.values.add(Row(_NOWHERE, s, p, *_stored_value(object_, self._known.world)))
        elif (o := self._known.storids.get(object_)) is not None:
            self.values.add(Row(_NOWHERE, s, p, o, None))


def _stored_value(text: str, world: Any) -> tuple[Value, Datatype]:
    """Return the value and the datatype under which owlready2 stores a literal.

    `text` is the literal in N-Triples syntax. A number that SQLite cannot store is kept as text.
    """
    (found,) = parse_quads(f"<x:s> <x:p> {text} .".encode())
    literal = found.object
    assert isinstance(literal, Literal)
    if literal.language:
        return literal.value, f"@{literal.language}"
    datatype = literal.datatype.value
    read = int if datatype in driver.INT_DATATYPES else float if datatype in driver.FLOAT_DATATYPES else str
    return _number(read, literal.value), world._abbreviate(datatype)


def _number(read: type, text: str) -> Value:
    """Return `read(text)`; `read` is int, float or str.

    Returns the text itself if `read` refuses it, or if SQLite cannot store the number.
    """
    try:
        value: Value = read(text)
    except ValueError:
        return text
    is_storable = -(2**63) <= value < 2**63 if isinstance(value, int) else value == value
    return value if is_storable else text


def _strictly_above(above: Above) -> dict[int, set[int]]:
    """Return, for each entity x, the entities strictly above x: they are above x, and x is not above them."""
    return {one: {other for other in others if one not in above.get(other, ())} for one, others in above.items()}


def _nearest(members: set[int], above: Above) -> set[int]:
    """Return those of `members` that have no other member strictly below them."""
    covered = {other for member in members for other in above.get(member, ())}
    return members - covered


def _memberships(types: Above, above: Above) -> Iterator[Row]:
    for individual, classes in types.items():
        for class_ in _nearest(classes, above):
            yield Row(_NOWHERE, individual, base.rdf_type, class_, None)


def _hierarchy(above: Above, is_below: int, is_equivalent: int) -> Iterator[Row]:
    """Yield the rows of a hierarchy of classes or properties.

    Each entity has a row with the predicate `is_below` for each nearest entity strictly above it. It has a row with
    `is_equivalent` for each entity that is equivalent to it. `above[x]` are the entities above x.
    """
    strictly = _strictly_above(above)
    for one, others in above.items():
        for other in _nearest(strictly[one] - {base.owl_nothing}, strictly):
            yield Row(_NOWHERE, one, is_below, other, None)
        for other in others - strictly[one] | others & {base.owl_nothing}:
            yield Row(_NOWHERE, one, is_equivalent, other, None)
