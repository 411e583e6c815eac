"""What rules must have on Spark.

check_functions   all Python functions are there, here and on Spark's workers
check_recursion   no recursion through MIN or MAX
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

import pyarrow as pa
from pyspark.sql import SparkSession

from kgreason.errors import RuleError
from kgreason.functions.builtins import PREFIX
from kgreason.functions.function import PythonFunction
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.rules.expressions import AGGREGATES, call_of
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Waiting, aggregations, functions
from kgreason.rules.model import Rule, label
from kgreason.rules.strata import Level, has_closed, stratify
from kgreason.spark.start.failures import reason


def check_functions(rules: Collection[Rule], registry: Registry, spark: SparkSession) -> None:
    """Raise RuleError if a Python function of `rules` is missing, or if Spark's workers cannot import it.

    Cost: a small job for each function.
    """

    def seen(_function: PythonFunction, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    calls = {name: label(rule) for rule in rules for name in _names(rule)}
    for name, rule in calls.items():
        function = registry.get(name)
        if function is None:
            raise RuleError(f"{rule}: the function {name} is missing: {HOW_TO_PASS}")
        if name.startswith(PREFIX):
            continue
        try:
            spark.range(1).mapInArrow(partial(seen, function), "id long").collect()
        except Exception as error:  # an exception of Java is not always a PySparkException
            problem = f"Spark's workers cannot import the function {name}: {reason(str(error))}"
            raise RuleError(f"{rule}: {problem}; install its module there, or load without Spark") from error


def check_recursion(rules: Collection[Rule], levels: Mapping[Waiting, Level] | None = None) -> None:
    """Raise RuleError for a recursion through MIN or MAX: it would have to retract values, which Spark cannot do.

    `levels` are the strata of the rules, if they are known. Raises StratificationError if rules say NOT or aggregate in
    a circle.
    """
    if levels is None:
        levels = stratify(tuple(rules)) if any(map(has_closed, rules)) else {}
    for rule in rules:
        for each in aggregations(rule):
            if levels[each].recursion:
                raise RuleError(
                    f"{label(rule)}: Spark cannot evaluate the recursion of {format_aggregate(each.aggregate, {})}; "
                    "evaluate these rules in one process (--pipeline local)"
                )


def _names(rule: Rule) -> Iterator[str]:
    """Yield the names of the functions that a rule calls."""
    for each in functions(rule):
        if call := call_of(each.computed):
            yield call.name
    yield from (each.function for each in rule.aggregates if each.function not in AGGREGATES)
