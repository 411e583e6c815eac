"""The program of a graph: which rules run over its facts, and why each of them does.

    closing rules      they close the schema; run over the data too, where what they derive is part of the graph
    translated rules   one for each axiom and row, with the schema triples that they come from
    free rules         generic rules that ask for no schema (eq-*)
    needed rules       generic rules that run as well once rules have derived schema triples of their own, those that
                       read axioms whose lists fork, and plain rules over restrictions where these are derived or equal
                       (elsewhere twins.dl is in their place)
    own rules          the user's

These are layers: a rule that is in several is there for the reason of the last.

Invariant: the program is a function of the selection, the own rules, the closed schema and two facts about the data, so
that it is the same after reopening. `build` defines it; `LiveProgram` follows edits and holds the same at every moment.
Cost: `build`, one translation of the schema; `LiveProgram`, what the edit touches (ontology/live.py), and while
`exceeded` without `same_as` one analysis of the closed schema for each edit.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from kgreason.materialize.selection import Selection
from kgreason.materialize.twins import GROUP as TWINS
from kgreason.ontology.generic.needed import can_derive_schema, needed_generic, reading_forks
from kgreason.ontology.live.axioms import LiveReadings
from kgreason.ontology.live.live import LiveTranslation, RuleChange
from kgreason.ontology.read.collect import collect
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.translate.translate import Profile, forks_of, translate, warnings_of
from kgreason.ontology.twins import twins
from kgreason.ontology.undo import UndoLog
from kgreason.rules.canonical import canonical
from kgreason.rules.model import Constant, Rule, Triple

CLOSES = "closes the schema"
OWN = "a rule file"


class Ruling(NamedTuple):
    """A canonical rule, with its sources, and the reason why it runs."""

    rule: Rule
    reason: str


Layer: TypeAlias = dict[Rule, Ruling]


@dataclass(frozen=True, slots=True)
class Program:
    """Rules in canonical form, each with the reason why it runs, and what the ontology could not say."""

    reasons: dict[Rule, str]
    warnings: tuple[str, ...]


def build(
    selection: Selection, schema: Iterable[Triple], *, same_as: bool, exceeded: bool, restricted: bool = False
) -> Program:
    """The program for a closed schema.

    `same_as`: a present owl:sameAs fact links a term of the schema; `exceeded`: a schema triple that is not in the
    closed schema is present; `restricted`: so is one that says what a restriction is, or declares a class or a
    property. Each calls for generic rules beside the translated ones.
    """
    triples = tuple(schema)
    represented = twins(triples) if selection.loud else {}
    translations = [translate(triples, profile, represented) for profile in _profiles(selection)]
    translated = _translated(rule for translation in translations for rule in translation.rules)
    own = _layer(selection.own, OWN)
    forks = frozenset[Constant]().union(*(forks_of(each.broken, each.profile) for each in translations))
    rules = (*translated, *own)
    needed = _needed(selection, rules, triples, forks, same_as=same_as, exceeded=exceeded, restricted=restricted)
    broken = [broken for reading in collect(Schema(triples)) for broken in reading.broken]
    warnings = chain.from_iterable(warnings_of(broken, profile) for profile in selection.profiles)
    return _program((_closing(selection), translated, _free(selection), needed, own), warnings)


class ProgramChange(NamedTuple):
    """What an edit did to the rules: those that run no more, those that run now, those that stay for another reason.

    A rule of `restated` is equal to the one that it replaces, and the same to the engine; its sources may be new.
    """

    removed: tuple[Rule, ...]
    added: tuple[Rule, ...]
    restated: tuple[Rule, ...]


@contextmanager
def uncollected() -> Iterator[None]:
    """Without cyclic garbage collection, which looks at all objects anew while many are made of a schema."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class LiveProgram:
    """The program of a graph that is edited. Empty at first: the first change brings the rules of the selection too.

    Law: `program` is what `build` gives for the closed schema that the changes so far add up to. `rollback` takes back
    every change since the last `commit`, also one that was interrupted.
    """

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._log = UndoLog()
        self._translations = [LiveTranslation(profile, self._log) for profile in _profiles(selection)]
        self._readings = LiveReadings(self._log) if selection.schema == "data" else None
        self._schema: dict[Triple, None] = {}
        self._closing, self._free = _closing(selection), _free(selection)
        self._translated: Layer = {}
        self._suspects: dict[Rule, None] = {}
        self._latest: dict[str, Layer] = {"needed": {}, "own": _layer(selection.own, OWN)}
        self._rulings: Layer = {}

    @property
    def program(self) -> Program:
        """The program as a value of its own; cost: all its rules."""
        if not self._rulings:
            return Program({}, ())
        translated = _translated(rule for each in self._translations for rule in each.rules)
        return _program((self._closing, translated, self._free, *self._latest.values()), self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each axiom whose list is broken."""
        found = [each.warnings for each in self._translations]
        if self._readings:
            found = [warnings_of(self._readings.broken, profile) for profile in self._selection.profiles]
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    @property
    def retranslated(self) -> int:
        """How many axioms the last change translated."""
        return sum(each.retranslated for each in self._translations)

    @property
    def axioms(self) -> int:
        """How many axioms the closed schema holds, once for each profile."""
        return sum(each.axioms for each in self._translations)

    def ruling(self, rule: Rule) -> Ruling | None:
        """The rule as it is in force, with its sources, and why; None if it is not."""
        return self._rulings.get(rule)

    def change(
        self,
        removed: Collection[Triple],
        added: Collection[Triple],
        *,
        same_as: bool,
        exceeded: bool,
        restricted: bool = False,
        own: Iterable[Rule] | None = None,
        twins: Mapping[Constant, Constant | None] = MappingProxyType({}),
    ) -> ProgramChange:
        """Follow the closed schema: triples that left it, then triples that joined it; what that does to the rules.

        The flags are those of `build`; `own` are the user's rules from now on, if they change. `twins` says who
        represents restrictions from now on, where this changes; None for nobody.
        """
        touched = [] if self._rulings else [*self._closing, *self._free, *self._latest["own"]]
        touched += self._follow(removed, added, twins)
        if own is not None:
            touched += self._replace("own", _layer(own, OWN))
        rules = (*self._suspects, *self._latest["own"])
        forks = frozenset[Constant]().union(*(each.forks for each in self._translations))
        needed = _needed(
            self._selection, rules, self._schema, forks, same_as=same_as, exceeded=exceeded, restricted=restricted
        )
        touched += self._replace("needed", needed)
        return self._settle(dict.fromkeys(touched))

    def commit(self) -> None:
        """The changes stay."""
        self._log.commit()

    def rollback(self) -> None:
        """Take the changes since the last `commit` back."""
        self._log.rollback()

    def _follow(
        self, removed: Collection[Triple], added: Collection[Triple], twins: Mapping[Constant, Constant | None]
    ) -> list[Rule]:
        """Feed the translations; the rules that this touched."""
        for triple in removed:
            if triple in self._schema:
                self._log.drop(self._schema, triple)
        for triple in added:
            self._log.put(self._schema, triple, None)
        touched: list[Rule] = []
        if self._readings and self._selection.profiles:
            self._readings.change(removed, added)
        for translation in self._translations:
            change = translation.change(removed, added, twins)
            self._restate(change)
            touched += (*change.removed, *change.added, *change.restated)
        return touched

    def _restate(self, change: RuleChange) -> None:
        for rule in change.removed:
            self._log.drop(self._translated, rule)
            if rule in self._suspects:
                self._log.drop(self._suspects, rule)
        for rule, ruling in _translated((*change.added, *change.restated)).items():
            self._log.put(self._translated, rule, ruling)
            if can_derive_schema(rule):
                self._log.put(self._suspects, rule, None)

    def _replace(self, name: str, after: Layer) -> list[Rule]:
        """Put a new layer in the place of one; the rules where they differ."""
        before = self._latest[name]
        self._log.put(self._latest, name, after)
        return [rule for rule in (before | after) if before.get(rule) != after.get(rule)]

    def _settle(self, touched: Iterable[Rule]) -> ProgramChange:
        """Give each of these rules the reason that its layers say; what that changes."""
        removed: list[Rule] = []
        added: list[Rule] = []
        restated: list[Rule] = []
        for rule in touched:
            before, after = self._rulings.get(rule), self._winner(rule)
            if after is None and before is not None:
                self._log.drop(self._rulings, rule)
                removed.append(before.rule)
            elif after is not None and after != before:
                self._log.put(self._rulings, rule, after)
                (restated if before else added).append(after.rule)
        return ProgramChange(tuple(removed), tuple(added), tuple(restated))

    def _winner(self, rule: Rule) -> Ruling | None:
        layers = (self._closing, self._translated, self._free, *self._latest.values())
        return next((layer[rule] for layer in reversed(layers) if rule in layer), None)


def _profiles(selection: Selection) -> tuple[Profile, ...]:
    """The profiles whose axioms are translated."""
    return () if selection.schema == "data" else selection.profiles


def _closing(selection: Selection) -> Layer:
    return _shipped(selection.generic.closing, CLOSES)


def _free(selection: Selection) -> Layer:
    generic, equality = selection.generic, _shipped(selection.equality, "follows the representatives of equal terms")
    others = equality | _shipped(selection.datatypes, "reads what literals stand for")
    if selection.schema == "data":
        return _shipped((*generic.rows, *generic.free), "generic: the schema is read as data") | others
    return _shipped(generic.free, "generic: it asks for no schema") | others


def _needed(
    selection: Selection,
    rules: Iterable[Rule],
    schema: Iterable[Triple],
    forks: Collection[Constant],
    *,
    same_as: bool,
    exceeded: bool,
    restricted: bool,
) -> Layer:
    """The generic rules, closing ones aside, that the data needs beside these rules; those that read `forks` too.

    Restrictions that are derived, or equal, have no representatives: for them the plain rules of the tables run.
    """
    layer: Layer = {}
    if selection.schema == "axioms" and (same_as or exceeded or forks):
        generic = selection.generic
        needed = reading_forks(forks, generic) if forks else {}
        if same_as or exceeded:
            needed |= needed_generic((*rules, *needed), generic, schema, same_as=same_as)
        of_twins = (rule for rule in generic.rows if needed and rule.group == TWINS)
        needed = (
            dict.fromkeys(of_twins, "derived axioms may ask for any of the restrictions that say the same") | needed
        )
        found = ((canonical(rule), reason) for rule, reason in needed.items() if rule not in generic.closing)
        layer = {rule: Ruling(rule, reason) for rule, reason in found}
    if same_as or restricted:
        layer |= _shipped(selection.loud, "restrictions are derived, or equal")
    return layer


@lru_cache(maxsize=64)
def _shipped(rules: tuple[Rule, ...], reason: str) -> Layer:
    """A layer of rules that many graphs have; not to be changed."""
    return _layer(rules, reason)


def _layer(rules: Iterable[Rule], reason: str) -> Layer:
    return {rule: Ruling(rule, reason) for rule in map(canonical, rules)}


def _translated(rules: Iterable[Rule]) -> Layer:
    return {rule: Ruling(rule, _origin(rule)) for rule in rules}


def _origin(rule: Rule) -> str:
    return " ".join(" ".join((*triple, ".")) for triple in rule.sources)


def _program(layers: Iterable[Layer], warnings: Iterable[str]) -> Program:
    rulings = {rule: ruling for layer in layers for rule, ruling in layer.items()}
    return Program(dict(rulings.values()), tuple(dict.fromkeys(warnings)))
