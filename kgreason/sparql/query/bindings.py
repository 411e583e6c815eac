"""`with_terms`: a query or an update in which terms stand in the place of variables.

    SELECT ?o { ?x :p ?o }       with ?x = <http://e/a>    ->    SELECT ?o { <http://e/a> :p ?o }
    SELECT ?x ?o { ?x :p ?o }                              ->    SELECT (<http://e/a> AS ?x) ?o { <http://e/a> :p ?o }

    ... { SELECT ?o { ?x :p ?o } }                         ->    the same: this ?x is another variable (`scopes`)
    ... { SELECT ?x ?o { ?x :p ?o } }                      ->    ... { SELECT (<http://e/a> AS ?x_) ?o { ... :p ?o } }

Law: the answer is that of the text with `VALUES ?x { term }` at the start of its pattern and of each group in it,
wherever ?x is a variable of the outermost pattern. The terms are N-Triples text of one term each, and only tokens that
are variables change; so no term can change the rest of the text. A text is refused if it gives the variable a value
itself (AS, VALUES), or selects the variable in an inner SELECT with a LIMIT or OFFSET: nobody knows whether the rows
are counted before or after the variable has its value.

A MINUS looks for variables that both sides have. So both sides get `VALUES ?x_ { term }` if a triple pattern of its
group has ?x; a MINUS without one gets none, unlike the text of the law.

Cost: a microsecond for each token, and what `scopes` costs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kgreason.errors import QueryError
from kgreason.sparql.query.evaluation import Piece, pieces_of
from kgreason.sparql.query.scopes import Scopes

_LESS, _VARIABLE = re.compile(r"<(?![A-Za-z][A-Za-z0-9+.-]*:)"), re.compile(r"[?$](\w+)")
_NONE: Mapping[str, str] = MappingProxyType({})
_HEAD_ENDS = ("WHERE", "FROM")
_LISTS_END = ("HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")


def with_terms(
    text: str, terms: Mapping[str, str], prefixes: Mapping[str, str] = _NONE, base: str | None = None
) -> str:
    """Return a query or an update with `terms` in the place of the variables that they name.

    `prefixes` and `base` are declared outside of the text. Raises QueryError for a variable that the text does not
    have, or to which the text gives a value.

    >>> with_terms("SELECT ?s { ?s ?p ?o FILTER(BOUND(?p)) } GROUP BY ?s ?p", {"p": "<e:p>", "s": "<e:s>"})
    'SELECT (<e:s> AS ?s) { <e:s> <e:p> ?o FILTER((true)) } GROUP BY (<e:s>) (<e:p>)'
    """
    pieces = list(pieces_of(text))
    written = [piece.text for piece in pieces]
    places = [place for place, piece in enumerate(pieces) if not piece.is_space]
    scopes, fresh = Scopes(pieces, terms, prefixes, base), _fresh_names(pieces, terms)
    met = set[str]()
    at_head, in_list, in_values, depth = -1, -1, False, 0
    for at, place in enumerate(places):
        piece = pieces[place]
        before = pieces[places[at - 1]] if at else Piece("")
        depth += (piece.text in ("(", "{")) - (piece.text in (")", "}"))
        if piece.word == "SELECT":
            at_head, in_list = depth, -1
        elif at_head == depth and piece.word in _HEAD_ENDS:
            at_head = -1
        elif piece.text == "{":
            at_head, in_values = -1, False
        elif piece.text == "}" or piece.word in _LISTS_END:
            in_list = -1
        if piece.word == "BY" and before.word in ("GROUP", "ORDER"):
            in_list = depth
        in_values = in_values or piece.word == "VALUES"
        variables = _VARIABLE.findall(piece.text) if _LESS.match(piece.text) else []
        if hidden := [each for each in variables if each in terms]:
            raise QueryError(
                f"bindings: ?{hidden[0]} stands in {piece.text}, which may be an IRI: write < with a space behind it"
            )
        name = piece.text[1:] if piece.is_variable else ""
        if name not in terms or not scopes.is_seen(name, place):
            continue
        met.add(name)
        around = scopes.scopes_around(place)
        if any(each.is_cut for each in around):
            raise QueryError(
                f"bindings: ?{name} is selected by an inner SELECT with LIMIT or OFFSET, which may count all rows or"
                " those of the bound term: write the term into the text"
            )
        if before.word == "AS" or in_values:
            raise QueryError(f"bindings: the text gives ?{name} a value itself ({'VALUES' if in_values else 'AS'})")
        if _is_argument_of_bound(pieces, places, at):
            written[places[at - 2]], written[place] = "", "true"
        elif depth == at_head:
            written[place] = f"({terms[name]} AS {f'?{fresh[name]}' if around else piece.text})"
        elif depth == in_list:
            written[place] = f"({terms[name]})"
        else:
            written[place] = _with_space(terms[name], pieces, place)
    if missing := [name for name in terms if name not in met]:
        raise QueryError(_missing_message(missing[0], pieces))
    for place, brace, end, names in scopes.minus():
        values = " ".join(f"VALUES ?{fresh[name]} {{ {terms[name]} }}" for name in names)
        written[place], written[brace] = f"{values} {written[place]}", f"{{ {values} {{"
        written[end] += "}"
    return "".join(written)


def _missing_message(name: str, pieces: Sequence[Piece]) -> str:
    if any(piece.is_variable and piece.text[1:] == name for piece in pieces):
        return (
            f"bindings: ?{name} stands only in an inner SELECT that does not select it, so it is another variable there"
        )
    return f"bindings: the text has no variable ?{name}"


def _fresh_names(pieces: Sequence[Piece], terms: Mapping[str, str]) -> dict[str, str]:
    """Return a name that no variable of the text has for each name of `terms`."""
    taken = {piece.text[1:] for piece in pieces if piece.is_variable} | terms.keys()
    found = dict[str, str]()
    for name in terms:
        found[name] = f"{name}_"
        while found[name] in taken:
            found[name] += "_"
        taken.add(found[name])
    return found


def _with_space(term: str, pieces: Sequence[Piece], place: int) -> str:
    """Return a term with space around it: `?o<?x` must not become `?o<<http://e/x>`."""
    before = "" if place and pieces[place - 1].text.isspace() else " "
    return f"{before}{term}{'' if pieces[place + 1 : place + 2] and pieces[place + 1].text.isspace() else ' '}"


def _is_argument_of_bound(pieces: Sequence[Piece], places: Sequence[int], at: int) -> bool:
    """Whether the variable `at` a place is the argument of BOUND."""
    return at > 1 and pieces[places[at - 2]].word == "BOUND" and pieces[places[at - 1]].text == "("
