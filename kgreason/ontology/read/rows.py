"""Helpers to write the rows of the W3C tables: variables, the type atom, and a rule with the sources of its axiom.

A *row* is a function for one row of the W3C tables. It takes an axiom and yields rules whose name is that of the W3C
row. The axiom takes the place of the schema triples among the premises of the W3C row. So the rules have constants
wherever the W3C row has a variable for a schema term. A profile is a `RowTable`: the rows for each kind of axiom.

Each rule has one head: for a W3C row with several conclusions, the function yields a rule for each conclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from string import digits
from typing import TypeAlias

from kgreason.ontology.read.axioms import Axiom
from kgreason.rules.model import FALSE, Atom, Constant, Rule, Triple, Variable
from kgreason.terms.vocabulary import OWL_SAME_AS

Row: TypeAlias = Callable[..., Iterable[Rule]]
RowTable: TypeAlias = Mapping[Constant, tuple[Row, ...]]

U, V, X1, X2, Y1, Y2, Z = (Variable(name) for name in ("u", "v", "x1", "x2", "y1", "y2", "z"))
X, Y = Variable("v0"), Variable("v1")
"""These names make most rules, those with one body atom, canonical as they are written."""

_GROUPS = {"rho": "rhodf", "has": "has-self"}


def rule(name: str, axiom: Axiom, head: Atom, *body: Atom, sources: tuple[Triple, ...] | None = None) -> Rule:
    """Return the rule `head :- body`. Its sources are `sources`; if None, those of the axiom.

    Its group follows from its name: `cls` for `cls-svf1`, `rdfs` for `rdfs9`.
    """
    return Rule((head,), body, name, _group(name), axiom.sources if sources is None else sources)


def equality_rules(
    name: str, axiom: Axiom, ends: tuple[Variable, Variable], *body: Atom, sources: tuple[Triple, ...] | None = None
) -> Iterator[Rule]:
    """Yield two rules with the body `body`. The first derives owl:sameAs between the two variables `ends`.

    The second rule derives `false` if the ends are literals with different values: it also reads the fact
    `dt_differ(a, b)` about the ends, which kgreason asserts for such literals (datatypes.dl). `sources`: see `rule`.
    """
    left, right = ends
    yield rule(name, axiom, Atom(None, (left, OWL_SAME_AS, right)), *body, sources=sources)
    yield rule(f"{name}-literals", axiom, FALSE, *body, Atom("dt_differ", ends), sources=sources)


@cache
def _group(name: str) -> str:
    group = name.partition("-")[0].rstrip(digits)
    return _GROUPS.get(group, group)
