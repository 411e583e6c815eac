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

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from kgreason.materialize.schema.rows import TYPE
from kgreason.spark.folders.markers import count_rows, parquet, uri
from kgreason.terms.quoting import quote

_STRINGS = frozenset([STRING, LANG_STRING, DIR_LANG_STRING])
_CAPITALS = '"@[a-z0-9-]*[A-Z][A-Za-z0-9-]*$'
"""The end of a literal whose language tag has a capital letter."""
_READ = "id int, key string, is_ill boolean, datatypes array<int>"
_FACTS = "name string, x int, y int"
_FACT = ("name", "x", "y")
_STATEMENT = pa.schema([("name", pa.string()), ("x", pa.int32()), ("y", pa.int32())])
STATED = ("dt_differ/2", "dt_may_equal/2", "dt_not/2")
"""The relations of facts that are stated once rules have linked or typed a literal."""


def literal_facts(
    terms: DataFrame, asked: Iterable[int], folders: Sequence[str], read: int = 0, since: int = 0
) -> DataFrame | None:
    """Return the facts about those literals in `terms` (id int, text string) whose ids are above `since`.

    These are rows `name, x, y`: `name` is the relation; `x` and `y` are its terms, `y` is 0 for dt_ill. `asked` has the
    ids of the datatypes that rules mention. The values of literals with ids above `read` are written below the last of
    `folders`; the other folders have those of all others. So each literal is read only once. Returns None if no
    literal has a value that anything is said of.
    """
    datatypes = sorted(asked)
    literals = terms.where(F.col("text").startswith('"'))
    is_typed = F.col("text").endswith(">") | F.col("text").rlike(_CAPITALS)
    asks_for_strings = any(DATATYPE_MAP[NAMES[number]].spaces & _STRINGS for number in datatypes)
    wanted = (literals if asks_for_strings else literals.where(is_typed)).where(F.col("id") > read)
    _written(wanted.mapInArrow(_reader(datatypes), _READ), f"{folders[-1]}/read")
    paths = [f"{folder}/read" for folder in folders]
    if not any(count_rows(terms.sparkSession, path, _READ) for path in paths):
        return None
    values = parquet(terms.sparkSession, _READ, *paths)
    if not (asks_for_strings or values.where(F.col("key").startswith('"')).isEmpty()):
        plain = literals.where(~is_typed).selectExpr("id", "text AS key", "false", "CAST(NULL AS ARRAY<INT>)")
        values = values.union(plain)
    return _written(values.repartition("key").mapInArrow(partial(_facts_of, since), _FACTS), f"{folders[-1]}/facts")


def _written(rows: DataFrame, path: str) -> DataFrame:
    rows.write.mode("overwrite").parquet(uri(path))
    return parquet(rows.sparkSession, rows.schema, path)


def statements(pairs: DataFrame, terms: DataFrame, *, follows: bool) -> DataFrame:
    """Return facts about literals that rules have linked or typed, as rows `name, x, y`; `name` is one of `STATED`.

    `pairs` are subject, predicate and object of owl:sameAs links and of types that are datatypes: rows `x, p, y`.
    `terms` has id int, text string. With `follows`, a link is followed unless its literals differ (dt_may_equal). Cost:
    two joins with the terms.
    """
    for end in ("x", "y"):
        named = terms.select(
            F.col("id").alias(end), F.when(F.col("text").startswith('"'), F.col("text")).alias(f"of_{end}")
        )
        pairs = pairs.join(named, end)
    return pairs.select("x", "p", "y", "of_x", "of_y").mapInArrow(_stating(follows=follows), _FACTS)


