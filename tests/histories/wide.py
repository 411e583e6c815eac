"""Positive rules as wide as the engine takes them, over three constants.

Programs hold recursion, mutual recursion, cycles, constants, repeated variables, symmetric atoms, empty bodies and
several heads; triple patterns (with variables as predicates too) stand beside atoms of arity 0 to 3. Every rule is
safe, because its head terms are drawn from the variables of its body and the constants. The values are those of
`kgreason.rules.model`, which `tests.oracle.datalog` takes as they are; a model has a few hundred facts at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kgreason.rules.model import DATA, Atom, Rule, Term, Variable, triple

X, Y, Z = VARIABLES = (Variable("x"), Variable("y"), Variable("z"))
CONSTANTS = ("<http://example.org/a>", "<http://example.org/b>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
P, Q = PREDICATES = ("<http://example.org/p>", "<http://example.org/q>")
ARITIES = {"nullary": 0, "unary": 1, "other": 1, "edge": 2, "path": 2, "wide": 3}
_BODY_TERMS: tuple[Term, ...] = (*VARIABLES, *VARIABLES, *CONSTANTS)
_BODY_PREDICATES: tuple[Term, ...] = (*PREDICATES, *PREDICATES, *VARIABLES)

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


def wide_rule(random: Random) -> Rule:
    """One of the shapes that recurse together, or any rule."""
    return random.choice(KNOWN_SHAPES) if random.random() < 0.8 else any_rule(random)


def any_rule(random: Random) -> Rule:
    """Any safe rule of up to three body atoms and two heads."""
    body = tuple(any_atom(random, _BODY_TERMS, _BODY_PREDICATES) for _ in range(random.randint(0, 3)))
    bound = sorted({variable for atom in body for variable in atom.variables()})
    heads = [any_atom(random, (*bound, *bound, *CONSTANTS), PREDICATES) for _ in range(random.randint(1, 2))]
    return Rule(tuple(dict.fromkeys(heads)), body)


def any_atom(random: Random, terms: Sequence[Term], predicates: Sequence[Term]) -> Atom:
    """An atom of any relation, or a triple pattern, over these terms."""
    relation = random.choice((None, *ARITIES))
    if relation is None:
        return triple(random.choice(terms), random.choice(predicates), random.choice(terms))
    return Atom(relation, tuple(random.choice(terms) for _ in range(ARITIES[relation])))


def instance(random: Random, atom: Atom, constants: Sequence[str]) -> Atom:
    """The atom with constants for its variables; of a DATA pattern a triple."""
    binding = {variable: random.choice(constants) for variable in sorted(atom.variables())}
    terms = tuple(binding[term] if isinstance(term, Variable) else term for term in atom.terms)
    return Atom(None if atom.relation == DATA else atom.relation, terms)
