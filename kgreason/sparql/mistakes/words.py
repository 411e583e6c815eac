"""`in_words`: what is wrong at the token at which the parser stopped.

The first rule of `_RULES` that has an answer gives the message. The last rule names the tokens that could stand there.

Cost: one pass over the text before the token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import NamedTuple

from kgreason.sparql.mistakes.brackets import CLOSING, still_open
from kgreason.sparql.mistakes.syntax import Stop, functions, keywords
from kgreason.sparql.source import position

FORMS = "SELECT, ASK, CONSTRUCT or DESCRIBE"
_WORD = re.compile(r"[A-Za-z_]\w*")
_LAST = re.compile(r"(\w+|\S)\s*$")
_STARTS = re.compile(r"[?$\w:<\"'\[(_]")
_LONG = 30
_ALIKE, _CLOSE = 0.7, 0.8
"""How alike a word must be to a keyword, and to a function: the shares of `difflib`."""
_TERM = {"BLANK", "FALSE", "IRI", "NAME", "NUMBER", "STRING", "TRUE", "VAR"}
_EXPRESSION = {"AGGREGATE", "EXISTS", "FALSE", "FUNCTION", "IRI", "LPAR", "NAME", "NUMBER", "STRING", "TRUE", "VAR"}
_CONDITION = {"AGGREGATE", "EXISTS", "FUNCTION", "IRI", "LPAR", "NAME"}
_OF_TERMS = "a term (a variable, an IRI, a literal or a blank node)"
_GROUPS: tuple[tuple[set[str], str], ...] = (
    (_EXPRESSION, "an expression"),
    (_TERM | {"QUESTION", "STAR"}, _OF_TERMS),
    (_CONDITION, "a condition in brackets"),
    (_TERM, _OF_TERMS),
    ({"BIND", "FILTER", "GRAPH", "LATERAL", "LBRACE", "MINUS_PATTERN", "OPTIONAL", "SERVICE", "VALUES"}, "a pattern"),
    ({"A", "BANG", "IRI", "LPAR", "NAME", "VAR"}, "a property (an IRI, a variable or 'a')"),
    ({"A", "BANG", "CIRCUMFLEX", "IRI", "LPAR", "NAME"}, "a property (an IRI or 'a')"),
    ({"IRI", "NAME"}, "an IRI"),
)
_WORDS = {
    "$END": "the end of the query",
    "IRI": "an IRI in angle brackets, such as <http://example.org/>",
    "NAMESPACE": "a prefix with its colon, such as ex:",
    "NUMBER": "a number",
    "STRING": "a string",
    "VAR": "a variable such as ?x",
    "AS": "AS and a variable, as in (... AS ?n)",
    "MINUS_PATTERN": "MINUS",
    "FUNCTION": "a function",
    "AGGREGATE": "an aggregate such as COUNT",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "DOT": "a full stop",
    "SEMICOLON": "';'",
    "COMMA": "','",
    "COMPARED": "a comparison",
    "STAR": "'*'",
    "GROUP": "GROUP BY",
    "ORDER": "ORDER BY",
}
_MODIFIERS = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET")
_OPERATORS = {"AND": "&&", "OR": "||"}
_SILENT = re.compile(
    "PLUS|MINUS|SLASH|QUESTION|VBAR|CIRCUMFLEX|TILDE|ANNOTATION_OPEN|TRIPLE_OPEN|REIFIED_OPEN|BANG|AND|OR|IN|NOT|LSQB"
    "|LPAR|LATERAL|VERSION"
)
"""Tokens that are not named beside others: they would make a message long."""


class _Place(NamedTuple):
    """The place in a query at which the parser stopped: the text, the token there (`stop`), and the token before it."""

    text: str
    stop: Stop
    before: str

    @property
    def found(self) -> str:
        """The token at the place for a message: in quotation marks, cut if it is long, or "the end of the text"."""
        found = self.stop.found
        return f"'{found[:_LONG]}...'" if len(found) > _LONG else f"'{found}'" if found else "the end of the text"

    def expects(self, *names: str) -> bool:
        """Whether all tokens in `names` could stand at the place."""
        return self.stop.expected.issuperset(names)


def in_words(text: str, stop: Stop) -> str:
    """Say in a sentence what is wrong at the token `stop`. The sentence does not name the line and column."""
    last = _LAST.search(text, 0, stop.at)
    place = _Place(text, stop, last[1].upper() if last else "")
    return next(filter(None, (rule(place) for rule in _RULES)))


def _broken(place: _Place) -> str | None:
    """Make a message if a string or an IRI does not end; otherwise None."""
    start = place.text[place.stop.at : place.stop.at + 1]
    if start in ("'", '"') and start:
        return "the string that begins here does not end: a quotation mark is missing, or a line break is in the string"
    if start == "<" and place.expects("IRI"):
        return "the IRI that begins here does not end, or it has a space or another character that no IRI can have"
    return None


def _unclosed(place: _Place) -> str | None:
    """Make a message if a bracket is not closed where it has to be, or if one is too many; otherwise None.

    A bracket has to be closed before the end of the text, and before a bracket around it is closed.
    """
    found, brackets = place.stop.found, still_open(place.text, place.stop.at)
    if found in CLOSING.values() and not brackets:
        return f"there is one '{found}' too many: no bracket is open here"
    if brackets and (not found or (found in CLOSING.values() and found != CLOSING[brackets[-1].sign])):
        line, column = position(place.text, brackets[-1].at)
        sign = brackets[-1].sign
        where = f"before this '{found}'" if found else "at the end"
        return f"'{CLOSING[sign]}' is missing {where}: the '{sign}' in line {line}, column {column} is not closed"
    return None


def _modifier(place: _Place) -> str | None:
    """Make a message if a word such as LIMIT stands inside the braces; otherwise None.

    Such a word must stand after the closing brace.
    """
    word = place.stop.found.upper()
    if word not in _MODIFIERS or not place.expects("RBRACE", "FILTER"):
        return None
    return f"{_WORDS.get(word, word)} must stand after the closing brace: {{ ... }} {_WORDS.get(word, word)}"


def _operator(place: _Place) -> str | None:
    """Make a message if a word stands in the place of an operator; otherwise None."""
    word = place.stop.found.upper()
    if word in _OPERATORS and place.expects(word):
        return f"SPARQL writes {word} as {_OPERATORS[word]}"
    if place.before == "NOT" and place.stop.expected == {"EXISTS"} and not _WORD.fullmatch(word):
        return "SPARQL writes NOT as !, as in !(?x > 3)"
    return None


def _form(place: _Place) -> str | None:
    """Make a message if a query begins with a wrong word; otherwise None."""
    if not place.expects("SELECT", "ASK"):
        return None
    if place.stop.found.lower() in ("@prefix", "@base"):
        return f"SPARQL has no {place.found}: write PREFIX ex: <http://example.org/>, without @ and without a full stop"
    meant = _meant(place, ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE"))
    return meant or f"found {place.found}, but a query begins with {FORMS}"


def _misspelled(place: _Place) -> str | None:
    """Make a message if a keyword or function is misspelled; otherwise None.

    The message names only keywords and functions that could stand at the place.
    """
    names = {"MINUS" if name == "MINUS_PATTERN" else name for name in place.stop.expected} & keywords()
    return _meant(place, names) or (_meant(place, functions(), _CLOSE) if place.expects("FUNCTION") else None)


def _meant(place: _Place, names: Collection[str], alike: float = _ALIKE) -> str | None:
    found = place.stop.found
    if not _WORD.fullmatch(found) or found.upper() in names:
        return None
    meant = get_close_matches(found.upper(), sorted(names), 1, alike)
    return f"found {place.found}; do you mean {meant[0]}?" if meant else None


def _condition(place: _Place) -> str | None:
    """Make a message if a FILTER or HAVING has no brackets or an unknown function; otherwise None."""
    if place.before not in ("FILTER", "HAVING") or not place.expects("LPAR", "EXISTS"):
        return None
    if place.text.startswith("(", place.stop.at + len(place.stop.found)):
        return f"SPARQL has no function {place.found}; a function of your own is named by an IRI"
    return f"found {place.found}, but {place.before} needs brackets around its condition: {place.before}(?x > 3)"


def _selected(place: _Place) -> str | None:
    """Make a message for a mistake between SELECT and the pattern; otherwise None."""
    if not place.expects("VAR", "LPAR") or not (place.expects("WHERE", "FROM") or place.expects("STAR", "VAR")):
        return None
    found = place.stop.found
    if found == ",":
        return "the variables of SELECT are separated by spaces, without commas"
    if found == "{":
        return "SELECT needs the variables that you ask for, or * for all of them: SELECT * { ... }"
    if found.upper() in functions():
        return f"an expression of SELECT needs brackets and a name: ({found.upper()}(?x) AS ?n)"
    if _WORD.fullmatch(found):
        return f"found {place.found}; a variable begins with a question mark: ?{found}"
    return None


def _full_stop(place: _Place) -> str | None:
    """Make a message if there is no full stop between two triple patterns; otherwise None."""
    if not place.expects("DOT", "SEMICOLON") or not _STARTS.match(place.stop.found):
        return None
    if place.stop.found.upper() == "UNION":
        return "UNION stands between patterns in braces: { ... } UNION { ... }"
    if place.expects("COMMA"):
        return f"a full stop is missing before {place.found}: it ends a triple pattern before the next one begins"
    return None


def _comparison(place: _Place) -> str | None:
    if place.before == "=" and place.stop.found.startswith("="):
        return "SPARQL compares with a single ="
    return None


def _iri(place: _Place) -> str | None:
    """Make a message if an IRI has no angle brackets; otherwise None."""
    found = place.stop.found
    return f"an IRI stands in angle brackets: <{found}>" if place.expects("IRI") and "://" in found else None


def _object(place: _Place) -> str | None:
    """Make a message if a triple pattern has no object; otherwise None."""
    if place.stop.found not in ("}", ".", ";", ",") or not place.expects(*_TERM) or place.expects("FILTER"):
        return None
    return f"an object (a term) is missing before {place.found}"


def _bare(place: _Place) -> str | None:
    """Make a message if a word stands in the place of a term; otherwise None."""
    word = place.stop.found
    if not _WORD.fullmatch(word) or not place.expects("IRI", "NAME") or word.upper() in keywords():
        return None
    text = f', a text as "{word}"' if place.expects("STRING") else ""
    variable = f", a variable as ?{word}" if place.expects("VAR") else ""
    iri, name = f"an IRI as <http://example.org/{word}>", f"a name with a prefix as ex:{word}"
    return f"{place.found} is not a term: write {iri}, {name}{variable}{text}"


def _expected(place: _Place) -> str:
    left, words = set(place.stop.expected), []
    for names, word in _GROUPS:
        if names <= left:
            left -= names
            words.append(word)
    told = {name for name in left if not _SILENT.fullmatch(name)}
    if not told.isdisjoint(("AS", "RPAR")):  # an expression may end here, so its operators need no mention
        told -= {"COMPARED", "STAR"}
    words += sorted(_WORDS.get(name, name) for name in (told if told or words else left))
    listed = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    return f"found {place.found}, expected {listed}"


_RULES: tuple[Callable[[_Place], str | None], ...] = (
    _broken,
    _unclosed,
    _form,
    _modifier,
    _operator,
    _misspelled,
    _condition,
    _selected,
    _full_stop,
    _comparison,
    _iri,
    _object,
    _bare,
    _expected,
)
