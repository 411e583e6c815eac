"""The facts about literals that rules need (Table 8 of OWL 2 RL).

    dt_value(x, v)       x and v have the same value; of all literals with this value, v has the smallest id
    dt_ill(x)            x is ill-typed: its lexical form is not in the lexical space of its datatype
    dt_type(x, d)        the value of x is in the datatype d, which occurs in rules
    dt_may_equal(x, y)   there is a link x owl:sameAs y, and x and y are not two literals with different values
    dt_differ(x, y)      there is a link x owl:sameAs y, and x and y are two literals with different values
    dt_not(x, d)         rules have derived that x is in the datatype d, and the value of x is not in d

The first three kinds are the facts that `kgreason.materialize.literals.statements` asserts before a first load. The
others are added between rounds. The text of a literal without a datatype (a string, without a language or with a
small tag) identifies its value. So Python workers read these literals only if rules ask for strings. If not, their
texts are compared with the strings that are values of other literals.

Cost: Python workers read each literal with a datatype once. One shuffle of the values brings equal literals together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member, values
from kgreason.datatypes.value import DIR_LANG_STRING, LANG_STRING, STRING, Reading, Value, are_known_different
from kgreason.materialize.literals.datatypes_in_use import NAMES
from kgreason.materialize.schema.rows import SAME_AS, TYPE
from kgreason.materialize.selection import Selection
from kgreason.spark.close.planner import Planned
from kgreason.spark.close.terms import Terms
from kgreason.spark.encode.groups import Batches
from kgreason.spark.folders.markers import count_rows, parquet, uri
from kgreason.spark.rounds.plan import PartsPlan
from kgreason.terms.quoting import quote

_STRINGS = frozenset([STRING, LANG_STRING, DIR_LANG_STRING])
_CAPITALS = '"@[a-z0-9-]*[A-Z][A-Za-z0-9-]*$'
"""The end of a literal whose language tag has a capital letter."""
_READ = "id int, key string, is_ill boolean, datatypes array<int>"
_FACTS = "name string, x int, y int"
_FACT = pa.schema([("name", pa.string()), ("x", pa.int32()), ("y", pa.int32())])
"""A fact about a literal: the relation and its terms; `y` is 0 for dt_ill."""
_WIDTHS = {
    "dt_ill/1": 2,
    **dict.fromkeys(["dt_value/2", "dt_type/2", "dt_differ/2", "dt_may_equal/2", "dt_not/2"], 3),
}
"""The relations of facts about literals, each with the width of its table."""


class LiteralFacts:
    """The facts `tbl, c0..` about the literals among `terms`, for the rules of `selection`.

    `asked` has the ids of the datatypes that rules mention. The values of literals are written below `folder`, so that
    each literal is read only once.
    """

    def __init__(self, selection: Selection, planned: Planned, terms: Terms, asked: Iterable[int], folder: str) -> None:
        self._planned, self._terms, self._datatypes, self._folder = planned, terms, sorted(asked), folder
        self._follows = not selection.is_literal
        self._paths, self._read = list[str](), 0

    def facts(self, since: int) -> DataFrame | None:
        """Return the facts about literals whose ids are above `since`; None if no literal has a value that matters."""
        terms, place = self._terms.all, f"{self._folder}/literals-{len(self._paths)}"
        literals = terms.where(F.col("text").startswith('"'))
        is_typed = F.col("text").endswith(">") | F.col("text").rlike(_CAPITALS)
        asks_for_strings = any(DATATYPE_MAP[NAMES[number]].spaces & _STRINGS for number in self._datatypes)
        wanted = (literals if asks_for_strings else literals.where(is_typed)).where(F.col("id") > self._read)
        self._paths.append(f"{place}/read")
        _written(wanted.mapInArrow(partial(_read, self._datatypes), _READ), self._paths[-1])
        self._read = self._terms.last
        if not any(count_rows(terms.sparkSession, path, _READ) for path in self._paths):
            return None
        values = parquet(terms.sparkSession, _READ, *self._paths)
        if not (asks_for_strings or values.where(F.col("key").startswith('"')).isEmpty()):
            plain = literals.where(~is_typed).selectExpr("id", "text AS key", "false", "CAST(NULL AS ARRAY<INT>)")
            values = values.union(plain)
        found = values.repartition("key").mapInArrow(partial(_facts_of, since), _FACTS)
        return self._cells(_written(found, f"{place}/facts"))

    def facts_about_links(self, noted: DataFrame) -> DataFrame | None:
        """Return the facts that links and types of literals call for. Return None if there are no such facts.

        `noted`: the new facts, rows `tbl, c0.., asserted`. A literal counts if owl:sameAs links the literal, or if a
        fact gives the literal a datatype. Rules follow a link (dt_may_equal) if its literals may be equal and
        `selection` allows this. Cost: two joins with the terms.
        """
        is_link = (F.col("p") == SAME_AS) & (F.col("s") != F.col("o"))
        is_type = (F.col("p") == TYPE) & F.col("o").isin(list(NAMES))
        pairs = triples_in(noted, self._planned.plan).where(is_link | is_type).selectExpr("s AS x", "p", "o AS y")
        if pairs.isEmpty():
            return None
        for end in ("x", "y"):
            text = F.when(F.col("text").startswith('"'), F.col("text")).alias(f"of_{end}")
            pairs = pairs.join(self._terms.all.select(F.col("id").alias(end), text), end)
        pairs = pairs.select("x", "p", "y", "of_x", "of_y")
        found = self._cells(pairs.mapInArrow(partial(_facts_about_pairs, self._follows), _FACTS))
        return None if found.isEmpty() else found

    def _cells(self, found: DataFrame) -> DataFrame:
        """Return facts `tbl, c0..` for rows `name, x, y`, if rules have the relation with this name."""
        plan, ids = self._planned.plan, self._planned.ids
        tables = {name: plan.tables.index((False, width)) for name, width in _WIDTHS.items() if name in ids}
        relations = {name: ids[name] for name in tables}
        table, relation = (
            F.create_map(*(F.lit(each) for pair in numbers.items() for each in pair))[F.col("name")]
            for numbers in (tables, relations)
        )
        rows = found.where(F.col("name").isin([*tables]))
        return rows.select(table, relation, "x", "y", *[F.lit(0)] * (plan.width - 3)).toDF("tbl", *plan.columns)


def triples_in(facts: DataFrame, plan: PartsPlan) -> DataFrame:
    """Return the triples among facts, `tbl, c0.., asserted`, as rows `s, p, o, asserted`."""
    triples = facts.where(F.col("tbl") == plan.triples)
    return triples.selectExpr("c0 AS s", "c1 AS p", "c2 AS o", "asserted")


def _written(rows: DataFrame, path: str) -> DataFrame:
    rows.write.mode("overwrite").parquet(uri(path))
    return parquet(rows.sparkSession, rows.schema, path)


def visible_triples(triples: DataFrame, values: DataFrame, terms: DataFrame) -> DataFrame:
    """Return those of the `triples` (s, p, o int, asserted boolean) that users see.

    See `materialize.literals.visible_triples`. `values` has a row x, y for each fact dt_value(x, y); `terms` has the
    columns id int and text string. Cost: a join of the triples with the values, and two joins of those triples whose
    object has another spelling.
    """
    columns = triples.columns
    marked = triples.join(values.select(F.col("x").alias("o"), F.col("y").alias("value")), "o", "left")
    several = marked.where("value IS NOT NULL").join(terms.select(F.col("id").alias("o"), "text"), "o")
    group = ["s", "p", "value"]
    of_groups = several.groupBy(*group).agg(F.max("asserted").alias("has_asserted"), F.min("text").alias("first"))
    seen = several.join(of_groups, group).where("asserted OR (NOT has_asserted AND text = first)")
    return marked.where("value IS NULL").select(*columns).union(seen.select(*columns))


def _facts_about_pairs(follows: bool, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Turn links and types, rows x, p, y and the texts of x and y, into facts about them, in a task."""
    for batch in batches:
        pairs = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        rows = [(name, x, y) for x, p, y, *texts in pairs for name in _relations(p, y, texts, follows=follows)]
        yield pa.RecordBatch.from_pylist([dict(zip(_FACT.names, row, strict=True)) for row in rows], _FACT)


