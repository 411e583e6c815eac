"""`Alternative`: what one rule can say of a group: patterns, assignments, filters, and what must be absent.

    { A OPTIONAL { B } }       A, B          or  A, FILTER NOT EXISTS { B }, the variables of B alone without a value
    { A { B } UNION { C } }    A, B          or  A, C
    { A BIND (E AS ?v) }       A, ?v is E    or  A, FILTER (E errs), ?v without a value

Law: each solution of the group is one of one alternative, as often as the group has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgreason.shapes.query.tokens import is_variable, replace_variables, variables

UNBOUND = ["<http://www.w3.org/2001/XMLSchema#integer>", "(", '""', ")"]
"""An expression that errs, as a variable without a value does."""

_BEAR_ERRORS = frozenset(["COALESCE", "IF", "||", "&&", "IN", "BOUND"])


class Alternative(NamedTuple):
    """Tokens of patterns and assignments, of filters, and of NOT EXISTS.

    `names` are the variables that have values, `unbound` those that OPTIONAL or BIND gives none. `inner` are the groups
    within, each of which must be a rule of its own: its filters see nothing outside. `binds` are the variables of BIND.
    """

    patterns: tuple[str, ...] = ()
    filters: tuple[tuple[str, ...], ...] = ()
    absent: tuple[tuple[str, ...], ...] = ()
    names: frozenset[str] = frozenset()
    unbound: frozenset[str] = frozenset()
    inner: tuple[Alternative, ...] = ()
    binds: frozenset[str] = frozenset()

    def joined(self, other: Alternative) -> Alternative:
        """Return both together."""
        return Alternative(
            self.patterns + other.patterns,
            self.filters + other.filters,
            self.absent + other.absent,
            self.names | other.names,
            self.unbound | other.unbound,
            self.inner + other.inner,
            self.binds | other.binds,
        )

    def renamed(self, names: Callable[[str], str | None]) -> Alternative:
        """Return it with other variables: `names` has the name for a name, or None."""

        def text(name: str) -> str | None:
            other = names(name)
            return None if other is None else f"?{other}"

        def tokens(several: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(replace_variables(one, text)) for one in several)

        def each(several: frozenset[str]) -> frozenset[str]:
            return frozenset(names(name) or name for name in several)

        return Alternative(
            tuple(replace_variables(self.patterns, text)),
            tokens(self.filters),
            tokens(self.absent),
            each(self.names),
            each(self.unbound),
            tuple(one.renamed(names) for one in self.inner),
            each(self.binds),
        )

    def variables(self) -> set[str]:
        """Return the names of all variables."""
        return variables(self.patterns).union(*map(variables, (*self.filters, *self.absent)))

    def tokens(self) -> list[str]:
        """Return the tokens between the brackets of a WHERE, with an error where a variable has no value."""
        missing = self.unbound - self.names
        found = without_values(self.patterns, missing, self.binds)
        for condition in self.filters:
            found += ["FILTER", "(", *without_values(condition, missing, self.binds), ")"]
        for condition in self.absent:
            found += condition
        return found


def without_values(several: Sequence[str], missing: frozenset[str], binds: frozenset[str] = frozenset()) -> list[str]:
    """Return the tokens of an expression with what errs in the place of variables without a value.

    BOUND of one is false, and BOUND of a variable of BIND is true.
    """
    found = list[str]()
    place = 0
    while place < len(several):
        call = [token.upper() for token in several[place : place + 2]]
        variable = several[place + 2] if place + 3 < len(several) else ""
        if call == ["BOUND", "("] and variable and is_variable(variable) and variable[1:] in missing | binds:
            found.append("false" if variable[1:] in missing else "true")
            place += 4
            continue
        token = several[place]
        found += UNBOUND if is_variable(token) and token[1:] in missing else [token]
        place += 1
    return found


def never_errs(expression: Sequence[str], names: frozenset[str]) -> bool:
    """Return whether an expression surely has a value: a term, one of the variables `names`, or COALESCE that ends so.

    >>> never_errs(("?v",), frozenset("v")), never_errs(("STR", "(", "?v", ")"), frozenset("v"))
    (True, False)
    """
    if len(expression) > 3 and expression[0].upper() == "COALESCE" and expression[-3] == ",":
        expression = expression[-2:-1]
    if len(expression) != 1 or expression[0] == " ".join(UNBOUND):
        return False
    return not is_variable(expression[0]) or expression[0][1:] in names


def surely_errs(expression: Sequence[str], missing: frozenset[str]) -> bool:
    """Return whether an expression reads a variable without a value, and nothing in it can bear an error.

    >>> surely_errs(("?v", "+", "1"), frozenset("v")), surely_errs(("COALESCE", "(", "?v", ")"), frozenset("v"))
    (True, False)
    """
    reads = any(each == " ".join(UNBOUND) or (is_variable(each) and each[1:] in missing) for each in expression)
    return reads and _BEAR_ERRORS.isdisjoint(each.upper() for each in expression)
