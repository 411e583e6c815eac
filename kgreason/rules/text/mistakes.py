"""`hint`: what a user may have meant with a rule text that does not parse.

    [?x, a, :C] :- [?x, :p, ?y]        a full stop (.) is missing at the end of the rule
    tom[?x] :- :p[?x, ?y] .            tom has neither a prefix nor angle brackets

Cost: a few regular expressions for an error; Turtle text is parsed once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import pyoxigraph
from pyoxigraph import RdfFormat

_FILE = re.compile(r"\s*(\S+\.(?:dl|rules|datalog))\s*")
_CALL = re.compile(r"\b(AGGREGATE)\s*\([^()]*$")
_BARE = re.compile(r"([A-Za-z_]\w*)\s*$")
_WORD = re.compile(r"[A-Za-z_]\w{,29}\b")
_ARROWS = ("<-", "->", "=>", "<=", "--", "←")
_STATEMENT = {"AT_RULE", "AT_GROUP", "AT_PREFIX"}


class Hint(NamedTuple):
    """The index of the mistake, and what is wrong there."""

    at: int
    words: str


def hint(text: str, at: int, expected: Collection[str]) -> Hint | None:
    """The hint for an error at an index, where the parser expected some terminals; None if there is no hint."""
    before, found = text[:at], text[at:]
    if file := _FILE.fullmatch(text):
        return Hint(0, f"{file[1]!r} is the name of a file; to add its rules, call load_rules({file[1]!r})")
    if _is_turtle(text):
        return Hint(at, "this is RDF (Turtle), not a rule; assert triples with add(text), or a file with load(path)")
    if unsupported := _CALL.search(before):
        missing = f"{unsupported[1].upper()} is not supported yet: a body has atoms, NOT, FILTER and BIND"
        return Hint(unsupported.start(1), missing)
    words = _of_token(before, found, expected)
    return Hint(at, words) if words else None


def _of_token(before: str, found: str, expected: Collection[str]) -> str | None:
    """What is wrong at a token, by the text before it and after it."""
    if not found.strip() and "DOT" in expected:
        return "a full stop (.) is missing at the end of the rule"
    if found.startswith(".") and before.rstrip().endswith(","):
        return "an atom is missing after the last comma; leave the comma out, or write the atom"
    if found.startswith(_ARROWS):
        return f"a rule is written HEAD :- BODY . with the sign :-, not {found[:2]!r}"
    if set(expected) >= _STATEMENT:
        return _of_statement(found)
    bare = _BARE.search(before)
    if found.startswith("[") and bare and set(expected) == {"OPEN"}:
        name = bare[1]
        return f"{name} needs a prefix (:{name}[...]) or angle brackets; a relation has round brackets: {name}(...)"
    word = _WORD.match(found)
    if word and {"VARIABLE", "IRI"} <= set(expected):
        name = word[0]
        return f"'{name}' is not a term: write a variable as ?{name}, a name as ex:{name}, a text as \"{name}\""
    return None


def _of_statement(found: str) -> str | None:
    """What is wrong where a rule or a directive should begin."""
    if found.startswith(":-"):
        return "a rule begins with its head: HEAD :- BODY . (a contradiction has the head false)"
    if found.startswith(("(", "{")):
        return "a triple pattern is written in square brackets, with commas: [?x, a, :Cat]"
    return None


def _is_turtle(text: str) -> bool:
    try:
        return next(pyoxigraph.parse(text, RdfFormat.TURTLE), None) is not None
    except SyntaxError:
        return False
