"""`EngineFacts`: the engine's facts, and their derivations, for proofs.

Derivations are not stored. They are found by running the rules backwards from the fact that is asked about.

Invariant: if a present fact is not asserted, at least one of its `derivations` is counted
(docs/architecture/commit.md). Cost: one backward run for each fact that is asked about. The first run also makes
arrangements, and the first `EngineFacts` after a change of the rules encodes all rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kgreason.engine.program.encoding import terms_of_row
from kgreason.engine.program.shapes import EncodedRule, Pattern
from kgreason.engine.records import stamps
from kgreason.interrupts import let_out
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.program import DATATYPES
from kgreason.materialize.schema.stated_facts import STANDS, STATED
from kgreason.materialize.schema.twins import GROUP as TWINS
from kgreason.proofs.notation import is_hidden
from kgreason.proofs.search import CHOSEN, Derivation, State
from kgreason.rules.canonical_form import canonical
from kgreason.rules.lowering import (
    CHOOSING,
    aggregation,
    is_aggregate_input,
    is_aggregate_value,
    is_expression_result,
    lowered_body,
)
from kgreason.rules.model import FALSE, Atom, Rule, contradiction
from kgreason.rules.parser import aggregate_of, ruleset
from kgreason.rules.patterns import substitute, unify
from kgreason.zset.columns import IS_ASSERTED, Int32

_TRIED, _LONG = 500, 12
"""The most steps of the search in `_derivation_by`, and the most atoms in the body of a user's rule for this search."""


class EngineFacts:
    """The facts of the engine and their derivations. Facts are given as atoms."""

    def __init__(self, materializer: Materializer) -> None:
        self._materializer = materializer
        self._engine = materializer.engine
        self._rules: dict[EncodedRule, Rule] = materializer.rules_by_code()
        self._written = {canonical(rule): rule for rule in materializer.own}
        """The user's rules by their canonical forms, which are the rules of the engine."""
        self._bodiless: dict[Atom, list[Rule]] = {}
        for rule in self._rules.values():
            for head in () if rule.body or not rule.is_positive else rule.heads:
                self._bodiless.setdefault(contradiction(rule) if head == FALSE else head, []).append(rule)

    def row(self, fact: Atom) -> int:
        """Return the number of a fact's row in the fact table, or -1 if the fact is not present."""
        texts = [str(term) for term in terms_of_row(fact)]
        ids = self._materializer.dictionary.find(texts)
        if not ids.all():
            return -1
        kind = fact.relation is None, len(texts)
        tables = self._engine.tables
        if kind not in tables:
            return -1
        facts = self._engine.facts
        row = int(facts.find(ids[None].astype(np.int32))[0])
        return row if row >= 0 and facts.columns(np.array([row], dtype=np.int32))[1][0] == tables.index(kind) else -1

    def state(self, fact: Atom) -> State:
        """Return whether a present fact is asserted, and its stamp."""
        if witness := self._witness(fact):
            return State(False, self.state(witness).stamp)
        row = np.array([self.row(fact)], dtype=np.int32)
        facts = self._engine.facts
        return State(bool(facts.kinds(row)[0] == IS_ASSERTED), int(stamps(facts.records(row))[0]))

    def derivations(self, fact: Atom) -> Iterator[Derivation]:
        """Yield every derivation of a present fact, also those by rules without a body."""
        if witness := self._witness(fact):
            ways = (
                [derivation.body for derivation in self.derivations(witness)]
                if is_aggregate_input(witness)
                else [(witness,)]
            )
            yield from (Derivation(CHOSEN, body) for body in ways)
            return
        for code, slots in self._engine.derivations(self.row(fact)):
            let_out()
            body = tuple(self._atom(pattern, code, slots) for pattern in code.shape.body)
            if is_expression_result(fact):  # another name of a result
                yield Derivation(CHOSEN, body)
                continue
            found = self._derivation_of_copies(fact, Derivation(self._rules[code], body))
            yield self._derivation_as_written(fact, self._derivation_of_twins(fact, _derivation(fact, found)))
        for rule in self._bodiless.get(fact, ()):
            yield Derivation(rule, ())

    def _witness(self, fact: Atom) -> Atom | None:
        """If `fact` states the value of a MIN, MAX or SAMPLE, return the fact that the value comes from, else None.

        Also None if no fact has the value, because Oxigraph changed it to its normal form, such as "01" to "1".
        """
        if not is_aggregate_value(fact):
            return None
        found = aggregation(aggregate_of(fact))[0]
        *group, value = fact.terms
        if found.aggregate.function not in CHOOSING:
            return None
        values = {found.aggregate.argument: value} | dict(zip(found.aggregate.group, group, strict=True))
        row = substitute(found.each, {key: values[key] for key in found.keys})
        return row if self.row(row) >= 0 else None

    def _derivation_as_written(self, fact: Atom, derivation: Derivation) -> Derivation:
        """Return a derivation of `fact` by a user's rule with the variables and the order of atoms that the user wrote.

        Other derivations are returned as they are.
        """
        rule = self._written.get(derivation.rule)
        if rule is None or len(rule.body) > _LONG:
            return derivation
        return _derivation_by(rule, fact, derivation.body) or derivation

    def _derivation_of_copies(self, fact: Atom, derivation: Derivation) -> Derivation:
        """Return a derivation by a rule of owl2el.dl with the triples of two expressions that are written the same.

        They stand in place of the fact that the node of one stands for the other. Other derivations are returned as
        they are.
        """
        stated = self._materializer.stated
        rule, body = derivation
        pairs = [atom.terms for atom in body if atom.relation == STANDS and atom.terms[0] != atom.terms[1]]
        copies = [str(node) for pair in pairs for node in pair]
        if not copies or stated is None:
            return derivation
        told = (Atom(None, terms) for node in copies for terms in stated.triples(node))
        premises = tuple(dict.fromkeys((*(atom for atom in body if atom.relation != STANDS), *told)))
        return Derivation(Rule((fact,), premises, rule.name, rule.group), premises)

    def _derivation_of_twins(self, fact: Atom, derivation: Derivation) -> Derivation:
        """Return a derivation by a rule of twins.dl with triples of the ontology in place of facts about restrictions.

        Other derivations are returned as they are.
        """
        rule, body = derivation
        twins = self._materializer.twins
        if rule.group != TWINS or twins is None:
            return derivation
        read = [twins.sources(atom) if atom.relation else (atom.terms,) for atom in body]
        told = [Atom(None, terms) for sources in read for terms in sources]
        told += [atom for atom, sources in zip(body, read, strict=True) if not sources]
        premises = tuple(dict.fromkeys(told))
        return _derivation_by_table(fact, rule.name, premises) or Derivation(
            Rule((fact,), premises, rule.name, rule.group), premises
        )

    def _atom(self, pattern: Pattern, code: EncodedRule, slots: tuple[int, ...]) -> Atom:
        """Return the fact that a body atom of the rule `code` becomes if `slots` has the values of the variables."""
        known = (*slots[: 1 + code.shape.variables], *code.constants)
        ids = [known[slot] for slot in pattern.slots]
        is_triple, _ = self._engine.tables[pattern.table]
        return atom_of(self._materializer, np.array(ids, dtype=np.int32), is_triple=is_triple)


