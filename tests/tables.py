"""A table of cases that follow one code path is one test.

`@table` takes the arguments of `pytest.mark.parametrize`. All cases run, in one test, and each one that fails is named.
It costs one item of pytest, where parametrisation costs one for each case. The cases share the fixtures of the test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

_Test = Callable[..., None]


def table(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[_Test], _Test]:
    """Make a test with these parameters one that runs all cases. Raises a group of what the failing cases raised."""
    fields = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
    rows = [case if len(fields) > 1 else (case,) for case in cases]

    def of_all(test: _Test) -> _Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            errors = list[BaseException]()
            for row in rows:
                try:
                    test(**dict(zip(fields, row, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case {', '.join(map(repr, row))}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(rows)} cases of {test.__name__} fail", errors)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in fields]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return of_all
