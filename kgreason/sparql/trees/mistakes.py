"""`mistake`: the first token that no query can have at its place, and a sentence that says what is wrong there.

    SELECT ?x { ?x a :Cat OPTIONAL { ?x :p ?y }   '}' is missing at the end: the '{' in line 1 ...

Oxigraph's parser says how far it came, and not where the mistake is. The parser of `trees` stops at the first wrong
token. Brackets and quotation marks are looked at first, then `_ADVICE`; otherwise the message names the tokens that
could stand there.

Cost: that of the parser. It runs only after Oxigraph has refused a query.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeGuard, cast

from lark import Token, Tree, UnexpectedInput, UnexpectedToken

from kgreason.rules.unexpected_text import token_text
from kgreason.sparql.source import position
from kgreason.sparql.trees.parser import parser

_TOKEN = re.compile(
    r""""[^"\r\n]*"|'[^'\r\n]*'|\w+://[^\s<>"]*|[?$]?[\w-]*:[\w:%.-]*\w|[?$@]?\w+|[<>!]=|<[^\s<>]*>?|[^ \t\r\n]"""
)
_LAST = re.compile(r"(\w+|\S)\s*$")
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_BRACKET = re.compile(
    r"""\#[^\r\n]*|<[^\x00-\x20<>"{}|^`]*>|\"\"\".*?\"\"\"|'''.*?'''|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|[(){}\[\]]""",
    re.DOTALL,
)
_ALIKE = 0.7
"""How alike a word must be to a keyword: the share of `difflib`."""
_WORDS = {
    "$END": "the end of the query",
    "IRI": "an IRI such as <http://example.org/>",
    "NAMESPACE": "a prefix with its colon, such as ex:",
    "NUMBER": "a number",
    "VAR": "a variable such as ?x",
    "AS": "AS and a variable, as in (... AS ?n)",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "DOT": "a full stop",
    "STAR": "'*'",
}
_GROUPS = (
    ({"TRUE", "LPAR", "FUNCTION"}, "an expression"),
    ({"TRUE"}, "a term (a variable, an IRI, a literal or a blank node)"),
    ({"FILTER"}, "a pattern"),
    ({"CIRCUMFLEX", "A"}, "a property (an IRI or 'a')"),
)
"""What may stand at a place, in the order in which it is sought, and a token that can stand only there."""
_ADVICE = (
    (
        {"SELECT", "ASK"},
        "",
        r"@prefix|@base",
        "write PREFIX ex: <http://example.org/>, without @ and without a full stop",
    ),
    ({"SELECT", "ASK"}, "", r".*", "found {0}, but a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE"),
    ({"FILTER"}, "", r"GROUP|HAVING|ORDER|LIMIT|OFFSET", "{0} must stand after the closing brace: {{ ... }}"),
    ({"AND"}, "", r"AND|OR", "SPARQL writes AND as &&, and OR as ||"),
    ({"EXISTS", "LPAR"}, "FILTER|HAVING", r".*", "found {0}, expected a condition in brackets: FILTER(?x > 3)"),
    ({"AS"}, "", r".*", "found {0}, expected AS and a variable, as in (... AS ?n)"),
    (
        {"STAR", "VAR", "LPAR"},
        "SELECT|DISTINCT|REDUCED",
        r".*",
        "SELECT needs variables such as ?x, or * for all of them: SELECT * {{ ... }}",
    ),
    (
        {"WHERE", "VAR", "LPAR"},
        "",
        r"\w+|,",
        "found {0}; SELECT needs variables without commas: SELECT ?x (COUNT(?y) AS ?n)",
    ),
    ({"IRI"}, "", r"\w+://.*", "an IRI stands in angle brackets: <{1}>"),
    ({"TRUE"}, "=", "=", "SPARQL compares with a single ="),
    ({"DOT"}, "", "UNION", "UNION stands between patterns in braces: {{ ... }} UNION {{ ... }}"),
    ({"DOT", "COMMA"}, "", r"[?$\w:<\"'\[(_].*", "a full stop is missing before {0}: it ends a triple pattern"),
    ({"TRUE"}, "", r"[}.;,]", "an object (a term) is missing before {0}"),
)
"""Rows of tokens that could stand at the place, the word before, the token found, and the sentence for them."""


class Mistake(NamedTuple):
    """The index of a wrong token, and what is wrong there."""

    at: int
    words: str


