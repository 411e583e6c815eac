"""Graphs in and out of a materializer as texts: what the tests of the pipeline compare."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import Selection, select
from kgreason.options import SchemaMode
from kgreason.proofs.contradictions import contradictions
from kgreason.zset.columns import Int32
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import SAME_AS
from tests.strategies.ontologies import Quad

_PREFIX = re.compile(r"^_:b[0-9a-f]{10}x")


@cache
def _selection(rules: str, schema: SchemaMode) -> Selection:
    """The rules, with all spellings of a value shown, as the tables have them."""
    letter = f"{rules}+eq-spellings" if rules.split("+", maxsplit=1)[0] == "owl2rl" else rules
    return select([letter], schema)


def new_materializer(rules: str = "owl2rl", schema: SchemaMode = "axioms") -> Materializer:
    """An empty one."""
    return Materializer(_selection(rules, schema))


def rows_of(materializer: Materializer, quads: Iterable[Quad]) -> Int32:
    """Quads of texts as rows int32[n, 4]; their terms are interned."""
    rows = [materializer.dictionary.intern([term for term in quad if term]).tolist() for quad in quads]
    return np.array([[*row, 0][:4] for row in rows], dtype=np.int32).reshape(-1, 4)


def in_default(graph: Iterable[Triple]) -> list[Quad]:
    """Triples, in an order that is always the same, as quads of the default graph."""
    return [(s, p, o, None) for s, p, o in sorted(graph)]


def add(materializer: Materializer, quads: Iterable[Quad]) -> Change:
    """Assert quads, in a commit."""
    change = materializer.change(Edit(added=rows_of(materializer, quads)))
    materializer.accept()
    return change


def materialize(graph: Iterable[Triple], rules: str = "owl2rl", schema: SchemaMode = "axioms") -> Materializer:
    """A materializer to which the triples were added at once."""
    materializer = new_materializer(rules, schema)
    add(materializer, in_default(graph))
    return materializer


def triples_of(materializer: Materializer, *, asserted: bool | None = None) -> set[Triple]:
    """The triples of the closure, the asserted or the inferred ones."""
    texts = iter(
        materializer.dictionary.decode(materializer.save().triples(materializer.dictionary, asserted=asserted).ravel())
    )
    return set(zip(texts, texts, texts, strict=True))


def checks_that_failed(materializer: Materializer) -> set[str]:
    """The names of the rules that derive a contradiction, as the tables have them."""
    return {
        in_the_tables(each.rule)
        for each in contradictions(materializer.save(), materializer.dictionary, materializer.false_rules)
    }


def in_the_tables(name: str) -> str:
    """The row that a rule for false belongs to: `eq-diff1` for `eq-diff1-self`, and for values that are apart."""
    if name.endswith("-literals"):
        return "eq-diff1"
    return next((row for row in ("eq-diff1", "dt-not-type") if name.startswith(f"{row}-")), name)


def visible(triples: Iterable[Triple]) -> frozenset[Triple]:
    """Triples without `x owl:sameAs x`, which only an assertion makes a fact."""
    return frozenset((s, p, o) for s, p, o in triples if (p, s) != (SAME_AS, o))


def as_written(term: str) -> str:
    """A term with the label that a blank node has in its file (of a format in which every one has a label)."""
    return _PREFIX.sub("_:", term)


def quads_of(materializer: Materializer) -> set[Quad]:
    """The asserted quads, as `Saved.graphs` shows them."""
    found = set()
    for rows in materializer.save().graphs(materializer.dictionary, True):
        for row in rows.tolist():
            s, p, o, g = [*map(as_written, materializer.dictionary.decode(row)), ""][:4]
            found.add((s, p, o, g or None))
    return found
