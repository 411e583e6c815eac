"""Translate schema triples to rules, by a sequence of small passes (docs/architecture/ontology.md).

Each pass takes a change of its input (items that go and come), and returns the change of its output. `LiveTranslation`
runs the passes in this order:

    LiveCovers       triples -> fewer triples             no subclass or similar triple (*pair*) that others imply
    LiveReadings     schema triples -> axioms             lists and class expressions unfolded
    AxiomRules       axioms -> canonical rules            by the profile's rows of the tables, with twins replaced
    LiveStatements   rules -> rules without duplicates    one rule where several axioms yield the same
    LiveReduction    rules -> rules without shortcuts     none whose head a chain of others derives from its body

    pass             looks again at
    LiveCovers       pairs that share an end with a changed pair
    LiveReadings     nodes that the edit touches
    AxiomRules       added axioms, and those that ask for a twin with another representative
    LiveStatements   rules that say the same as a changed rule
    LiveReduction    rules from which a chain leads to a changed rule

The schema must be closed, by the closing rules of the profile's rule set (generic/parts.py). A row reads only one
axiom; conclusions from two axioms are already in the closed schema. Example: r1 = some p A, r2 = some p B, and A is
below B. Then scm-svf1 has put r1 below r2.

Invariant: the result depends on the set of schema triples alone, not on their order. Law: after any sequence of edits,
`rules` and `warnings` are those of `translate`, which runs the passes on all remaining triples, with the same names,
sources and order. So after an edit and its reverse everything is as before. `log.rollback()` undoes all edits since
`log.commit()`. Cost: see the modules of the passes. Triples that an edit does not touch take memory but no time.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeGuard

from kgreason.interrupts import SOME, let_out
from kgreason.ontology.change import Change
from kgreason.ontology.read import swrl
from kgreason.ontology.read.axioms import Axiom, Collection, Implication, Restriction
from kgreason.ontology.read.rows import Row, RowTable
from kgreason.ontology.read.schema_axioms import BrokenAxiom, LiveReadings
from kgreason.ontology.read.swrl import says_different
from kgreason.ontology.reduce.covers import LiveCovers
from kgreason.ontology.reduce.shortcuts import LiveReduction
from kgreason.ontology.reduce.statements import LiveStatements, Place, PlacedRule, order
from kgreason.ontology.translate import owl2rl, rdfs
from kgreason.ontology.translate.lists import is_walked
from kgreason.ontology.translate.outlines import Outlines, Rules
from kgreason.ontology.twins import RELATIONS
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Atom, Constant, Rule, Triple, Variable, type_atom
from kgreason.terms import vocabulary as v

Profile: TypeAlias = Literal["rhodf", "rdfs", "owl2rl", "owl2rl+has-self"]
"""A rule set that translates axioms, with a group that has rows of its own if this group is on."""

_OWL2RL: RowTable = {**owl2rl.ROWS, **swrl.ROWS}
ROWS: dict[Profile, RowTable] = {
    "rhodf": rdfs.RHODF_ROWS,
    "rdfs": rdfs.ROWS,
    "owl2rl": _OWL2RL,
    "owl2rl+has-self": {**_OWL2RL, **owl2rl.HAS_SELF},
}
"""The rows of each profile."""


def warnings_of(broken: Iterable[BrokenAxiom], profile: Profile) -> tuple[str, ...]:
    """Return a warning, in one line, for each axiom in `broken` of a kind that the profile translates."""
    return tuple(str(each) for each in broken if each.kind in ROWS[profile])


def _is_walked(axiom: Axiom) -> bool:
    if isinstance(axiom, Implication):
        return any(map(says_different, axiom.body))
    return isinstance(axiom, Collection) and is_walked(axiom)


def translate(
    schema: Iterable[Triple],
    profile: Profile,
    twins: Mapping[Constant, Constant] = MappingProxyType({}),
    wide: Iterable[Constant] = (),
) -> LiveTranslation:
    """Translate a closed schema to rules, by the tables of a profile: the passes run on everything.

    Triples that are not schema are ignored. `twins` maps a restriction to its representative, which is a restriction
    that says the same. The bodies of the rules have the representative in place of the restriction.
    `wide`: the kinds of axioms that generic rules read; rows that they imply (`owl2rl.IMPLIED`) give no rules.
    """
    found = LiveTranslation(profile, UndoLog())
    found.change((), schema, twins, wide)
    return found


def translate_axiom(axiom: Axiom, profile: Profile, implied: Container[Row] = ()) -> Rules:
    """Return the rules that the profile's `ROWS` make from an axiom, in the order of these rows, without `implied`."""
    rows = ROWS[profile].get(axiom.kind, ())
    return tuple([rule for row in rows if row not in implied for rule in row(axiom)])


