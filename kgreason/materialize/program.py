"""The program of a graph: which rules run over its facts, and the reason for each of them.

    closing rules      they close the schema; they run over the data too, as what they derive is part of the graph
    translated rules   made from the axioms by the W3C tables; a rule knows the schema triples that it comes from
    free rules         generic rules that read no schema (eq-*)
    needed rules       generic rules that run only if they are called for: if rules have derived schema triples, if a
                       list of an axiom forks (a cell has two rests), if the members of a long list are compared in
                       pairs, or if there are too many axioms of a kind to translate each (*wide*, `schema.wide_kinds`).
                       Also the rules that twins.dl replaces, if restrictions are derived or made equal
    copying rules      eq-rep-* over asserted triples, if the user's rules say DATA; eq-rep-o over the relations that
                       the user's rules read
    own rules          the rules of the user

These are layers. If several layers have a rule, the last of them gives the reason why it runs.

Invariant: the program is a function of the selection, the own rules, the closed schema and three flags about the data.
So it is the same after the store is opened again. `build_program` defines it. `LiveProgram` follows edits, and always
equals the result of `build_program`.

Cost of `build_program`: one translation of the schema. Cost of `LiveProgram`: what the edit touches
(`LiveTranslation`). While `exceeded` is set without `same_as`, each edit also costs one analysis of the closed schema
and a look at all rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from kgreason.interrupts import SOME, let_out
from kgreason.materialize.schema.rows import datatype_ids, is_datatype
from kgreason.materialize.schema.twins import GROUP as TWINS
from kgreason.materialize.selection import Selection
from kgreason.ontology.change import Change
from kgreason.ontology.generic.needed_rules import needed_generic_rules, rules_reading, rules_reading_lists
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.read.schema_axioms import LiveReadings, collect
from kgreason.ontology.translate.translate import (
    LiveTranslation,
    Profile,
    translate,
    warnings_of,
)
from kgreason.ontology.twins import twins
from kgreason.ontology.undo import UndoLog
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import DATA, Atom, Constant, Rule, Triple, Variable, origin
from kgreason.rules.parser import ruleset
from kgreason.rules.relations.declarations import MADE_BY_RULES
from kgreason.terms import vocabulary as v
from kgreason.zset.columns import Int32

CLOSES = "of the rule set: derives axioms from axioms"
DATATYPES = "datatypes"
"""The group of the rules of datatypes.dl. They read what is known of literals, and ask for no datatype."""
_COPYING = frozenset(["eq-rep-s", "eq-rep-p", "eq-rep-o"])
COPIES_FACTS = "eq-rep-o"
"""The name of the rules that copy facts of relations to equal terms."""
WIDE = "the ontology has many axioms of this kind"
"""The reason of a generic rule that runs only because a kind of axioms is wide."""
ANY = 0
"""In place of the id of a datatype: the rule reads types of any name."""


class ReasonedRule(NamedTuple):
    """A rule in canonical form, and the reason why it runs.

    If the rule was translated, `rule.sources` has the schema triples that it comes from.
    """

    rule: Rule
    reason: str


Layer: TypeAlias = dict[Rule, ReasonedRule]


@dataclass(frozen=True, slots=True)
class Program:
    """Rules in canonical form, each with the reason why it runs; a warning for each malformed axiom."""

    reasons: dict[Rule, str]
    warnings: tuple[str, ...]


def build_program(
    selection: Selection,
    schema: Iterable[Triple],
    *,
    same_as: bool,
    exceeded: bool,
    restricted: bool = False,
    wide: Collection[Constant] = (),
    rest: Iterable[Triple] = (),
) -> Program:
    """Return the program for a closed schema.

    `wide`: the kinds of axioms that generic rules read. `rest`: the triples of the closed schema that are not
    translated because of this. They are not in `schema`.

    The flags call for generic rules beside the translated rules:

    - `same_as`: an owl:sameAs fact links a term of the schema.
    - `exceeded`: a fact is a schema triple that the closed schema lacks.
    - `restricted`: a schema triple that the closed schema lacks describes a restriction, or declares a class or a
      property.
    """
    triples = tuple(schema)
    represented = twins(triples) if selection.without_twins else {}
    translations = [translate(triples, profile, represented, wide) for profile in _profiles(selection)]
    translated = {rule: _reasoned_rule(rule) for translation in translations for rule in translation.rules}
    own = _layer_of_user(selection.own)
    forks = frozenset[Constant]().union(*(each.forks for each in translations))
    lists = forks, frozenset[Constant]().union(*(each.kinds_walked for each in translations))
    rules = (*translated, *own)
    whole = chain(triples, rest)
    needed = _needed_layer(
        selection, rules, whole, (*lists, wide), same_as=same_as, exceeded=exceeded, restricted=restricted
    )
    broken = [broken for reading in collect(Schema(triples)) for broken in reading.broken]
    warnings = chain.from_iterable(warnings_of(broken, profile) for profile in selection.profiles)
    copying = _copying_layer(selection, selection.own)
    return _program(
        (_closing_layer(selection), translated, _layer_of_free_rules(selection), needed, copying, own), warnings
    )


class ProgramChange(NamedTuple):
    """How an edit changes the rules.

    `removed`, `added`: the rules that go and the rules that come. `restated`: the rules that stay in force, with other
    sources or for another reason. For the engine a restated rule is the same rule as before. `retranslated`: how many
    axioms the edit translated. `axioms`: how many axioms the closed schema has now; an axiom counts once for each rule
    set that translates it.
    """

    removed: tuple[Rule, ...] = ()
    added: tuple[Rule, ...] = ()
    restated: tuple[Rule, ...] = ()
    retranslated: int = 0
    axioms: int = 0


class LiveProgram:
    """The program of a graph that is edited. It begins empty; the first change also adds the rules of the selection.

    Law: `program` equals the result of `build_program` for the closed schema after all changes so far. `rollback`
    undoes every change since the last `accept`, also a change that was interrupted.
    """

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._log = UndoLog()
        self._translations = [LiveTranslation(profile, self._log) for profile in _profiles(selection)]
        self._readings = LiveReadings(self._log) if selection.schema == "data" else None
        self._schema: dict[Triple, None] = {}
        self._closing, self._free = _closing_layer(selection), _layer_of_free_rules(selection)
        self._translated: Layer = {}
        self._latest: dict[str, Layer] = {
            "needed": {},
            "copying": _copying_layer(selection, selection.own),
            "own": _layer_of_user(selection.own),
        }
        self._rulings: Layer = {}

    @property
    def program(self) -> Program:
        """The program as a value that later changes do not alter. Cost: a pass over all rules."""
        if not self._rulings:
            return Program({}, ())
        translated = {rule: _reasoned_rule(rule) for each in self._translations for rule in each.rules}
        return _program((self._closing, translated, self._free, *self._latest.values()), self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each malformed axiom: its list is malformed or forks, or its SWRL rule is malformed."""
        found = [each.warnings for each in self._translations]
        if self._readings:
            found = [warnings_of(self._readings.broken, profile) for profile in self._selection.profiles]
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    @property
    def size(self) -> int:
        """The number of rules in force."""
        return len(self._rulings)

    @property
    def rules_in_force(self) -> Iterator[Rule]:
        """The rules that are in force now."""
        return (ruling.rule for ruling in self._rulings.values())

    @property
    def rules_of_wide_kinds(self) -> list[Rule]:
        """The rules that are in force only because kinds of axioms are wide."""
        return [rule for rule in self._latest["needed"] if self._rulings[rule].reason == WIDE]

    @property
    def schema(self) -> Collection[Triple]:
        """The triples of the closed schema to translate, after all changes so far; empty if no rules need them."""
        return self._schema.keys()

    def reasoned_rule(self, rule: Rule) -> ReasonedRule | None:
        """Return the rule in force that equals `rule`, with its sources and its reason; None if there is none."""
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
        wide: Collection[Constant] = (),
        rest: Iterable[Triple] = (),
    ) -> ProgramChange:
        """Follow a change of the closed schema: first `removed` leaves it, then `added` joins it.

        Returns the change of the rules.

        The flags, `wide` and `rest` are those of `build_program`. `own`: all rules of the user from now on, or None if
        they stay the same. `twins` maps each restriction whose representative has changed to the new representative, or
        to None if the restriction has no representative now.
        """
        touched = [] if self._rulings else list(chain(self._closing, self._free, *self._latest.values()))
        is_followed = bool(removed or added or twins or wide or self.rules_of_wide_kinds)
        if is_followed:
            touched += self._follow_schema(removed, added, twins, wide)
        if own is not None:
            own = tuple(own)
            touched += self._replace_layer("own", _layer_of_user(own))
            touched += self._replace_layer("copying", _copying_layer(self._selection, own))
        forks, walked, retranslated, axioms = set[Constant](), set[Constant](), 0, 0
        for each in self._translations:
            if each.readings.faulty:
                forks |= each.forks
            if each.axiom_rules.long:
                walked |= each.kinds_walked
            retranslated += each.axiom_rules.count if is_followed else 0
            axioms += len(each.axiom_rules.placed)
        rules, kinds = chain(self._translated, self._latest["own"]), (forks, walked, wide)
        flags = {"same_as": same_as, "exceeded": exceeded, "restricted": restricted}
        needed = _needed_layer(self._selection, rules, chain(self._schema, rest), kinds, **flags)
        touched += self._replace_layer("needed", needed)
        return self._put_in_force(touched)._replace(retranslated=retranslated, axioms=axioms)

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._log.commit()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self._log.rollback()

    def _follow_schema(
        self,
        removed: Collection[Triple],
        added: Collection[Triple],
        twins: Mapping[Constant, Constant | None],
        wide: Collection[Constant],
    ) -> list[Rule]:
        """Let the translations of the schema follow a change of the schema. The parameters are those of `change`.

        Returns the rules that came, went or have other sources now.
        """
        for triple in removed:
            if triple in self._schema:
                self._log.drop(self._schema, triple)
        self._log.put_all(self._schema, {triple: None for triple in added if triple not in self._schema})
        touched: list[Rule] = []
        if self._readings and self._selection.profiles:
            self._readings.change(Change(tuple(removed), tuple(added)))
        for translation in self._translations:
            change = translation.change(removed, added, twins, wide)
            for rule in change.removed:
                self._log.drop(self._translated, rule)
            for rule in (*change.added, *change.restated):
                self._log.put(self._translated, rule, _reasoned_rule(rule))
            touched += (*change.removed, *change.added, *change.restated)
        return touched

    def _replace_layer(self, name: str, after: Layer) -> list[Rule]:
        """Replace the layer of rules named `name` by `after`.

        Returns the rules that only one of the two layers has, and the rules whose reason is not the same in both.
        """
        before = self._latest[name]
        if not before and not after:
            return []
        self._log.put(self._latest, name, after)
        return [rule for rule in (before | after) if before.get(rule) != after.get(rule)]

    def _put_in_force(self, touched: Iterable[Rule]) -> ProgramChange:
        """Put each rule of `touched` in force, with the reason that the last layer with this rule gives.

        A rule that no layer has goes out of force. A rule that comes twice changes nothing the second time. Returns the
        change of the program.
        """
        removed: list[Rule] = []
        added: list[Rule] = []
        restated: list[Rule] = []
        layers = (*reversed(self._latest.values()), self._free, self._translated, self._closing)
        for n, rule in enumerate(touched, 1):
            if n % SOME == 0:
                let_out()
            before, after = self._rulings.get(rule), None
            for layer in layers:
                if (after := layer.get(rule)) is not None:
                    break
            if after is None and before is not None:
                self._log.drop(self._rulings, rule)
                removed.append(before.rule)
            elif after is not None and after != before:
                self._log.put(self._rulings, rule, after)
                (restated if before else added).append(after.rule)
        return ProgramChange(tuple(removed), tuple(added), tuple(restated))


