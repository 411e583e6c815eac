"""`labels`: the labels of terms, in the language that a reader wants.

    <http://e/C1>   rdfs:label "hand"@en, "Hand"@de, "main"        labels(graph, ["<http://e/C1>"], "de")  ->  Hand

A label is the value of rdfs:label or skos:prefLabel. One in the wanted language goes first, then one in English, then
one without a language. Cost: one query for `_AT_ONCE` terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from pyoxigraph import Literal

from kgreason.graph.input.terms import term_of
from kgreason.terms import vocabulary as v

_AT_ONCE = 500
_PREFERRED = "<http://www.w3.org/2004/02/skos/core#prefLabel>"
LABELS = (v.RDFS_LABEL, _PREFERRED)
"""The properties whose values are labels."""
_QUERY = f"""SELECT ?term ?label {{
  VALUES ?term {{ %s }} VALUES ?by {{ {v.RDFS_LABEL} {_PREFERRED} }} ?term ?by ?label FILTER(isLiteral(?label))
}}"""


class LabelSource(Protocol):
    """A graph that answers queries."""

    def select(self, query: str) -> Any:
        """Return the solutions of a SELECT query."""


def labels(graph: LabelSource, terms: Iterable[str], language: str = "") -> dict[str, str]:
    """Return the labels of those terms that are IRIs and have one. Terms are N-Triples texts.

    `language` is a language tag, such as `de`, or empty. Raises QueryError, StoreError.

    >>> from kgreason import KnowledgeGraph
    >>> with KnowledgeGraph.open(rules=["none"]) as graph:
    ...     _ = graph.add(f'<http://e/C1> {v.RDFS_LABEL} "hand"@en , "Hand"@de .')
    ...     labels(graph, ["<http://e/C1>"], "de")
    {'<http://e/C1>': 'Hand'}
    """
    iris = [term for term in dict.fromkeys(terms) if term.startswith("<") and not term.startswith("<<")]
    parts = (iris[start : start + _AT_ONCE] for start in range(0, len(iris), _AT_ONCE))
    rows = (row for part in parts for row in graph.select(_QUERY % " ".join(part)))
    return best_labels(((str(term), label) for term, label in rows), language)


def literal(text: str) -> Literal:
    """Return the literal that an N-Triples text stands for."""
    term = term_of(text)
    assert isinstance(term, Literal)
    return term


def label_rank(label: Literal, language: str) -> tuple[int, str, str]:
    """Return a key that sorts the labels of a term: the best one first."""
    tag, wanted = (label.language or "").lower(), language.lower()
    is_wanted = bool(wanted) and (tag == wanted or tag.startswith(f"{wanted}-"))
    is_english = tag == "en" or tag.startswith("en-")
    return 0 if is_wanted else 1 if is_english else 2 if not tag else 3, tag, label.value


def best_labels(rows: Iterable[tuple[str, Literal]], language: str = "") -> dict[str, str]:
    """Choose a label for each term, from pairs of a term and a label."""
    found: dict[str, list[Literal]] = {}
    for term, label in rows:
        found.setdefault(term, []).append(label)
    return {term: min(given, key=lambda label: label_rank(label, language)).value for term, given in found.items()}
