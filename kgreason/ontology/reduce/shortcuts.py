"""The pass `LiveReduction`: it removes rules that chains of other rules make superfluous.

After the pass `LiveCovers`, a closed schema still gives superfluous rules: every class is below each of its equivalent
classes, and different axioms may give rules with the same head. A superfluous rule derives no new facts, but each of
its derivations takes time at every edit. A *step* is a rule with one body atom and one head. It leads from facts that
match its body to facts that it derives, like an edge of a graph. A step is a *shortcut*, and is removed, if a chain of
other steps leads from its body to its head.

Invariant: without the removed rules, the closure of any facts is the same. If the steps form no cycle, the result does
not depend on the order of the rules. Equivalent classes form cycles; there the result depends on the order.
Cost: for each rule a walk over the facts that follow from its body.

The steps are checked one by one, from the last place to the first. The pass looks for a chain of steps that come before
the checked step, and of steps that come after it and were kept. Removing shortcuts does not change which facts can be
reached. So the result for a step depends only on the steps that can be reached from its body.

When a step S is added or removed, the pass checks only S
and the steps from which a chain leads to the body of S. It follows chains backwards, and compares only the predicates
and objects of their atoms; this may find too many steps, but never too few. The walks leave out the shortcuts that are
not checked again. No chain leads from them to S, so the chains that replace them are still there.

Law: after any changes, `shortcuts` are those that one change finds which adds all present rules at once. Cost: a walk
over the facts that follow from its body, for each step from which a chain leads to a changed step. If a subclass axiom
at the bottom of a hierarchy changes, only its own step is checked; if one at the top changes, all steps below.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from operator import attrgetter
from typing import Generic, TypeAlias, TypeVar

from kgreason.ontology.change import Change
from kgreason.ontology.reduce.statements import PlacedRule, order
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Atom, Rule, Term, Variable
from kgreason.terms.vocabulary import OWL_SAME_AS

Fact: TypeAlias = tuple[Term, ...]
Key: TypeAlias = tuple[Term, Term | None]
S = TypeVar("S", bound=Hashable)

_MANY, _FAR = 16, 64
"""If more steps start at one fact, as at a long intersection, the search looks backwards first, at so many keys."""


def is_step(rule: Rule) -> bool:
    """Whether a rule is a step: it has one body atom, no expression and one head. Both are triple patterns."""
    is_one = len(rule.body) == len(rule.heads) == 1 and not rule.computed
    return is_one and rule.body[0].relation is None and rule.heads[0].relation is None


def key(atom: Atom) -> Key:
    """Return the key of a triple pattern: its predicate, and its object or None if the object is a variable."""
    _, predicate, object_ = atom.terms
    return predicate, None if isinstance(object_, Variable) else object_


class StepGraph(Generic[S]):
    """A graph of facts in which each step is an edge from its body to its head. Edges are computed when first needed.

    A fact of the graph may have variables of the checked rule, which count as constants. `steps(key)` returns the steps
    whose body has this key, and `deriving(key)` those whose head has it; `rule_of` returns the rule of a step. Call
    `close` when a step is removed.
    """

    def __init__(
        self,
        steps: Callable[[Key], Iterable[S]],
        deriving: Callable[[Key], Iterable[S]],
        rule_of: Callable[[S], Rule],
    ) -> None:
        self._steps, self._deriving, self._rule_of = steps, deriving, rule_of
        self._places: dict[Fact, _Place[S]] = {}
        self._used: dict[S, list[_Place[S]]] = {}

    def has_detour(self, step: S) -> bool:
        """Whether a step is a shortcut: other steps lead from its body to its head."""
        rule = self._rule_of(step)
        start, goal = self._place(rule.body[0].terms), self._place(rule.heads[0].terms)
        exits = start.exits or self._edges_from(start)
        if len(exits) > _MANY and start is not goal and self._is_alone(step, key(rule.heads[0]), key(rule.body[0])):
            return False
        reached, waiting = {start}, [start]
        for place in waiting:
            for other, head in (place.exits or self._edges_from(place)).items():
                if head not in reached and other is not step:
                    if head is goal:
                        return True
                    reached.add(head)
                    if head.fact[1] != OWL_SAME_AS:  # a derived `x owl:sameAs x` is not stored: nothing follows
                        waiting.append(head)
        return start is goal

    def _is_alone(self, step: S, end: Key, start: Key) -> bool:
        """Whether a look backwards from facts with the key `end` finds that no other step leads there from `start`.

        The look ends after `_FAR` keys, and at a step that any object may start. It compares keys only. So the answer
        False may be wrong, but not True.
        """
        waiting = list(found := {end: None})
        for each in waiting:
            predicate, object_ = each
            ends = (each,) if object_ is None else (each, (predicate, None))
            for other in (other for one in ends for other in self._deriving(one) if other is not step):
                before = key(self._rule_of(other).body[0])
                if before == start or before[1] is None or len(found) > _FAR:
                    return False
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return True

    def close(self, step: S) -> None:
        """Remove a step from the graph."""
        for place in self._used.pop(step, ()):
            del place.exits[step]

    def _place(self, fact: Fact) -> _Place[S]:
        place = self._places.get(fact)
        if place is None:
            place = self._places[fact] = _Place(fact)
        return place

    def _edges_from(self, place: _Place[S]) -> dict[S, _Place[S]]:
        """Return the edges that start at a place, as a dict from steps to places. They are computed only once."""
        if not place.is_explored:
            place.is_explored = True
            _, predicate, object_ = place.fact
            for step in chain(self._steps((predicate, object_)), self._steps((predicate, None))):
                head = _apply(self._rule_of(step), place.fact)
                if head is not None:
                    place.exits[step] = self._place(head)
                    self._used.setdefault(step, []).append(place)
        return place.exits


class _Place(Generic[S]):
    """A node of the graph: a fact. `exits` maps each step that its fact matches to the place of the derived fact."""

    __slots__ = ("exits", "fact", "is_explored")

    def __init__(self, fact: Fact) -> None:
        self.fact, self.is_explored = fact, False
        self.exits: dict[S, _Place[S]] = {}


def _apply(step: Rule, fact: Fact) -> Fact | None:
    """Return the fact that a step derives from `fact`, or None if the body of the step does not match."""
    if step.body[0].terms == fact:  # the usual case: both are canonical
        return step.heads[0].terms
    binding: dict[Term, Term] = {}
    for term, value in zip(step.body[0].terms, fact, strict=True):
        if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return tuple([binding.get(term, term) for term in step.heads[0].terms])


class LiveReduction:
    """The present rules, and which of them are shortcuts; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._bodies = _StepIndex(log)
        self._heads = _StepIndex(log)
        self._shortcuts: dict[PlacedRule, None] = {}

    @property
    def shortcuts(self) -> frozenset[PlacedRule]:
        """All present shortcuts: steps that other steps replace."""
        return frozenset(self._shortcuts)

    def change(self, rules: Change[PlacedRule]) -> Change[PlacedRule]:
        """Remove rules and add others. Returns the change of the set of rules that are not shortcuts."""
        gone = [placed for placed in rules.gone if not self._forget(placed)]
        come = [placed for placed in rules.come if not is_step(placed.rule)]
        new = {placed: key(placed.rule.body[0]) for placed in rules.come if is_step(placed.rule)}
        for placed, end in new.items():
            self._bodies.add(end, placed)
            self._heads.add(key(placed.rule.heads[0]), placed)
        left = {key(placed.rule.body[0]) for placed in rules.gone if is_step(placed.rule)}
        judged = self._steps_leading_to(dict.fromkeys(chain(left, new.values())))
        was_left = {placed for placed in judged if not self._reopen(placed) and placed not in new}
        ways = StepGraph[PlacedRule](self._open_steps, self._steps_ending_at, attrgetter("rule"))
        for placed in sorted(judged, key=order, reverse=True):
            if self._judge(placed, ways):
                come += [placed] if placed not in was_left else ()
            elif placed in was_left:
                gone.append(placed)
        return Change(tuple(gone), tuple(come))

    def _forget(self, placed: PlacedRule) -> bool:
        """Remove a rule. Returns whether it was a shortcut."""
        if is_step(placed.rule):
            self._bodies.discard(key(placed.rule.body[0]), placed)
            self._heads.discard(key(placed.rule.heads[0]), placed)
        return self._reopen(placed)

    def _reopen(self, placed: PlacedRule) -> bool:
        """Forget that a rule is a shortcut, if it is one. Returns whether it was one."""
        if placed not in self._shortcuts:
            return False
        self._log.drop(self._shortcuts, placed)
        return True

    def _open_steps(self, end: Key) -> Iterator[PlacedRule]:
        """Yield the steps whose body has the key `end`, without shortcuts."""
        return (step for step in self._bodies.at(end) if step not in self._shortcuts)

    def _steps_ending_at(self, end: Key) -> Iterator[PlacedRule]:
        """Yield the steps whose head has the key `end`, without shortcuts."""
        return (step for step in self._heads.at(end) if step not in self._shortcuts)

    def _judge(self, placed: PlacedRule, ways: StepGraph[PlacedRule]) -> bool:
        """Check whether a step is a shortcut, and store the answer. Returns whether the step stays.

        Check all later steps before this one. `ways` is the graph of the steps without the shortcuts found so far.
        """
        if not ways.has_detour(placed):
            return True
        self._log.put(self._shortcuts, placed, None)
        ways.close(placed)
        return False

    def _steps_leading_to(self, found: dict[Key, None]) -> dict[PlacedRule, None]:
        """Return the steps whose body may match facts with a key in `found`, and those from which chains lead there.

        `found`: a dict used as an ordered set. The keys of the bodies that are found on the way are added to it.
        """
        waiting = list(found)
        for each in waiting:
            for step in self._heads.matching_steps(each):
                before = key(step.rule.body[0])
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return dict.fromkeys(step for each in found for step in self._bodies.matching_steps(each))


class _StepIndex:
    """An index of steps by the key of their body, or by the key of their head. See `key`."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._steps: dict[Term, dict[Term | None, dict[PlacedRule, None]]] = {}

    def add(self, end: Key, step: PlacedRule) -> None:
        predicate, object_ = end
        objects = self._steps.get(predicate)
        if objects is None:
            self._log.put(self._steps, predicate, {object_: {step: None}})
        elif object_ not in objects:
            self._log.put(objects, object_, {step: None})
        else:
            self._log.put(objects[object_], step, None)

    def discard(self, end: Key, step: PlacedRule) -> None:
        predicate, object_ = end
        objects = self._steps[predicate]
        self._log.drop(objects[object_], step)
        if not objects[object_]:
            self._log.drop(objects, object_)
        if not objects:
            self._log.drop(self._steps, predicate)

    def at(self, end: Key) -> Iterable[PlacedRule]:
        return self._steps.get(end[0], {}).get(end[1], ())

    def matching_steps(self, end: Key) -> Iterable[PlacedRule]:
        """Return the steps whose key and the key `end` can match the same fact."""
        predicate, object_ = end
        if object_ is None:
            return chain.from_iterable(self._steps.get(predicate, {}).values())
        return chain(self.at(end), self.at((predicate, None)))