def concern_datatypes(change: ProgramChange, *closure: Int32) -> bool:
    """Whether a change of rules, or of the closed schema, is about datatypes.

    `closure`: the triples int32[n, 3] that left the closed schema, and those that joined it.
    """
    is_read = datatypes_read((*change.removed, *change.added, *change.restated))
    return bool(is_read) or bool(is_datatype(np.concatenate(closure)).any())


def datatypes_read(rules: Iterable[Rule]) -> list[int]:
    """Return which datatypes rules read, by atoms `?x rdf:type D`: the id of D, or ANY if D is a variable.

    Ignores atoms whose D is not a supported datatype, and the rules of datatypes.dl.
    """
    found = []
    for rule in rules:
        for atom in rule.atoms_read() if rule.group != DATATYPES else ():
            if atom.relation is None and atom.terms[1] == v.RDF_TYPE:
                type_ = atom.terms[2]
                if isinstance(type_, Variable):
                    found.append(ANY)
                elif type_ in datatype_ids():
                    found.append(datatype_ids()[type_])
    return found


def _profiles(selection: Selection) -> tuple[Profile, ...]:
    """Return the rule sets that translate axioms; none if rules read the schema as data."""
    return () if selection.schema == "data" else selection.profiles


def _closing_layer(selection: Selection) -> Layer:
    return _shared_layer(selection.generic.closing, CLOSES)


