"""Turn an axiom of a conclusion into a goal: assume one thing for new individuals x, y, z, and show another.

    axiom                  assume                          show
    A subClassOf B         x in A                          show x in B
    p domain C, range C    x p y                           show x in C, y in C
    p subPropertyOf q      x p y                           show x q y
    p functional           x p y, x p z                    show y same as z
    C hasKey p, q          x and y in C, equal in p, q     show x same as y
    disjoint, asymmetric, irreflexive, negative: assume the forbidden facts, show a contradiction

If the axiom is a single triple and the closure has this triple, nothing else has to be shown. The method is sound if
the rules are sound (deduction theorem). It shows an axiom only if the rules derive enough about the new individuals.
Keys hold for unnamed individuals too, as in OWL 2 RL/RDF; under the Direct Semantics keys hold for named individuals
only. Source: OWL 2 RDF-Based Semantics, section 5. Cost: a few assumptions for each axiom.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations, pairwise
from typing import TypeAlias

from kgreason.entailment.classes import (
    Case,
    Classes,
    different_individuals,
    same_individual,
    thing_triples,
    triple_goal,
)
from kgreason.entailment.goals import Absurd, Every, Goal, Holds, Some, Suppose
from kgreason.ontology.read.axioms import Characteristic, Collection, NegativeAssertion, Pair
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v

Claim: TypeAlias = Pair | Characteristic | Collection | NegativeAssertion
Way: TypeAlias = Callable[[Classes, Constant, Constant], Goal]


def goal_of_triple(classes: Classes, fact: Triple) -> Goal:
    """Return the goal to show the triple `fact`, which has no variables and is not part of an axiom."""
    subject, predicate, object_ = fact
    if predicate == v.RDF_TYPE:
        return classes.member(subject, object_)
    if predicate == v.OWL_SAME_AS:
        return same_individual(subject, object_)
    if predicate == v.OWL_DIFFERENT_FROM:
        return different_individuals(subject, object_)
    return triple_goal(subject, predicate, object_)


def goal_of_claim(classes: Classes, axiom: Claim) -> Goal:
    """Return the goal to show an axiom, which must not be a class expression."""
    match axiom:
        case Pair(kind, left, right):
            return Some((Holds((left, kind, right)), _PAIRS[kind](classes, left, right)))
        case Characteristic(kind, property_):
            return Some((Holds((property_, v.RDF_TYPE, kind)), _CHARACTERISTICS[kind](classes, property_)))
        case NegativeAssertion(_, _, denied):
            return Suppose((denied,), Absurd())
        case Collection(kind, node, members):
            return _COLLECTIONS[kind](classes, node, members)


def _goal_assuming(told: Case, goal: Goal) -> Goal:
    """Return the goal that `goal` is met when the triples `told` are assumed.

    The subjects and objects of `told` are new names. That they are things (owl:Thing) is assumed as well.
    """
    individuals = dict.fromkeys(term for subject, _, object_ in told for term in (subject, object_))
    return Suppose((*told, *thing_triples(*individuals)), goal)


def _sub_class(classes: Classes, one: Constant, other: Constant) -> Goal:
    x = classes.fresh()
    return classes.in_all_cases(x, one, classes.member(x, other))


def _equivalent_class(classes: Classes, one: Constant, other: Constant) -> Goal:
    return Every((_sub_class(classes, one, other), _sub_class(classes, other, one)))


def _disjoint(classes: Classes, one: Constant, other: Constant) -> Goal:
    x = classes.fresh()
    return classes.in_all_cases(x, one, classes.in_all_cases(x, other, Absurd()))


def _complement(classes: Classes, one: Constant, other: Constant) -> Goal:
    x = classes.fresh()
    others = tuple(Suppose(case, classes.member(x, one)) for case in classes.cases(x, other, False))
    return Every((_disjoint(classes, one, other), *others))


def _sub_property(classes: Classes, one: Constant, other: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, one, y),), Holds((x, other, y)))


def _equivalent_property(classes: Classes, one: Constant, other: Constant) -> Goal:
    return Every((_sub_property(classes, one, other), _sub_property(classes, other, one)))


def _inverse(classes: Classes, one: Constant, other: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    ways = (((x, one, y), (y, other, x)), ((x, other, y), (y, one, x)))
    return Every(tuple(_goal_assuming((told,), Holds(shown)) for told, shown in ways))


def _disjoint_property(classes: Classes, one: Constant, other: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, one, y), (x, other, y)), Absurd())


def _domain(classes: Classes, property_: Constant, class_: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, property_, y),), classes.member(x, class_))


def _range(classes: Classes, property_: Constant, class_: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, property_, y),), classes.member(y, class_))


_PAIRS: dict[Constant, Way] = {
    v.RDFS_SUB_CLASS_OF: _sub_class,
    v.OWL_EQUIVALENT_CLASS: _equivalent_class,
    v.OWL_DISJOINT_WITH: _disjoint,
    v.OWL_COMPLEMENT_OF: _complement,
    v.RDFS_SUB_PROPERTY_OF: _sub_property,
    v.OWL_EQUIVALENT_PROPERTY: _equivalent_property,
    v.OWL_INVERSE_OF: _inverse,
    v.OWL_PROPERTY_DISJOINT_WITH: _disjoint_property,
    v.RDFS_DOMAIN: _domain,
    v.RDFS_RANGE: _range,
}


def _functional(classes: Classes, property_: Constant) -> Goal:
    x, y, z = (classes.fresh() for _ in range(3))
    return _goal_assuming(((x, property_, y), (x, property_, z)), same_individual(y, z))


def _inverse_functional(classes: Classes, property_: Constant) -> Goal:
    x, y, z = (classes.fresh() for _ in range(3))
    return _goal_assuming(((y, property_, x), (z, property_, x)), same_individual(y, z))


def _irreflexive(classes: Classes, property_: Constant) -> Goal:
    x = classes.fresh()
    return _goal_assuming(((x, property_, x),), Absurd())


def _symmetric(classes: Classes, property_: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, property_, y),), Holds((y, property_, x)))


def _asymmetric(classes: Classes, property_: Constant) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    return _goal_assuming(((x, property_, y), (y, property_, x)), Absurd())


def _transitive(classes: Classes, property_: Constant) -> Goal:
    return _chain(classes, property_, (property_, property_))


_CHARACTERISTICS: dict[Constant, Callable[[Classes, Constant], Goal]] = {
    v.OWL_FUNCTIONAL_PROPERTY: _functional,
    v.OWL_INVERSE_FUNCTIONAL_PROPERTY: _inverse_functional,
    v.OWL_IRREFLEXIVE_PROPERTY: _irreflexive,
    v.OWL_SYMMETRIC_PROPERTY: _symmetric,
    v.OWL_ASYMMETRIC_PROPERTY: _asymmetric,
    v.OWL_TRANSITIVE_PROPERTY: _transitive,
}


def _chain(classes: Classes, property_: Constant, links: tuple[Constant, ...]) -> Goal:
    nodes = [classes.fresh() for _ in range(len(links) + 1)]
    told = tuple((one, link, other) for link, (one, other) in zip(links, pairwise(nodes), strict=True))
    return _goal_assuming(told, Holds((nodes[0], property_, nodes[-1])))


def _key(classes: Classes, class_: Constant, properties: tuple[Constant, ...]) -> Goal:
    x, y = classes.fresh(), classes.fresh()
    values = tuple((property_, classes.fresh()) for property_ in properties)
    told = tuple(chain.from_iterable(((x, *value), (y, *value)) for value in values))
    return classes.in_all_cases(x, class_, classes.in_all_cases(y, class_, _goal_assuming(told, same_individual(x, y))))


def _different(_classes: Classes, _node: Constant, members: tuple[Constant, ...]) -> Goal:
    return Every(tuple(different_individuals(one, other) for one, other in combinations(members, 2)))


def _pairs_of(way: Way) -> Callable[[Classes, Constant, tuple[Constant, ...]], Goal]:
    def goal(classes: Classes, _node: Constant, members: tuple[Constant, ...]) -> Goal:
        return Every(tuple(way(classes, one, other) for one, other in combinations(members, 2)))

    return goal


_COLLECTIONS: dict[Constant, Callable[[Classes, Constant, tuple[Constant, ...]], Goal]] = {
    v.OWL_PROPERTY_CHAIN_AXIOM: _chain,
    v.OWL_HAS_KEY: _key,
    v.OWL_ALL_DIFFERENT: _different,
    v.OWL_DISTINCT_MEMBERS: _different,
    v.OWL_ALL_DISJOINT_CLASSES: _pairs_of(_disjoint),
    v.OWL_ALL_DISJOINT_PROPERTIES: _pairs_of(_disjoint_property),
}
