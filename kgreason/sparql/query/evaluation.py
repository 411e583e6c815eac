"""`answer`: asks Oxigraph a query. All queries of users take this way, so that they all have the same answers.

    SELECT *                   the columns in the order of the text (`columns`)
    SELECT ?s ?s               Oxigraph takes a variable once; the column is repeated in the rows (`RepeatedColumns`)
    GROUP_CONCAT(?v)           Oxigraph joins strings only; other terms are joined as STR gives them
    CONSTRUCT, DESCRIBE        the triples of the graph are given as the graph writes them (`triples_as_written`)
    LANG(?v) = "en-GB"         Oxigraph has tags in small letters, so it becomes "en-gb" (`terms.lang_comparisons`)

GROUP_CONCAT(DISTINCT ?v) counts two terms with the same string as one, as the strings are compared.

The pattern of an update has its part of this from `for_oxigraph`. Error messages are about the text of the user. Law: a
query that Oxigraph takes and that has none of this is asked as it is.

Cost: a microsecond for each token of a query with GROUP_CONCAT, LANG or a SELECT inside; else a look at its head.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from pyoxigraph import QuerySolutions, QueryTriples

from kgreason.errors import QueryError
from kgreason.sparql.problems import parse_error
from kgreason.sparql.query.columns import with_columns
from kgreason.sparql.query.written_triples import Spell, triples_as_written
from kgreason.sparql.tokens import TOKEN
from kgreason.store.oxigraph.repeated_columns import RepeatedColumns
from kgreason.store.oxigraph.results import Results, Triples
from kgreason.terms.lang_comparisons import in_small_letters, places_compared_with_lang

_CONCAT = "GROUP_CONCAT"
_MAY_DIFFER = re.compile(rf"{_CONCAT}|SELECT|\bLANG\b", re.IGNORECASE)
_HEAD_ENDS = ("WHERE", "FROM")


def answer(
    query: str, prefixes: Mapping[str, str], base: str | None, ask: Callable[[str], Results], spell: Spell
) -> Results:
    """Return the results of a query. `ask` asks Oxigraph a text; it declares `prefixes` and `base` outside of the text.

    `spell` looks up how the graph writes triples; see `triples_as_written`.
    Raises QueryError for a text that does not parse, and the errors of `ask`.
    """
    text, names = _for_oxigraph(query)
    text = with_columns(text, prefixes, base)
    try:
        found = _ask(text, ask)
    except SyntaxError as error:
        if text == query:
            raise parse_error(query, prefixes, base, error.msg) from error
        try:  # so that the message of Oxigraph is about the text of the user
            found = _ask(query, ask)
        except SyntaxError as other:
            raise parse_error(query, prefixes, base, other.msg) from other
    return (
        cast(Results, Triples(triples_as_written(found, spell)))
        if isinstance(found, QueryTriples)
        else _repeat(names, found)
    )


def with_repeated_columns(query: str, found: Results) -> Results:
    """Return the results of a query, as another process gave them, with the columns that the query repeats."""
    return _repeat(_for_oxigraph(query)[1], found)


def _repeat(names: tuple[str, ...], found: Results) -> Results:
    return cast(Results, RepeatedColumns(names, found)) if names and isinstance(found, QuerySolutions) else found


def _ask(text: str, ask: Callable[[str], Results]) -> Results:
    """Ask a text. Raises SyntaxError if it does not parse, and the other errors of `ask`."""
    try:
        return ask(text)
    except QueryError as error:
        if isinstance(error.__cause__, SyntaxError):
            raise error.__cause__ from None
        raise


def for_oxigraph(text: str) -> str:
    """Return a query or a pattern as Oxigraph takes it, without a change of its meaning.

    >>> for_oxigraph("SELECT ?s ?s (GROUP_CONCAT(?v) AS ?c) { ?s ?p ?v } GROUP BY ?s")
    'SELECT ?s    (GROUP_CONCAT(COALESCE(CONCAT(?v),STR(?v))) AS ?c) { ?s ?p ?v } GROUP BY ?s'
    """
    return _for_oxigraph(text)[0]


def _for_oxigraph(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text as Oxigraph takes it, and the columns of its outermost SELECT if it repeats one; otherwise ()."""
    if not _MAY_DIFFER.search(text):
        return text, ()
    pieces = list(pieces_of(text))
    written = [piece.text for piece in pieces]
    names: tuple[str, ...] = ()
    depth = 0
    for place, piece in enumerate(pieces):
        depth += (piece.text == "{") - (piece.text == "}")
        if piece.word == "SELECT":
            found = _columns(pieces, place + 1, written)
            names = found if not depth and len(set(found)) < len(found) else names
        elif piece.word == _CONCAT:
            _rewrite_concatenation(pieces, place + 1, written)
    _make_tags_small(pieces, written)
    return "".join(written), names


