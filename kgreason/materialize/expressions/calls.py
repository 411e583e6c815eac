"""`call_for_rows`: a Python function for many inputs at once (kgreason/functions).

    inputs int32[n, k] -> texts -> values -> function -> results -> texts -> ids

Law: each input is either among the inputs that the function was called for, or among the failures. An input that does
not fit the types of the function counts as called, and has no result.

Cost: that of the function, and one to two microseconds for each argument and result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgreason.functions.function import TRUTHS, CallError, PythonFunction
from kgreason.rules.expressions import call_of
from kgreason.rules.model import Computed, Variable
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class Failure(NamedTuple):
    """A call that failed: its inputs int32[1, k], and the error; `error.__cause__` is what the function raised."""

    key: Int32
    error: CallError


class CallOutcome(NamedTuple):
    """The outcome of the calls of a function with k arguments.

    - `keys`: the inputs of the calls that did not fail, int32[n, k].
    - `made`: rows of inputs and result, int32[m, k + 1]; for a FILTER, the inputs for which it is true, int32[m, k].
    - `failures`: the calls that failed.
    """

    keys: Int32
    made: Int32
    failures: list[Failure]


def call_for_rows(
    function: PythonFunction, computed: Computed, keys: Int32, dictionary: Dictionary, check: Callable[[], object]
) -> CallOutcome:
    """Call a function once for each row of `keys`, int32[n, k], with the terms of the row as inputs.

    `computed` is the expression of the rule. New results get ids of `dictionary`. `check` is called from time to time,
    and may raise an error to stop the work.
    """
    call = call_of(computed)
    assert call is not None
    inputs = computed.inputs()
    places = [inputs.index(part) if isinstance(part, Variable) else part for part in call.arguments]
    texts = [dictionary.decode(keys[:, column]) for column in range(keys.shape[1])]
    if function.has_texts:
        arguments = [texts[place] if isinstance(place, int) else [place] * len(keys) for place in places]
        return CallOutcome(keys, _truth_rows(computed, keys, function.truths(arguments, check), dictionary), [])
    rows = [
        [texts[place][number] if isinstance(place, int) else place for place in places] for number in range(len(keys))
    ]
    failed: dict[int, CallError] = {}
    numbers: list[int] = []
    results: list[str] = []
    for number, result in function.results(rows, check, failed):
        numbers.append(number)
        results.append(result)
    is_called = np.array([number not in failed for number in range(len(keys))], dtype=np.bool_)
    failures = [Failure(keys[number : number + 1], error) for number, error in failed.items()]
    return CallOutcome(keys[is_called], _result_rows(computed, keys, numbers, results, dictionary), failures)


def _truth_rows(computed: Computed, keys: Int32, truths: list[bool | None], dictionary: Dictionary) -> Int32:
    if computed.result is None:
        return keys[np.array([each is True for each in truths], dtype=np.bool_)]
    found = np.array([-1 if each is None else each for each in truths], dtype=np.int8)
    kept = found >= 0
    return np.column_stack([keys[kept], dictionary.intern(TRUTHS).astype(np.int32)[found[kept]]])


def _result_rows(
    computed: Computed, keys: Int32, numbers: list[int], results: list[str], dictionary: Dictionary
) -> Int32:
    if computed.result is None:
        numbers = [number for number, result in zip(numbers, results, strict=True) if result.startswith('"true"')]
        return keys[np.array(numbers, dtype=np.int64)]
    return np.column_stack([keys[np.array(numbers, dtype=np.int64)], dictionary.intern(results).astype(np.int32)])
