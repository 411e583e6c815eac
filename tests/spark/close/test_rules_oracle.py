"""Random programs with NOT, DATA, expressions and aggregates in parts on Spark, beside engine and perfect model.

Spark starts many jobs for any program, however small. So many programs are joined into one: program n has predicates
and relations of its own, with n in their names. Programs share individuals and numbers. The number of jobs is that of
the program with the most rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.engine.memory import layout as at
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.options import DEFAULT_LIMITS
from kgreason.progress import SILENT, Progress
from kgreason.rules.model import DATA, Rule
from kgreason.spark.close import close
from kgreason.spark.close.close import compute_closure
from kgreason.spark.cluster.sizes import Sizes
from kgreason.spark.encode.encode import encode
from tests.histories.history import Triple
from tests.oracle.datalog import Fact
from tests.spark.programs import STATES, TOGETHER, drawn, joined, renamed_fact, rules_in, selected, triples_in
from tests.spark.rounds.test_job import CrashError, Stages

State = tuple[bool, tuple[str, ...], bool]
"""Whether a fact is a triple, its columns as texts, and whether it is asserted."""


@pytest.fixture(autouse=True)
def planning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark plans for little data, which is divided into three parts; a value with more than three facts is divided."""
    monkeypatch.setattr(close, "sizes", lambda *_: Sizes(3, 0, 3))


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_states_of_a_small_program(spark: SparkSession, tmp_path: Path, scheme: str) -> None:
    """Facts travel in files or by shuffles, whatever the folder is called. A job that was stopped goes on."""
    rules = rules_in("""
        [?y, :is, 1] :- [?x, :near, ?y], NOT [?y, :near, ?x] .
        [?x, :has, ?n] :- AGGREGATE([?x, :near, ?y] ON ?x BIND COUNT(*) AS ?n) .
        [?x, :name, ?m] :- [?x, :is, ?n], BIND(CONCAT("name ", STR(?x)) AS ?m) .
        [?x, :first, ?m] :- AGGREGATE([?x, :near, ?y], [?y, :name, ?n] ON ?x BIND MIN(?n) AS ?m), FILTER(?m > "a") .
        """)
    triples = triples_in("a near b", "a near c", "b near c", "b near a")
    folder = tmp_path / r"[a] {b,c}*?\d"
    with pytest.raises(CrashError):
        on_spark(spark, triples, rules, folder, scheme, Stages("round 5"))
    found = on_spark(spark, triples, rules, folder, scheme)
    assert found == in_process(triples, rules)
    derived = {columns for is_triple, columns, is_asserted in found if is_triple and not is_asserted}
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    assert derived == {
        ("<http://e/c>", "<http://e/is>", f'"1"{integer}'),
        ("<http://e/c>", "<http://e/name>", '"name http://e/c"'),
        *((f"<http://e/{each}>", "<http://e/has>", f'"2"{integer}') for each in "ab"),
        *((f"<http://e/{each}>", "<http://e/first>", '"name http://e/c"') for each in "ab"),
    }


def test_a_group_of_most_rows(spark: SparkSession, tmp_path: Path) -> None:
    """Its rows come to a task in several batches."""
    rules = rules_in("""
        [?x, :members, ?n] :- AGGREGATE([?y, :of, ?x] ON ?x BIND COUNT(?y) AS ?n) .
        [?x, :sum, ?n] :- AGGREGATE([?y, :of, ?x], [?y, :size, ?s] ON ?x BIND SUM(?s) AS ?n) .
        [?x, :largest, ?n] :- AGGREGATE([?y, :of, ?x], [?y, :size, ?s] ON ?x BIND MAX(?s) AS ?n) .
        [?y, :isSmall, 1] :- [?y, :of, ?x], NOT [?y, :size, 4] .
        """)
    triples = triples_in("small of few", "small size 3", *(f"n{n} of many" for n in range(12_000)))
    triples |= triples_in(*(f"n{n} size {n % 5}" for n in range(12_000)))
    assert on_spark(spark, triples, rules, tmp_path) == in_process(triples, rules)


@pytest.mark.parametrize("first", range(0, STATES, TOGETHER))
def test_joined_programs(spark: SparkSession, tmp_path: Path, first: int) -> None:
    cases = list(islice(drawn(), first, first + TOGETHER))
    triples, rules = joined(cases)
    found = on_spark(spark, triples, rules, tmp_path)
    models = [frozenset(renamed_fact(fact, number) for fact in case.model) for number, case in enumerate(cases)]
    assert shown(found) == frozenset[Fact]().union(*models)
    assert found == in_process(triples, rules)


def on_spark(
    spark: SparkSession,
    triples: set[Triple],
    rules: tuple[Rule, ...],
    folder: Path,
    scheme: str = "",
    progress: Progress = SILENT,
) -> set[State]:
    """All facts that Spark finds, with their states."""
    folder.mkdir(exist_ok=True)
    (folder / "a.nt").write_text("".join(f"{' '.join(triple)} .\n" for triple in sorted(triples)))
    encoded = encode(spark, folder / "a.nt", f"{folder}/encoded")
    text = F.when(F.col("text").startswith("_:"), "_:c").otherwise(F.col("text"))  # rules name the only blank node so
    encoded = encoded._replace(terms=encoded.terms.withColumn("text", text))
    place = f"{scheme}{folder}/closure"
    closed = compute_closure(selected(rules), encoded, place, progress, Registry(), DEFAULT_LIMITS)
    texts = dict(closed.terms.all.collect())
    tables = closed.planned.plan.tables
    return set(_states(closed.news.facts, tables, texts))


def _states(facts: DataFrame, tables: Any, texts: dict[int, str]) -> Iterator[State]:
    for row in facts.collect():
        is_triple, width = tables[row.tbl]
        yield is_triple, tuple(texts[row[f"c{n}"]] for n in range(width)), row.asserted


def in_process(triples: set[Triple], rules: tuple[Rule, ...]) -> set[State]:
    """All facts that one process finds."""
    materializer = Materializer(selected(rules))
    ids = [materializer.dictionary.intern([*triple]) for triple in sorted(triples)]
    added = np.column_stack([np.array(ids, dtype=np.int32), np.zeros(len(ids), dtype=np.int32)])
    materializer.change(Edit(added=added))
    materializer.accept()
    saved = materializer.save()
    found = set()
    for record in saved.records:
        is_triple, width = saved.tables[record[at.STATE] >> at.TABLE & at.LAST_TABLE]
        texts = materializer.dictionary.decode(record[at.FIRST : at.FIRST + width])
        flag = bool(record[at.STATE] & at.ASSERTED)
        found.add((is_triple, tuple(texts), flag))
    return found


def shown(states: set[State]) -> frozenset[Fact]:
    """The triples and the facts of the user's relations."""
    facts: set[Fact] = set()
    for is_triple, (first, *others), *_ in states:
        relation = first.partition("/")[0]
        if is_triple:
            facts.add((None, (first, *others)))
        elif relation.isalnum() and relation != DATA:
            facts.add((relation, tuple(others)))
    return frozenset(facts)