def insert_of_construct(query: str) -> str | None:
    """Return an update with the template and the pattern of a CONSTRUCT; None for a query without a template.

    >>> insert_of_construct("BASE <e:> CONSTRUCT { ?s <p> ?o } FROM <g> WHERE { ?s <q> ?o } LIMIT 1")
    'BASE <e:>  INSERT { ?s <p> ?o } WHERE { ?s <q> ?o }'
    """
    pieces = list(pieces_of(query))
    start = next((place for place, piece in enumerate(pieces) if piece.word == "CONSTRUCT"), None)
    if start is None:
        return None
    groups: list[str] = []
    depth, first = 0, start
    for place, piece in enumerate(pieces[start:], start):
        if piece.text == "{":
            first = first if depth else place
            depth += 1
        elif piece.text == "}":
            depth -= 1
            groups += [] if depth else ["".join(each.text for each in pieces[first : place + 1])]
        elif piece.word == "WHERE" and not groups and not depth:
            return None
        if len(groups) == 2:
            prologue = "".join(piece.text for piece in pieces[:start])
            return f"{prologue} INSERT {groups[0]} WHERE {groups[1]}"
    return None


def _make_tags_small(pieces: list[Piece], written: list[str]) -> None:
    """Rewrite the strings that are compared with LANG(...)."""
    if not any(piece.word == "LANG" for piece in pieces):
        return
    places = [place for place, piece in enumerate(pieces) if not piece.is_space]
    words = [pieces[place].text for place in places]
    for at in range(len(words) - 1):
        if words[at] == "!" and words[at + 1] == "=":  # no token of SPARQL begins with =
            words[at], words[at + 1] = "", "!="
    kept = [at for at, word in enumerate(words) if word]
    for at in places_compared_with_lang([words[at] for at in kept]):
        place = places[kept[at]]
        written[place] = in_small_letters(written[place])


class Piece(NamedTuple):
    """A token of a text, or a character between tokens. `word` is a keyword in upper case, otherwise empty."""

    text: str
    word: str = ""
    is_space: bool = False
    is_variable: bool = False


def pieces_of(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text, which together are the text."""
    done = 0
    for token in TOKEN.finditer(text):
        yield from (Piece(sign, is_space=sign.isspace()) for sign in text[done : token.start()])
        if token["close"]:  # the token takes along a full stop after the brace
            yield Piece("}")
            done = token.start() + 1
            continue
        word = (token["name"] or "").upper()
        is_comment = bool(token["skip"]) and token[0].startswith("#")
        yield Piece(token[0], "" if ":" in word else word, is_comment, bool(token["variable"]))
        done = token.end()
    yield from (Piece(sign, is_space=sign.isspace()) for sign in text[done:])


def _columns(pieces: list[Piece], start: int, written: list[str]) -> tuple[str, ...]:
    """Read the head of a SELECT, from the piece `start` on. Returns its columns.

    A variable that the head has named already becomes white space in `written`.
    """
    names: list[str] = []
    depth, is_alias = 0, False
    for place in range(start, len(pieces)):
        piece = pieces[place]
        depth += (piece.text == "(") - (piece.text == ")")
        if not depth and (piece.text == "{" or piece.word in _HEAD_ENDS):
            break
        if piece.is_variable and (not depth or is_alias):
            if not depth and piece.text[1:] in names:
                written[place] = " " * len(piece.text)
            names.append(piece.text[1:])
        if not piece.is_space:
            is_alias = depth == 1 and piece.word == "AS"
    return tuple(names)


def _rewrite_concatenation(pieces: list[Piece], start: int, written: list[str]) -> None:
    """Rewrite the argument of a GROUP_CONCAT, whose bracket is the first piece from `start` on.

    CONCAT of one string is this string, with its language tag. CONCAT of any other term is an error.
    """
    opened = _skip_space(pieces, start)
    first = _skip_space(pieces, opened + 1)
    if first < len(pieces) and pieces[first].word == "DISTINCT":
        first = _skip_space(pieces, first + 1)
    end, depth = first, 1
    while end < len(pieces):
        depth += (pieces[end].text == "(") - (pieces[end].text == ")")
        if not depth or (depth == 1 and pieces[end].text == ";"):
            break
        end += 1
    if opened >= len(pieces) or pieces[opened].text != "(" or first >= end or end == len(pieces):
        return  # Oxigraph refuses it
    argument = "".join(piece.text for piece in pieces[first:end])
    is_twice = "{" not in argument  # an EXISTS may have labels of blank nodes, which cannot be written twice
    written[first] = f"{'COALESCE(CONCAT(' if is_twice else 'STR('}{written[first]}"
    written[end - 1] += f"),STR({argument}))" if is_twice else ")"


def _skip_space(pieces: list[Piece], place: int) -> int:
    """Return the place of the first piece from `place` on that is neither white space nor a comment."""
    while place < len(pieces) and pieces[place].is_space:
        place += 1
    return place
