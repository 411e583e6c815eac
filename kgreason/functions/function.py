"""`PythonFunction`: a function with its signature. Terms go in as texts, and terms come out as texts.

    rows of texts -> values -> function(*values) -> results -> texts

A row with a value that does not fit a parameter has no result, just as an expression of SPARQL has none after an error.
The function is not called for such a row. If a function returns None, its row has no result. Law: the results of a row
depend on its texts alone.

Cost: a call of the function, and one to two microseconds for each argument and result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, overload

from kgreason.functions import columns
from kgreason.functions.signature import Signature, signature_of
from kgreason.functions.values import NOTHING, text_of, value_of
from kgreason.interrupts import at_once
from kgreason.terms.vocabulary import XSD_BOOLEAN

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__kgreason_function__"
_PLAIN = re.compile(r'"([^"]*)"\^\^<http://www\.w3\.org/2001/XMLSchema#(?:integer|decimal|double|boolean)>')
_SHOWN = 256
"""How many arguments a message shows."""
_PIECE = 1_000
"""The number of rows between two looks at Ctrl-C, and of one call of a batch function."""


TRUTHS = [f'"{text}"^^{XSD_BOOLEAN}' for text in ("false", "true")]
"""False and True, as terms."""


class CallError(Exception):
    """Raised if a user's function raised an error (`__cause__`), or returned a result of a wrong type."""