def _derivation(fact: Atom, derivation: Derivation) -> Derivation:
    """Return a derivation of `fact` as proofs show it: its body has no conditions on literals, see `is_hidden`.

    If a rule of datatypes.dl derives a triple, the derivation has an empty body, as in the W3C tables.
    """
    rule, body = derivation
    shown = _visible_atoms(body)
    if rule.heads == (FALSE,):
        return Derivation(rule, shown)
    if rule.group == DATATYPES:
        return Derivation(Rule((fact,), (), rule.name, rule.group), ())
    return Derivation(without_hidden(rule), shown)


def without_hidden(rule: Rule) -> Rule:
    """Return the rule without its conditions on literals, see `is_hidden`."""
    read = _visible_atoms(rule.body)
    return rule if read == rule.body else replace(rule, body=read)


def _visible_atoms(body: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms of a body that are not hidden. A triple stands for the fact that somebody stated it."""
    return tuple([Atom(None, atom.terms) if atom.relation == STATED else atom for atom in body if not is_hidden(atom)])


def _derivation_by_table(fact: Atom, name: str, premises: Sequence[Atom]) -> Derivation | None:
    """Return the derivation of `fact` from `premises` by the rule of OWL 2 RL called `name`; None if none is found."""
    rule = next((rule for rule in ruleset("owl2rl").rules if rule.name == name), None)
    return _derivation_by(rule, fact, premises) if rule else None


def _derivation_by(rule: Rule, fact: Atom, premises: Sequence[Atom]) -> Derivation | None:
    """Return a derivation of `fact` by `rule` from some of `premises`; None if `_TRIED` steps do not find any."""
    body = lowered_body(rule)
    waiting = [(0, binding) for head in rule.heads[::-1] if (binding := unify(head, fact, {})) is not None]
    for _ in range(_TRIED):
        if not waiting:
            break
        place, binding = waiting.pop()
        if place == len(body):
            return Derivation(rule, tuple(substitute(atom, binding) for atom in body))
        ways = (unify(body[place], premise, binding) for premise in reversed(premises))
        waiting += [(place + 1, way) for way in ways if way is not None]
    return None


def atom_of(materializer: Materializer, ids: Int32, *, is_triple: bool) -> Atom:
    """Return the fact whose row has the ids `ids`, int32[w]: a triple, or a fact of a relation."""
    texts = materializer.dictionary.decode(ids)
    if is_triple:
        return Atom(None, tuple(texts))
    return Atom(texts[0].rsplit("/", 1)[0], tuple(texts[1:]))
