"""`exact_rows`: the rows whose numbers may be too long for Oxigraph; `Exact` evaluates an expression for such a row.

    Oxigraph     xsd:integer: 64 bits     xsd:decimal: 128 bits, 18 places     other numbers are errors, without a word

The operands of a sum or product have some number of digits together. If it is at most 18, the sum or product fits. So
Oxigraph evaluates a row if no side of a comparison has more digits than that. Any other row is evaluated here:
operators, comparisons, IN, IF, COALESCE, casts and the functions of numbers by `reals`.
Every other function is a question to Oxigraph about the values of its arguments. Law: where all numbers fit and none is
NaN, the result is that of Oxigraph.

Threads: one at a time may use an `Exact`. Cost: no row with few digits is looked at by Python, unless the expression
converts to a number; 20 to 200 microseconds for a row that is evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from kgreason.datatypes.spaces.numeric import WHOLE
from kgreason.materialize.expressions import reals
from kgreason.materialize.expressions.reals import NoNumberError, Number
from kgreason.materialize.expressions.sums import sum_of
from kgreason.rules.expressions import DIVISIONS
from kgreason.rules.model import Computed, Variable
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

MOST_DIGITS = 18
"""Every integer of 18 digits fits into 64 bits, and every decimal of 18 digits into 128 bits with 18 places."""
SHORTEST = len('""^^') + min(map(len, WHOLE))
"""The length of an xsd:int without its digits. No other literal with an exact value has a shorter datatype."""
_SIGNS = ("+", "-", "*", "/", "<", ">", "<=", ">=", "=", "!=")
_WORDS = frozenset(
    [*_SIGNS, *DIVISIONS, "IN", "ABS", "CEIL", "FLOOR", "ROUND", "ISNUMERIC", "IF", "!", "&&", "||", "COALESCE"]
)
_CASTS = {
    v.XSD_INTEGER: reals.INTEGER,
    v.XSD_DECIMAL: reals.DECIMAL,
    v.XSD_FLOAT: reals.FLOAT,
    v.XSD_DOUBLE: reals.DOUBLE,
}
_BETWEEN = frozenset(["<", ">", "<=", ">=", "=", "!=", "IN", "NOT", "&&", "||", ","])
_LENGTH = 10
"""The most digits of the length of a text."""
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_MARKED = re.compile(r"[0-9][Ee][+-]?[0-9]{2}")
_TRUE, _FALSE = f'"true"^^{v.XSD_BOOLEAN}', f'"false"^^{v.XSD_BOOLEAN}'
Value: TypeAlias = "str | Number"
"""A number, or any other term as N-Triples text."""
Row: TypeAlias = "dict[Variable, Value]"
_Call: TypeAlias = "Callable[[Row], Value]"


class _BlankNodeError(Exception):
    """Raised if a part of a row cannot be a part of a text for Oxigraph: a blank node."""


def exact_rows(computed: Computed, keys: Int32, dictionary: Dictionary) -> NDArray[np.int64]:
    """Return the rows of inputs `keys`, int32[n, k], that may have too many digits for Oxigraph, in ascending order."""
    plan = _digit_counts(computed)
    nothing = np.empty(0, dtype=np.int64)
    if plan is None:
        return nothing
    rows = np.arange(len(keys))
    if not plan.has_cast and keys.shape[1]:
        longest = np.maximum(dictionary.typed_lengths(keys) - SHORTEST, 0)
        rows = np.flatnonzero(plan.have_too_many(longest))
    if not len(rows):
        return nothing
    ids, where = np.unique(keys[rows], return_inverse=True)
    digits = np.array([digits_of(text, has_cast=plan.has_cast) for text in dictionary.decode(ids)])
    return rows[plan.have_too_many(digits[where].reshape(len(rows), keys.shape[1]))]


def digits_of(text: str, *, has_cast: bool = False) -> int:
    """Return how many digits the integer or decimal `text`, a term in N-Triples syntax, has; 0 for another term.

    With `has_cast`, the digits of every term count, since an expression may make a number of them.
    """
    form, mark, datatype = text.rpartition('"^^')
    if has_cast:
        form = form if mark else text
        return 10 * MOST_DIGITS if _MARKED.search(form) else sum(map(str.isdigit, form))
    if not mark or (datatype != v.XSD_DECIMAL and not datatype.startswith("<http://www.w3.org/2001/XMLSchema#")):
        return 0
    return len(form) - 1 if _DIGITS.fullmatch(form, 2 if form[1:2] in ("+", "-") else 1) else 0


class _DigitCounts(NamedTuple):
    """How many digits the parts of an expression have.

    - `counts`: how often each part names each of the inputs, int64[s, k].
    - `digits`: the digits of the constants of each part, int64[s].
    - `has_cast`: whether the expression makes numbers of other terms, or integers of doubles.
    """

    counts: NDArray[np.int64]
    digits: NDArray[np.int64]
    has_cast: bool

    def have_too_many(self, digits: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each row whether a part has too many digits: bool[n]. `digits` are those of the inputs, [n, k]."""
        found: NDArray[np.bool_] = np.any(digits @ self.counts.T + self.digits > MOST_DIGITS, axis=1)
        return found


