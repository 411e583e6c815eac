"""Proofs are made of derivations, end in asserted facts and are the ones that `search` says it prefers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgreason.proofs.proof import Proof
from kgreason.proofs.search import Derivation, derivations, prove
from kgreason.rules.model import Atom
from tests.proofs.ground import Ground, ground, proposition

_numbers = st.integers(0, 7)
_rules = st.lists(st.builds(ground, _numbers, st.lists(_numbers, max_size=3)), max_size=12)
_systems = st.builds(lambda asserted, rules: Ground(map(proposition, asserted), rules), st.sets(_numbers), _rules)


def check(proof: Proof, system: Ground) -> None:
    for step in proof.steps():
        if step.rule is None:
            assert step.fact in system.asserted
            assert step.premises == ()
        else:
            assert step.rule in system.rules
            assert step.rule.heads == (step.fact,)
            assert step.rule.body == tuple(premise.fact for premise in step.premises)


@given(_systems)
def test_a_proof_goes_down_to_asserted_facts(system: Ground) -> None:
    for fact, stamp in system.stamps.items():
        proof = prove(fact, system)
        check(proof, system)
        assert proof.is_asserted == (fact in system.asserted)
        steps = proof.steps()
        assert steps[-1] is proof
        assert len({step.fact for step in steps}) == len(steps)
        for place, step in enumerate(steps):
            assert all(steps.index(premise) < place for premise in step.premises)
            assert all(system.stamps[premise.fact] < system.stamps[step.fact] for premise in step.premises)
        if not proof.is_asserted:
            assert max((system.stamps[premise.fact] for premise in proof.premises), default=-1) < stamp


@given(_systems)
def test_every_derivation_has_a_proof(system: Ground) -> None:
    for fact in system.stamps:
        found = derivations(fact, system)
        expected = [derivation.body for derivation in system.derivations(fact)]
        assert sorted(tuple(premise.fact for premise in proof.premises) for proof in found) == sorted(expected)
        for proof in found:
            check(proof, system)
        if found and fact not in system.asserted:
            assert found[0].rule == prove(fact, system).rule


@given(_systems)
def test_a_fact_is_looked_at_once(system: Ground) -> None:
    for fact in system.stamps:
        system.asked.clear()
        prove(fact, system)
        assert len(system.asked) == len(set(system.asked))


def test_the_preferred_derivation() -> None:
    rules = [
        ground(1, [0]),
        ground(9, [1], "late"),
        ground(9, [0, 0], "long"),
        ground(9, [0], "z"),
        ground(9, [0], "a"),
    ]
    system = Ground([proposition(0)], rules)
    names = [proof.rule.name for proof in derivations(proposition(9), system) if proof.rule]
    assert names == ["a", "z", "long", "late"]
    proof = prove(proposition(9), system)
    assert proof.rule
    assert proof.rule.name == "a"


def test_a_derivation_that_goes_round() -> None:
    system = Ground([proposition(0)], [ground(1, [0]), ground(2, [1]), ground(1, [2])])
    straight, round_ = derivations(proposition(1), system)
    assert not straight.uses(proposition(1))
    assert round_.uses(proposition(1))
    assert len(round_.steps()) == 4


def test_an_asserted_fact_may_have_derivations() -> None:
    system = Ground(map(proposition, (0, 1)), [ground(1, [0])])
    assert prove(proposition(1), system).is_asserted
    assert [proof.is_asserted for proof in derivations(proposition(1), system)] == [False]


def test_a_chain_may_be_long() -> None:
    count = 5_000

    class Chain(Ground):
        def derivations(self, fact: Atom) -> list[Derivation]:
            rule = self.rules[int(str(fact.terms[0])) - 1]
            return [Derivation(rule, rule.body)]

    system = Chain([proposition(0)], [])
    system.rules = [ground(i + 1, [i]) for i in range(count)]
    system.stamps = {proposition(i): i for i in range(count + 1)}
    proof = prove(proposition(count), system)
    assert len(proof.steps()) == count + 1
    assert proof.to_text().count("\n") == 2 * count + 1
    assert len(proof.to_text()) < 250 * count
    assert len(proof.to_json()["steps"]) == count + 1
    assert proof.to_mermaid().count("\n") == 1 + 1 + 4 * count