def normalise(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules in canonical form.

    A rule whose heads are all in its body derives nothing new and is left out.
    """
    return tuple([canonical(rule) for rule in rules if not set(rule.body).issuperset(rule.heads)])


def key_of(axiom: Axiom) -> tuple[Triple, ...]:
    """Return the sources of an axiom that tell it from all others; for a list axiom these are few (`Collection.link`).

    An edit of a list does not change the key of its axioms.
    """
    return axiom.link if isinstance(axiom, Collection) else axiom.sources


def place(axiom: Axiom) -> Place:
    """Return the place of an axiom: made from its key, to sort by. Subclass and subproperty axioms come last.

    Most subclass and subproperty triples of a closed schema follow from other axioms. These other axioms explain better
    why a rule is there.
    """
    return axiom.kind in _TAXONOMY, key_of(axiom)


def classes_asked_for(axiom: Axiom, rules: Rules) -> set[Constant]:
    """Return the classes whose representatives `with_representatives` looks up for an axiom.

    These are the classes C of all body atoms `?x rdf:type C`, and the node of the axiom if it is a restriction. For
    subclass and equivalence axioms there are none.
    """
    if axiom.kind in _BELOW:
        return set()
    classes = {_class_of_atom(atom) for rule in rules for atom in rule.body} - {""}
    return classes | ({axiom.node} if _may_have_twins(axiom) else set())


def with_representatives(axiom: Axiom, rules: Rules, twins: Mapping[Constant, Constant]) -> Rules:
    """Return the rules of an axiom. In their bodies, each restriction is replaced by its representative, if it has one.

    `twins` maps a restriction to its representative. If the axiom itself is a restriction with a representative, no
    rules are returned: the restriction is a subclass of its representative, which has rules.
    """
    if axiom.kind in _BELOW or not twins:
        return rules
    if _is_represented(axiom, twins):
        return ()
    return tuple([_with_representatives(rule, twins) for rule in rules])


def _may_have_twins(axiom: Axiom) -> TypeGuard[Restriction]:
    return isinstance(axiom, Restriction) and axiom.kind in RELATIONS


def _is_represented(axiom: Axiom, twins: Mapping[Constant, Constant]) -> bool:
    return _may_have_twins(axiom) and axiom.node in twins


def _with_representatives(rule: Rule, twins: Mapping[Constant, Constant]) -> Rule:
    found = {class_: twins[class_] for atom in rule.body if (class_ := _class_of_atom(atom)) in twins}
    if not found:
        return rule
    body = [
        type_atom(atom.terms[0], found[class_]) if (class_ := _class_of_atom(atom)) in found else atom
        for atom in rule.body
    ]
    sources = ((class_, v.RDFS_SUB_CLASS_OF, first) for class_, first in found.items())
    return replace(rule, body=tuple(body), sources=(*rule.sources, *sources))


def _class_of_atom(atom: Atom) -> Constant:
    """Return the class C of an atom `[?x, rdf:type, C]`, or "" for any other atom."""
    if atom.relation is not None or atom.terms[1] != v.RDF_TYPE or isinstance(atom.terms[2], Variable):
        return ""
    return atom.terms[2]


_TAXONOMY = (v.RDFS_SUB_CLASS_OF, v.RDFS_SUB_PROPERTY_OF)
_BELOW = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS)
"""Kinds of axioms whose rules need no replacement: the closed schema has these axioms for representatives, too."""


class RuleChange(NamedTuple):
    """What an edit changed in the rules: rules that are `removed`, `added`, or `restated`.

    A restated rule stays but has other sources now. A rule that gets another name is both removed and added.
    """

    removed: Rules
    added: Rules
    restated: Rules


class AxiomRules:
    """The pass that translates axioms by the tables of one profile. The rules are in canonical form.

    `placed` maps the key of each present axiom to the axiom and its rules, and `long` the keys of those that generic
    rules read. `count` is the number of axioms that the last edit translated.
    """

    def __init__(self, profile: Profile, log: UndoLog) -> None:
        self.placed: dict[tuple[Triple, ...], tuple[Axiom, tuple[PlacedRule, ...]]] = {}
        self.count = 0
        self._profile, self._log = profile, log
        self.long: dict[tuple[Triple, ...], Axiom] = {}
        self._twins: dict[Constant, Constant] = {}
        self._implied: dict[Row, None] = {}
        self._moved: tuple[Constant, ...] = ()
        self._wide: frozenset[Row] = frozenset()
        self._left_out: frozenset[Row] = frozenset()
        self._askers: Index[Constant, tuple[Triple, ...]] = Index(log)

    def represent(self, twins: Mapping[Constant, Constant | None], wide: Iterable[Constant]) -> None:
        """Take over other representatives, and the kinds of axioms that generic rules read.

        The next `change` translates some axioms again: those that ask for these representatives, and those whose
        implied rows (`owl2rl.IMPLIED`) are not the same as before.
        """
        self._moved = tuple(twins)
        self._wide = frozenset([row for kind in wide for row in owl2rl.IMPLIED.get(kind, ())])
        for node, first in twins.items():
            if first is not None:
                self._log.put(self._twins, node, first)
            elif node in self._twins:
                self._log.drop(self._twins, node)

    def change(self, axioms: Change[Axiom]) -> Change[PlacedRule]:
        """Remove axioms and add others. Returns the rules that go and come, a rule for each axiom that has it."""
        self._left_out = frozenset(self._implied)
        gone = [placed for axiom in _axioms_with_signals(axioms.gone) for placed in self._forget(axiom)]
        askers = {asker for node in self._moved for asker in self._askers.at(node)}
        if turned := self._wide ^ self._implied.keys():
            rows = ROWS[self._profile]
            askers |= {at for at, (axiom, _) in self.placed.items() if not turned.isdisjoint(rows.get(axiom.kind, ()))}
        again = [self.placed[asker][0] for asker in sorted(askers)]
        gone += [placed for axiom in _axioms_with_signals(again) for placed in self._forget(axiom)]
        for row in turned:
            if row in self._wide:
                self._log.put(self._implied, row, None)
            else:
                self._log.drop(self._implied, row)
        self._left_out = frozenset(self._implied)
        fresh, self._moved = (*axioms.come, *again), ()
        self.count = len(fresh)
        return Change(
            tuple(gone), tuple([placed for axiom in _axioms_with_signals(fresh) for placed in self._translate(axiom)])
        )

    def _forget(self, axiom: Axiom) -> tuple[PlacedRule, ...]:
        known = key_of(axiom)
        _, placed = self._log.drop(self.placed, known)
        if known in self.long:
            self._log.drop(self.long, known)
        _, classes = _outlines(self._profile, self._left_out).rules_of(axiom)
        for class_ in classes:
            self._askers.discard(class_, known)
        return placed

    def _translate(self, axiom: Axiom) -> tuple[PlacedRule, ...]:
        (rules_of, classes), at = _outlines(self._profile, self._left_out).rules_of(axiom), place(axiom)
        _, known = at
        for class_ in classes:
            self._askers.add(class_, known)
        if _is_walked(axiom):
            self._log.put(self.long, known, axiom)
        if self._twins.keys().isdisjoint(classes):
            rules = rules_of()
        elif _is_represented(axiom, self._twins):
            rules = ()
        else:
            rules = translate_axiom(axiom, self._profile, self._left_out)
            rules = normalise(with_representatives(axiom, rules, self._twins))
        placed = tuple([PlacedRule(at, number, rule) for number, rule in enumerate(rules)])
        self._log.put(self.placed, known, (axiom, placed))
        return placed


@lru_cache(maxsize=64)
def _outlines(profile: Profile, implied: frozenset[Row]) -> Outlines:
    """Return the outlines for the rows of a profile without `implied`. All graphs share them."""

    def rules_of(axiom: Axiom) -> tuple[Rules, set[Constant]]:
        rules = translate_axiom(axiom, profile, implied)
        return normalise(rules), classes_asked_for(axiom, rules)

    return Outlines(rules_of)


def _axioms_with_signals(axioms: Sequence[Axiom]) -> Iterator[Axiom]:
    """Yield axioms, and let signals out now and then."""
    for n, axiom in enumerate(axioms, 1):
        if n % SOME == 0:
            let_out()
        yield axiom


class Pass(Protocol):
    """A pass over a schema that is edited. Its state is the output of the pass for what is there now."""

    def change(self, change: Change[Any], /) -> Change[Any]:
        """Follow a change of the input. Returns the change of the output."""


class LiveTranslation:
    """The rules of one profile for a schema that is edited; empty at first.

    `log` is the undo log of the edits; several translations may share one log.
    """

    def __init__(self, profile: Profile, log: UndoLog) -> None:
        self.profile = profile
        self.readings = LiveReadings(log)
        self.axiom_rules = AxiomRules(profile, log)
        self._statements = LiveStatements(log)
        self._reduction = LiveReduction(log)
        self._passes: tuple[Pass, ...] = (
            LiveCovers(log),
            self.readings,
            self.axiom_rules,
            self._statements,
            self._reduction,
        )

    @property
    def axioms(self) -> tuple[Axiom, ...]:
        """All axioms, sorted by `place`, also those of a kind that the profile does not translate.

        Subclass and similar axioms that other axioms imply are left out (`covers`).
        """
        return tuple(sorted((axiom for axiom, _ in self.axiom_rules.placed.values()), key=place))

    @property
    def rules(self) -> Rules:
        """The rules in force, sorted by the places of their axioms."""
        shortcuts = self._reduction.shortcuts
        return tuple(placed.rule for placed in self._statements.firsts if placed not in shortcuts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning, in one line, for each broken axiom (`BrokenAxiom`) of a kind that the profile translates."""
        return warnings_of(self.readings.broken, self.profile)

    @property
    def forks(self) -> frozenset[Constant]:
        """The kinds of the axioms that have a forked list (see `read/lists.py`). Only generic rules can read them.

        Kinds that the profile does not translate are left out.
        """
        rows = ROWS[self.profile]
        return frozenset([each.kind for each in self.readings.broken if each.fault.is_fork and each.kind in rows])

    @property
    def kinds_walked(self) -> frozenset[Constant]:
        """The kinds of the axioms that generic rules read, because their lists are long (`translate.lists`).

        The kind swrl:Imp is among them if a SWRL rule asks which individuals are different: generic rules read the
        lists that say so. Kinds that the profile does not translate are left out.
        """
        rows = ROWS[self.profile]
        return frozenset([axiom.kind for axiom in self.axiom_rules.long.values() if axiom.kind in rows])

    def change(
        self,
        removed: Iterable[Triple],
        added: Iterable[Triple],
        twins: Mapping[Constant, Constant | None] = MappingProxyType({}),
        wide: Iterable[Constant] = (),
    ) -> RuleChange:
        """Remove schema triples, then add others. Returns the change of the rules.

        `twins` maps each restriction that gets another representative to the new representative, or to None if the
        restriction has no representative any more. `wide`: the kinds of axioms that generic rules read from now on.
        """
        self.axiom_rules.represent(twins, wide)
        change: Change[Any] = Change(tuple(removed), tuple(added))
        for step in self._passes:
            change = step.change(change)
        return _net_change(change)


def _net_change(change: Change[PlacedRule]) -> RuleChange:
    """Turn a change of rules with their places (`PlacedRule`) into a change of rules alone.

    If one axiom no longer yields a rule, but an axiom now yields the same rule, the rule stays. It is `restated` if its
    place or its sources have changed.
    """
    if not change.gone:
        return RuleChange((), tuple([placed.rule for placed in sorted(change.come, key=order)]), ())
    before = {placed.rule: placed for placed in sorted(change.gone, key=order)}
    after = {placed.rule: placed for placed in sorted(change.come, key=order)}
    return RuleChange(
        tuple(rule for rule in before if rule not in after),
        tuple(rule for rule in after if rule not in before),
        tuple(rule for rule, placed in after.items() if rule in before and _are_different(before[rule], placed)),
    )


def _are_different(one: PlacedRule, other: PlacedRule) -> bool:
    return one.place != other.place or one.rule.sources != other.rule.sources
