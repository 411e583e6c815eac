"""Rules of many atoms: read in a time that grows with the square of their length at most, or refused at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Atom, Rule, Variable
from kgreason.rules.parser import load
from kgreason.rules.program import MOST_ATOMS, MOST_EXPRESSIONS
from kgreason.tables.program import TableProgram


def chain(length: int) -> list[Atom]:
    return [Atom("edge", (Variable(f"x{n}"), Variable(f"x{n + 1}"))) for n in range(length)]


def ring(length: int) -> list[Atom]:
    return [Atom("edge", (Variable(f"x{n}"), Variable(f"x{(n + 1) % length}"))) for n in range(length)]


def star(length: int) -> list[Atom]:
    return [Atom("edge", (Variable("x0"), Variable(f"y{n}"))) for n in range(length)]


def tree(length: int) -> list[Atom]:
    return [Atom("edge", (Variable(f"x{n // 2}"), Variable(f"x{n + 1}"))) for n in range(length)]


SHAPES = pytest.mark.parametrize("shape", [chain, ring, star, tree])
ENDS = Atom("reach", (Variable("x0"), Variable("x0")))


def text(atoms: list[Atom]) -> str:
    body = ", ".join(f"{atom.relation}({', '.join(map(str, atom.terms))})" for atom in atoms)
    return f"@rule long reach(?x0) :- {body} ."


@SHAPES
@pytest.mark.parametrize("length", [7, 12, 50])
def test_the_canonical_form_of_a_long_rule_has_one_order(shape: Callable[[int], list[Atom]], length: int) -> None:
    atoms = shape(length)
    form = canonical(Rule((ENDS,), tuple(atoms), "long"))
    assert canonical(form) == form
    for seed in range(5):
        mixed = random.Random(seed)
        places = mixed.sample(range(len(variables(atoms))), len(variables(atoms)))
        names = {Variable(name): Variable(f"w{n}") for name, n in zip(sorted(variables(atoms)), places, strict=True)}
        other = [Atom(atom.relation, tuple(names[term] for term in atom.terms)) for atom in atoms]  # type: ignore[index]
        mixed.shuffle(other)
        head = Atom("reach", (names[Variable("x0")],) * 2)
        assert canonical(Rule((head,), tuple(other), "long")) == form


def variables(atoms: list[Atom]) -> set[str]:
    return {variable.name for atom in atoms for variable in atom.variables()}


@SHAPES
def test_a_rule_of_200_atoms_is_in_force(shape: Callable[[int], list[Atom]]) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("edge(1, 1) .")
        with graph.transaction() as tx:
            tx.add_rules(text(shape(200)))
        assert len(graph.rules()) == 2


def binds(count: int) -> str:
    return ", ".join(f"BIND(?x{n} + 1 AS ?x{n + 1})" for n in range(count))


def filters(count: int) -> str:
    return ", ".join(f"FILTER(?x0 != {n})" for n in range(count))


@pytest.mark.parametrize(
    "body",
    [
        f"edge(?y, ?x0), {binds(300)}",
        f"edge(?y, ?x0), {filters(300)}",
        f"edge(?y, ?x0), NOT EXISTS ?z IN (edge(?z, ?x0), {filters(300)})",
        f"AGGREGATE(edge(?y, ?x0), {binds(300)} ON ?y BIND SUM(?x300) AS ?n)",
    ],
)
def test_a_rule_of_too_many_expressions_is_refused_at_once(body: str) -> None:
    problem = f"it has 300 FILTERs and BINDs side by side, but at most {MOST_EXPRESSIONS} are allowed"
    with KnowledgeGraph.open(rules=["none"]) as graph, graph.transaction() as tx:
        with pytest.raises(RuleError, match=problem):
            tx.add_rules(f"@rule long reach(?y) :- {body} .")
        tx.add_rules(f"@rule short reach(?y) :- edge(?y, ?x0), {binds(3)} .")


def test_a_longer_rule_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "long.dl"
    path.write_text(text(chain(3000)))
    problem = f"its body has 3,000 atoms, but at most {MOST_ATOMS} are allowed; split it into several rules"
    problem = f"{path}:1: rule long: {problem}"
    with KnowledgeGraph.open(rules=["none"]) as graph, pytest.raises(RuleError) as raised, graph.transaction() as tx:
        tx.load_rules(path)
    assert str(raised.value) == problem
    with pytest.raises(RuleError) as raised:
        KnowledgeGraph.open(rules=[path])
    assert str(raised.value) == problem
    with pytest.raises(RuleError) as raised:
        TableProgram(path)
    assert str(raised.value) == problem
    assert len(load(path).rules[0].body) == 3000
