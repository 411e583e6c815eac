"""The functions that tasks run: expressions and aggregates, by the code of the in-process engine.

    (operator, keys, texts of the keys)     ->  (operator, kind, keys, text of the result or null)       `evaluating`
    (operator, group, text of the term)     ->  (operator, group, text of the value)                     `grouping`

Left are the columns of the rows that come in, right those of the rows that go out. A task has dictionaries of its own,
in which the terms of a batch get ids. The results are texts again. `grouping` needs its rows sorted by operator and
group. Cost: the time of `evaluation` and `values` in `materialize/operators`. `evaluating` holds a batch in memory,
`grouping` a batch and the largest group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kgreason.engine.limits import no_check
from kgreason.errors import RuleError
from kgreason.functions.builtins import builtins
from kgreason.functions.function import CallError, PythonFunction
from kgreason.materialize.expressions.calls import called
from kgreason.materialize.operators.evaluation import results_of, skolemized
from kgreason.materialize.operators.values import Call, values_of
from kgreason.rules.expressions import call_of, is_skolem, text_of
from kgreason.rules.model import Aggregate, Computed
from kgreason.spark.close.operators.forms import names
from kgreason.spark.close.operators.program import CALLED, MADE
from kgreason.spark.input.terms import interned, record, texts
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Iterator[pa.RecordBatch]]


class Expression(NamedTuple):
    """An expression, the name of a rule that has it, and the user's Python function that it calls, if any."""

    rule: str
    computed: Computed
    function: PythonFunction | None = None


def computed_schema(keys: int) -> str:
    """Return the schema of the rows that `evaluating` makes. `keys` is the number of columns `b0..`."""
    return ", ".join(["operator int", "kind int", *(f"{name} int" for name in names("b", keys)), "text string"])


def evaluating(expressions: Mapping[int, Expression], keys: int) -> Task:
    """Make the task that evaluates expressions. `expressions` maps the number of an operator to its expression.

    The task reads rows with the columns `operator`, `b0..` (the ids of the inputs, `keys` columns) and `t0..` (the
    texts of `b0..`). It gives rows of `computed_schema`. It raises RuleError if Oxigraph cannot evaluate an expression.
    """
    schema, columns = computed_schema(keys), names("b", keys)

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            operators = batch.column("operator").to_numpy()
            for number in np.unique(operators).tolist():
                part = batch.filter(pa.array(operators == number))
                for kind, places, found in _results(expressions[number], part):
                    kept = part.take(pa.array(places, pa.int64()))
                    yield record(
                        schema,
                        operator=kept.column("operator"),
                        kind=pa.array(np.full(len(kept), kind, dtype=np.int32)),
                        text=found,
                        **{name: kept.column(name) for name in columns},
                    )

    return run


def _results(expression: Expression, rows: pa.RecordBatch) -> Iterator[tuple[int, list[int], pa.Array]]:
    """Evaluate an expression for the inputs in `rows`. Yields (kind, places, texts).

    For the kind `MADE`, `places` are the indexes of those rows whose inputs have a result. `texts` are these results;
    they are null for a FILTER. If the expression calls a Python function, there is also the kind `CALLED`: `places` are
    the indexes of all rows for which the function was called, and `texts` are null.
    """
    rule, computed, _ = expression
    dictionary, width = Dictionary(), len(computed.inputs())
    keys = _stacked([interned(rows.column(f"t{n}"), dictionary) for n in range(width)], len(rows))
    if is_skolem(computed):  # equal keys may come twice: names of one individual
        yield MADE, list(range(len(rows))), pa.array(skolemized(computed, keys, dictionary), pa.string())
        return
    place = {tuple(key): number for number, key in enumerate(keys.tolist())}
    if call := call_of(computed):
        function = expression.function or builtins()[call.name]
        inputs, made, failures = called(function, computed, keys, dictionary, no_check)
        for failure in failures:
            raise RuleError(f"{rule}: {failure.error}") from failure.error.__cause__ or failure.error
        places = [place[tuple(key)] for key in inputs.tolist()]
        yield CALLED, places, pa.nulls(len(places), pa.string())
    else:
        made = _evaluated(expression, keys, dictionary)
    places = [place[tuple(key)] for key in made[:, :width].tolist()]
    found = pa.nulls(len(places), pa.string())
    if computed.result is not None:
        found = texts(dictionary).take(pa.array(made[:, width]))
    yield MADE, places, found