@lru_cache(maxsize=1_024)
def _digit_counts(computed: Computed) -> _DigitCounts | None:
    """Return the plan of an expression; None if its result does not depend on the values of numbers."""
    words = [part.upper() if isinstance(part, str) and part[0].isalpha() else part for part in computed.parts]
    has_cast = any(word in _CASTS or word in DIVISIONS for word in words)
    if not has_cast and not any(word in _WORDS for word in words) and (len(words) > 1 or computed.result is not None):
        return None
    is_whole = has_cast or "IF" in words or "COALESCE" in words  # their results may be operands again
    parts: list[list[Variable | str]] = [[]]
    for part, word in zip(computed.parts, words, strict=True):
        if word in _BETWEEN and not is_whole:
            parts.append([])
        parts[-1].append(part)
    inputs = computed.inputs()
    counts = [[each.count(name) for name in inputs] for each in parts]
    digits = [sum(_constant_digits(part) for part in each if isinstance(part, str)) for each in parts]
    return _DigitCounts(np.array(counts, dtype=np.int64), np.array(digits, dtype=np.int64), has_cast)


def _constant_digits(part: str) -> int:
    return _LENGTH if part.upper() in ("STRLEN", "YEAR") else digits_of(part)


class Exact:
    """An expression that is evaluated for one row after the other."""

    def __init__(self, computed: Computed) -> None:
        """Read the expression."""
        self._inputs = computed.inputs()
        self._is_filter = computed.result is None
        reader = _Reader(computed.parts)
        self._evaluate = reader.disjunction()
        assert reader.at == len(computed.parts), "Oxigraph has parsed the expression"

    def result(self, texts: Iterable[str]) -> tuple[bool, str | None]:
        """Evaluate the expression for a row; `texts` are its inputs.

        Returns whether the row could be evaluated here, and the result. The result is None for an error. For a FILTER,
        it is None or an empty text, and an empty text means true.
        """
        row = {name: _value(text) for name, text in zip(self._inputs, texts, strict=True)}
        try:
            value = self._evaluate(row)
            if self._is_filter:
                return True, "" if _is_true(value) else None
            return True, _text(value)
        except NoNumberError:
            return True, None
        except _BlankNodeError:
            return False, None


def _value(text: str) -> Value:
    return text if (found := reals.read(text)) is None else found


def _text(value: Value) -> str:
    return value if isinstance(value, str) else reals.text_of_number(value)


def _boolean(is_true: bool) -> str:
    return _TRUE if is_true else _FALSE


