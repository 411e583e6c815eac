"""`classify`: the taxonomy of an ontology: the direct superclasses, and the classes that nothing can be in.

    files -> graph with the rules of a reasoner -> all subsumptions of named classes -> groups of equal classes, and the
                                                                                        links between them

What rules derive is closed: a class has all its superclasses. The taxonomy has only what the rest does not imply. Law:
the reflexive and transitive closure of the taxonomy are the subsumptions that the rules derive (a test compares them).
Cost: that of loading, and a look at each pair (direct superclass, its superclass) of a class.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import EL, check_choice
from kgreason.progress import SILENT, Progress
from kgreason.proofs.proof import Proof
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v
from kgreason.zset.order import distinct

Reasoner: TypeAlias = Literal["el", "rl", "rl+el"]
RULES: Mapping[str, tuple[str, ...]] = {"el": (EL,), "rl": ("owl2rl",), "rl+el": ("owl2rl", EL)}
_BLOCK = 1 << 22
"""So many pairs of superclasses are looked at together."""
_PART = 1 << 16
_Ids: TypeAlias = NDArray[np.int64]


class Pairs(Sequence[tuple[str, str]]):
    """Pairs of classes, sorted. They are kept as numbers, since there may be millions.

    >>> pairs = Pairs(["<a>", "<b>", "<c>"], np.array([[0, 1], [0, 2]]))
    >>> len(pairs), pairs[1], ("<a>", "<b>") in pairs, ("<b>", "<c>") in pairs
    (2, ('<a>', '<c>'), True, False)
    """

    def __init__(self, names: Sequence[str], rows: NDArray[np.integer]) -> None:
        """`names` are sorted. `rows`, int[n, 2], are places in `names`, sorted."""
        self._names, self._rows = names, rows
        self._codes = rows.astype(np.int64) @ np.array([len(names), 1])

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> tuple[str, str]: ...

    @overload
    def __getitem__(self, place: slice) -> Pairs: ...

    def __getitem__(self, place: int | slice) -> tuple[str, str] | Pairs:
        if isinstance(place, slice):
            return Pairs(self._names, self._rows[place])
        name, above = self._rows[place].tolist()
        return self._names[name], self._names[above]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for low in range(0, len(self._rows), _PART):
            for name, above in self._rows[low : low + _PART].tolist():
                yield self._names[name], self._names[above]

    def without(self, names: AbstractSet[str]) -> Pairs:
        """Return the pairs whose first class is not among `names`."""
        is_left = np.array([name not in names for name in self._names], dtype=np.bool_)
        return Pairs(self._names, self._rows[is_left[self._rows[:, 0]]])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, pair: object) -> bool:
        name, above = (_place(self._names, each) for each in cast(tuple[str, str], pair))
        code = name * len(self._names) + above
        place = int(np.searchsorted(self._codes, code))
        return name >= 0 <= above and place < len(self._codes) and bool(self._codes[place] == code)


class Taxonomy(NamedTuple):
    """The taxonomy of an ontology. Classes are N-Triples text; everything is in the order of the texts.

    - `equal`: the groups of two or more classes that are equal, each without owl:Nothing.
    - `links`: (class, direct superclass), one pair for each two groups: the first class of a group stands for it.
    - `indirect`: all other pairs that follow, of different classes that are satisfiable.
    - `unsatisfiable`: the classes that nothing can be in.
    - `is_consistent`: whether the ontology has a model, as far as the rules can tell.
    """

    equal: tuple[tuple[str, ...], ...]
    links: tuple[tuple[str, str], ...]
    indirect: Pairs
    unsatisfiable: tuple[str, ...]
    is_consistent: bool

    def triples(self, *, indirect: bool = False) -> Iterator[Triple]:
        """Yield the taxonomy as triples with rdfs:subClassOf and owl:equivalentClass, with `indirect` all that follow.

        A class that nothing can be in is equivalent to owl:Nothing.
        """
        for first, *others in self.equal:
            yield from ((first, v.OWL_EQUIVALENT_CLASS, other) for other in others)
        pairs = sorted({*self.links, *self.indirect}) if indirect else self.links
        yield from ((name, v.RDFS_SUB_CLASS_OF, above) for name, above in pairs)
        yield from ((name, v.OWL_EQUIVALENT_CLASS, v.OWL_NOTHING) for name in self.unsatisfiable)


class Classification(NamedTuple):
    """What `classify` returns: the graph with all that follows, and its taxonomy. Close the graph when done with it."""

    graph: KnowledgeGraph
    taxonomy: Taxonomy
    proofs: Mapping[str, Proof] = MappingProxyType({})
    """Proofs of the unsatisfiable classes that are not below owl:Nothing: a member of each contradicts the ontology."""

    def why_unsatisfiable(self, name: str) -> Proof:
        """Return a proof that nothing can be in the class `name`. Raises QueryError if that does not follow."""
        return self.proofs.get(name) or self.graph.explain((name, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING))


def classify(
    *files: str | PathLike[str], reasoner: Reasoner = "el", progress: Progress = SILENT, **options: Any
) -> Classification:
    """Load RDF or OWL files and return their taxonomy.

    `reasoner` names the rules: "el" is the rule set owl2el, "rl" is owl2rl, and "rl+el" has both. With "rl" and "rl+el"
    a class is also unsatisfiable if a member of it would contradict the ontology. `options` are those
    of `KnowledgeGraph.open`, such as `catalogue`. Raises InputError, RdfSyntaxError.

    >>> from tempfile import NamedTemporaryFile
    >>> text = '''@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ... :Finger rdfs:subClassOf :Part . :Part rdfs:subClassOf :Thing . :Finger rdfs:subClassOf :Thing .'''
    >>> with NamedTemporaryFile("w", suffix=".ttl") as file:
    ...     _ = file.write(text), file.flush()
    ...     classify(file.name).taxonomy.links
    (('<http://e/Finger>', '<http://e/Part>'), ('<http://e/Part>', '<http://e/Thing>'))
    """
    check_choice("reasoner", reasoner, Reasoner)
    graph = KnowledgeGraph.open(rules=RULES[reasoner], late=True, **options)
    try:
        with graph.transaction() as tx:  # `KnowledgeGraph.load` would count all facts at the end
            tx.load(*files, progress=progress)
            tx.end(True, progress)
        found = taxonomy_of(graph)
        if reasoner == "el" or not found.is_consistent:
            return Classification(graph, found)
        proofs = {each.name: each.proof for each in graph.unsatisfiable_classes()}
        return Classification(graph, _with_unsatisfiable(found, proofs.keys()), proofs)
    except BaseException:
        graph.close()
        raise


def _with_unsatisfiable(found: Taxonomy, unsatisfiable: AbstractSet[str]) -> Taxonomy:
    """Return a taxonomy in which more classes are unsatisfiable: with a class all that are equal to it or below it."""
    if not unsatisfiable:
        return found
    links = tuple(pair for pair in found.links if pair[0] not in unsatisfiable)
    equal = tuple(group for group in found.equal if unsatisfiable.isdisjoint(group))
    empty = tuple(sorted({*unsatisfiable, *found.unsatisfiable}))
    return found._replace(equal=equal, links=links, indirect=found.indirect.without(unsatisfiable), unsatisfiable=empty)


def taxonomy_of(graph: KnowledgeGraph) -> Taxonomy:
    """Return the taxonomy of the named classes of a graph, by the subsumptions that its rules have derived."""
    found = taxonomy(*graph.pairs(v.RDFS_SUB_CLASS_OF))
    return found._replace(is_consistent=found.is_consistent and not graph.contradictions())


def of_pairs(pairs: Iterable[tuple[str, str]]) -> Taxonomy:
    """Return the taxonomy of subsumptions (class, superclass) that are transitively closed. Classes are texts.

    >>> of_pairs([("<a>", "<b>"), ("<b>", "<c>"), ("<a>", "<c>")]).links
    (('<a>', '<b>'), ('<b>', '<c>'))
    """
    pairs = list(pairs)
    names = sorted({name for pair in pairs for name in pair})
    places = {name: place for place, name in enumerate(names)}
    rows = np.array([(places[name], places[above]) for name, above in pairs], dtype=np.int64)
    return taxonomy(names, rows.reshape(-1, 2))


def taxonomy(names: Sequence[str], pairs: NDArray[np.integer]) -> Taxonomy:
    """Return the taxonomy of subsumptions that are transitively closed.

    `names`: the classes, sorted. `pairs`, int[n, 2]: a class and a superclass, as places in `names`.
    """
    rows, count = pairs.astype(np.int64), len(names)
    codes = distinct(rows[rows[:, 0] != rows[:, 1]] @ np.array([count, 1]))
    rows = np.stack(np.divmod(codes, max(count, 1)), axis=1)
    thing, nothing = (_place(names, name) for name in (v.OWL_THING, v.OWL_NOTHING))
    is_empty = np.zeros(count, dtype=np.bool_)
    is_empty[rows[rows[:, 1] == nothing, 0]] = True
    is_consistent = thing < 0 or not is_empty[thing]
    unsatisfiable = tuple(names[place] for place in np.flatnonzero(is_empty).tolist() if place != thing)
    kept = rows[~is_empty[rows[:, 0]] & (rows[:, 0] != nothing) & (rows[:, 1] != thing) & (rows[:, 1] != nothing)]
    first = _first_equals(kept, count)
    is_direct = _are_direct(first, kept)
    return Taxonomy(
        tuple(_groups(names, first)),
        tuple(Pairs(names, kept[is_direct])),
        Pairs(names, kept[~is_direct]),
        unsatisfiable,
        is_consistent,
    )


def _place(names: Sequence[str], name: str) -> int:
    place = bisect_left(names, name)
    return place if place < len(names) and names[place] == name else -1


def _groups(names: Sequence[str], first: _Ids) -> Iterator[tuple[str, ...]]:
    """Yield the groups of equal classes, in the order of their first classes. `first`: as `_first_equals` returns."""
    places = np.flatnonzero(np.bincount(first, minlength=len(first))[first] > 1)
    groups: dict[int, list[str]] = {}
    for place, group in zip(places.tolist(), first[places].tolist(), strict=True):
        groups.setdefault(group, []).append(names[place])
    yield from map(tuple, groups.values())


def _first_equals(rows: _Ids, count: int) -> _Ids:
    """Return for each class the first class that is equal to it: int64[count]."""
    sizes = np.bincount(rows[:, 0], minlength=count)
    alike = rows[sizes[rows[:, 0]] == sizes[rows[:, 1]]]  # equal classes have equally many superclasses
    mutual = alike[np.isin(alike[:, 1] * count + alike[:, 0], alike @ np.array([count, 1]))]
    first = np.arange(count)
    np.minimum.at(first, mutual[:, 0], mutual[:, 1])
    return first


def _are_direct(first: _Ids, rows: _Ids) -> NDArray[np.bool_]:
    """Return for each pair of `rows`, int64[n, 2], whether both are first classes with none between them."""
    is_strict = first[rows[:, 0]] != first[rows[:, 1]]
    of_firsts = is_strict & (first[rows[:, 0]] == rows[:, 0]) & (first[rows[:, 1]] == rows[:, 1])
    numbers = np.flatnonzero(of_firsts)
    strict = rows[numbers]  # sorted, as `rows` are
    count = len(first)
    codes = strict[:, 0] * count + strict[:, 1]
    starts = np.searchsorted(strict[:, 0], np.arange(count + 1))
    sizes = np.diff(starts)[strict[:, 1]]
    is_open, found = np.ones(len(strict), dtype=np.bool_), np.zeros(len(rows), dtype=np.bool_)
    order = np.lexsort((-sizes, strict[:, 0]))
    while len(order := order[is_open[order]]):
        # The superclass of a class that has the most superclasses itself is above no other one that is left.
        chosen = order[np.append(True, strict[order[1:], 0] != strict[order[:-1], 0])]
        found[numbers[chosen]], is_open[chosen] = True, False
        for block in np.array_split(chosen, 1 + int(sizes[chosen].sum()) // _BLOCK):
            each = sizes[block]
            within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
            above = strict[np.repeat(starts[strict[block, 1]], each) + within, 1]
            is_open[np.searchsorted(codes, np.repeat(strict[block, 0], each) * count + above)] = False
    return found
