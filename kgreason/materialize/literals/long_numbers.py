"""`LongNumbers`: whether a dictionary has an integer or a decimal that Oxigraph cannot compute with.

Oxigraph computes with integers of 64 bits, and with decimals of 128 bits and 18 places. It stores every other number,
but compares, orders and adds it wrongly, without a word. So a graph with such a number warns. The
dictionary keeps a term whose last fact is gone, so the graph may warn of a number that it had.

Cost: some nanoseconds for each new term.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context

import numpy as np

from kgreason.materialize.expressions import reals
from kgreason.materialize.expressions.exact_rows import MOST_DIGITS, SHORTEST
from kgreason.terms.dictionary import Dictionary

_LARGEST = 1 << 127
_CONTEXT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


class LongNumbers:
    """Follows a dictionary while it grows. The caller holds the lock of the dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._seen = self._found = 0
        dictionary.notify_of_truncation(self)

    def first(self) -> str | None:
        """Return the first number that is too long for Oxigraph, as N-Triples text, or None if there is none."""
        known, self._seen = self._seen, len(self._dictionary)
        if not self._found and self._seen > known:
            ids, table = self._dictionary.typed_literals(known), self._dictionary.table()
            ids = ids[table.offsets[ids + 1] - table.offsets[ids] - SHORTEST > MOST_DIGITS]
            if len(ids):
                texts = zip(ids.tolist(), self._dictionary.decode(ids), strict=True)
                self._found = next((number for number, text in texts if not is_computable(text)), 0)
        return self._dictionary.decode(np.array([self._found], dtype=np.int32))[0] if self._found else None

    def forget(self, count: int) -> None:
        """Forget the terms with ids above `count`, which the dictionary drops."""
        self._seen = min(self._seen, count)
        if self._found > count:
            self._found = 0


def is_computable(text: str) -> bool:
    """Whether Oxigraph can compute with a term: it is no integer or decimal, or it is one that is not too long.

    >>> [is_computable(f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>') for number in (2**63 - 1, 2**63)]
    [True, False]
    """
    number = reals.read(text)
    if number is None or number.kind > reals.DECIMAL:
        return True
    if number.kind == reals.INTEGER:
        return bool(-(1 << 63) <= number.value < 1 << 63)
    scaled = number.value.scaleb(MOST_DIGITS, context=_CONTEXT)
    return bool(-_LARGEST <= scaled < _LARGEST and scaled == scaled.to_integral_value(context=_CONTEXT))
