"""Goals: statements to show, as values; and `prove`, which shows them in a world.

    Holds(triple)             the triple is in the closure
    Absurd()                  there is a contradiction
    Every(goals)              all these goals are met; also if there are no goals
    Some(goals)               at least one of these goals is met
    Suppose(triples, goal)    the goal is met when the triples are asserted as well
    Exists(patterns, then)    for some binding of the variables of the patterns, the goal `then(binding)` is met
    Several(number, ...)      a property has `number` different values, and a goal about each value is met

If there is a contradiction, every goal is met, because everything follows from a contradiction. A name that only the
triples of a `Suppose` use stands for any individual; so a goal that is met for this name is met for all individuals.

Cost: a `Suppose` takes two commits, one to assert its triples and one to retract them; other goals are look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeAlias

from kgreason.rules.model import Atom, Constant, Triple, Variable, triple

Binding: TypeAlias = Mapping[Variable, Constant]


class World(Protocol):
    """A closure to which triples can be added for the time of a `with` block; `world.Closure` is one."""

    @property
    def is_absurd(self) -> bool:
        """Whether there is a contradiction."""

    def holds(self, triple: Triple) -> bool:
        """Whether the closure has a triple."""

    def solutions(self, patterns: tuple[Atom, ...]) -> Iterator[Binding]:
        """Yield each binding under which all triple patterns are in the closure."""

    def suppose(self, triples: tuple[Triple, ...]) -> AbstractContextManager[None]:
        """Return a context in which `triples` are asserted as well."""


@dataclass(frozen=True, slots=True)
class Holds:
    """The goal that a triple is in the closure."""

    triple: Triple


@dataclass(frozen=True, slots=True)
class Absurd:
    """The goal that there is a contradiction."""


@dataclass(frozen=True, slots=True)
class Every:
    """The goal that all of `goals` are met."""

    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """The goal that at least one of `goals` is met."""

    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Suppose:
    """The goal that `goal` is met when `triples` are asserted as well."""

    triples: tuple[Triple, ...]
    goal: Goal


@dataclass(frozen=True, slots=True)
class Exists:
    """The goal that there is a binding under which all `patterns` are in the closure, and `then(binding)` is met."""

    patterns: tuple[Atom, ...]
    then: Callable[[Binding], Goal]


@dataclass(frozen=True, slots=True)
class Several:
    """The goal that the closure has `number` values of a property of `subject` that meet further goals.

    The further goals are `member(v)` for each of these values, and `apart(v, w)` for any two of them.
    """

    number: int
    subject: Constant
    property_: Constant
    member: Callable[[Constant], Goal]
    apart: Callable[[Constant, Constant], Goal]


Goal: TypeAlias = Holds | Absurd | Every | Some | Suppose | Exists | Several
TRUE = Every(())
_VALUE = Variable("value")


def prove(goal: Goal, world: World) -> bool:
    """Whether a goal is met in a world."""
    if world.is_absurd:
        return True
    match goal:
        case Holds(triple):
            return world.holds(triple)
        case Absurd():
            return False
        case Every(goals):
            return all(prove(each, world) for each in goals)
        case Some(goals):
            return any(prove(each, world) for each in goals)
        case Suppose(triples, then):
            with world.suppose(triples):
                return prove(then, world)
        case Exists(patterns, then):
            return any(prove(then(binding), world) for binding in world.solutions(patterns))
        case Several():
            return _are_several(goal, world)


def _are_several(goal: Several, world: World) -> bool:
    wanted = (triple(goal.subject, goal.property_, _VALUE),)
    values = dict.fromkeys(found[_VALUE] for found in world.solutions(wanted))
    members = [value for value in values if prove(goal.member(value), world)]
    apart = cache(lambda one, other: prove(goal.apart(one, other), world))
    return _has_clique(members, goal.number, apart)


def _has_clique(values: list[Constant], number: int, apart: Callable[[Constant, Constant], bool]) -> bool:
    """Whether `number` of the values are all different: `apart(v, w)` is True for any two of these values."""
    if len(values) < number:
        return False
    return number == 0 or any(
        _has_clique([other for other in values[place:] if apart(one, other)], number - 1, apart)
        for place, one in enumerate(values, 1)
    )