def mistake(text: str, start: str = "query") -> Mistake | None:
    """Return the first mistake of a query, or with `start="braces"` of a pattern in braces; None if it has a tree."""
    try:
        parser().parse(text, start=start)
    except UnexpectedInput as error:
        return _mistake(text, _index(error, text), cast(Any, error).interactive_parser.accepts())
    return None


def ungrouped_variable(text: str, start: str = "query") -> Mistake | None:
    """Return the first variable of a SELECT that is not in its GROUP BY; None if there is none. The text has a tree."""
    for select in parser().parse(text, start=start).find_data("select"):
        parts = [child for child in select.children if isinstance(child, Tree) and child.data != "where"]
        groups = [group for part in parts for group in part.find_data("group_by")]
        by = {str(token)[1:] for group in groups for token in group.scan_values(_is_variable)}
        is_grouped = bool(groups) or any(True for part in parts for _ in part.find_data("aggregate"))
        for variable in (part.children[0] for part in parts if part.data == "item" and is_grouped):
            if _is_variable(variable) and variable[1:] not in by:
                advice = f"add it to GROUP BY, or select (SAMPLE({variable}) AS ?any_{variable[1:]})"
                words = f"{variable} is neither in GROUP BY nor in an aggregate: {advice}"
                return Mistake(cast(int, variable.start_pos), words)
    return None


def _is_variable(node: object) -> TypeGuard[Token]:
    return isinstance(node, Token) and node.type == "VAR"


def _index(error: UnexpectedInput, text: str) -> int:
    if isinstance(error, UnexpectedToken):
        return len(text.rstrip(" \t\r\n")) if error.token.type == "$END" else cast(int, error.token.start_pos)
    return cast(int, error.pos_in_stream)


def _mistake(text: str, at: int, expected: set[str]) -> Mistake:
    match = _TOKEN.match(text, at)
    token = match[0] if match else ""
    found = token_text(token) if token else "the end of the text"
    last = _LAST.search(text, 0, at)
    words = _unclosed_part(text, at, token, expected) or _spelling_mistake(token, expected)
    for names, before, pattern, advice in _ADVICE if words is None else ():
        if (
            names <= expected
            and re.fullmatch(before or ".*", last[1] if last else "", re.IGNORECASE)
            and re.fullmatch(pattern, token, re.IGNORECASE)
        ):
            words = advice.format(found, token)
            break
    return Mistake(at, words or f"found {found}, expected {_names(expected)}")


def _unclosed_part(text: str, at: int, token: str, expected: set[str]) -> str | None:
    """Say which string, IRI or bracket has no end, or which bracket is one too many."""
    if token in ("'", '"'):
        return "the string that begins here does not end: a quotation mark is missing, or a line break is in the string"
    if token.startswith("<") and "IRI" in expected:
        return "the IRI that begins here does not end, or it has a space or another character that no IRI can have"
    brackets = open_brackets(text, at)
    if token in _CLOSING.values() and not brackets:
        return f"there is one '{token}' too many: no bracket is open here"
    if brackets and (not token or (token in _CLOSING.values() and token != _CLOSING[text[brackets[-1]]])):
        (line, column), sign = position(text, brackets[-1]), text[brackets[-1]]
        where = f"before this '{token}'" if token else "at the end"
        return f"'{_CLOSING[sign]}' is missing {where}: the '{sign}' in line {line}, column {column} is not closed"
    return None


def open_brackets(text: str, end: int) -> list[int]:
    """Return the indices of the brackets of `text[:end]` that are not closed there.

    >>> open_brackets("ASK { ?s ?p (1 '(' ", 19)
    [4, 12]
    """
    found: list[int] = []
    for piece in _BRACKET.finditer(text, 0, end):
        if piece[0] in _CLOSING:
            found.append(piece.start())
        elif found and piece[0] == _CLOSING[text[found[-1]]]:
            found.pop()
    return found


def _spelling_mistake(token: str, expected: set[str]) -> str | None:
    keywords = {name.removesuffix("_PATTERN") for name in expected if len(name) > 1}
    if not re.fullmatch(r"[A-Za-z]\w*", token) or token.upper() in keywords:
        return None
    meant = get_close_matches(token.upper(), sorted(keywords), 1, _ALIKE)
    return f"found '{token}'; do you mean {meant[0]}?" if meant else None


def _names(expected: set[str]) -> str:
    """Name what can stand at a place. If it is much, only the first of `_GROUPS` that fits is named."""
    for names, kind in _GROUPS:
        if names <= expected:
            return kind
    words = sorted(_WORDS.get(name, name) for name in expected if name != "NAME")
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
