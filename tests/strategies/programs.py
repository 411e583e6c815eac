"""Random Datalog programs, facts and histories over a domain so tiny that everything meets everything.

Programs hold recursion, mutual recursion, cycles, constants, repeated variables, symmetric atoms, empty bodies and
several heads; triple patterns (with variables as predicates too) stand beside atoms of arity 0 to 3. Every rule is
safe, because its head terms are drawn from the variables of its body and the constants. The values are those of
`kgreason.rules.model`, which `tests.oracle.datalog` takes as they are; a model has a few hundred facts at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kgreason.rules.model import Atom, Rule, Term, Variable, triple

X, Y, Z = VARIABLES = (Variable("x"), Variable("y"), Variable("z"))
CONSTANTS = ("<http://example.org/a>", "<http://example.org/b>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
P, Q = PREDICATES = ("<http://example.org/p>", "<http://example.org/q>")
ARITIES = {"nullary": 0, "unary": 1, "other": 1, "edge": 2, "path": 2, "wide": 3}


class Commit(NamedTuple):
    """What one commit asks for: +1 or -1 for facts and for rules, needless and repeated wishes among them."""

    facts: dict[Atom, int]
    rules: dict[Rule, int]


class History(NamedTuple):
    """Commits one after another, starting from nothing."""

    commits: tuple[Commit, ...]


BODY_TERMS: tuple[Term, ...] = (*VARIABLES, *VARIABLES, *CONSTANTS)
BODY_PREDICATES: tuple[Term, ...] = (*PREDICATES, *PREDICATES, *VARIABLES)


@st.composite
def atoms(draw: DrawFn, terms: Sequence[Term], predicates: Sequence[Term]) -> Atom:
    """Atoms of every relation and triple patterns, over these terms."""
    relation = draw(st.sampled_from((None, *ARITIES)))
    term = st.sampled_from(terms)
    if relation is None:
        return triple(draw(term), draw(st.sampled_from(predicates)), draw(term))
    return Atom(relation, tuple(draw(term) for _ in range(ARITIES[relation])))


@st.composite
def random_rules(draw: DrawFn) -> Rule:
    """Any safe rule of up to three body atoms and two heads."""
    body = tuple(draw(atoms(BODY_TERMS, BODY_PREDICATES)) for _ in range(draw(st.integers(0, 3))))
    bound = sorted({variable for atom in body for variable in atom.variables()})
    head = atoms((*bound, *bound, *CONSTANTS), PREDICATES)
    heads = [draw(head) for _ in range(draw(st.integers(1, 2)))]
    return Rule(tuple(dict.fromkeys(heads)), body)


KNOWN_SHAPES = (
    Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z)))),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("path", (Y, Z)))),
    Rule((Atom("edge", (Y, X)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("unary", (X,)),), (Atom("edge", (X, Y)), Atom("edge", (Y, X)))),
    Rule((Atom("other", (Y,)),), (Atom("unary", (X,)), Atom("edge", (X, Y)))),
    Rule((Atom("unary", (Y,)),), (Atom("other", (X,)), Atom("edge", (X, Y)))),
    Rule((Atom("unary", (X,)), Atom("other", (X,))), (Atom("edge", (X, X)),)),
    Rule((Atom("unary", (X,)), Atom("unary", (Y,))), (Atom("path", (X, Y)),)),
    Rule((Atom("edge", (X, Y)),), (triple(X, P, Y),)),
    Rule((triple(X, Q, Y),), (Atom("path", (X, Y)), Atom("nullary", ()))),
    Rule((triple(X, Q, Z),), (triple(X, P, Y), triple(Y, P, Z))),
    Rule((triple(Y, P, X),), (triple(X, Q, Y),)),
    Rule((Atom("nullary", ()),), (Atom("unary", (X,)), Atom("other", (X,)))),
    Rule((Atom("wide", (X, Y, X)),), (Atom("edge", (X, Y)), Atom("unary", (Y,)))),
    Rule((Atom("nullary", ()),), ()),
)


def rules() -> SearchStrategy[Rule]:
    """Safe rules: any, or one of the shapes that recurse together."""
    return st.one_of(random_rules(), st.sampled_from(KNOWN_SHAPES))


def programs(max_size: int = 6) -> SearchStrategy[list[Rule]]:
    """Programs of different rules."""
    return st.lists(rules(), max_size=max_size, unique=True)


def facts() -> SearchStrategy[Atom]:
    """Atoms without variables."""
    return atoms(CONSTANTS, PREDICATES)


def fact_sets(max_size: int = 12) -> SearchStrategy[set[Atom]]:
    """Small sets of facts."""
    return st.sets(facts(), max_size=max_size)


def instances(of: Sequence[Atom]) -> SearchStrategy[Atom]:
    """These atoms with constants for their variables."""

    def ground(atom: Atom) -> SearchStrategy[Atom]:
        terms = [st.sampled_from(CONSTANTS) if isinstance(term, Variable) else st.just(term) for term in atom.terms]
        return st.tuples(*terms).map(lambda drawn: Atom(atom.relation, drawn))

    return st.sampled_from(of).flatmap(ground)


@st.composite
def histories(draw: DrawFn, max_commits: int = 6) -> History:
    """Commits that add and take away facts and rules of a small pool, so that they meet again and again."""
    pool = draw(st.lists(rules(), min_size=1, max_size=5, unique=True))
    met = instances([atom for rule in pool for atom in (*rule.body, *rule.heads)])
    some_facts = st.sampled_from(draw(st.lists(met | facts(), min_size=1, max_size=10, unique=True)))
    some_rules, signs = st.sampled_from(pool), st.sampled_from((1, -1))
    changes = st.builds(
        Commit, st.dictionaries(some_facts, signs, max_size=8), st.dictionaries(some_rules, signs, max_size=3)
    )
    return History(tuple(draw(st.lists(changes, min_size=1, max_size=max_commits))))