def _is_true(value: Value) -> bool:
    """Return the effective boolean value (SPARQL 1.1, 17.2.2). Raises NoNumberError if there is none."""
    if isinstance(value, Number):
        return bool(value.value == value.value and value.value != 0)
    if value in (_TRUE, _FALSE):
        return value == _TRUE
    return _sparql_value("!(!({}))", value) == _TRUE


def _sparql_value(expression: str, *values: Value) -> Value:
    """Have Oxigraph evaluate an expression with values in place of its `{}`. Raises NoNumberError for an error."""
    texts = [_text(value) for value in values]
    if any(text.startswith("_:") or (text.startswith("<<(") and "_:" in text) for text in texts):
        raise _BlankNodeError
    ((found,),) = cast(Any, ox.Store().query(f"SELECT ({expression.format(*texts)} AS ?result) {{}}"))
    if found is None:
        raise NoNumberError
    return _value(str(found) if not isinstance(found, ox.Triple) else f"<<( {' '.join(map(str, found))} )>>")


def _compare(sign: str, first: Value, second: Value) -> str:
    if isinstance(first, Number) and isinstance(second, Number):
        return _boolean(reals.holds(sign, first, second))
    found = _sparql_value(f"({{}}) {sign} ({{}})", *map(_short_number, (first, second)))
    assert isinstance(found, str)
    return found


def _short_number(value: Value) -> Value:
    """Return a number that compares with other kinds of terms as `value` does, and that Oxigraph can read."""
    return Number(reals.INTEGER, Decimal(1)) if isinstance(value, Number) else value


def _calculate(sign: str, first: Value, second: Value) -> Value:
    if isinstance(first, Number) and isinstance(second, Number):
        return reals.calculate(sign, first, second)
    if sign == "+":
        return _sparql_value("".join(map(str, sum_of("({0})", "({1})"))), first, second)
    return _sparql_value(f"({{}}) {sign} ({{}})", first, second)


def _number(value: Value) -> Number:
    if isinstance(value, str):
        raise NoNumberError
    return value


def _cast(value: Value, kind: int, name: str) -> Value:
    if isinstance(value, Number):
        return reals.cast(value, kind)
    form, mark, datatype = value.rpartition('"^^')
    is_string = mark and datatype == v.XSD_STRING
    if value.startswith('"') and (is_string or value.endswith('"')):
        if (found := reals.parse(form[1:] if is_string else value[1:-1], kind)) is None:
            raise NoNumberError
        return found
    return _sparql_value(f"{name}({{}})", value)


class _Reader:
    """Turns the tokens of an expression into a function of a row, by recursive descent. `at` is the next token."""

    def __init__(self, parts: tuple[Variable | str, ...]) -> None:
        self._parts = parts
        self.at = 0

    def _next_if(self, *wanted: str) -> str | None:
        """Read the next token if it is one of `wanted`, in capitals, and return it. Else return None."""
        part = self._parts[self.at] if self.at < len(self._parts) else None
        if not isinstance(part, str) or (word := part.upper() if part[0].isalpha() else part) not in wanted:
            return None
        self.at += 1
        return word

    def disjunction(self) -> _Call:
        found = self._conjunction()
        while self._next_if("||"):
            found = _logical_call(found, self._conjunction(), is_or=True)
        return found

    def _conjunction(self) -> _Call:
        found = self._relation()
        while self._next_if("&&"):
            found = _logical_call(found, self._relation(), is_or=False)
        return found

    def _relation(self) -> _Call:
        found = self._sum()
        if sign := self._next_if("<", "<=", ">", ">=", "=", "!="):
            return _binary_call(_compare, sign, found, self._sum())
        is_not = self._next_if("NOT") is not None
        if not self._next_if("IN"):
            return found
        members = self._arguments()
        return _membership_call(found, members, is_not=is_not)

    def _sum(self) -> _Call:
        found = self._product()
        while sign := self._next_if("+", "-"):
            found = _binary_call(_calculate, sign, found, self._product())
        return found

    def _product(self) -> _Call:
        found = self._operand()
        while sign := self._next_if("*", "/"):
            found = _binary_call(_calculate, sign, found, self._operand())
        return found

    def _operand(self) -> _Call:
        if self._next_if("!"):
            inner = self._operand()
            return lambda row: _boolean(not _is_true(inner(row)))
        if self._next_if("-"):
            inner = self._operand()
            return lambda row: reals.negate(_number(inner(row)))
        if self._next_if("+"):
            inner = self._operand()
            return lambda row: _number(inner(row))
        if self._next_if("("):
            inner = self.disjunction()
            assert self._next_if(")")
            return inner
        part = self._parts[self.at]
        self.at += 1
        if isinstance(part, Variable):
            return lambda row: row[part]
        if self.at < len(self._parts) and self._parts[self.at] == "(":
            return _function_call(part.upper() if part[0].isalpha() else part, self._arguments())
        value = _value(part)
        return lambda _: value

    def _arguments(self) -> list[_Call]:
        assert self._next_if("(")
        found: list[_Call] = []
        while not self._next_if(")"):
            found.append(self.disjunction())
            self._next_if(",")
        return found


