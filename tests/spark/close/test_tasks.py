"""The functions that tasks run, without a session: what they give does not depend on how rows fall into batches."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyarrow as pa

from kgreason.errors import RuleError
from kgreason.functions.function import PythonFunction, python_function
from kgreason.functions.registry import Registry
from kgreason.rules.model import Aggregate, Atom, Variable, label
from kgreason.rules.parser import parse
from kgreason.spark.close.operators.program import CALLED, MADE
from kgreason.spark.close.operators.tasks import Expression, Reduction, evaluating, grouping

X, Y, N = map(Variable, "xyn")


def total(values: list[int]) -> int | None:
    return sum(values) if len(values) > 1 else None


def _reduction(function: str, call: PythonFunction | None = None) -> Reduction:
    return Reduction("rule r", Aggregate((Atom("p", (X, Y)),), (), (X,), function, Y, N), call)


AGGREGATES = dict(enumerate([*map(_reduction, ["MAX", "SUM", "SAMPLE"]), _reduction("total", python_function(total))]))
TEXTS = ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"2"^^<http://www.w3.org/2001/XMLSchema#integer>', "<a:b>")


def batches(rows: list[tuple[int, int, str]], sizes: Iterator[int]) -> Iterator[pa.RecordBatch]:
    """The rows in batches of these sizes; some batches are empty."""
    while rows:
        size = next(sizes)
        columns = list(zip(*rows[:size], strict=True)) or [(), (), ()]
        types = (pa.int32(), pa.int32(), pa.string())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=["operator", "g0", "text"])
        rows = rows[size:]


@pytest.mark.parametrize("most", [1, 2, 5, 100])
def test_groups_are_whole_however_rows_fall_into_batches(most: int) -> None:
    random = Random(most)
    rows = sorted(
        (random.randrange(len(AGGREGATES)), random.choice([1, 1, 1, 2, 7]), random.choice(TEXTS)) for _ in range(60)
    )
    task = grouping(AGGREGATES, 1)
    (whole,) = batches(rows, iter([len(rows)]))
    wanted = pa.Table.from_batches(task(iter([whole]))).to_pylist()
    cut = batches(rows, iter(lambda: random.randrange(most + 1), None))
    assert pa.Table.from_batches(task(cut)).to_pylist() == wanted
    groups = {(operator, group) for operator, group, _ in rows}
    assert len({(row["operator"], row["g0"]) for row in wanted}) == len(wanted) <= len(groups)
    assert list(task(iter(()))) == []


def test_an_expression_gives_a_row_for_each_input_with_a_result() -> None:
    """FILTER, BIND and calls side by side; a call leaves a note for each input, and has any number of results."""

    def parts(code: str) -> list[str]:
        return code.split("-")

    registry = Registry([parts])
    rules = parse(
        "p(?x) :- q(?x), FILTER(?x > 1) . p(?z) :- q(?x), BIND(?x + 1 AS ?z) . p(?z) :- q(?x), BIND(parts(?x) AS ?z) .",
        functions=registry.find,
    ).rules
    expressions = {
        number: Expression(f"rule {number}", rule.computed[0], registry.get("parts") if number == 2 else None)
        for number, rule in enumerate(rules)
    }
    one, two, _ = TEXTS
    asked = [(number, 10 + place, text) for number in range(3) for place, text in enumerate([one, two, '"a-b"'])]
    columns = [pa.array(column) for column in zip(*asked, strict=True)]
    batch = pa.RecordBatch.from_arrays(columns, names=["operator", "b0", "t0"])
    found = [tuple(row.values()) for part in evaluating(expressions, 1)(iter([batch])) for row in part.to_pylist()]
    assert sorted(found, key=str) == [
        (0, MADE, 11, None),
        (1, MADE, 10, two),
        (1, MADE, 11, '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (2, MADE, 12, '"a"'),
        (2, MADE, 12, '"b"'),
        *((2, CALLED, key, None) for key in (10, 11, 12)),
    ]


def test_an_aggregate_that_fails_names_rule_and_call() -> None:
    def second(values: list[int]) -> int:
        return values[1]

    columns = [pa.array([0]), pa.array([10]), pa.array(['"7"^^<http://www.w3.org/2001/XMLSchema#integer>'])]
    batch = pa.RecordBatch.from_arrays(columns, names=["operator", "g0", "text"])
    with pytest.raises(RuleError, match=r"^rule r: second\(\[7\]\) raised IndexError"):
        list(grouping({0: _reduction("second", python_function(second))}, 1)(iter([batch])))


def test_a_call_that_fails_names_rule_and_call() -> None:
    def inverse(x: int) -> float:
        return 1 / x

    registry = Registry([inverse])
    (rule,) = parse("@rule half p(?z) :- q(?x), BIND(inverse(?x) AS ?z) .", functions=registry.find).rules
    expression = Expression(label(rule), rule.computed[0], registry.get("inverse"))
    columns = [pa.array([0]), pa.array([10]), pa.array(['"0"^^<http://www.w3.org/2001/XMLSchema#integer>'])]
    batch = pa.RecordBatch.from_arrays(columns, names=["operator", "b0", "t0"])
    with pytest.raises(RuleError, match=r"^rule half: inverse\(0\) raised ZeroDivisionError") as caught:
        list(evaluating({0: expression}, 1)(iter([batch])))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
