"""The built-ins of SHACL's rules that no expression of SPARQL says. Every registry has them.

They read literals as they are written: `DATATYPE` and `STR` of Oxigraph see the normal form, so that an xsd:byte would
be an xsd:integer, and "01" a string of one character. Each is true for a value that violates its component.

Arguments are columns of terms as texts. A row has no result if an argument other than the value is not what a shape
may have there.

Law: a function is true or false for every value. Cost: that of Python, one to ten microseconds for a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from kgreason.datatypes import value as spaces
from kgreason.datatypes.datatype_map import DATATYPE_MAP, Datatype, values
from kgreason.datatypes.literals import parts_of_literal
from kgreason.datatypes.order import compare
from kgreason.datatypes.value import BOOLEAN, DOUBLE, FLOAT, REAL, STRING, UnreadError, Value
from kgreason.functions.function import PythonFunction
from kgreason.functions.signature import Kinds, Signature
from kgreason.patterns.matching import compile_pattern
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import unescape

Texts: TypeAlias = Sequence[str]
_NUMBERS = (REAL, FLOAT, DOUBLE)
_ORDERED = frozenset([*_NUMBERS, *spaces.SPACES[spaces.SPACES.index(spaces.DATE_TIME) :]])
_SIGNS = {'"<"': (-1,), '"<="': (-1, 0), '">"': (1,), '">="': (1, 0)}
_TAGGED = (v.RDF_LANG_STRING, v.RDF_DIR_LANG_STRING)
_INTEGER = re.compile(rf'"([+-]?[0-9]{{1,18}})"\^\^{re.escape(v.XSD_INTEGER)}')


def shacl_unlike(values: Texts, datatypes: Texts) -> Iterator[bool]:
    """Whether a term is no literal of a datatype, or its lexical form is not one of this datatype."""
    for text, datatype in zip(values, datatypes, strict=True):
        if not text.startswith('"'):
            yield True
            continue
        lexical, own, _ = parts_of_literal(text)
        known = DATATYPE_MAP.get(datatype)
        yield own != datatype or (own not in _TAGGED and known is not None and not _has_value(known, lexical))


def shacl_shorter(values: Texts, least: Texts) -> Iterator[bool | None]:
    """Whether a term has fewer characters than `least`; so has a blank node, which has no text."""
    for text, number in zip(_characters(values), _integers(least), strict=True):
        yield None if number is None else text is None or len(text) < number


def shacl_longer(values: Texts, most: Texts) -> Iterator[bool | None]:
    """Whether a term has more characters than `most`, or is a blank node."""
    for text, number in zip(_characters(values), _integers(most), strict=True):
        yield None if number is None else text is None or len(text) > number


def shacl_unmatched(values: Texts, patterns: Texts, flags: Texts) -> Iterator[bool | None]:
    """Whether no part of a term matches a pattern of XPath, or the term is a blank node."""
    for text, pattern, flag in zip(_characters(values), patterns, flags, strict=True):
        search = _search(pattern, flag)
        yield (
            None if search is None else text is None or not search(text.encode())
        )  # RE2 reads bytes, five times faster


def shacl_uncompared(ones: Texts, operators: Texts, others: Texts) -> Iterator[bool]:
    """Whether `one operator other` is false or an error in SPARQL; `operator` is <, <=, > or >=.

    Numbers, strings, booleans, moments and durations can be compared. Terms that are no literals, tagged strings,
    ill-typed literals and literals of other datatypes cannot, not even with themselves.
    """
    pairs = zip(_values(ones), operators, _values(others), strict=True)
    for one, operator, other in pairs:
        sign = _compare(one, other) if isinstance(one, Value) and isinstance(other, Value) else None
        yield sign is None or sign not in _SIGNS.get(operator, ())


def _values(texts: Texts) -> list[object]:
    """Return the value of each literal that has one."""
    different = dict.fromkeys(text for text in texts if text.startswith('"'))
    found = dict(zip(different, values(list(different)), strict=True))
    return [found.get(text) for text in texts]


def _has_value(datatype: Datatype, lexical: str) -> bool:
    """Whether a lexical form is one of a datatype, or would take too long to read."""
    try:
        datatype.value(lexical)
    except UnreadError:
        return True
    except ValueError:
        return False
    return True


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


def _characters(texts: Texts) -> Iterator[str | None]:
    """Yield the characters of each term: the IRI, or the lexical form; None for any other term."""
    for text in texts:
        if text.startswith('"'):
            yield unescape(text[1 : text.rindex('"')])
        else:
            yield text[1:-1] if text.startswith("<") and not text.startswith("<<(") else None


def _integers(texts: Texts) -> Iterator[int | None]:
    """Yield the number that each integer of a shape says; None for another term."""
    return (int(found[1]) if (found := _INTEGER.fullmatch(text)) else None for text in texts)


@lru_cache(1)
def _search(pattern: str, flags: str) -> Callable[[bytes], object] | None:
    """Return a function that looks for a pattern in a text. Return None for a pattern or flags that are not strings."""
    if pattern_problem(pattern, flags):
        return None
    text, letters = (parts_of_literal(each).lexical for each in (pattern, flags))
    search: Callable[[bytes], object] = compile_pattern(text, is_part=True, flags=letters).search
    return search


_ANY = ("BlankNode", "Literal", "NamedNode", "Triple")
_PARAMETERS: Mapping[Callable[..., Iterator[bool | None]], tuple[Kinds, ...]] = {
    shacl_unlike: (_ANY, ("NamedNode",)),
    shacl_shorter: (_ANY, ("int",)),
    shacl_longer: (_ANY, ("int",)),
    shacl_unmatched: (_ANY, ("str",), ("str",)),
    shacl_uncompared: (_ANY, ("str",), _ANY),
}
FUNCTIONS: Mapping[str, PythonFunction] = {
    call.__name__: PythonFunction(Signature(call.__name__, kinds, ("bool",)), call, is_batch=True, has_texts=True)
    for call, kinds in _PARAMETERS.items()
}
"""The built-ins, by name."""
