"""What is asserted between rounds, without a session: operators miss no fact that came while links were told."""

from __future__ import annotations

from typing import Any, cast

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.progress import SILENT
from kgreason.spark.close.close import _more


class Rows(frozenset[str]):
    """Rows that behave like a DataFrame, as far as it matters here."""

    def drop(self, _: str) -> Rows:
        return self

    def unionByName(self, other: Rows) -> Rows:  # noqa: N802 - the name of a DataFrame's method
        return Rows(self | other)


def test_operators_get_all_facts_since_their_last_call() -> None:
    seen, placed = list[Rows](), list[Rows]()
    links = iter([Rows(["may_equal"]), None, None])

    def told(_: Any) -> Any:
        return next(links)

    def operated(_: Any, arrived: Any, __: Any) -> Any:
        seen.append(arrived)
        return Rows(["made"]) if len(seen) == 1 else None

    more = cast(Any, _more(told, operated, SILENT))
    arrivals = [Rows(["asks"]), Rows(["copied"]), Rows(["heads"])]
    answers = [more(Rows(), arrived, placed.append) for arrived in arrivals]
    assert answers == [True, True, False]
    assert placed == [Rows(["may_equal"]), Rows(["made"])]
    assert seen == [Rows(["asks", "copied"]), Rows(["heads"])]
