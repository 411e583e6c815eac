"""The built-ins of SHACL's rules that no expression of SPARQL says. Every registry has them.

They read literals as they are written: `DATATYPE` and `STR` of Oxigraph see the normal form, so that an xsd:byte would
be an xsd:integer, and "01" a string of one character. Each is true for a value that violates its component.

Law: a function is true or false for every term. Cost: that of Python, two to ten microseconds for a term.
"""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from kgreason.datatypes import value as spaces
from kgreason.datatypes.datatype_map import DATATYPE_MAP, values
from kgreason.datatypes.order import compare
from kgreason.datatypes.value import BOOLEAN, DOUBLE, FLOAT, REAL, STRING, UnreadError, Value
from kgreason.functions.signature import Term
from kgreason.patterns.matching import compile_pattern
from kgreason.terms.quoting import unescape

_NUMBERS = (REAL, FLOAT, DOUBLE)
_ORDERED = frozenset([*_NUMBERS, *spaces.SPACES[spaces.SPACES.index(spaces.DATE_TIME) :]])
_SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0)}


def shacl_unlike(value: Term, datatype: NamedNode) -> bool:
    """Whether a term is no literal of a datatype, or its lexical form is not one of this datatype."""
    if not isinstance(value, Literal) or value.datatype != datatype:
        return True
    known = DATATYPE_MAP.get(f"<{datatype.value}>")
    if known is None or value.language:
        return False
    try:
        known.value(value.value)
    except UnreadError:
        return False
    except ValueError:
        return True
    return False


def shacl_shorter(value: Term, least: int) -> bool:
    """Whether a term has fewer characters than `least`; so has a blank node, which has no text."""
    text = _text(value)
    return text is None or len(text) < least


def shacl_longer(value: Term, most: int) -> bool:
    """Whether a term has more characters than `most`, or is a blank node."""
    text = _text(value)
    return text is None or len(text) > most


def shacl_unmatched(value: Term, pattern: str, flags: str) -> bool:
    """Whether no part of a term matches a pattern of XPath, or the term is a blank node."""
    text = _text(value)
    return text is None or not compile_pattern(pattern, is_part=True, flags=flags).search(text)


def shacl_uncompared(value: Term, operator: str, other: Term) -> bool:
    """Whether `value operator other` is false or an error in SPARQL; `operator` is <, <=, > or >=.

    Numbers, strings, booleans, moments and durations can be compared. Terms that are no literals, tagged strings,
    ill-typed literals and literals of other datatypes cannot, not even with themselves.
    """
    if not (isinstance(value, Literal) and isinstance(other, Literal)):
        return True
    one, two = values([str(value), str(other)])
    sign = _compare(one, two) if isinstance(one, Value) and isinstance(two, Value) else None
    return sign is None or sign not in _SIGNS[operator]


def _compare(one: Value, two: Value) -> int | None:
    """Compare two values as SPARQL does: -1, 0 or 1; None for an error."""
    if one.space in _NUMBERS and two.space in _NUMBERS and one.space != two.space:
        return compare(_double(one), _double(two))
    if one.space == two.space and one.space in (STRING, BOOLEAN):
        return int(one.data > two.data) - int(one.data < two.data)
    return compare(one, two) if one.space in _ORDERED else None


def _double(number: Value) -> Value:
    """Return a number as a double, to which SPARQL promotes it."""
    if number.space != REAL:
        return Value(DOUBLE, number.data)
    try:
        return Value(DOUBLE, float(number.data).hex())
    except OverflowError:
        return Value(DOUBLE, "inf" if number.data > 0 else "-inf")


def pattern_problem(pattern: str, flags: str) -> str | None:
    """Return what is wrong with a pattern and its flags, both as N-Triples text; None if nothing is wrong."""
    texts = [text[1 : text.rfind('"')] for text in (pattern, flags) if text.startswith('"')]
    if len(texts) < 2:
        return "a pattern and its flags must be strings"
    try:
        compile_pattern(unescape(texts[0]), is_part=True, flags=unescape(texts[1]))
    except ValueError as error:
        return str(error)
    return None


def _text(value: Term) -> str | None:
    """Return the characters of a term: the IRI, or the lexical form; None for any other term."""
    return value.value if isinstance(value, (NamedNode, Literal)) else None
