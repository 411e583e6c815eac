"""`exact_value`: SUM, AVG, MIN or MAX of terms with numbers that are too long for Oxigraph.

    SUM, AVG    the terms in their order; no value if one of them is no number
    MIN, MAX    the least or largest number stands for all; Oxigraph compares it with the terms of other kinds

Law: the value is exact for integers and decimals of any size. Where all numbers fit, and
Oxigraph's order of the terms has no circle, the value is that of Oxigraph.
Cost: some microseconds a term.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from kgreason.materialize.expressions import reals
from kgreason.materialize.expressions.exact_rows import MOST_DIGITS, SHORTEST, digits_of
from kgreason.materialize.expressions.reals import NoNumberError, Number
from kgreason.rules.model import Aggregate
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

EXACT_FUNCTIONS = frozenset(["SUM", "AVG", "MIN", "MAX"])


def are_long_numbers(ids: Int32, dictionary: Dictionary, terms: int) -> NDArray[np.bool_]:
    """Return for each of the terms `ids` whether it is an integer or decimal too long for Oxigraph: bool[n].

    `terms` is the number of terms that are summed up.
    """
    most = MOST_DIGITS - len(str(terms))
    found: NDArray[np.bool_] = dictionary.typed_lengths(ids) - SHORTEST > most
    places = np.flatnonzero(found)
    found[places] = [digits_of(text) > most for text in dictionary.decode(np.ascontiguousarray(ids[places]))]
    return found


def exact_value(aggregate: Aggregate, texts: Sequence[str]) -> str | None:
    """Return the value of a group as N-Triples text, or None if it has none. `texts` are its terms, sorted."""
    numbers = [reals.read(text) for text in texts]
    if aggregate.function in ("MIN", "MAX"):
        return _extreme(aggregate.function, texts, numbers)
    if None in numbers:
        return None
    found = cast("list[Number]", numbers)
    if aggregate.is_distinct:
        found = list(dict.fromkeys(found))
    total = Number(reals.INTEGER, Decimal(0))
    try:
        for number in found:
            total = reals.calculate("+", total, number)
        if aggregate.function == "AVG":
            total = reals.calculate("/", total, Number(reals.INTEGER, Decimal(len(found))))
    except NoNumberError:
        return None
    return reals.text_of_number(total)


def _extreme(function: str, texts: Sequence[str], numbers: Sequence[Number | None]) -> str | None:
    """Return the least or greatest of some terms of any kind."""
    known = [number for number in numbers if number is not None and not _is_nan(number)]
    others = [text for text, number in zip(texts, numbers, strict=True) if number is None or _is_nan(number)]
    choose = min if function == "MIN" else max
    best = choose(known, key=lambda number: Decimal(number.value))
    if not others:
        return reals.text_of_number(best)
    values = "\n".join(sorted([reals.text_of_number(best), *others]))
    query = f"SELECT ({function}(?term) AS ?value) {{ VALUES ?term {{\n{values}\n}} }}"
    ((found,),) = cast(Any, ox.Store().query(query))
    if found is None:
        return None
    is_number = (number := reals.read(str(found))) is not None and not _is_nan(number)
    return reals.text_of_number(best) if is_number else str(found)


def _is_nan(number: Number) -> bool:
    return isinstance(number.value, float) and math.isnan(number.value)