def _layer_of_free_rules(selection: Selection) -> Layer:
    generic, equality = selection.generic, _shared_layer(selection.equality, "of the rule set: carries out owl:sameAs")
    others = equality | _shared_layer(selection.datatypes, "of the rule set: compares the values of literals")
    others |= _shared_layer(selection.el, "of the rule set: classifies the ontology as OWL 2 EL has it")
    if selection.schema == "data":
        return _shared_layer((*generic.rows, *generic.free), "of the rule set: reads the ontology as facts") | others
    return _shared_layer(generic.free, "of the rule set: needs no axiom") | others


def _needed_layer(
    selection: Selection,
    rules: Iterable[Rule],
    schema: Iterable[Triple],
    kinds: tuple[Collection[Constant], Collection[Constant], Collection[Constant]],
    *,
    same_as: bool,
    exceeded: bool,
    restricted: bool,
) -> Layer:
    """Return the layer of the needed rules: the generic rules that the flags or `kinds` call for.

    Closing rules are left out. `rules`: the translated rules and the user's. `schema`: the closed schema. `kinds`: the
    kinds of the axioms with a list that forks (a cell has two rests), of those that generic rules read because their
    lists are long, and those that are wide. The flags are those of `build_program`. twins.dl knows nothing of
    restrictions that are derived or made equal, so the rules run that twins.dl replaces.
    """
    layer: Layer = {}
    if selection.schema == "axioms" and (same_as or exceeded or any(kinds)):
        generic, (forks, *_), lists = selection.generic, kinds, kinds[:2]
        needed = rules_reading_lists(*lists, generic) if any(lists) else {}
        derived = (
            needed_generic_rules((*rules, *needed), generic, schema, same_as=same_as) if same_as or exceeded else {}
        )
        needed |= derived
        of_twins = (rule for rule in generic.rows if (forks or derived) and rule.group == TWINS)
        needed = dict.fromkeys(of_twins, "a derived axiom may name any of the restrictions that say the same") | needed
        needed = dict.fromkeys(rules_reading(kinds[2], generic), WIDE) | needed
        closing = frozenset(generic.closing)
        found = ((canonical(rule), reason) for rule, reason in needed.items() if rule not in closing)
        layer = {rule: ReasonedRule(rule, reason) for rule, reason in found}
        if v.SWRL_IMP in lists[1]:
            layer |= _shared_layer(ruleset("swrl").rules, "a SWRL rule asks which individuals are different")
    if same_as or restricted:
        layer |= _shared_layer(selection.without_twins, "restrictions are derived, or owl:sameAs makes some equal")
    return layer


