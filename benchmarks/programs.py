"""Generated input: facts that are the same in every run and everywhere, and the rules that go with them.

    transitive closure   of a random graph: one rule of two atoms, hardly any look-up in vain
    points-to            Andersen's analysis of a random program: three atoms, two of them recursive, and skewed, as
                         few variables of a program are used in most of its statements
    idle rules           two kinds that ontologies are full of, over classes and properties that have no instance

Only `Generator.random` is drawn from, so that numbers do not depend on the version of NumPy's other distributions.
Cost: linear in what is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import encode, relation_text
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

TRANSITIVE_CLOSURE = """
    tc(?x, ?y) :- edge(?x, ?y) .
    tc(?x, ?z) :- tc(?x, ?y), edge(?y, ?z) .
"""
POINTS_TO = """
    pt(?v, ?o) :- addr(?v, ?o) .
    pt(?v, ?o) :- copy(?v, ?w), pt(?w, ?o) .
    pt(?v, ?o) :- load(?v, ?p), pt(?p, ?q), pt(?q, ?o) .
    pt(?q, ?o) :- store(?p, ?v), pt(?p, ?q), pt(?v, ?o) .
"""
_IDLE = """
    [?x, a, <http://example.org/idle/A{0}>] :- [?x, <http://example.org/idle/p{0}>, ?y] .
    [?x, a, <http://example.org/idle/B{0}>] :-
        [?x, a, <http://example.org/idle/A{0}>], [?x, <http://example.org/idle/q{0}>, ?y], [?y, a, ?z] .
"""


class Input(NamedTuple):
    """An engine with its rules, and the rows int32[n, w] to assert, by table."""

    engine: Engine
    facts: dict[int, Int32]


def random_graph(nodes: int, edges: int, seed: int = 0) -> Int32:
    """Distinct pairs of node numbers, in no order: int32[edges, 2]."""
    draw = np.random.default_rng(seed).random
    pairs = np.unique((draw((2 * edges, 2)) * nodes).astype(np.int32), axis=0)
    return pairs[np.argsort(draw(len(pairs)))][:edges]


class Statements(NamedTuple):
    """How many statements of each kind a program has, before equal ones are dropped."""

    addr: int
    copy: int
    load: int
    store: int


def pointers(variables: int, statements: Statements, skew: float, seed: int = 0) -> dict[str, Int32]:
    """The statements of a random program: pairs int32[n, 2] of variables for addr, copy, load and store.

    What a statement reads from (`p` in `v = *p`), or stores through (`p` in `*p = v`), is Zipf-distributed with
    exponent `skew`: the variable of rank r is drawn in proportion to r ** -skew. The other side is uniform.
    """
    rng = np.random.default_rng(seed)
    found = {}
    for name, count in zip(Statements._fields, statements, strict=True):
        even, skewed = (rng.random(count) * variables).astype(np.int32), _zipf(rng, variables, count, skew)
        pairs = (skewed, even) if name == "store" else (even, skewed)
        found[name] = np.unique(np.column_stack(pairs), axis=0)
    return found


def _zipf(rng: np.random.Generator, variables: int, count: int, skew: float) -> Int32:
    """Draws of variables, whose ranks are drawn anew: int32[count]."""
    weights = np.cumsum((1.0 + np.arange(variables)) ** -skew)
    ranked: Int32 = np.argsort(rng.random(variables)).astype(np.int32)
    drawn: Int32 = ranked[np.searchsorted(weights, rng.random(count) * weights[-1], side="right")]
    return drawn


def relational(rules: str, relations: Mapping[str, Int32]) -> Input:
    """An engine with these rules, and rows int32[n, w] of numbers as facts of these relations."""
    engine, dictionary = Engine(), Dictionary()
    engine.set_rules([encode(rule, engine._planner, dictionary.intern) for rule in parse(rules).rules])
    names = dictionary.intern(relation_text(name, rows.shape[1]) for name, rows in relations.items())
    first = len(dictionary) + 1
    found: dict[int, list[Int32]] = {}
    for name, rows in zip(names, relations.values(), strict=True):
        facts = np.column_stack([np.full(len(rows), name), rows + first]).astype(np.int32)
        found.setdefault(engine.table(False, facts.shape[1]), []).append(facts)
    return Input(engine, {table: np.concatenate(facts) for table, facts in found.items()})


def idle_rules(count: int) -> tuple[Rule, ...]:
    """Rules that no fact of other data can fire: `count` of them, an even number."""
    return parse("".join(_IDLE.format(number) for number in range(count // 2))).rules
