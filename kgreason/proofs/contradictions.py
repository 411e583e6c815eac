"""Find the contradictions of a state of the graph (`SavedState`), without the engine.

One mistake of the user is reported as one contradiction, also if `false` has several derivations. Derivations are one
mistake in three cases: they differ only in equal terms (owl:sameAs), or only in the order of two terms of a symmetric
condition ({x, y} and {y, x}), or they follow from one ill-typed literal. But each pair of equal terms that was asserted
to be different is a mistake of its own.

Cost: one pass over the facts. If there are contradictions, also some microseconds for each, and one pass over the
rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from kgreason.interrupts import let_out
from kgreason.materialize.state import SavedState
from kgreason.proofs.contradiction import Contradiction, Key, Reading, reading, with_asserted_terms
from kgreason.proofs.different_pairs import DifferentPairs
from kgreason.rules.model import FALSE, Atom, Rule, Triple
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

FalseRules = Callable[[Collection[str], Collection[str]], Iterable[Rule]]
"""A function that takes names of rules, and terms. It returns the rules in force with these names that derive `false`.

It may leave out a rule with a constant that is not among the terms.
"""

_ILL, _NOT = "dt-not-type-ill", ("dt-not-type", "dt-not-type-equal")
_VALUES = tuple(f"{row}-literals" for row in ("prp-fp", "cls-maxc2", "cls-maxqc3", "cls-maxqc4"))
"""Rules for two literals with different values. An axiom makes the literals equal, because one subject has both."""
_SUBJECTS = "prp-ifp-literals", "prp-key-literals"
"""Rules for two literals with different values. An axiom makes them equal, because both are subjects of one value."""
_DIFFERENT = "eq-diff1", "eq-diff2", "eq-diff3"


class _FalseDerivation(NamedTuple):
    """A derivation of `false`, which is a row of the fact table.

    `place` is the number of the row. `name` is the name of the rule, and `reading` says how to put a derivation by the
    rule into words. `terms` are the terms of the row; `says` are these terms with representatives in place of equal
    terms.
    """

    place: int
    reading: Reading | None
    name: str
    terms: tuple[str, ...]
    says: tuple[str, ...]

    @property
    def key(self) -> Key:
        """A key that is equal for derivations of one mistake."""
        return self.reading.key(self.says, self.terms) if self.reading else (self.name, self.says)

    @property
    def values(self) -> dict[str, str]:
        """The values of the variables in the sentence for the rule; empty if the rule has no sentence."""
        return dict(self.reading.named_values(self.terms)) if self.reading else {}

    @property
    def equal(self) -> dict[str, str]:
        """The same as `values`, but with representatives in place of equal terms."""
        return dict(self.reading.named_values(self.says)) if self.reading else {}

    @property
    def ends(self) -> frozenset[str]:
        """The representatives of the two terms that may change places; empty if there are no such terms."""
        return frozenset(self.equal[name] for name in self.reading.alike) if self.reading else frozenset()

    @property
    def order(self) -> tuple[bool, bool, str, tuple[str, ...]]:
        """A sort key. Of several derivations of one mistake, the one with the smallest key is reported.

        Derivations by rules that were translated from an axiom come first. Among equals, derivations over
        representatives alone come first.
        """
        has_sources = self.reading is not None and bool(self.reading.rule.sources)
        return not has_sources, self.terms != self.says, self.name, self.terms


class Mistake(NamedTuple):
    """A contradiction (`contradiction`), and its row in the engine, int32[w].

    `row` has the ids of the relation, of the rule's name and of the terms, then zeros. If a mistake has several rows,
    `row` is one over representatives, because the others depend on the order of edits, and on how the constants of a
    rule are written. If the mistake is that two equal terms were asserted to be different, `row` is None: the engine
    knows only the representative of both terms, so it has no row for the pair.
    """

    contradiction: Contradiction
    row: Int32 | None


def contradictions(saved: SavedState, dictionary: Dictionary, rules: FalseRules) -> list[Contradiction]:
    """Return one contradiction for each mistake in a state, ordered by the rules' names and the terms.

    `rules` returns the rules that derive `false`.
    """
    return sorted(mistake.contradiction for mistake in mistakes(saved, dictionary, rules))


def mistakes(saved: SavedState, dictionary: Dictionary, rules: FalseRules) -> list[Mistake]:
    """Return one contradiction for each mistake in a state, with its row. `rules` returns rules with head `false`."""
    rows = _all_false_rows(saved, dictionary)
    if not len(rows):
        return []
    uses = _uses(rows, saved, dictionary, rules)
    found = [
        use.reading.contradiction(use.terms) if use.reading else Contradiction(use.name, use.terms) for use in uses
    ]
    listed: dict[object, Mistake] = {}
    asserted = _with_asserted_terms(found, saved, dictionary)
    for told, use in sorted(zip(asserted, uses, strict=True), key=lambda each: each[0]):
        listed.setdefault(told.pair or use.place, Mistake(told, rows[use.place]))
    if not any(use.name == "eq-diff1" for use in uses):
        return list(listed.values())
    written = DifferentPairs(saved, dictionary)
    return list(chain.from_iterable(_split_by_assertion(mistake, written) for mistake in listed.values()))


def _split_by_assertion(mistake: Mistake, written: DifferentPairs) -> Iterator[Mistake]:
    """Split a contradiction by the rule eq-diff1 into one for each pair of terms that were asserted to be different.

    `written` has these pairs. Other contradictions are yielded as they are.
    """
    pairs = written.pairs(mistake.contradiction.terms[0]) if mistake.contradiction.rule == "eq-diff1" else None
    if pairs is None:
        yield mistake
    for x, y in pairs or ():
        facts = Atom(None, (x, v.OWL_DIFFERENT_FROM, y)), Atom(None, (x, v.OWL_SAME_AS, y))
        yield Mistake(Contradiction("eq-diff1", (x, y), facts), None)


def is_contradictory(saved: SavedState, dictionary: Dictionary) -> bool:
    """Whether a state has any contradiction."""
    return len(_all_false_rows(saved, dictionary)) > 0


def _all_false_rows(saved: SavedState, dictionary: Dictionary) -> Int32:
    relations = dictionary.find([f"{FALSE.relation}/{arity}" for arity in range(1, 33)])
    return saved.facts_of_relations(relations[relations > 0])


def _uses(rows: Int32, saved: SavedState, dictionary: Dictionary, rules: FalseRules) -> list[_FalseDerivation]:
    """Return one derivation of `false` for each mistake that `rows` show.

    `rows`, int32[n, w], are all facts of `false`: ids of the relation, of the rule's name and of the terms.
    """
    says = rows.copy()
    says[:, 2:] = saved.in_primaries(says[:, 2:])
    readings = _Readings()
    texts, primaries = _texts(rows[:, 1:], dictionary), _texts(says[:, 1:], dictionary)
    named = {name.strip('"'): None for name, *_ in texts}
    for rule in rules(named.keys(), frozenset(chain.from_iterable(texts))):
        readings.add(reading(rule))
    found: dict[Key, _FalseDerivation] = {}
    for place, ((name, *terms), (_, *equal)) in enumerate(zip(texts, primaries, strict=True)):
        let_out()
        rule_name = name.strip('"')
        use = _FalseDerivation(
            place, readings.reading_of(rule_name, tuple(terms)), rule_name, tuple(terms), tuple(equal)
        )
        other = found.setdefault(use.key, use)
        if use.order < other.order:
            found[use.key] = use
    return _without_consequences(list(found.values()), saved, dictionary)


def _texts(rows: Int32, dictionary: Dictionary) -> list[list[str]]:
    texts = iter(dictionary.decode(rows[rows > 0]))
    return [[next(texts) for _ in range(count)] for count in (rows > 0).sum(axis=1).tolist()]


def _without_consequences(
    uses: list[_FalseDerivation], saved: SavedState, dictionary: Dictionary
) -> list[_FalseDerivation]:
    """Return `uses` without derivations that only repeat what another derivation says.

    Left out are:

    - "a term is different from itself" (eq-diff1-self), if eq-diff1 reports this term as well
    - "two literals are equal and different", if another rule names the property or the key that makes them equal
    - "two literals must be equal, as subjects of one value" (a rule of `_SUBJECTS`), if the same literals are reported
      as "two literals must be equal, as values of one subject" (a rule of `_VALUES`)
    - "a literal is not in a datatype", if this literal is reported as ill-typed
    - "an ill-typed literal is in a derived triple", if an asserted triple has this literal
    """
    different = {term for use in uses if use.name == "eq-diff1" for term in use.says}
    values = {use.ends for use in uses if use.name in _VALUES}
    apart = values | {use.ends for use in uses if use.name in _SUBJECTS}
    ill = {use.values["v"] for use in uses if use.name == _ILL and use.values}
    rows = _asserted_triples(ill, saved, dictionary)
    loaded = {literal for _, _, literal in map(_triple, _texts(rows, dictionary))}
    asserted = {*map(_triple, _texts(saved.in_primaries(rows), dictionary))}

    def follows(use: _FalseDerivation) -> bool:
        if use.name in _SUBJECTS:
            return use.ends in values
        if use.name in _DIFFERENT:
            return use.ends in apart
        if use.name == "eq-diff1-self":
            return use.says[0] in different
        if use.name == _ILL and use.values:
            return use.values["v"] in loaded and tuple(use.equal[name] for name in "spv") not in asserted
        return use.name in _NOT and use.values.get("v") in ill

    return [use for use in uses if not follows(use)]


def _asserted_triples(literals: set[str], saved: SavedState, dictionary: Dictionary) -> Int32:
    rows = saved.facts(True) if literals else np.empty((0, 3), dtype=np.int32)
    return rows[np.isin(rows[:, 2], dictionary.find([*literals]))]


class _Readings:
    """Finds the `Reading` of a rule that derives `false`, by the name and the constants of the rule."""

    def __init__(self) -> None:
        self._readings: dict[tuple[str, int], dict[tuple[str, ...], Reading]] = {}

    def add(self, reading: Reading) -> None:
        """Add the reading of a rule."""
        same = self._readings.setdefault((reading.rule.name, len(reading.terms)), {})
        same.setdefault(reading.constants, reading)

    def reading_of(self, name: str, terms: tuple[str, ...]) -> Reading | None:
        """Return the reading of the rule with this name whose constants are the last ones of `terms`, or None."""
        same = self._readings.get((name, len(terms)), {})
        counts = dict.fromkeys(len(constants) for constants in same)
        ends = (terms[len(terms) - count :] for count in counts)
        return next((same[end] for end in sorted(ends, key=len, reverse=True) if end in same), None)


def _with_asserted_terms(found: list[Contradiction], saved: SavedState, dictionary: Dictionary) -> list[Contradiction]:
    """Return the contradictions with asserted terms in place of representatives, see `with_asserted_terms`.

    If a contradiction is about a literal alone, an asserted triple with this literal as its object is added to `facts`.
    """
    if not any(each.is_respelled or each.literal for each in found):
        return found
    asserted = saved.facts(True)
    equal = saved.in_primaries(asserted)

    def look_up(triple: Triple) -> Triple:
        ids = saved.in_primaries(dictionary.find(triple).astype(np.int32))
        rows = asserted[(equal == ids).all(axis=1)]
        if not len(rows) and triple[1] == v.RDF_FIRST:  # without representatives a cell lists all equal terms
            rows = asserted[(equal[:, :2] == ids[:2]).all(axis=1)]
        return min(map(_triple, _texts(rows, dictionary)), default=triple)

    def atoms_with(literal: str) -> tuple[Atom, ...]:
        triples = sorted(map(_triple, _texts(_asserted_triples({literal}, saved, dictionary), dictionary)))
        return tuple(Atom(None, each) for each in triples[:1])

    found = [with_asserted_terms(each, look_up) if each.is_respelled else each for each in found]
    return [each._replace(facts=each.facts + atoms_with(each.literal)) if each.literal else each for each in found]


def _triple(texts: list[str]) -> Triple:
    subject, predicate, object_ = texts
    return subject, predicate, object_
