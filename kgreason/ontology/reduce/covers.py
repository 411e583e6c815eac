"""The pass `covers`: it removes pairs of the closed schema that other pairs imply, before axioms are read.

A *pair* is a triple x p z, where p is rdfs:subClassOf, rdfs:subPropertyOf, rdfs:domain or rdfs:range.

If A is below B and B is below C, a closed schema also has the pair A below C. The rule of this pair derives only what
the rules of the other two pairs derive together. Most pairs of a deep hierarchy are such shortcuts. An order without
its shortcuts is its cover relation, or transitive reduction (Aho, Garey and Ullman 1972):

    rdfs:subClassOf, rdfs:subPropertyOf     remove `x below z` if some y is strictly between x and z
    rdfs:domain, rdfs:range                 remove `domain of p is C` if p has a domain strictly below C,
                                            or if a property strictly above p has the domain C

x is strictly below y if x is below y and y is not below x. So all pairs among equivalent classes or properties stay.
Superfluous rules that come from such pairs, or from other kinds of axioms, are left to `reduce`.

Law: if rdfs:subClassOf and rdfs:subPropertyOf are transitive in the schema, the rules of the remaining triples give the
same closure as the rules of all triples. Reason: each removed pair follows from two pairs; the ends of each of them are
strictly closer to each other. The result depends only on the set of triples. Cost of an edit: a check of each pair that
a changed pair may help to imply, or of all pairs if many changed. The pairs of one subject are checked together, in
half a microsecond for each; in hierarchies a hundred steps deep a check takes about ten microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from kgreason.ontology.change import Change
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v

_NOBODY: dict[Constant, None] = {}
_MANY = 4
"""All pairs are checked again if more than one in four changed."""
_LONG = 100
"""The pairs of one subject are decided together if this takes at most so many steps for each of them."""


def covers(schema: Iterable[Triple]) -> tuple[Triple, ...]:
    """Return the triples of a closed schema without those subclass and similar triples that other ones imply."""
    return LiveCovers(UndoLog()).change(Change((), tuple(schema))).come


class LiveCovers:
    """The pass `covers` for a schema that is edited; empty at first.

    It remembers all present subclass and similar triples (*pairs*), and for each pair whether other pairs imply it.
    """

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._is_implied: dict[Triple, bool] = {}
        self._classes, self._properties, self._domains, self._ranges = (_Pairs(log) for _ in range(4))
        self._relations: Mapping[Constant, _Relation] = MappingProxyType(
            {
                v.RDFS_SUB_CLASS_OF: _Relation(self._classes, self._classes, self._classes),
                v.RDFS_SUB_PROPERTY_OF: _Relation(self._properties, self._properties, self._properties),
                v.RDFS_DOMAIN: _Relation(self._domains, self._properties, self._classes),
                v.RDFS_RANGE: _Relation(self._ranges, self._properties, self._classes),
            }
        )

    def change(self, triples: Change[Triple]) -> Change[Triple]:
        """Remove triples, then add others. Returns the change of the output of the pass.

        The output has all triples except the subclass and similar triples (*pairs*) that other pairs imply. To remove
        an absent pair or to add a present one changes nothing.
        """
        changed: dict[Triple, bool] = {}
        gone: list[Triple] = []
        come: list[Triple] = []
        for triple, present in (dict.fromkeys(triples.gone, False) | dict.fromkeys(triples.come, True)).items():
            if triple[1] not in self._relations:
                (come if present else gone).append(triple)
            elif present != (triple in self._is_implied):
                changed[triple] = present
        judged = self._edit_pairs(changed) if changed else ()
        implied = _Implied(self._relations)
        for triple in judged:
            before = self._is_implied.get(triple, True)
            after = self._judge(triple, implied, is_there=changed.get(triple, True))
            if before != after:
                (gone if after else come).append(triple)
        return Change(tuple(gone), tuple(come))

    def _edit_pairs(self, changed: Mapping[Triple, bool]) -> dict[Triple, None]:
        """Add the pairs that have the value True in `changed`, and remove those with False.

        Returns the pairs that must be checked again, with the removed pairs among them.
        """
        if _MANY * len(changed) > len(self._is_implied):
            self._edit(changed)
            return dict.fromkeys(chain(changed, self._is_implied))
        before = list(chain.from_iterable(map(self._triples_to_recheck, changed)))
        self._edit(changed)
        return dict.fromkeys(chain(changed, before, chain.from_iterable(map(self._triples_to_recheck, changed))))

    def _edit(self, changed: Mapping[Triple, bool]) -> None:
        come: dict[Constant, list[tuple[Constant, Constant]]] = {kind: [] for kind in self._relations}
        for (x, kind, z), present in changed.items():
            if present:
                come[kind].append((x, z))
            else:
                self._relations[kind].pairs.discard(x, z)
        for kind, pairs in come.items():
            if pairs:
                self._relations[kind].pairs.update(pairs)

    def _judge(self, triple: Triple, implied: _Implied, *, is_there: bool) -> bool:
        """Check whether other pairs imply a pair; store and return the result.

        A pair that was removed (`is_there` False) counts as implied.
        """
        if not is_there:
            self._log.drop(self._is_implied, triple)
            return True
        is_implied = implied.has(triple)
        if self._is_implied.get(triple) is not is_implied:
            self._log.put(self._is_implied, triple, is_implied)
        return is_implied

    def _triples_to_recheck(self, triple: Triple) -> Iterator[Triple]:
        """Yield the subclass and similar triples to check again when `triple` is added or removed.

        These are all triples that can become implied by others, or stop being so, because of `triple`.
        """
        x, kind, z = triple
        changed = self._relations[kind]
        ways = (
            ((x, z), (z, x)) if x in _ends_at(changed.pairs.up, z) else ((x, z),)
        )  # whether (z, x) is strict may change, too
        for other, (pairs, lower, upper) in self._relations.items():
            if pairs is changed.pairs and pairs is not upper:
                yield from ((x, kind, y) for y in _ends_at(pairs.up, x) & _ends_at(upper.up, z))
                yield from ((y, kind, z) for y in _ends_at(lower.down, x) & _ends_at(pairs.down, z))
            for low, high in ways:
                if upper is changed.pairs:
                    yield from ((y, other, high) for y in _ends_at(pairs.down, low) & _ends_at(pairs.down, high))
                if lower is changed.pairs:
                    yield from ((low, other, y) for y in _ends_at(pairs.up, high) & _ends_at(pairs.up, low))


def _ends_at(index: Index[Constant, Constant], key: Constant) -> KeysView[Constant]:
    """Return `index.at(key)`, in the place where most look-ups are."""
    return index.get(key, _NOBODY).keys()


class _Pairs:
    """The pairs (x, z) of subject and object with one predicate.

    `up.at(x)` are all z that are paired with x, and `down.at(z)` are all x that are paired with z.
    """

    def __init__(self, log: UndoLog) -> None:
        self.up: Index[Constant, Constant] = Index(log)
        self.down: Index[Constant, Constant] = Index(log)

    def update(self, pairs: Sequence[tuple[Constant, Constant]]) -> None:
        turned = [(z, x) for x, z in pairs]
        self.up.add_all(pairs)
        self.down.add_all(turned)

    def discard(self, x: Constant, z: Constant) -> None:
        self.up.discard(x, z)
        self.down.discard(z, x)

    def is_strict(self, x: Constant, z: Constant) -> bool:
        """Whether x is strictly below z: there is no pair (z, x). The pair (x, z) must be present."""
        return x not in _ends_at(self.up, z)


class _Relation(NamedTuple):
    """The pairs (x, z) of subject and object with one predicate, with the orders of the subjects and of the objects.

    `lower` is the order of the subjects: a pair (x, z) implies (y, z) for each y below x. `upper` is the order of the
    objects: a pair (x, z) implies (x, y) for each y above z.
    """

    pairs: _Pairs
    lower: _Pairs
    upper: _Pairs

    def implies(self, x: Constant, z: Constant) -> bool:
        """Whether two other pairs imply the pair (x, z), by one of the cases at the top of this file."""
        pairs, lower, upper = self
        if pairs is upper:
            between = _common_terms(_ends_at(pairs.up, x), _ends_at(pairs.down, z))
            return any(pairs.is_strict(x, y) and pairs.is_strict(y, z) for y in between)
        return any(upper.is_strict(y, z) for y in _common_terms(_ends_at(pairs.up, x), _ends_at(upper.down, z))) or any(
            lower.is_strict(x, y) for y in _common_terms(_ends_at(lower.up, x), _ends_at(pairs.down, z))
        )


class _Implied:
    """Which pairs others imply, for as long as no pair changes: the pairs of one subject are decided together.

    The terms strictly above x are found once. The pairs of x that others imply lead to the terms strictly above these.
    """

    def __init__(self, relations: Mapping[Constant, _Relation]) -> None:
        self._relations = relations
        self._above: dict[tuple[int, Constant], set[Constant]] = {}
        self._known: dict[tuple[Constant, Constant], set[Constant] | None] = {}

    def has(self, triple: Triple) -> bool:
        """Whether two other pairs imply a pair; see `_Relation.implies`."""
        x, kind, z = triple
        try:
            ends = self._known[x, kind]
        except KeyError:
            ends = self._known[x, kind] = self._ends(x, self._relations[kind])
        return self._relations[kind].implies(x, z) if ends is None else z in ends

    def _ends(self, x: Constant, relation: _Relation) -> set[Constant] | None:
        """Return all z for which two other pairs imply the pair (x, z); None if to look at one z costs less."""
        pairs, lower, upper = relation
        if pairs is upper:
            between: AbstractSet[Constant] = self._strictly_above(upper, x)
            outer = set[Constant]()
        else:
            between, outer = _ends_at(pairs.up, x), self._strictly_above(lower, x)
        parts: list[AbstractSet[Constant]] = [self._strictly_above(upper, y) for y in between if y != v.OWL_SAME_AS]
        parts += (_ends_at(pairs.up, y) for y in outer if y != v.OWL_SAME_AS)
        if sum(map(len, parts)) > _LONG * (1 + len(_ends_at(pairs.up, x))):
            return None
        return set().union(*parts)

    def _strictly_above(self, order: _Pairs, x: Constant) -> set[Constant]:
        """Return the terms strictly above x."""
        found = self._above.get((id(order), x))
        if found is None:
            above = _ends_at(order.up, x)
            found = self._above[id(order), x] = above - (above & _ends_at(order.down, x))
        return found


def _common_terms(one: KeysView[Constant], other: KeysView[Constant]) -> Iterator[Constant]:
    """Return the terms that are in both sets, except owl:sameAs.

    With owl:sameAs between two terms, a chain of rules would break: a derived `x owl:sameAs x` is not stored.
    """
    if len(other) < len(one):
        one, other = other, one
    return (each for each in one if each in other and each != v.OWL_SAME_AS)