def visible(triples: DataFrame, values: DataFrame, terms: DataFrame) -> DataFrame:
    """Return those of the `triples` (s, p, o int, asserted boolean) that users see: see `materialize.literals.visible`.

    `values` has a row x, y for each fact dt_value(x, y); `terms` has id int, text string. Cost: a join of the triples
    with the values, and two joins of those triples whose object has another spelling.
    """
    columns = triples.columns
    marked = triples.join(values.select(F.col("x").alias("o"), F.col("y").alias("value")), "o", "left")
    several = marked.where("value IS NOT NULL").join(terms.select(F.col("id").alias("o"), "text"), "o")
    group = ["s", "p", "value"]
    of_groups = several.groupBy(*group).agg(F.max("asserted").alias("has_asserted"), F.min("text").alias("first"))
    seen = several.join(of_groups, group).where("asserted OR (NOT has_asserted AND text = first)")
    return marked.where("value IS NULL").select(*columns).union(seen.select(*columns))


def _stating(*, follows: bool) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def state(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            rows = [(name, x, y) for x, p, y, *texts in given for name in _said(p, y, texts, follows=follows)]
            yield pa.RecordBatch.from_pylist([dict(zip(_FACT, row, strict=True)) for row in rows], _STATEMENT)

    return state


def _said(predicate: int, object_: int, texts: list[str | None], *, follows: bool) -> Iterator[str]:
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


def _facts_of(since: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
    yield from _stated("dt_type/2", read["id"].take(members), pc.list_flatten(read["datatypes"]))
    ill = read.filter(read["is_ill"])["id"]
    yield from _stated("dt_ill/1", ill, pa.repeat(pa.scalar(0, pa.int32()), len(ill)))
    shared = known.group_by("key").aggregate([("id", "min"), ("id", "max"), ("id", "count")])
    shared = shared.filter(pc.and_(pc.greater(shared["id_count"], 1), pc.greater(shared["id_max"], since)))
    equal = known.join(shared, "key", join_type="inner")
    is_told = pc.or_(pc.greater(equal["id"], since), pc.equal(equal["id"], equal["id_min"]))
    equal = equal.filter(is_told)
    yield from _stated("dt_value/2", equal["id"], equal["id_min"])


def _stated(name: str, *terms: pa.ChunkedArray) -> list[pa.RecordBatch]:
    names = pa.repeat(pa.scalar(name), len(terms[0]))
    batches: list[pa.RecordBatch] = pa.table([names, *terms], names=list(_FACT)).to_batches()
    return batches


def _reader(datatypes: list[int]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Make the function that reads literals in a worker. It turns rows `id, text` into `id, key, is_ill, datatypes`.

    In these rows, `key` identifies the value (`_key`), and `is_ill` says that the literal is ill-typed. The column
    `datatypes` has those ids of the argument `datatypes` whose datatype contains the value. Literals of other datatypes
    have no row, because one task would get all of them.
    """
    names = [(number, NAMES[number]) for number in datatypes]

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            readings = values(batch.column("text").to_pylist())
            rows = pa.record_batch(
                [
                    batch.column("id"),
                    pa.array(map(_key, readings), type=pa.string()),
                    pa.array(
                        [reading is not None and not isinstance(reading, Value) for reading in readings], pa.bool_()
                    ),
                    pa.array([_of(reading, names) for reading in readings], type=pa.list_(pa.int32())),
                ],
                names=["id", "key", "is_ill", "datatypes"],
            )
            yield rows.filter(pc.or_(pc.is_valid(rows["key"]), rows["is_ill"]))

    return read


def _of(reading: Reading, names: list[tuple[int, str]]) -> list[int]:
    """Return the ids of those datatypes that contain the value of a literal. `names` has datatypes as (id, name)."""
    return [number for number, name in names if is_member(reading, name)] if isinstance(reading, Value) else []


def _key(reading: Reading) -> str | None:
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
    return f"{space} {_exact(data)!r}"


def _exact(data: Any) -> Any:
    """Return the data of a value with fractions in place of all numbers, so that equal numbers have the same text."""
    if isinstance(data, tuple):
        return tuple(map(_exact, data))
    is_number = isinstance(data, int | Decimal) and not isinstance(data, bool)
    return Fraction(data) if is_number else data
