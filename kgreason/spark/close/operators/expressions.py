"""FILTER, BIND and SKOLEM on Spark: tasks evaluate expressions for the inputs that rules ask for.

    asks (operator, keys)  ->  texts of the keys  ->  tasks: Oxigraph  ->  texts of the results  ->  ids

One fact asks for each input, so each input is evaluated once. If the program has rules about owl:sameAs, each argument
of SKOLEM is replaced by the first name of its individual (`individuals`). Cost: one join with the terms for the inputs,
and two for the results.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import RuleError
from kgreason.functions.builtins import PREFIX
from kgreason.functions.function import PythonFunction
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.rules.expressions import call_of, skolem_of, skolem_terms
from kgreason.rules.lowering import Aggregation, Function
from kgreason.rules.model import Computed, Rule, Variable
from kgreason.spark.close.kept import Kept
from kgreason.spark.close.operators.aggregates import reductions_of
from kgreason.spark.close.operators.program import Operator, operators_of
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.tasks import Expression, computed_schema, evaluating
from kgreason.spark.close.operators.terms import Terms
from kgreason.spark.start.failures import reason


def computed(
    asks: DataFrame,
    expressions: Mapping[int, Expression],
    tables: Tables,
    terms: Terms,
    kept: Kept,
    names: DataFrame | None = None,
) -> DataFrame | None:
    """Evaluate expressions for the inputs `asks`, rows `operator, b0..`. Returns None if there are none.

    Returns rows `operator, kind, b0.., text`: the number of the operator, MADE or CALLED (`program`), the input and the
    result (null for a FILTER). `expressions` has at least the operators that occur in `asks`. `names` has rows
    `id, name`: each term that is not a first name, with the first name to use in its place. If `names` is None, no term
    is replaced.
    """
    asks, count, _ = kept.computed(asks.select("operator", *tables.keys))
    if not count:
        return None
    if tables.keys:
        ids = asks.select(F.explode(F.array(*tables.keys)).alias("id"))
        texts = kept.computed(_texts(ids, terms, names)).frame
        for number, key in enumerate(tables.keys):
            asks = asks.join(texts.withColumnsRenamed({"id": key, "text": f"t{number}"}), key, "left")
    task = evaluating(expressions, len(tables.keys))
    return kept.computed(asks.mapInArrow(task, computed_schema(len(tables.keys)))).frame


def _texts(ids: DataFrame, terms: Terms, names: DataFrame | None) -> DataFrame:
    """Return rows `id, text` for the terms `ids`. A term in `names` gets the text of its first name instead."""
    found = terms.all.join(ids.distinct(), "id", "left_semi")
    if names is None:
        return found
    return found.join(names, "id", "left").select("id", F.coalesce("name", "text").alias("text"))


def expressions_of(operators: Sequence[Operator], numbers: Sequence[int], registry: Registry) -> dict[int, Expression]:
    """Return a dict from the number of an operator to its expression. `numbers` are the operators to include.

    Raises RuleError for a Python function that is not in `registry`.
    """
    found = {}
    for number in numbers:
        function = operators[number].does
        assert isinstance(function, Function)
        rule, call = operators[number].rule, call_of(function.computed)
        known = registry.get(call.name) if call else None
        if call and known is None:
            raise RuleError(f"{rule}: the function {call.name} is missing: {HOW_TO_PASS}")
        is_users = call is not None and not call.name.startswith(PREFIX)
        found[number] = Expression(rule, function.computed, known if is_users else None)
    return found


def check_functions(rules: Collection[Rule], registry: Registry, spark: SparkSession) -> None:
    """Raise RuleError if a Python function of `rules` is missing, or if Spark's workers cannot import it.

    Cost: a small job for each function.
    """
    operators = operators_of(rules, ()).all
    numbers = [number for number, each in enumerate(operators) if isinstance(each.does, Function)]
    calls: dict[PythonFunction, str] = {}
    for each in expressions_of(operators, numbers, registry).values():
        if each.function:
            calls[each.function] = each.rule
    aggregated = [number for number, each in enumerate(operators) if isinstance(each.does, Aggregation)]
    for reduction in reductions_of(operators, aggregated, registry).values():
        if reduction.function:
            calls[reduction.function] = reduction.rule

    def seen(_function: PythonFunction, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    for function, rule in calls.items():
        try:
            spark.range(1).mapInArrow(partial(seen, function), "id long").collect()
        except Exception as error:  # an exception of Java is not always a PySparkException
            name = function.signature.name
            problem = f"Spark's workers cannot import the function {name}: {reason(str(error))}"
            raise RuleError(f"{rule}: {problem}; install its module there, or load without Spark") from error


def with_first_names(expressions: Mapping[int, Expression], names: DataFrame, terms: Terms) -> dict[int, Expression]:
    """Replace each constant argument of SKOLEM expressions by the first name of its individual.

    `names` has rows `id, name`: each term that is not a first name, with the first name of the same individual.
    """
    found = {number: skolem_terms(each.computed) for number, each in expressions.items()}
    constants = sorted({term for each in found.values() for term in each[1:] if not isinstance(term, Variable)})
    known = {}
    if constants:
        mentioned = terms.all.join(
            F.broadcast(terms.spark.createDataFrame([(each,) for each in constants], "text string")), "text"
        )
        known = dict(mentioned.join(names, "id").select("text", "name").collect())

    def renamed(computed: Computed) -> Computed:
        label, *arguments = skolem_terms(computed)
        written = (each if isinstance(each, Variable) else known.get(each, each) for each in arguments)
        return skolem_of((label, *written), computed.result)

    return {number: each._replace(computed=renamed(each.computed)) for number, each in expressions.items()}