def _evaluated(expression: Expression, keys: Int32, dictionary: Dictionary) -> Int32:
    try:
        return results_of(expression.computed, keys, dictionary, no_check)
    except RuntimeError as error:
        problem = f"{expression.rule}: {text_of(expression.computed)} cannot be evaluated: {error}"
        raise RuleError(problem) from error


class Reduction(NamedTuple):
    """An aggregate, the name of a rule that has it, and the user's Python function that it calls, if any."""

    rule: str
    aggregate: Aggregate
    function: PythonFunction | None = None


def grouping(aggregates: Mapping[int, Reduction], groups: int) -> Task:
    """Make the task that computes a value for each group. `aggregates` maps the number of an operator to its aggregate.

    The task reads rows with the columns `operator`, `g0..` (the group, `groups` columns) and `text` (of the term to
    aggregate), sorted by operator and group. It gives one row for each group, with the value in `text`.
    """
    columns = ["operator", *names("g", groups)]

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept: list[pa.RecordBatch] = []
        """The rows of the last group, of which the next batches may have more."""
        for batch in filter(len, batches):
            last = int(_starts(batch, columns)[-1])
            if last or (kept and _head(kept[0], columns) != _head(batch, columns)):
                yield from _values(aggregates, pa.Table.from_batches([*kept, batch.slice(0, last)]), columns)
                kept = []
            kept.append(batch.slice(last))
        if kept:
            yield from _values(aggregates, pa.Table.from_batches(kept), columns)

    return run


def _head(rows: pa.RecordBatch, columns: list[str]) -> list[int]:
    """Return operator and group of the first row."""
    return [rows.column(name)[0].as_py() for name in columns]


def _starts(rows: pa.RecordBatch | pa.Table, columns: list[str]) -> np.ndarray:
    """Return the indexes of the first rows of groups. A group is a run of rows with equal values in `columns`."""
    values = _stacked([rows.column(name).to_numpy() for name in columns], len(rows))
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (values[1:] != values[:-1]).any(axis=1)
    return np.flatnonzero(is_new)


def _called(reduction: Reduction) -> Call | None:
    """Return what calls the Python function of an aggregate. The call raises RuleError if the function fails."""
    rule, _, function = reduction
    if function is None:
        return None

    def call(_: int, texts: Sequence[str]) -> str | None:
        try:
            return function.value(texts)
        except CallError as error:
            raise RuleError(f"{rule}: {error}") from error.__cause__ or error

    return call


def _values(aggregates: Mapping[int, Reduction], rows: pa.Table, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Compute the values of the groups in `rows`, which has all rows of each group. Yields rows `columns`, text.

    `aggregates` maps the number of an operator to its aggregate.
    """
    operators = rows.column("operator").to_numpy()
    for number in np.unique(operators).tolist():
        part = rows.filter(pa.array(operators == number)).combine_chunks()
        starts = _starts(part, columns)
        numbers = np.zeros(len(part), dtype=np.int64)
        numbers[starts[1:]] = 1
        dictionary = Dictionary()
        terms = interned(part.column("text").combine_chunks(), dictionary)
        aggregate, call = aggregates[number].aggregate, _called(aggregates[number])
        groups, values = values_of(aggregate, np.cumsum(numbers), terms, dictionary, no_check, call)
        heads = part.take(pa.array(starts[groups]))
        yield pa.RecordBatch.from_arrays(
            [*(_whole(heads.column(name)) for name in columns), texts(dictionary).take(pa.array(values))],
            names=[*columns, "text"],
        )


def _whole(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)


def _stacked(columns: list[Int32], rows: int) -> Int32:
    return np.column_stack(columns).astype(np.int32) if columns else np.empty((rows, 0), dtype=np.int32)
