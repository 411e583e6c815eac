"""Read the axioms of a schema, one node at a time.

The *reading* of a node has the axioms of this node: it is the subject of their main triple, such as
`C owl:unionOf list`. A reading depends only on the triples of the nodes in `reads`: the node itself and the nodes
visited from it, mostly list cells. So an edit changes only the readings that visit a subject of an edited triple
(`LiveReadings` keeps the readings up to date).

Axioms are ordered by their sources, within a node and within a schema. So the place of an axiom does not depend on the
other axioms. No two axioms have equal sources.

For a broken list, or a broken SWRL rule (swrl.py), there is a warning instead of an axiom. The warning names the fault,
the list cell or node, and the axiom. The empty list gives neither an axiom nor a warning: LIST[h, e1, ..., en] of the
W3C tables (OWL 2 Profiles, Table 3) has at least one member, so no row matches rdf:nil.

After an edit, `LiveReadings` reads two kinds of nodes again, and compares the new reading with the old one: nodes whose
triples changed, and nodes whose reading visits such a node, for example as a cell of a list. The reading of any other
node stays the same. (An axiom that uses a restriction does not visit it: it has the restriction's node as a constant.)
Law: after any sequence of edits, the readings are those that `collect` finds in the present triples.

Cost: linear in the schema; a list that several axioms share is read once for each of them. Cost of an edit: linear in
the triples of the nodes that are read again, with their lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from kgreason.interrupts import SOME, let_out
from kgreason.ontology.change import Change
from kgreason.ontology.read.axioms import (
    COLLECTIONS,
    PAIRS,
    Axiom,
    Characteristic,
    Collection,
    Implication,
    Maximum,
    NegativeAssertion,
    Pair,
    Restriction,
)
from kgreason.ontology.read.lists import Fault, RdfList, read_list
from kgreason.ontology.read.schema import Constants, LiveSchema, Schema
from kgreason.ontology.read.swrl import read_implication
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v

_CHARACTERISTICS = (
    v.OWL_FUNCTIONAL_PROPERTY,
    v.OWL_INVERSE_FUNCTIONAL_PROPERTY,
    v.OWL_IRREFLEXIVE_PROPERTY,
    v.OWL_SYMMETRIC_PROPERTY,
    v.OWL_ASYMMETRIC_PROPERTY,
    v.OWL_TRANSITIVE_PROPERTY,
)
_TYPED_COLLECTIONS = (
    (v.OWL_ALL_DISJOINT_CLASSES, v.OWL_MEMBERS, v.OWL_ALL_DISJOINT_CLASSES),
    (v.OWL_ALL_DISJOINT_PROPERTIES, v.OWL_MEMBERS, v.OWL_ALL_DISJOINT_PROPERTIES),
    (v.OWL_ALL_DIFFERENT, v.OWL_MEMBERS, v.OWL_ALL_DIFFERENT),
    (v.OWL_ALL_DIFFERENT, v.OWL_DISTINCT_MEMBERS, v.OWL_DISTINCT_MEMBERS),
)
_RESTRICTIONS = (v.OWL_SOME_VALUES_FROM, v.OWL_ALL_VALUES_FROM, v.OWL_HAS_VALUE, v.OWL_HAS_SELF)
_TRUE = tuple(f'"{text}"^^{v.XSD_BOOLEAN}' for text in ("true", "1"))
_WHOLE = "integer|nonNegativeInteger|nonPositiveInteger|positiveInteger|long|int|short|byte"
_LIMIT = re.compile(
    rf'"(?P<value>[+-]?0*[01])(?:"\^\^<{v.XSD}(?:{_WHOLE}|unsigned(?:Long|Int|Short|Byte))>|(?:\.0*)?"\^\^<{v.XSD}decimal>)'
)


@dataclass(frozen=True, slots=True)
class BrokenAxiom:
    """An axiom that could not be read, because its list or SWRL rule has a fault. `str` returns the warning."""

    kind: Constant
    node: Constant
    fault: Fault

    def __str__(self) -> str:
        if self.fault.is_fork:
            where = f"forked list at {self.fault.cell}: {self.fault.problem}"
            return f"{where}; the {self.kind} of {self.node} is read with each of these values"
        what = "rule" if self.kind == v.SWRL_IMP else "list"
        where = f"broken {what} at {self.fault.cell}: {self.fault.problem}"
        return f"{where}; the {self.kind} of {self.node} yields no rule"


@dataclass(frozen=True, slots=True)
class Reading:
    """The axioms and broken axioms of `node`. `reads` are the subjects whose triples were read for them."""

    node: Constant
    axioms: tuple[Axiom, ...]
    broken: tuple[BrokenAxiom, ...]
    reads: frozenset[Constant]


def collect(schema: Schema) -> Iterator[Reading]:
    """Read all axioms of a schema. Yields a reading for each node that has axioms or broken axioms, ordered by node."""
    for n, node in enumerate(schema.subjects(), 1):
        if n % SOME == 0:
            let_out()
        reading = read_node(schema, node)
        if reading.axioms or reading.broken:
            yield reading


def read_node(schema: Schema, node: Constant) -> Reading:
    """Read the axioms whose main triple has `node` as its subject."""
    found = [
        item
        for predicate, objects in sorted(schema.properties_of(node).items())
        for reader in _READERS.get(predicate, ())
        for item in reader(schema, node, predicate, objects)
    ]
    axioms = [item for item in found if not isinstance(item, BrokenAxiom)]
    return Reading(
        node,
        tuple(sorted(axioms, key=attrgetter("sources"))),
        tuple([item for item in found if isinstance(item, BrokenAxiom)]) if len(axioms) < len(found) else (),
        frozenset([node]).union(*[_cells(item) for item in found if not isinstance(item, Pair)]),
    )


def _cells(item: Axiom | BrokenAxiom) -> Iterable[Constant]:
    """Return the subjects, other than the main node, whose triples were read for `item`."""
    if isinstance(item, BrokenAxiom):
        return item.fault.cells
    if isinstance(item, Implication):
        return item.reads
    return [subject for subject, _, _ in item.sources]


def _pairs(_: Schema, node: Constant, kind: Constant, others: Constants) -> list[Axiom | BrokenAxiom]:
    return [Pair(kind, node, other, ((node, kind, other),)) for other in others]


def _characteristics(_: Schema, node: Constant, type_: Constant, kinds: Constants) -> Iterator[Axiom]:
    for kind in kinds:
        if kind in _CHARACTERISTICS:
            yield Characteristic(kind, node, ((node, type_, kind),))


def _collections(schema: Schema, node: Constant, kind: Constant, heads: Constants) -> Iterator[Axiom | BrokenAxiom]:
    return _lists(schema, node, kind, heads, kind, ())


def _typed_collections(
    schema: Schema, node: Constant, type_: Constant, classes: Constants
) -> Iterator[Axiom | BrokenAxiom]:
    for class_, predicate, kind in _TYPED_COLLECTIONS:
        if class_ in classes:
            heads = schema.objects(node, predicate)
            yield from _lists(schema, node, predicate, heads, kind, ((node, type_, class_),))


def _lists(
    schema: Schema, node: Constant, predicate: Constant, heads: Constants, kind: Constant, typed: tuple[Triple, ...]
) -> Iterator[Axiom | BrokenAxiom]:
    """Yield a collection, or a broken axiom, for each list to which `predicate` leads from `node`.

    `heads` are the first cells of the lists. `kind` is the kind of the axioms. `typed` are further triples that the
    axioms are read from.
    """
    for head in heads:
        match read_list(schema, head):
            case Fault() as fault:
                yield BrokenAxiom(kind, node, fault)
            case RdfList(members, triples) if members:
                yield Collection(kind, node, members, (*typed, (node, predicate, head), *triples))


def _restrictions(schema: Schema, node: Constant, predicate: Constant, properties: Constants) -> Iterator[Axiom]:
    for property_ in properties:
        on_property = (node, predicate, property_)
        for kind in _RESTRICTIONS:
            for filler in schema.objects(node, kind):
                if kind != v.OWL_HAS_SELF or filler in _TRUE:
                    yield Restriction(kind, node, property_, filler, ((node, kind, filler), on_property))


def _maxima(schema: Schema, node: Constant, predicate: Constant, properties: Constants) -> Iterator[Axiom]:
    for property_ in properties:
        on_property = (node, predicate, property_)
        for limit, source in _limits(schema, node, v.OWL_MAX_CARDINALITY):
            yield Maximum(v.OWL_MAX_CARDINALITY, node, property_, limit, None, (source, on_property))
        for limit, source in _limits(schema, node, v.OWL_MAX_QUALIFIED_CARDINALITY):
            for class_ in schema.objects(node, v.OWL_ON_CLASS):
                sources = (source, on_property, (node, v.OWL_ON_CLASS, class_))
                yield Maximum(v.OWL_MAX_QUALIFIED_CARDINALITY, node, property_, limit, class_, sources)


def _limits(schema: Schema, node: Constant, kind: Constant) -> Iterator[tuple[int, Triple]]:
    """Yield each cardinality 0 or 1 that a node has by the predicate `kind`, with its triple.

    The W3C tables have a literal of the datatype xsd:nonNegativeInteger. A literal of another integer datatype or of
    xsd:decimal counts too if its value is equal, because dt-eq makes such literals equal.
    """
    for literal in schema.objects(node, kind):
        match = _LIMIT.fullmatch(literal)
        if match and int(match["value"]) >= 0:
            yield int(match["value"]), (node, kind, literal)


def _negative_assertions(schema: Schema, node: Constant, predicate: Constant, subjects: Constants) -> Iterator[Axiom]:
    for subject in subjects:
        for property_ in schema.objects(node, v.OWL_ASSERTION_PROPERTY):
            for kind in (v.OWL_TARGET_INDIVIDUAL, v.OWL_TARGET_VALUE):
                for target in schema.objects(node, kind):
                    sources = (
                        (node, predicate, subject),
                        (node, v.OWL_ASSERTION_PROPERTY, property_),
                        (node, kind, target),
                    )
                    yield NegativeAssertion(kind, node, (subject, property_, target), sources)


def _implications(schema: Schema, node: Constant, *_: Constant | Constants) -> Iterator[Axiom | BrokenAxiom]:
    match read_implication(schema, node):
        case Fault() as fault:
            yield BrokenAxiom(v.SWRL_IMP, node, fault)
        case Implication() as axiom:
            yield axiom


_Reader: TypeAlias = Callable[[Schema, Constant, Constant, Constants], Iterable[Axiom | BrokenAxiom]]
_READERS: Mapping[Constant, tuple[_Reader, ...]] = {
    **dict.fromkeys(PAIRS, (_pairs,)),
    **dict.fromkeys(COLLECTIONS, (_collections,)),
    v.RDF_TYPE: (_characteristics, _typed_collections, _implications),
    v.OWL_ON_PROPERTY: (_restrictions, _maxima),
    v.OWL_SOURCE_INDIVIDUAL: (_negative_assertions,),
}
"""The functions that read the axioms of a node, by a predicate of the node. They get the objects of the predicate."""


class LiveReadings:
    """The readings (axioms by node) of a schema that is edited; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._schema = LiveSchema(log)
        self._readings: dict[Constant, Reading] = {}
        self._readers: Index[Constant, Constant] = Index(log)
        self.faulty: dict[Constant, tuple[BrokenAxiom, ...]] = {}
        """The axioms whose list has a fault, by node."""

    @property
    def broken(self) -> tuple[BrokenAxiom, ...]:
        """The axioms whose list or SWRL rule has a fault, ordered by node."""
        return tuple(broken for _, found in sorted(self.faulty.items()) for broken in found)

    def change(self, triples: Change[Triple]) -> Change[Axiom]:
        """Remove schema triples, then add others. Returns the axioms that go and come, ordered by node.

        If the list of an axiom has changed, the old axiom goes and the new one comes.
        """
        gone: list[Axiom] = []
        come: list[Axiom] = []
        for n, node in enumerate(sorted(self.readers_of(self._schema.change(*triples))), 1):
            if n % SOME == 0:
                let_out()
            before = self._readings.get(node)
            if before is None and _READERS.keys().isdisjoint(self._schema.properties_of(node)):
                continue  # such as a list cell
            after = read_node(self._schema, node)
            gone += _axioms_only_in(before, after)
            come += _axioms_only_in(after, before)
            self._replace(node, before, after)
        return Change(tuple(gone), tuple(come))

    def readers_of(self, subjects: Iterable[Constant]) -> set[Constant]:
        """Return the nodes whose readings depend on the triples of one of the subjects `subjects`."""
        return {node for subject in subjects for node in (subject, *self._readers.get(subject, ()))}

    def _replace(self, node: Constant, before: Reading | None, after: Reading) -> None:
        self._register(node, before.reads if before else frozenset(), after.reads)
        if after.axioms or after.broken:
            self._log.put(self._readings, node, after)
        elif before:
            self._log.drop(self._readings, node)
        if after.broken:
            self._log.put(self.faulty, node, after.broken)
        elif node in self.faulty:
            self._log.drop(self.faulty, node)

    def _register(self, node: Constant, before: frozenset[Constant], after: frozenset[Constant]) -> None:
        """Update the index of the nodes that read a list cell.

        Until now the reading of `node` visited the cells `before`; from now on it visits the cells `after`.
        """
        for cell in before - after - {node}:
            self._readers.discard(cell, node)
        for cell in after - before - {node}:
            self._readers.add(cell, node)


def _axioms_only_in(reading: Reading | None, other: Reading | None) -> tuple[Axiom, ...]:
    """Return the axioms of `reading` that `other` does not have. Axioms with equal sources are equal."""
    axioms = reading.axioms if reading else ()
    if not axioms or not other:
        return axioms
    known = {axiom.sources for axiom in other.axioms}
    return tuple(axiom for axiom in axioms if axiom.sources not in known)
