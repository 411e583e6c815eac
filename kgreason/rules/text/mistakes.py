"""`hint`: what a user may have meant with a rule text that does not parse.

    [?x, a, :C] :- [?x, :p, ?y]        a full stop (.) is missing at the end of the rule
    tom[?x] :- :p[?x, ?y] .            tom has neither a prefix nor angle brackets
    p(?x) :- q(?x), filter(?x > 3) .   filter is not in capitals

`misuse` is for text that does parse, but in which the parser took a word of the language for the name of a relation.

Cost: a few regular expressions for an error; Turtle text is parsed once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, cast

import pyoxigraph
from lark import Token
from pyoxigraph import RdfFormat

from kgreason.rules.expressions import AGGREGATES, SKOLEM
from kgreason.rules.safety import DATA_IN_HEAD

_FILE = re.compile(r"\s*(\S+\.(?:dl|rules|datalog|srl|rq))\s*")
_EXISTS = re.compile(r"FILTER\s*\(?\s*(NOT\s+)?EXISTS\b", re.IGNORECASE)
_NAME = re.compile(r"(?:[\w-]+\s+)*[\w-]+(?![\w-]|\s*\(|:)")
_COMPUTING = ("FILTER", "BIND", "AGGREGATE")
_SKOLEM_EXAMPLE = 'BIND(SKOLEM("label", ?x) AS ?b)'
_EXAMPLE = "AGGREGATE([?x, :p, ?y] ON ?x BIND COUNT(?y) AS ?n)"
_BARE = re.compile(r"([A-Za-z_]\w*)\s*$")
_ANONYMOUS = re.compile(r"_(?![\w:])")
_WORD = re.compile(r"[A-Za-z_]\w{,29}\b")
_ARROWS = ("<-", "->", "=>", "<=", "--", "←")
_STATEMENT = {"AT_RULE", "AT_GROUP", "AT_PREFIX"}


_WRITTEN = {"FILTER": "FILTER(?x > 3)", "BIND": "BIND(?x + 1 AS ?y)", "AGGREGATE": _EXAMPLE}


class Hint(NamedTuple):
    """A message with what a user may have meant (`words`), and the index of the mistake in the text."""

    at: int
    words: str


def hint(text: str, at: int, expected: Collection[str], unfinished: Sequence[Token]) -> Hint | None:
    """Return a hint for the syntax error at the index `at` of `text`, or None if there is no hint.

    `expected` are the names of the tokens that the parser could read at the index. `unfinished` are the tokens just
    before the index that the parser has not put into an atom or another part yet.
    """
    before, found = text[:at], text[at:]
    if file := _FILE.fullmatch(text):
        return Hint(0, f"{file[1]!r} is the name of a file; to add its rules, call load_rules({file[1]!r})")
    if _is_turtle(text):
        return Hint(at, "this is RDF (Turtle), not a rule; assert triples with add(text), or a file with load(path)")
    if wrong := _unfinished_hint(text, unfinished):
        return wrong
    words = _token_hint(before, found, expected)
    return Hint(at, words) if words else None


def misuse(relation: str, *, in_head: bool = False, under_not: bool = False) -> str | None:
    """Return what is wrong with an atom if the name of its relation is a word of the language such as FILTER, or None.

    The word may be in capitals or not. `in_head` and `under_not` say where the atom stands.

    >>> misuse("filter")
    'write FILTER in capitals'
    """
    word = relation.upper()
    if relation == "DATA":
        return DATA_IN_HEAD if in_head else "DATA needs a triple pattern after it: DATA [?s, ?p, ?o]"
    if word in AGGREGATES:
        return None if in_head else f"{word} belongs into AGGREGATE, after the atoms: {_EXAMPLE}"
    if word == SKOLEM:
        return f"{word} belongs into BIND: {_SKOLEM_EXAMPLE}" if not in_head else None
    if word not in _COMPUTING:
        return None
    if in_head:
        return f"{word} cannot stand in the head: write it in the body, after :-"
    if under_not and word == "FILTER":
        return "FILTER cannot stand alone under NOT: write NOT EXISTS (FILTER(?x > 3))"
    if under_not:
        return (
            f"{word} cannot stand under NOT: write a rule with the {word} for a relation, and NOT before the relation"
        )
    if relation != word:
        return f"write {word} in capitals"
    return f"{word} needs brackets: {_WRITTEN[word]}"


def _unfinished_hint(text: str, unfinished: Sequence[Token]) -> Hint | None:
    """Return a hint for a mistake that the tokens `unfinished` show, or None if they show none.

    It may be FILTER with EXISTS, a word of the language in a wrong place, or a rule's name with a space but without
    quotation marks.
    """
    kinds = [token.type for token in unfinished]
    if "FILTER" in kinds:
        return _exists_hint(text, unfinished[kinds.index("FILTER")])
    if "BIND" in kinds or "IDENTIFIER" not in kinds:
        return None
    index = len(kinds) - 1 - kinds[::-1].index("IDENTIFIER")
    word, is_last = unfinished[index], index == len(kinds) - 1
    if is_last and kinds[-3:-1] == ["AT_RULE", "NAME"] and (name := _NAME.match(text, _start_of(unfinished[-2]))):
        return Hint(name.start(), f"a name with a space needs quotation marks: @rule '{name[0]}'")
    if is_last and word.upper() == "NOT" and "IF" not in kinds:
        return Hint(
            _start_of(word), "NOT cannot stand in the head, which says what is true; write it in the body, after :-"
        )
    if exists := _exists_hint(text, word):
        return exists
    words = misuse(word, in_head="IF" not in kinds, under_not="NOT" in kinds)
    return Hint(_start_of(word), words) if words else None


def _exists_hint(text: str, word: Token) -> Hint | None:
    """Return a hint if EXISTS follows the token `word`, as in `FILTER EXISTS`, or None."""
    found = _EXISTS.match(text, _start_of(word))
    if found is None:
        return None
    instead = "NOT EXISTS ?e IN (...) without FILTER" if found[1] else "the atoms without FILTER EXISTS"
    return Hint(found.start(), f"a rule has no FILTER with EXISTS: write {instead}")


def _start_of(token: Token) -> int:
    return cast(int, token.start_pos)


def _token_hint(before: str, found: str, expected: Collection[str]) -> str | None:
    """Return the words of a hint for a syntax error, or None if there is no hint.

    `before` is the text before the error, and `found` the text from the error on. `expected` are the names of the
    tokens that the parser could read at the error.
    """
    if not found.strip() and "DOT" in expected:
        return "a full stop (.) is missing at the end of the rule"
    if found.startswith(".") and before.rstrip().endswith(","):
        return "an atom is missing after the last comma; leave the comma out, or write the atom"
    if found.startswith(_ARROWS):
        return f"a rule is written HEAD :- BODY . with the sign :-, not {found[:2]!r}"
    if set(expected) >= _STATEMENT:
        return _statement_hint(found)
    bare = _BARE.search(before)
    if found.startswith("[") and bare and set(expected) == {"OPEN"}:
        name = bare[1]
        return f"{name} needs a prefix (:{name}[...]) or angle brackets; a relation has round brackets: {name}(...)"
    if found.startswith("%"):
        return "% is no operator: write MOD(?x, ?y); a whole quotient is IDIV(?x, ?y)"
    if _ANONYMOUS.match(found):
        return "_ stands only in the atoms of a body, where nobody reads its value; write a variable with a name: ?x"
    word = _WORD.match(found)
    if word and {"VARIABLE", "IRI"} <= set(expected):
        name = word[0]
        if name.upper() in AGGREGATES and found[len(name) :].lstrip().startswith("("):
            return f"{name} cannot stand in an atom: write {_EXAMPLE} in the body, and ?n here"
        return f"'{name}' is not a term: write a variable as ?{name}, a name as ex:{name}, a text as \"{name}\""
    return None


def _statement_hint(found: str) -> str | None:
    """Return a hint for `found`, text that stands where a rule or a directive should begin, or None."""
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
