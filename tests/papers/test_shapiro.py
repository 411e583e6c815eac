"""A rule evaluated by substitution and by joins of relations; naive and semi-naive evaluation, counted.

Source: Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog Materialization*. The example is the
same generation: two people are of one generation if their parents are.
"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kgreason.circuit import zset
from kgreason.circuit.consequences import consequences
from kgreason.circuit.functions import NO_FUNCTIONS
from kgreason.circuit.rewriting import extend, substitute, unify
from kgreason.circuit.zset import ZSet
from kgreason.rules.model import Atom, Constant, Rule, Term, Variable
from tests.histories.history import in_line
from tests.oracle.commits.baselines import Update

W, X, Y, Z = map(Variable, "wxyz")


def parent(*terms: Term) -> Atom:
    return Atom("parent", terms)


def same(*terms: Term) -> Atom:
    return Atom("same", terms)


RULE = Rule((same(X, Y),), (parent(X, W), same(W, Z), parent(Y, Z)))
FACTS = [parent("ann", "eve"), parent("bob", "eve"), parent("cid", "fay"), same("eve", "eve"), same("eve", "fay")]


def test_substitutions_grow_along_the_body() -> None:
    """Each atom of the body, under the substitution so far, is unified with the facts."""
    rows = [((X, "ann"), (W, "eve")), ((X, "bob"), (W, "eve")), ((X, "cid"), (W, "fay"))]
    assert [found for fact in FACTS if fact.relation == "parent" if (found := unify(RULE.body[0], fact))] == rows
    assert [substitute(RULE.body[1], row) for row in rows] == [same("eve", Z), same("eve", Z), same("fay", Z)]
    second = [(*row, (Z, name)) for row in rows[:2] for name in ("eve", "fay")]
    met = [extend(row, (W, Z), fact.terms) for row in rows for fact in FACTS[3:]]  # type: ignore[arg-type]
    assert [each for each in met if each is not None] == second, "fay is of the generation of nobody that is known"
    assert [substitute(RULE.body[2], row) for row in second] == [parent(Y, name) for name in ("eve", "fay")] * 2
    heads = {
        **{same(x, y): 1 for x in ("ann", "bob") for y in ("ann", "bob")},
        **{same(x, "cid"): 1 for x in ("ann", "bob")},
    }
    assert consequences({RULE: 1}, dict.fromkeys(FACTS, 1), {}, NO_FUNCTIONS) == heads


def joined(facts: ZSet[Atom]) -> ZSet[Atom]:
    """The same rule by relations: two joins on a column each, then a projection."""

    def relation(name: str) -> ZSet[tuple[Constant, ...]]:
        return {tuple(map(str, fact.terms)): weight for fact, weight in facts.items() if fact.relation == name}

    parents, known = relation("parent"), relation("same")
    first = zset.join(parents, known, lambda row: row[1], lambda row: row[0], lambda left, right: (left[0], right[1]))
    second = zset.join(first, parents, lambda row: row[1], lambda row: row[1], lambda left, right: (left[0], right[0]))
    return zset.project(second, lambda row: same(*row))


NAMES = st.sampled_from(("ann", "bob", "cid"))


@given(st.sets(st.builds(parent, NAMES, NAMES) | st.builds(same, NAMES, NAMES), max_size=8))
def test_substitution_and_joins_derive_the_same_as_often(facts: set[Atom]) -> None:
    weights = dict.fromkeys(facts, 1)
    assert joined(weights) == consequences({RULE: 1}, weights, {}, NO_FUNCTIONS)


def test_semi_naive_evaluation_meets_each_derivation_once() -> None:
    """The closure of a chain of three edges has 6 derivations. Naive evaluation meets 3, 5, 6 and again 6 of them."""
    (commit,) = in_line(
        "+ path(?x, ?y) :- edge(?x, ?y) ; + path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) ; "
        "+ edge(1, 2) ; + edge(2, 3) ; + edge(3, 4)"
    )
    known, met = set(commit.facts), list[int]()
    while len(met) < 2 or met[-1] != met[-2]:
        heads = consequences(commit.rules, dict.fromkeys(known, 1), {}, NO_FUNCTIONS)
        met.append(sum(heads.values()))
        known |= heads.keys()
    assert met == [3, 5, 6, 6]
    model = Update()
    model.commit(*commit)
    assert model.looked == 6 == sum(after - before for before, after in pairwise([0, *met]))
