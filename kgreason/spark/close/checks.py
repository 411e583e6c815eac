"""What rules must have on Spark.

check_functions   all Python functions are there, here and on Spark's workers
check_strata      the operators have an order
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import SparkSession

from kgreason.errors import RuleError
from kgreason.functions.builtins import PREFIX
from kgreason.functions.function import PythonFunction
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.rules.expressions import AGGREGATES, call_of
from kgreason.rules.lowering import lowered_expressions
from kgreason.rules.model import Rule, label
from kgreason.rules.strata import has_closed, stratify
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


def check_strata(rules: Collection[Rule]) -> None:
    """Raise StratificationError if rules say NOT or aggregate in a circle."""
    if any(map(has_closed, rules)):
        stratify(tuple(rules))


def _names(rule: Rule) -> Iterator[str]:
    """Yield the names of the functions that a rule calls."""
    for each in lowered_expressions(rule):
        if call := call_of(each.computed):
            yield call.name
    yield from (each.function for each in rule.aggregates if each.function not in AGGREGATES)
