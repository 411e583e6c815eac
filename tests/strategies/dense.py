"""Random histories in which much happens: most facts meet a rule, and most wishes change something.

Those of `programs` shrink to what matters; these show in a few thousand what those show in a few ten thousand, because
facts are made from the atoms of the rules, the first commit brings most of everything, and later ones mostly turn
around what is there. A seed always gives the same history.

Cost: 0.2 ms for a history, where one of Hypothesis takes 8.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kgreason.rules.model import Atom, Rule, Term, Variable
from tests.strategies.programs import (
    ARITIES,
    BODY_PREDICATES,
    BODY_TERMS,
    CONSTANTS,
    KNOWN_SHAPES,
    PREDICATES,
    Commit,
    History,
    histories,
)

_Wish = TypeVar("_Wish", bound=Hashable)


def dense_history(seed: int) -> History:
    """Two to six commits over up to eight rules and twenty facts."""
    random = Random(seed)
    rules = [_rule(random) for _ in range(random.randint(4, 8))]
    atoms = [atom for rule in rules for atom in (*rule.body, *rule.heads)]
    constants = CONSTANTS[: random.choice((2, 3))]
    facts = [_instance(random, random.choice(atoms), constants) for _ in range(random.randint(8, 20))]
    asserted: dict[Atom, int] = {}
    active: dict[Rule, int] = {}
    commits = [Commit(_wishes(random, facts, asserted, len(facts)), _wishes(random, rules, active, len(rules)))]
    for _ in range(random.randint(1, 5)):
        commits.append(Commit(_wishes(random, facts, asserted, 6), _wishes(random, rules, active, 3)))
    return History(tuple(commits))


def any_histories() -> SearchStrategy[History]:
    """Those that shrink, and those in which much happens."""
    return histories() | st.integers(0, 2**32 - 1).map(dense_history)


def _wishes(random: Random, pool: Sequence[_Wish], signs: dict[_Wish, int], most: int) -> dict[_Wish, int]:
    """Up to so many wishes; one in five is any, the others turn the last wish around."""
    some = random.sample(pool, random.randint(0, min(most, len(pool))))
    wishes = {wish: -signs.get(wish, -1) if random.random() < 0.8 else random.choice((1, -1)) for wish in some}
    signs |= wishes
    return wishes


def _rule(random: Random) -> Rule:
    if random.random() < 0.8:
        return random.choice(KNOWN_SHAPES)
    body = tuple(_atom(random, BODY_TERMS, BODY_PREDICATES) for _ in range(random.randint(0, 3)))
    bound = sorted({variable for atom in body for variable in atom.variables()})
    heads = [_atom(random, (*bound, *bound, *CONSTANTS), PREDICATES) for _ in range(random.randint(1, 2))]
    return Rule(tuple(dict.fromkeys(heads)), body)


def _atom(random: Random, terms: Sequence[Term], predicates: Sequence[Term]) -> Atom:
    relation = random.choice((None, *ARITIES))
    if relation is None:
        return Atom(None, (random.choice(terms), random.choice(predicates), random.choice(terms)))
    return Atom(relation, tuple(random.choice(terms) for _ in range(ARITIES[relation])))


def _instance(random: Random, atom: Atom, constants: Sequence[str]) -> Atom:
    binding = {variable: random.choice(constants) for variable in sorted(atom.variables())}
    return atom._replace(terms=tuple(binding[term] if isinstance(term, Variable) else term for term in atom.terms))