class PythonFunction(NamedTuple):
    """A function that rules may call. With `is_batch` it takes and returns columns: the values of many calls.

    With `has_texts` these are columns of terms as texts, and of True, False, or None for a row without a result
    (`truths`).
    """

    signature: Signature
    call: Callable[..., Any]
    is_batch: bool = False
    has_texts: bool = False

    def results(
        self, rows: Sequence[Sequence[str]], check: Callable[[], object], failed: dict[int, CallError]
    ) -> Iterator[tuple[int, str]]:
        """Call the function for each row of arguments. Yields (number of the row, result), in the order of rows.

        Arguments and results are terms as texts. A row may have no result, or several, each of them once. If the call
        for a row fails, the error is put into `failed`, under the number of the row. `check` is called from time to
        time, and may raise an error to stop the work.
        """
        for low in range(0, len(rows), _PIECE):
            check()
            fitting = [
                (number, values)
                for number, row in enumerate(rows[low : low + _PIECE], low)
                if (values := self._values(row)) is not None
            ]
            if self.is_batch:
                yield from self._results_of_batches(rows, fitting, failed)
                continue
            yield from self._results_of_rows(rows, fitting, failed)

    def truths(self, arguments: Sequence[Sequence[str]], check: Callable[[], object]) -> list[bool | None]:
        """Call a function that `has_texts`: return its result for each row of the columns `arguments`.

        `check` is as for `results`.
        """
        found = list[bool | None]()
        for low in range(0, len(arguments[0]), _PIECE):
            check()
            with at_once():
                found += self.call(*(column[low : low + _PIECE] for column in arguments))
        return found

    def value(self, texts: Sequence[str]) -> str | None:
        """Call the function, which must be an aggregate, for the terms of a group, and return the value of the group.

        None if a term does not fit the parameter, or if the function gives None. Raises CallError if the call fails.
        """
        (kinds,) = self.signature.parameters
        values = [value_of(text, kinds) for text in texts]
        if any(value is NOTHING for value in values):
            return None
        try:
            with at_once():
                found = self.call(values)
        except Exception as error:
            raise self._call_error(texts, f"raised {type(error).__name__}: {error}") from error
        return None if found is None else self._text(texts, found)

    def _results_of_rows(
        self, rows: Sequence[Sequence[str]], fitting: Sequence[tuple[int, list[Any]]], failed: dict[int, CallError]
    ) -> list[tuple[int, str]]:
        """Call the function for each of some rows. Returns (number of the row, result). Signals act at once."""
        found: list[tuple[int, str]] = []
        with at_once():
            for number, values in fitting:
                try:
                    found += self._results_of_row(rows, number, values)
                except CallError as error:
                    failed[number] = error
        return found

    def _results_of_batches(
        self, rows: Sequence[Sequence[str]], fitting: Sequence[tuple[int, list[Any]]], failed: dict[int, CallError]
    ) -> Iterator[tuple[int, str]]:
        """Call a batch function for some rows at once. Yields (number of the row, result).

        `fitting` has (number, Python values) for each row to pass. `rows` are all rows of terms, for error messages. If
        the call fails, the function is called for each row alone, and the errors are put into `failed`.
        """
        try:
            yield from self._results_of_batch(rows, fitting)
        except CallError as error:
            if len(fitting) == 1:
                failed[fitting[0][0]] = error
            else:
                for each in fitting:
                    yield from self._results_of_batches(rows, [each], failed)

    def _values(self, row: Sequence[str]) -> list[Any] | None:
        """Return the Python values for a row of terms, or None if a term does not fit its parameter."""
        values = [value_of(text, kinds) for text, kinds in zip(row, self.signature.parameters, strict=True)]
        return None if any(value is NOTHING for value in values) else values

    def _results_of_row(
        self, rows: Sequence[Sequence[str]], number: int, values: Sequence[Any]
    ) -> list[tuple[int, str]]:
        row = rows[number]
        try:
            found = self.call(*values)
            results = list(found) if self.signature.has_many and found is not None else [found]
        except Exception as error:
            raise self._call_error(row, f"raised {type(error).__name__}: {error}") from error
        texts = dict.fromkeys(self._text(row, result) for result in results if result is not None)
        return [(number, text) for text in texts]

    def _results_of_batch(
        self, rows: Sequence[Sequence[str]], fitting: Sequence[tuple[int, list[Any]]]
    ) -> list[tuple[int, str]]:
        arguments = columns.arguments(self.call, [values for _, values in fitting])
        kept = [number for (number, _), fits in zip(fitting, arguments.fits, strict=True) if fits]
        if not kept:
            return []
        try:
            with at_once():
                found = self.call(*arguments.arrays)
        except Exception as error:
            raise self._call_error(rows[kept[0]], f"raised {type(error).__name__}: {error}") from error
        results = columns.results(found)
        if results is None or len(results) != len(kept):
            got = type(found).__name__ if results is None else f"{len(results)} results"
            raise self._call_error(rows[kept[0]], f"gave {got} for a batch of {len(kept)} rows")
        return [
            (number, self._text(rows[number], result))
            for number, result in zip(kept, results, strict=True)
            if result is not None
        ]

    def _text(self, row: Sequence[str], result: Any) -> str:
        try:
            return text_of(result, self.signature.result)
        except (TypeError, ValueError) as error:
            raise self._call_error(row, f"gave {error}") from error

    def _call_error(self, row: Sequence[str], problem: str) -> CallError:
        arguments = ", ".join(map(_plain_text, row[:_SHOWN]))
        if self.signature.is_aggregate:
            arguments = f"[{arguments}{', ...' if len(row) > _SHOWN else ''}]"
        return CallError(f"{self.signature.name}({arguments}) {problem}")


def _plain_text(text: str) -> str:
    """Return the text of a term for messages: without quotation marks and datatype if it is a number or boolean."""
    literal = _PLAIN.fullmatch(text)
    return literal[1] if literal else text


def python_function(call: Callable[..., Any], *, batch: bool = False) -> PythonFunction:
    """Make a function for rules from a Python function, whose annotations give the signature. Raises InputTypeError."""
    is_batch = batch or getattr(call, _MARK, None) is True
    signature = signature_of(call, columns.kinds) if is_batch else signature_of(call)
    return PythonFunction(signature, call, is_batch)


def is_marked(call: object) -> bool:
    """Whether the decorator `function` has marked a Python function."""
    return hasattr(call, _MARK)


@overload
def function(call: F) -> F: ...
@overload
def function(*, batch: bool = False) -> Callable[[F], F]: ...
def function(call: F | None = None, *, batch: bool = False) -> F | Callable[[F], F]:
    """Mark a function of a module: rules may call it. With `batch` the function takes and returns whole columns.

    If a module marks functions, `--functions MODULE` takes only the marked functions.
    """

    def mark(call: F) -> F:
        setattr(call, _MARK, batch)
        return call

    return mark if call is None else mark(call)
