"""Class expressions: how to assume that an individual x is in an expression, or is not; how to show that x is in it.

A *case* is a tuple of triples. An assumption is a list of cases: in at least one of them, all triples are true. For
example, if x is in a union of two classes, x is in the first class, or x is in the second. A goal follows from an
assumption if it follows in every case. A *fresh* name occurs nowhere else. If a restriction says that a value exists,
the value gets a fresh name. If x is not in a class C, x is in the complement of C, a class not-C with a fresh name.

    assume            x is in the expression            x is not in the expression
    C                 x a C                             x a not-C
    C and D           x a C, and x a D                  x is not in C, or x is not in D
    C or D            x a C, or x a D                   x is not in C, and x is not in D
    not C             x is not in C                     x a C
    p some C          p leads to a fresh y in C         x a (p only not-C)
    p only C          x a (p only C)                    p leads to a fresh y that is not in C
    p value v         x p v                             it is not so that x p v
    p min n C         p leads to n fresh values in C    x a (p max n - 1 C)
    p max n C         x a (p max n C), n < 2            p leads to n + 1 different fresh values in C
    p self            x p x                             it is not so that x p x
    {a, b}            x is a, or x is b                 x differs from a and from b

There are three ways to show that x is in an expression: the closure says so; the parts of the expression can be shown;
or the assumption that x is not in the expression leads to a contradiction in every case. Source: OWL 2 RDF-Based
Semantics, section 5. Cost: to assume an intersection of unions takes as many cases as the product of their sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, combinations, count, product
from typing import TypeAlias

from kgreason.entailment.expressions import Counted, Reflexive
from kgreason.entailment.goals import TRUE, Absurd, Every, Exists, Goal, Holds, Several, Some, Suppose
from kgreason.ontology.read.axioms import Collection, Pair, Restriction
from kgreason.rules.model import Constant, Triple, Variable, triple
from kgreason.terms import vocabulary as v

Expression: TypeAlias = Pair | Collection | Restriction | Counted | Reflexive
Case: TypeAlias = tuple[Triple, ...]
_FILLER = Variable("filler")


class Classes:
    """Makes cases and goals about classes.

    `expressions` maps a node to the class expression that the node stands for: those of the conclusion, and the
    enumerations (owl:oneOf) of the premises.
    """

    def __init__(self, expressions: Mapping[Constant, Expression]) -> None:
        self._expressions = expressions
        self._numbers = count(1)

    def fresh(self) -> Constant:
        """Return a new name (a blank node) that occurs nowhere else."""
        return f"_:fresh{next(self._numbers)}"

    def member(self, individual: Constant, class_: Constant) -> Goal:
        """Return the goal to show that an individual is in a class."""
        if class_ == v.OWL_THING:
            return TRUE
        excluded = Every(tuple(Suppose(case, Absurd()) for case in self.cases(individual, class_, False)))
        return Some((Holds((individual, v.RDF_TYPE, class_)), *self._goals_of_parts(individual, class_), excluded))

    def in_all_cases(self, individual: Constant, class_: Constant, goal: Goal) -> Goal:
        """Return the goal that `goal` follows from the assumption that an individual is in a class."""
        return Every(
            tuple(Suppose(case + thing_triples(individual), goal) for case in self.cases(individual, class_, True))
        )

    def _goals_of_parts(self, x: Constant, class_: Constant) -> Iterable[Goal]:
        """Yield goals about the parts of the expression of `class_`. If one of them is met, x is in the class."""
        match self._expressions.get(class_):
            case Collection(kind, _, members) if kind == v.OWL_ONE_OF:
                yield Some(tuple(same_individual(x, each) for each in members))
            case Collection(kind, _, members):
                parts = tuple(self.member(x, each) for each in members)
                yield Every(parts) if kind == v.OWL_INTERSECTION_OF else Some(parts)
            case Restriction(kind, _, property_, filler) if kind == v.OWL_SOME_VALUES_FROM:
                pattern = triple(x, property_, _FILLER)
                yield Exists((pattern,), lambda found: self.member(found[_FILLER], filler))
            case Restriction(kind, _, property_, filler) if kind == v.OWL_ALL_VALUES_FROM:
                y = self.fresh()
                yield Suppose(((x, property_, y), *thing_triples(y)), self.member(y, filler))
            case Restriction(_, _, property_, filler):
                yield triple_goal(x, property_, filler)
            case Reflexive(_, _, property_):
                yield triple_goal(x, property_, x)
            case Counted() as counted:
                yield Every((self._at_least(x, counted), self._at_most(x, counted)))
            case _:
                return

    def _at_least(self, x: Constant, counted: Counted) -> Goal:
        """Return the goal to show that x has at least `counted.least` different values that `counted` counts."""
        member = partial(self.member, class_=counted.on_class)
        return Several(counted.least, x, counted.property_, member, different_individuals)

    def _at_most(self, x: Constant, counted: Counted) -> Goal:
        """Return the goal to show that x has at most `counted.most` different values that `counted` counts.

        One value more is assumed; the goal is to show that two of these values are the same.
        """
        if counted.most is None:
            return TRUE
        values = tuple(self.fresh() for _ in range(counted.most + 1))
        goal = Some(tuple(same_individual(one, other) for one, other in combinations(values, 2)))
        cases = self._cases_of_values(x, counted.property_, counted.on_class, values)
        return Every(tuple(Suppose(case, goal) for case in cases))

    def cases(self, x: Constant, class_: Constant, is_in: bool) -> list[Case]:
        """Return the cases of the assumption that x is in a class, or is not in it if `is_in` is False."""
        told: Case = ((x, v.RDF_TYPE, class_),) if is_in else self._case_outside(x, class_)
        expression = self._expressions.get(class_)
        if expression is None:
            return [told]
        inner = self._inside_cases(x, expression) if is_in else self._outside_cases(x, expression)
        return [told + case for case in inner]

    def _case_outside(self, x: Constant, class_: Constant) -> Case:
        complement = self.fresh()
        return (complement, v.OWL_COMPLEMENT_OF, class_), (x, v.RDF_TYPE, complement)

    def _inside_cases(self, x: Constant, expression: Expression) -> list[Case]:
        match expression:
            case Pair(_, _, other):
                return self.cases(x, other, False)
            case Collection(kind, _, members) if kind == v.OWL_ONE_OF:
                return [((x, v.OWL_SAME_AS, each),) for each in members]
            case Collection(kind, _, members):
                return self._cases_of_members(
                    x, members, True, _combinations if kind == v.OWL_INTERSECTION_OF else _cases_of_any
                )
            case Restriction(kind, _, property_, filler) if kind == v.OWL_SOME_VALUES_FROM:
                return self._cases_of_values(x, property_, filler, (self.fresh(),))
            case Reflexive(_, _, property_):
                return [((x, property_, x),)]
            case Counted() as counted:
                few = () if counted.most is None else self._case_of_few(x, counted, counted.most)
                return [few + case for case in self._cases_of_many(x, counted, counted.least)]
            case _:
                return [()]

    def _outside_cases(self, x: Constant, expression: Expression) -> list[Case]:
        match expression:
            case Pair(_, _, other):
                return self.cases(x, other, True)
            case Collection(kind, _, members) if kind == v.OWL_ONE_OF:
                return [tuple((x, v.OWL_DIFFERENT_FROM, each) for each in members)]
            case Collection(kind, _, members):
                return self._cases_of_members(
                    x, members, False, _combinations if kind == v.OWL_UNION_OF else _cases_of_any
                )
            case Restriction(kind, _, property_, filler) if kind == v.OWL_SOME_VALUES_FROM:
                return [self._only_outside(x, property_, filler)]
            case Restriction(kind, _, property_, filler) if kind == v.OWL_HAS_VALUE:
                return [self.denial((x, property_, filler))]
            case Restriction(_, _, property_, filler):
                y = self.fresh()
                return [((x, property_, y), *thing_triples(y), *case) for case in self.cases(y, filler, False)]
            case Reflexive(_, _, property_):
                return [self.denial((x, property_, x))]
            case Counted() as counted:
                few = [self._case_of_few(x, counted, counted.least - 1)] if counted.least else []
                return few + ([] if counted.most is None else self._cases_of_many(x, counted, counted.most + 1))

    def _cases_of_members(self, x: Constant, members: Iterable[Constant], is_in: bool, joined: Joined) -> list[Case]:
        return joined([self.cases(x, each, is_in) for each in members])

    def _cases_of_many(self, x: Constant, counted: Counted, number: int) -> list[Case]:
        """Return the cases of an assumption: x has `number` different values of the kind that `counted` counts."""
        values = tuple(self.fresh() for _ in range(number))
        unlike = tuple((one, v.OWL_DIFFERENT_FROM, other) for one, other in combinations(values, 2))
        return [unlike + case for case in self._cases_of_values(x, counted.property_, counted.on_class, values)]

    def _case_of_few(self, x: Constant, counted: Counted, number: int) -> Case:
        """Return the case that x has at most `number` values of the kind that the cardinality `counted` counts.

        Rules can conclude something from this only if `number` is 0 or 1.
        """
        most, limit = self.fresh(), f'"{number}"^^{v.XSD_NON_NEGATIVE_INTEGER}'
        told = (x, v.RDF_TYPE, most), (most, v.OWL_ON_PROPERTY, counted.property_)
        if counted.on_class == v.OWL_THING:
            return *told, (most, v.OWL_MAX_CARDINALITY, limit)
        return *told, (most, v.OWL_MAX_QUALIFIED_CARDINALITY, limit), (most, v.OWL_ON_CLASS, counted.on_class)

    def _cases_of_values(
        self, x: Constant, property_: Constant, class_: Constant, values: tuple[Constant, ...]
    ) -> list[Case]:
        """Return the cases of the assumption that each of `values` is a value of a property of x and is in a class."""
        told = tuple((x, property_, value) for value in values) + thing_triples(*values)
        if class_ == v.OWL_THING:
            return [told]
        return [told + case for case in _combinations([self.cases(value, class_, True) for value in values])]

    def _only_outside(self, x: Constant, property_: Constant, filler: Constant) -> Case:
        """Return the case that no y with a triple `x property_ y` is in the class `filler`."""
        only, complement = self.fresh(), self.fresh()
        return (
            (complement, v.OWL_COMPLEMENT_OF, filler),
            (only, v.OWL_ON_PROPERTY, property_),
            (only, v.OWL_ALL_VALUES_FROM, complement),
            (x, v.RDF_TYPE, only),
        )

    def denial(self, denied: Triple) -> Case:
        """Return the case that the triple `denied` does not hold: the triples of a negative property assertion."""
        node, (subject, property_, target) = self.fresh(), denied
        kind = v.OWL_TARGET_VALUE if target.startswith('"') else v.OWL_TARGET_INDIVIDUAL
        return (
            (node, v.OWL_SOURCE_INDIVIDUAL, subject),
            (node, v.OWL_ASSERTION_PROPERTY, property_),
            (node, kind, target),
        )


def thing_triples(*individuals: Constant) -> Case:
    """Return a triple `x rdf:type owl:Thing` for each of some new names. No rule derives these triples."""
    return tuple((each, v.RDF_TYPE, v.OWL_THING) for each in individuals)


def triple_goal(one: Constant, property_: Constant, other: Constant) -> Goal:
    """Return the goal to show the triple `one property_ other`.

    If `one` and `other` are the same name, it is enough that the property is an owl:ReflexiveProperty: no rule derives
    `x p x` from that.
    """
    holds = Holds((one, property_, other))
    return Some((holds, Holds((property_, v.RDF_TYPE, v.OWL_REFLEXIVE_PROPERTY)))) if one == other else holds


def same_individual(one: Constant, other: Constant) -> Goal:
    """Return the goal to show that two names denote the same individual."""
    if one == other:
        return TRUE
    return Some((Holds((one, v.OWL_SAME_AS, other)), Suppose(((one, v.OWL_DIFFERENT_FROM, other),), Absurd())))


def different_individuals(one: Constant, other: Constant) -> Goal:
    """Return the goal to show that two names denote different individuals."""
    return Some((Holds((one, v.OWL_DIFFERENT_FROM, other)), Suppose(((one, v.OWL_SAME_AS, other),), Absurd())))


def _combinations(parts: list[list[Case]]) -> list[Case]:
    """Return the cases in which every part is true. Each result combines one case of each part."""
    return [tuple(chain.from_iterable(case)) for case in product(*parts)]


def _cases_of_any(parts: list[list[Case]]) -> list[Case]:
    """Return the cases in which at least one part is true: the cases of all parts, one after the other."""
    return list(chain.from_iterable(parts))


Joined: TypeAlias = Callable[[list[list[Case]]], list[Case]]
