"""What a graph says of itself: statistics, and the contradictions in it.

Everything is read from a saved state and the dictionary, without the engine. Cost: one pass over the facts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kgreason.engine.layout import Int32
from kgreason.graph.facts import LITERAL_FACTS
from kgreason.graph.snapshot import Saved
from kgreason.graph.sources import documents
from kgreason.rdf.generalised import is_rdf
from kgreason.rules.model import FALSE
from kgreason.terms.dictionary import Dictionary

COUNTS = "facts", "asserted", "inferred", "hidden", "named", "imported", "terms", "contradictions", "rules"
"""What is counted of a state."""


class Contradiction(NamedTuple):
    """A rule that derived `false`; the values of its variables, and then the constants, as its body names them.

    Terms of the vocabulary are left out.
    """

    rule: str
    terms: tuple[str, ...]


def contradictions(saved: Saved, dictionary: Dictionary) -> list[Contradiction]:
    """Every contradiction of a state, in the order of names and terms; once for terms that owl:sameAs makes one."""
    found = []
    for row in false_rows(saved, dictionary).tolist():
        name, *terms = dictionary.decode([number for number in row[1:] if number])
        found.append(Contradiction(name.strip('"'), tuple(terms)))
    return sorted(found)


def false_rows(saved: Saved, dictionary: Dictionary) -> Int32:
    """The facts that are contradictions, int32[n, w]: their relation, the rule's name and terms, padded with 0.

    One of those that are one but for owl:sameAs, that of representatives where it is among them: which of the others
    are there goes by the order of edits, and by how the constants of a rule are written. So does whether the type of a
    literal is said of itself or of what is equal to it: dt-not-type and dt-not-type-equal are one, too.
    """
    relations = dictionary.find([f"{FALSE.relation}/{arity}" for arity in range(1, 33)])
    rows = saved.relation(relations[relations > 0])
    says = _of_literals(rows, dictionary)
    says[:, 2:] = saved.in_primaries(says[:, 2:])
    order = np.argsort((rows != says).any(axis=1), kind="stable")
    _, firsts = np.unique(says[order], axis=0, return_index=True)
    return rows[order[firsts]]


def _of_literals(rows: Int32, dictionary: Dictionary) -> Int32:
    """Contradictions with false(dt-not-type, y, d) in the place of false(dt-not-type-equal, x, d, y)."""
    names = ["false/3", '"dt-not-type"', "false/4", '"dt-not-type-equal"']
    *itself, relation, name = dictionary.find(names)  # 0 for a text that is not there
    found = np.flatnonzero((rows[:, 0] == relation) & (rows[:, 1] == name))
    said = rows.copy()
    if len(found):
        said[found, :2], said[found, 2], said[found, 4] = itself, rows[found, 4], 0
    return said


def statistics(saved: Saved, dictionary: Dictionary) -> dict[str, Any]:
    """Counts of a state: facts, asserted and inferred triples, quads of named graphs, imported documents, terms."""
    asserted, inferred = saved.triples(asserted=True), saved.triples(asserted=False)
    shown = int(is_rdf(dictionary, *inferred.T).sum())
    stored = int(is_rdf(dictionary, *saved.facts().T).sum())
    about_literals = len(saved.relation(dictionary.find(LITERAL_FACTS)))
    return {
        "facts": len(asserted) + shown,
        "asserted": len(asserted),
        "inferred": shown,
        "hidden": len(saved.records) - stored - about_literals,
        "named": len(saved.named(dictionary)),
        "imported": 0 if saved.quads is None else len(documents(dictionary, saved.quads)),
        "terms": len(dictionary),
        "contradictions": len(false_rows(saved, dictionary)),
    }
