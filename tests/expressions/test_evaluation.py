"""An expression is evaluated for many rows of inputs at once: each result belongs to its row, and errors have none."""

from __future__ import annotations

import numpy as np

from kgreason.materialize.operators.evaluation import results_of
from kgreason.rules.parser import parse
from kgreason.terms.dictionary import Dictionary


def test_each_result_belongs_to_its_row() -> None:
    (rule,) = parse("r(?x, ?y, ?w) :- n(?x, ?y), BIND(CONCAT(?x, ?y) AS ?w) .").rules
    dictionary = Dictionary()
    texts = [
        f'"{number}"' if number % 3 else f"<urn:{number}>" if number % 2 else f"_:b{number}" for number in range(900)
    ]
    ids = dictionary.intern(texts).astype(np.int32)
    keys = np.column_stack([ids, ids[::-1]])
    found = results_of(rule.computed[0], keys, dictionary, lambda: None)
    expected = [
        (one, other, f'"{one[1:-1]}{other[1:-1]}"')
        for one, other in zip(texts, reversed(texts), strict=True)
        if one.startswith('"') and other.startswith('"')
    ]
    inputs = [str(name) for name in rule.computed[0].inputs()]
    assert inputs == ["?x", "?y"]
    assert [tuple(dictionary.decode(row)) for row in found] == expected