def _binary_call(apply: Callable[[str, Value, Value], Value], sign: str, first: _Call, second: _Call) -> _Call:
    return lambda row: apply(sign, first(row), second(row))


def _logical_call(first: _Call, second: _Call, *, is_or: bool) -> _Call:
    """Connect two conditions. An error counts as unknown: true || error is true, and false && error is false."""

    def evaluate(row: Row) -> Value:
        try:
            if _is_true(first(row)) == is_or:
                return _boolean(is_or)
        except NoNumberError:
            if _is_true(second(row)) == is_or:
                return _boolean(is_or)
            raise
        return _boolean(_is_true(second(row)))

    return evaluate


def _membership_call(first: _Call, members: list[_Call], *, is_not: bool) -> _Call:
    def evaluate(row: Row) -> Value:
        value, has_error = first(row), False
        for member in members:
            try:
                if _compare("=", value, member(row)) == _TRUE:
                    return _boolean(not is_not)
            except NoNumberError:
                has_error = True
        if has_error:
            raise NoNumberError
        return _boolean(is_not)

    return evaluate


def _function_call(name: str, arguments: list[_Call]) -> _Call:
    """Return the call of a function; `name` is in capitals, or an IRI."""
    match name:
        case "IF":
            test, then, otherwise = arguments
            return lambda row: then(row) if _is_true(test(row)) else otherwise(row)
        case "COALESCE":
            return lambda row: _first_value(arguments, row)
        case "BOUND":
            return lambda _: _TRUE
        case "ABS":
            return lambda row: reals.absolute_value(_number(arguments[0](row)))
        case "CEIL" | "FLOOR" | "ROUND":
            return lambda row: reals.round_number(_number(arguments[0](row)), name)
        case "IDIV" | "MOD":
            first, second = arguments
            return lambda row: reals.divide(name, _number(first(row)), _number(second(row)))
        case "ISNUMERIC":
            return lambda row: _boolean(isinstance(arguments[0](row), Number))
        case "SAMETERM":
            return lambda row: _boolean(_text(arguments[0](row)) == _text(arguments[1](row)))
    if name in _CASTS:
        return lambda row: _cast(arguments[0](row), _CASTS[name], name)
    if name == v.XSD_BOOLEAN:
        return lambda row: _as_boolean(arguments[0](row))
    places = ", ".join(["{}"] * len(arguments))
    return lambda row: _sparql_value(f"{name}({places})", *(argument(row) for argument in arguments))


def _as_boolean(value: Value) -> Value:
    return _boolean(_is_true(value)) if isinstance(value, Number) else _sparql_value(f"{v.XSD_BOOLEAN}({{}})", value)


def _first_value(arguments: list[_Call], row: Row) -> Value:
    """Return the first value that is no error: COALESCE."""
    for argument in arguments:
        try:
            return argument(row)
        except NoNumberError:
            continue
    raise NoNumberError
