"""Rules as values: what the parser makes, the ontology translates to and the engine takes in.

A *constant* is an RDF term written as its N-Triples text (`<http://e/a>`, `_:b`, `"1"^^<...#integer>`): a plain
`str`, the same text the dictionary maps to an id. A *variable* is a `Variable`. An atom is a triple pattern
(`relation is None`, three terms) or `relation(t1, ..., tn)` of any arity; the two never match each other.
A rule that reports a contradiction has the one head `FALSE`.

Invariant: `canonical` depends on neither the names of variables nor the order in which axioms were met, so that two
axioms that yield one rule yield equal values (rules have a canonical form, and a weight).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kgreason.terms.vocabulary import VOCABULARY

_VOCABULARY = frozenset(VOCABULARY)


class Variable(NamedTuple):
    """A rule variable; `name` is written without its question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Constant: TypeAlias = str
Term: TypeAlias = Variable | Constant
Triple: TypeAlias = tuple[Constant, Constant, Constant]


class Atom(NamedTuple):
    """A triple pattern (`relation is None`) or an n-ary atom."""

    relation: str | None
    terms: tuple[Term, ...]

    def variables(self) -> set[Variable]:
        """The variables that occur in the atom."""
        return {term for term in self.terms if isinstance(term, Variable)}


FALSE = Atom("false", ())
"""The head of a rule that reports a contradiction."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`heads :- body .`, with the name it is known by (a W3C rule name where it has one).

    `sources` are the schema triples the rule was translated from; they are part of a proof, not of the rule:
    equality and hash leave them out. The hash is kept: rules are keys many times over.
    """

    heads: tuple[Atom, ...]
    body: tuple[Atom, ...]
    name: str = ""
    group: str = ""
    sources: tuple[Triple, ...] = field(default=(), compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.heads, self.body, self.name, self.group)))

    def __hash__(self) -> int:
        return self._hash


def triple(subject: Term, predicate: Term, object_: Term) -> Atom:
    """The triple pattern `[subject, predicate, object]`."""
    return Atom(None, (subject, predicate, object_))


def contradiction(rule: Rule) -> Atom:
    """What a rule with head `false` derives: `false(name, v1, ..., vn, c1, ..., cm)`.

    The constants, those of the vocabulary left out, tell rules of one name apart: those of a row for several axioms.
    """
    terms = dict.fromkeys(term for atom in rule.body for term in atom.terms)
    variables = (term for term in terms if isinstance(term, Variable))
    constants = (term for term in terms if not isinstance(term, Variable) and term not in _VOCABULARY)
    return Atom(FALSE.relation, (f'"{rule.name}"', *variables, *constants))
