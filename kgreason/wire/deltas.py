"""`to_json`, `from_json`: deltas as JSON.

The list `terms` has each term once. Facts and quads name a term by its position in this list, counted from 1.

    {"commit": 7, "terms": ["<http://e/a>", ...], "rows": [1, 2, 3, ...], "before": [0, ...], "after": [1, ...],
     "removed": [...], "added": [...], "facts": {...}, "missed": 0, "work": [...], ...}

Cost: linear in the delta.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kgreason.graph.changes.delta import Delta
from kgreason.materialize.edit import Change, KindChanges, Work
from kgreason.terms.dictionary import Dictionary
from kgreason.wire import values
from kgreason.zset.columns import Int32

_VALUES = ("contradictions", "declared", "rules", "ended", "reasons")
"""The fields of a delta that are values."""


def to_json(delta: Delta) -> dict[str, Any]:
    """Turn a delta into an object that `json.dumps` takes."""
    own = delta.with_own_dictionary()
    change, terms = own.change, own.dictionary
    facts = change.facts
    return {
        "commit": own.commit,
        "time": own.time,
        "author": own.author,
        "terms": terms.decode(np.arange(1, len(terms) + 1)),
        "rows": change.rows.ravel().tolist(),
        "before": change.before.tolist(),
        "after": change.after.tolist(),
        "removed": change.removed_quads.ravel().tolist(),
        "added": change.added_quads.ravel().tolist(),
        "facts": {
            "width": facts.rows.shape[1],
            "rows": facts.rows.ravel().tolist(),
            "before": facts.before.tolist(),
            "after": facts.after.tolist(),
        },
        "missed": change.missed,
        "work": list(change.work),
        **{name: values.to_json(getattr(own, name)) for name in _VALUES},
    }


def from_json(found: dict[str, Any]) -> Delta:
    """Turn the result of `to_json` back into the delta."""
    facts = found["facts"]
    related = KindChanges(_rows(facts["rows"], facts["width"]), _kinds(facts["before"]), _kinds(facts["after"]))
    change = Change(
        _rows(found["rows"], 3),
        _kinds(found["before"]),
        _kinds(found["after"]),
        _rows(found["removed"], 4),
        _rows(found["added"], 4),
        found["missed"],
        Work(*found["work"]),
        facts=related,
    )
    told: dict[str, Any] = {name: values.from_json(found[name]) for name in _VALUES}
    told |= {name: found.get(name, "") for name in ("time", "author")}  # older servers do not tell them
    return Delta(found["commit"], change, Dictionary(found["terms"]), **told)


def _rows(numbers: list[int], width: int) -> Int32:
    return np.array(numbers, dtype=np.int32).reshape(-1, width)


def _kinds(kinds: list[int]) -> Any:
    return np.array(kinds, dtype=np.int8)