@lru_cache(maxsize=64)
def _shared_layer(rules: tuple[Rule, ...], reason: str) -> Layer:
    """Return a layer of `rules`, all with the same reason. Many graphs share the layer, so it must not be changed."""
    return {rule: ReasonedRule(rule, reason) for rule in map(canonical, rules)}


def _copying_layer(selection: Selection, own: Iterable[Rule]) -> Layer:
    """Return the layer of the copying rules. `own`: the rules of the user.

    The copying rules copy asserted triples to equal terms, if a rule of the user says DATA. They also copy the facts of
    the relations that rules of the user read.
    """
    own = tuple(own)
    copying = [rule for rule in (*selection.equality, *selection.generic.free) if rule.name in _COPYING]
    found = tuple(map(_copying_rule_of_data, copying)) if any(map(Rule.data, own)) else ()
    layer = _shared_layer(found, "of the rule set: DATA is about individuals, whatever their names")
    for rule in copying:
        if rule.name == COPIES_FACTS:
            copies = tuple(each for relation in _relations_read(own) for each in _copying_rules(rule, *relation))
            layer = layer | _shared_layer(
                copies, "of the rule set: relations are about individuals, whatever their names"
            )
    return layer


def _relations_read(own: Sequence[Rule]) -> list[tuple[str, int]]:
    """Return the relations that the user's rules read and whose facts users may assert, with their numbers of terms."""
    made = {rule.declares.name for rule in own if rule.declares and rule.declares.kind in MADE_BY_RULES}
    read = chain.from_iterable(list(map(Rule.atoms_read, own)))
    atoms = dict.fromkeys((atom.relation, len(atom.terms)) for atom in read if atom.relation not in (None, DATA))
    return [(str(name), arity) for name, arity in atoms if name not in made]


