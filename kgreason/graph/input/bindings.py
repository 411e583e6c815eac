"""`with_bindings`: a SPARQL text in which terms stand in the place of the variables that a user binds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from pyoxigraph import Variable

from kgreason.errors import InputError, InputTypeError, QueryError
from kgreason.graph.input.terms import Prefixes, UserTerm, term_text
from kgreason.sparql.query.bindings import with_terms
from kgreason.sparql.query.columns import with_columns

Bindings: TypeAlias = Mapping[str, UserTerm]
_NAME = re.compile(r"\w+")


def with_bindings(text: str, bindings: Bindings | None, prefixes: Prefixes, base: str | None) -> str:
    """Return a query or an update with terms in the place of variables; see `with_terms`.

    `bindings` maps the names of variables, with or without a question mark, to terms as `match` takes them for an
    object. Raises InputError for a name or a term that is none, and for a blank node: in SPARQL its label is a
    variable. Raises InputTypeError for a wrong type, QueryError for a variable that the text does not have.
    """
    if not bindings:
        return text
    if not isinstance(bindings, Mapping):
        raise InputTypeError(f"bindings have to be a mapping like {{'x': 'http://e/a'}}; got {bindings!r}")
    terms = {_name(name): _term(name, term, prefixes) for name, term in bindings.items()}
    return with_terms(with_columns(text, prefixes, base), terms, prefixes, base)


@contextmanager
def name_bindings_in_error(bindings: Bindings | None) -> Iterator[None]:
    """A context in which the message about a text that does not parse says that it has bindings."""
    try:
        yield
    except QueryError as error:
        if not bindings or not isinstance(error.__cause__, SyntaxError):
            raise
        names = ", ".join(f"?{_name(name)}" for name in bindings)
        raise QueryError(f"with the terms for {names} in their places: {error}") from error.__cause__


def _name(name: object) -> str:
    if isinstance(name, Variable):
        return name.value
    if not isinstance(name, str):
        raise InputTypeError(f"bindings: {name!r} is not the name of a variable")
    found = name[1:] if name[:1] in ("?", "$") else name
    if not _NAME.fullmatch(found):
        raise InputError(f"bindings: {name!r} is not the name of a variable")
    return found


def _term(name: object, value: UserTerm, prefixes: Prefixes) -> str:
    try:
        found = term_text(value, "object", prefixes)
    except InputTypeError as error:
        raise InputTypeError(f"bindings, ?{_name(name)}: {error}") from error
    except InputError as error:
        raise InputError(f"bindings, ?{_name(name)}: {error}") from error
    if found.startswith("_:"):
        raise InputError(
            f"bindings, ?{_name(name)}: {found}: a blank node cannot stand in a query; ask with `match`, or by what it"
            " is related to"
        )
    return found
