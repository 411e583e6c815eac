"""`UnreadAxioms`: counts the asserted axioms of OWL that the rules of a graph do not read, or read in part only.

    :C rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :D ]     every :C has a value that no rule makes

`ontology/read/unread_kinds.py` has the table of these kinds, and says what *above* and *below* an axiom is. An
equivalent class is on both sides, and a complement swaps them.

Law: the warning depends on the set of asserted triples alone, up to the choice of the examples. Not counted are
expressions that no axiom uses, and expressions that are the type of an individual.
Cost: nothing for a commit without axioms. A commit with axioms keeps its rows. The warning is made when it is asked for
after such a commit: a sort of all rows of axioms, and a walk through the class expressions, level by level, in arrays.
Threads: the lock of the graph must be held, as for all of the materializer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.materialize.schema.rows import TYPE, flags_of, have_flag, is_stated
from kgreason.ontology.manchester import Manchester, is_blank
from kgreason.ontology.read.unread_kinds import ABOVE, BELOW, BOTH, KINDS, OF_AXIOMS, UnreadKind
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32
from kgreason.zset.zset import ZSet

_ID = {text: number for number, text in enumerate(VOCABULARY, 1)}
_SAME_SIDE = (v.OWL_SOME_VALUES_FROM, v.OWL_ALL_VALUES_FROM, v.OWL_ON_CLASS, v.OWL_ON_DATA_RANGE)
_OTHER_SIDE = (v.OWL_COMPLEMENT_OF, v.OWL_DATATYPE_COMPLEMENT_OF)
_LISTS = (v.OWL_INTERSECTION_OF, v.OWL_UNION_OF)
_EXPRESSIONS = frozenset(
    (*_SAME_SIDE, *_OTHER_SIDE, *_LISTS, *(kind.predicate for kind in KINDS if kind.sides), v.OWL_ON_PROPERTY)
)
_ROOTS = (
    (v.RDFS_SUB_CLASS_OF, (BELOW,), (ABOVE,)),
    (v.OWL_EQUIVALENT_CLASS, BOTH, BOTH),
    (v.OWL_DISJOINT_WITH, (BELOW,), (BELOW,)),
    (v.RDFS_DOMAIN, (), (ABOVE,)),
    (v.RDFS_RANGE, (), (ABOVE,)),
    (v.OWL_HAS_KEY, (BELOW,), ()),
)
"""Axioms between classes: the predicate, the sides of the subject, and the sides of the object."""

_MOST_PENDING = 1000
"""So many commits are kept apart at most, until they are merged."""
_FLAGS = flags_of(_EXPRESSIONS)
_PREFIXES = {"owl": v.OWL, "rdf": v.RDF, "rdfs": v.RDFS, "xsd": v.XSD}
_SHORT = re.compile(f"<({'|'.join(map(re.escape, _PREFIXES.values()))})([A-Za-z]+)>")
_NAMES = {space: name for name, space in _PREFIXES.items()}
_INTEGER = re.compile(r'"\+?0*(\d+)"')


class UnreadAxioms:
    """The asserted rows of axioms of a graph, and the warning about those that have no effect."""

    def __init__(self, dictionary: Dictionary, readers: Sequence[str]) -> None:
        """`readers`: the rule sets of the graph, as `UnreadKind.readers` names them."""
        self._dictionary = dictionary
        self._kinds = [kind for kind in KINDS if not set(kind.readers).intersection(readers)]
        self._names = " and ".join(dict.fromkeys(reader.split("+")[0] for reader in readers))
        self._rows = np.empty((0, 3), dtype=np.int32)
        self._pending: list[tuple[Int32, Int32]] = []
        """The rows that left and joined `_rows` since `_rows` was made."""
        self._accepted = 0
        """How many of `_pending` are of commits that were accepted."""
        self._known: dict[frozenset[str], tuple[str, ...]] = {}

    def adopt(self, asserted: Int32) -> None:
        """Begin with the asserted triples `asserted`, int32[n, 3]; those that are no axioms are left out."""
        self._rows, self._pending, self._accepted = asserted[is_stated(asserted)], [], 0
        self._known = {}

    def follow(self, removed: Int32, added: Int32) -> None:
        """Take the rows of axioms that left the asserted triples, and those that joined them.

        `accept` or `rollback` must follow.
        """
        self._known = {}
        self._pending.append((removed, added))

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._accepted = len(self._pending)
        if self._accepted > _MOST_PENDING:
            self._asserted()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self._known = {}
        del self._pending[self._accepted :]

    def warnings(self, read: Collection[str]) -> tuple[str, ...]:
        """Return the warning that names the axioms without effect by kind, if there are any.

        `read`: the constants that rules of the user mention. Axioms with such a predicate are not counted.
        """
        kinds = [kind for kind in self._kinds if kind.predicate not in read]
        key = frozenset(kind.predicate for kind in kinds)
        if key not in self._known:
            self._known[key] = tuple(self._warnings(kinds))
        return self._known[key]

    def _warnings(self, kinds: Collection[UnreadKind]) -> Iterator[str]:
        found = list(_kinds_in(self._asserted(), kinds, self._dictionary))
        if found:
            count = sum(len(rows) for _, rows, _ in found)
            parts = (_sentence(*each, self._dictionary, self._asserted()) for each in found)
            axioms = f"{count:,} axioms have" if count > 1 else "1 axiom has"
            yield f"{axioms} no effect, or only a part of it, {OF_AXIOMS} {self._names}: {'; '.join(parts)}"

    def _asserted(self) -> Int32:
        """Return the rows of all asserted axioms, int32[n, 3]. Within a commit nothing is merged."""
        if not self._pending:
            return self._rows
        rows = ZSet.of(self._rows)
        for removed, added in self._pending:
            rows = rows + ZSet.of(added) - ZSet.of(removed)
        columns = rows.positive().columns
        if self._accepted == len(self._pending):
            self._rows, self._pending, self._accepted = columns, [], 0
        return columns


def _kinds_in(
    rows: Int32, kinds: Collection[UnreadKind], dictionary: Dictionary
) -> Iterator[tuple[UnreadKind, Int32, Int32]]:
    """Yield each kind that `rows`, int32[n, 3], have: with its rows, and the subjects of the axioms that use them.

    A class expression counts once, as the first kind that it is.
    """
    ids = [_ID[kind.predicate] for kind in kinds]
    if not (np.isin(rows[:, 1], ids).any() or np.isin(rows[rows[:, 1] == TYPE, 2], ids).any()):
        return
    sides = _Sides(rows, dictionary)
    counted = np.empty(0, dtype=np.int32)
    for kind in kinds:
        told = _rows_of(kind, rows, dictionary)
        owners = told[:, 0]
        if kind.sides:
            told = told[~np.isin(told[:, 0], counted)]
            is_used, owners = sides.are_on_sides(told[:, 0], kind.sides)
            told, owners = told[is_used], owners[is_used]
            counted = np.concatenate([counted, told[:, 0]])
        if len(told):
            yield kind, told, owners


def _rows_of(kind: UnreadKind, rows: Int32, dictionary: Dictionary) -> Int32:
    """Return the rows that say an axiom of a kind, whatever its side."""
    if kind.is_type:
        types: Int32 = rows[(rows[:, 1] == TYPE) & (rows[:, 2] == _ID[kind.predicate])]
        return types
    told = _rows_with_predicates(rows, kind.predicate)
    if kind.limits:
        least, most = kind.limits
        texts = dictionary.decode(told[:, 2])
        numbers = [int(match[1]) if (match := _INTEGER.match(text)) else -1 for text in texts]
        told = told[np.array([least <= number <= most for number in numbers], dtype=np.bool_)]
    return told


class _Sides:
    """On which sides of axioms the class expressions of a schema are, and whose axioms these are."""

    def __init__(self, rows: Int32, dictionary: Dictionary) -> None:
        edges, turns = _edges(rows)
        nodes, at, owners = _roots(rows, dictionary)
        self._terms = np.unique(np.concatenate([edges.ravel(), nodes]))
        self._owners = np.zeros(2 * len(self._terms), dtype=np.int32)
        places = self._place(edges)
        order = np.argsort(places[:, 0], kind="stable")
        sources, targets, turns = places[order, 0], places[order, 1], turns[order]
        states = 2 * self._place(nodes) + at
        while len(states):
            fresh, first = np.unique(states, return_index=True)
            is_new = self._owners[fresh] == 0
            fresh = fresh[is_new]
            self._owners[fresh] = owners[first[is_new]]
            low, high = (np.searchsorted(sources, fresh >> 1, side) for side in ("left", "right"))
            counts = high - low
            step = np.repeat(high - counts.cumsum(), counts) + np.arange(counts.sum())
            states = 2 * targets[step] + (np.repeat(fresh & 1, counts) ^ turns[step])
            owners = np.repeat(self._owners[fresh], counts)

    def _place(self, terms: Int32) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.searchsorted(self._terms, terms)
        return found

    def are_on_sides(self, nodes: Int32, sides: tuple[int, ...]) -> tuple[NDArray[np.bool_], Int32]:
        """Return for each node whether it is on one of `sides`, bool[n], and the subject of an axiom by which it is."""
        if not len(self._terms):
            return np.zeros(len(nodes), dtype=np.bool_), nodes
        places = np.minimum(self._place(nodes), len(self._terms) - 1)
        owners = np.max([self._owners[2 * places + side] for side in sides], axis=0)
        owners[self._terms[places] != nodes] = 0
        return owners > 0, owners


def _rows_with_predicates(rows: Int32, *predicates: str) -> Int32:
    """Return the rows with one of the predicates."""
    found: Int32 = rows[np.isin(rows[:, 1], [_ID[each] for each in predicates])]
    return found


def _edges(rows: Int32) -> tuple[Int32, NDArray[np.int64]]:
    """Return pairs of a class expression and a part of it, int32[n, 2], and 1 for each that is on the other side."""
    same, other = _rows_with_predicates(rows, *_SAME_SIDE, *_LISTS), _rows_with_predicates(rows, *_OTHER_SIDE)
    counted = same[:, 1] == _ID[v.OWL_ON_CLASS]
    is_turned = counted & np.isin(same[:, 0], _rows_with_predicates(rows, v.OWL_MAX_QUALIFIED_CARDINALITY)[:, 0])
    parts = [same[:, [0, 2]], other[:, [0, 2]], _members(rows)]
    turned = [is_turned.astype(np.int64), *(np.full(len(part), n) for part, n in zip(parts[1:], (1, 0), strict=True))]
    return np.concatenate(parts), np.concatenate(turned)


def _members(rows: Int32) -> Int32:
    """Return pairs of the first cell of a list and a member of the list, int32[n, 2].

    Each cell learns in turn which cell is 1, 2, 4, ... cells before it.
    """
    firsts, rests = _rows_with_predicates(rows, v.RDF_FIRST), _rows_with_predicates(rows, v.RDF_REST)
    cells = np.unique(np.concatenate([firsts[:, 0], rests[:, 0]]))
    before = np.arange(len(cells))
    rests = rests[np.isin(rests[:, 2], cells)]
    before[np.searchsorted(cells, rests[:, 2])] = np.searchsorted(cells, rests[:, 0])
    for _ in range(31):
        further = before[before]
        if (further == before).all():
            break
        before = further
    heads = cells[before[np.searchsorted(cells, firsts[:, 0])]]
    return np.column_stack([heads, firsts[:, 2]]).astype(np.int32)


def _roots(rows: Int32, dictionary: Dictionary) -> tuple[Int32, NDArray[np.int64], Int32]:
    """Return the class expressions that axioms mention: the node, its side, and the subject of the axiom, each [n].

    An IRI that is described as a class expression is on both sides.
    """
    adc = rows[(rows[:, 1] == TYPE) & (rows[:, 2] == _ID[v.OWL_ALL_DISJOINT_CLASSES]), 0]
    lists = _rows_with_predicates(rows, v.OWL_MEMBERS)
    lists = lists[np.isin(lists[:, 0], adc)]
    described = np.unique(rows[have_flag(rows[:, 1], _FLAGS), 0])
    named = described[dictionary.kinds(described) == Kind.IRI]
    found = [(lists[:, 2], BELOW, lists[:, 0]), *((named, side, named) for side in BOTH)]
    for predicate, *ends in _ROOTS:
        told = _rows_with_predicates(rows, predicate)
        owners = np.where(dictionary.kinds(told[:, 0]) == Kind.IRI, told[:, 0], told[:, 2])
        found += [(told[:, column], side, owners) for column, sides in zip((0, 2), ends, strict=True) for side in sides]
    nodes, owners = (np.concatenate([each[n] for each in found]).astype(np.int32) for n in (0, 2))
    return nodes, np.concatenate([np.full(len(each[0]), each[1]) for each in found]), owners


def _sentence(kind: UnreadKind, rows: Int32, owners: Int32, dictionary: Dictionary, schema: Int32) -> str:
    """Return the count of a kind in words, with an example: that of the axiom whose subject comes first by its text."""
    name = kind.name.format(s="" if len(rows) == 1 else "s", y="y" if len(rows) == 1 else "ies")
    keyword = _short_text(kind.predicate)
    different = np.unique(owners)
    texts = dictionary.decode(different)
    owner = min(range(len(texts)), key=lambda number: (texts[number].startswith("_:"), texts[number]))
    node = int(rows[owners == different[owner]][0, 0])
    shown = _short_text(texts[owner])
    if node != different[owner]:
        shown = f"{_expression_text(node, schema, dictionary)} of {shown}"
    return f"{len(rows):,} {name} ({keyword}), for example {shown}"


def _expression_text(node: int, schema: Int32, dictionary: Dictionary) -> str:
    """Return a class expression in Manchester syntax; if its triples say no expression, in the manner of Turtle."""

    def said(term: str) -> list[tuple[str, str]]:
        rows = schema[schema[:, 0] == dictionary.find([term])[0]]
        texts = dictionary.decode(rows[:, 1:].ravel())
        return list(zip(texts[::2], texts[1::2], strict=True))

    (text,) = dictionary.decode(np.array([node], dtype=np.int32))
    if (expression := Manchester(said, _short_text).inside(text)) is not None:
        return expression
    pairs = (f"{_short_text(verb)} {'[...]' if is_blank(value) else _short_text(value)}" for verb, value in said(text))
    return f"[ {' ; '.join(sorted(pairs))} ]"


def _short_text(term: str) -> str:
    return _SHORT.sub(lambda match: f"{_NAMES[match[1]]}:{match[2]}", term)
