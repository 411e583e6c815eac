"""A clique of 1,000 terms with ten facts each, compared with the same facts of terms that are not equal.

Only the engine is measured: facts and owl:sameAs links are already ids, and the images of the clique are not written.
Cost: a fraction of a second a round.
"""

from __future__ import annotations

from functools import partial
from statistics import median

import numpy as np

from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Rows
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.zset.columns import IS_ASSERTED, Int32

MEMBERS, FACTS = 1_000, 10
_ROUNDS = 9


def beside_plain_facts(_: Workspace) -> Measurement:
    """The Bootstrap of facts and links over that of the facts alone; a second figure is a whole commit of both."""
    linked, plain = engine_of(True), engine_of(False)
    pairs = alternate(partial(bootstrap, *linked), partial(bootstrap, *plain), _ROUNDS)
    others = {
        "commit": (median(commit(True) for _ in range(_ROUNDS)), "s"),
        "commit-plain": (median(commit(False) for _ in range(_ROUNDS)), "s"),
        "facts": (float(len(linked[0].engine)), "facts"),
    }
    return Measurement(pairs.ratio, f"owl2rl, Bootstrap from ids, {pairs}", others)


def engine_of(is_linked: bool) -> tuple[Materializer, Rows]:
    """A graph that holds the facts, and those of them that are asserted, by table."""
    materializer, quads = prepared(is_linked)
    materializer.change(Edit(added=quads))
    materializer.accept()
    columns, tables, kinds = materializer.engine.facts.contents()
    tables[kinds != IS_ASSERTED] = -1
    widths = enumerate(width for _, width in materializer.engine.tables)
    return materializer, {table: np.ascontiguousarray(columns[tables == table, :width]) for table, width in widths}


def bootstrap(materializer: Materializer, asserted: Rows) -> float:
    """The seconds of a Bootstrap from asserted rows."""
    return timed(lambda: materializer.engine.bootstrap(asserted))


def commit(is_linked: bool) -> float:
    """The seconds of a commit into a graph without facts, which has its rules already."""
    materializer, quads = prepared(is_linked)
    return timed(lambda: materializer.change(Edit(added=quads)))


def prepared(is_linked: bool) -> tuple[Materializer, Int32]:
    """A graph without facts, and the quads to add: int32[n, 4]."""
    materializer = Materializer(select(["owl2rl"], same_as="representatives"))
    materializer.change(Edit())
    materializer.accept()
    members = materializer.dictionary.intern(f"<http://e/{number}>" for number in range(MEMBERS))
    others = materializer.dictionary.intern(f"<http://e/o{number}>" for number in range(MEMBERS * FACTS))
    none = np.zeros(len(others), dtype=np.int32)
    facts = np.column_stack([np.repeat(members, FACTS), none + others[0], others, none])
    links = np.column_stack([members[:-1], none[1:MEMBERS] + SAME_AS, members[1:], none[1:MEMBERS]])
    return materializer, np.concatenate([facts, links]) if is_linked else facts