def _relations(predicate: int, object_: int, texts: list[str | None], *, follows: bool) -> Iterator[str]:
    """Yield the relations of the facts to state for a link or a type. A text is None for a term that is no literal."""
    one, other = (values([text])[0] if text else None for text in texts)
    if predicate == TYPE:
        if one is not None and not (isinstance(one, Value) and is_member(one, NAMES[object_])):
            yield "dt_not/2"
        return
    if isinstance(one, Value) and isinstance(other, Value) and one != other:
        yield "dt_differ/2"
    if follows and not are_known_different(one, other):
        yield "dt_may_equal/2"


def _facts_of(since: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Turn rows `_READ` into the facts about these literals, in a task that gets all literals with one value.

    Facts about literals with ids up to `since` are left out, except those that literals above share a value with.
    """
    rows = list(batches)
    if not rows:
        return
    read = pa.Table.from_batches(rows)
    known = read.select(["id", "key"]).filter(pc.is_valid(read["key"]))
    read = read.filter(pc.greater(read["id"], since))
    members = pc.list_parent_indices(read["datatypes"])
    yield from _fact_batches("dt_type/2", read["id"].take(members), pc.list_flatten(read["datatypes"]))
    ill = read.filter(read["is_ill"])["id"]
    yield from _fact_batches("dt_ill/1", ill, pa.repeat(pa.scalar(0, pa.int32()), len(ill)))
    shared = known.group_by("key").aggregate([("id", "min"), ("id", "max"), ("id", "count")])
    shared = shared.filter(pc.and_(pc.greater(shared["id_count"], 1), pc.greater(shared["id_max"], since)))
    equal = known.join(shared, "key", join_type="inner")
    is_told = pc.or_(pc.greater(equal["id"], since), pc.equal(equal["id"], equal["id_min"]))
    equal = equal.filter(is_told)
    yield from _fact_batches("dt_value/2", equal["id"], equal["id_min"])


def _fact_batches(name: str, *terms: pa.ChunkedArray) -> list[pa.RecordBatch]:
    names = pa.repeat(pa.scalar(name), len(terms[0]))
    batches: list[pa.RecordBatch] = pa.table([names, *terms], schema=_FACT).to_batches()
    return batches


def _read(datatypes: list[int], batches: Batches) -> Iterator[pa.RecordBatch]:
    """Read literals in a task: rows `id, text` become rows `_READ`.

    `key` identifies the value (`_value_text`), and `is_ill` says that the literal is ill-typed. The column `datatypes`
    has those of the argument `datatypes` that contain the value. Literals of other datatypes have no row, because one
    task would get all of them.
    """
    for batch in batches:
        readings = values(batch.column("text").to_pylist())
        are_ill = [reading is not None and not isinstance(reading, Value) for reading in readings]
        members = [
            [number for number in datatypes if is_member(reading, NAMES[number])] if isinstance(reading, Value) else []
            for reading in readings
        ]
        columns = {"id": batch.column("id"), "key": pa.array(map(_value_text, readings), pa.string())}
        columns |= {"is_ill": pa.array(are_ill, pa.bool_()), "datatypes": pa.array(members, pa.list_(pa.int32()))}
        rows = pa.RecordBatch.from_pydict(columns)
        yield rows.filter(pc.or_(pc.is_valid(rows["key"]), rows["is_ill"]))


def _value_text(reading: Reading) -> str | None:
    """Return a text that identifies a value: equal values have the same text. None if the literal has no known value.

    For example, the text of the string a is `"a"`.
    """
    if not isinstance(reading, Value):
        return None
    space, data = reading
    if space == STRING:
        return quote(data)
    if space in (LANG_STRING, DIR_LANG_STRING):
        return f"{quote(data[0])}@{data[1]}"
    return f"{space} {_with_fractions(data)!r}"


def _with_fractions(data: Any) -> Any:
    """Return the data of a value with fractions in place of all numbers, so that equal numbers have the same text."""
    if isinstance(data, tuple):
        return tuple(map(_with_fractions, data))
    is_number = isinstance(data, int | Decimal) and not isinstance(data, bool)
    return Fraction(data) if is_number else data