def _copying_rules(rule: Rule, relation: str, arity: int) -> Iterator[Rule]:
    """Yield, for each place of a relation, a rule that replaces the term there by an equal term.

    For the first place of r: `r(?x, ?b) :- eq_rep(?o, ?x), r(?o, ?b)`. `rule` is eq-rep-o, which does this for triples.
    """
    (row,) = (atom for atom in rule.body if atom.relation is None and isinstance(atom.terms[1], Variable))
    links = tuple(atom for atom in rule.body if atom != row)
    old, new = row.terms[2], rule.heads[0].terms[2]
    others = tuple(Variable(f"place{number}") for number in range(arity))
    for place in range(arity):
        before, after = (Atom(relation, (*others[:place], term, *others[place + 1 :])) for term in (old, new))
        yield replace(rule, heads=(after,), body=(*links, before))


def _copying_rule_of_data(rule: Rule) -> Rule:
    """Turn a rule eq-rep-*, which copies triples to equal terms, into a rule that copies facts of DATA."""
    heads, body = (tuple(map(_data_atom, atoms)) for atoms in (rule.heads, rule.body))
    return replace(rule, heads=heads, body=body)


def _data_atom(atom: Atom) -> Atom:
    return Atom(DATA, atom.terms) if atom.relation is None and isinstance(atom.terms[1], Variable) else atom


def _layer_of_user(rules: Iterable[Rule]) -> Layer:
    """Return the layer of the user's rules. The reason of a rule from a file names this file."""
    rules = [rule for rule in rules if not rule.declares]
    reasons = dict(zip(list(map(canonical, rules)), map(origin, rules), strict=True))
    return {rule: ReasonedRule(rule, reason) for rule, reason in reasons.items()}


def _reasoned_rule(rule: Rule) -> ReasonedRule:
    """Return a translated rule with its reason: the triples that it comes from."""
    return ReasonedRule(rule, " ".join([" ".join((*triple, ".")) for triple in rule.sources]))


def _program(layers: Iterable[Layer], warnings: Iterable[str]) -> Program:
    rulings = {rule: ruling for layer in layers for rule, ruling in layer.items()}
    return Program(dict(rulings.values()), tuple(dict.fromkeys(warnings)))
