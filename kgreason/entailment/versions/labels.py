"""New labels for the blank nodes of two documents, such that equal statements become equal triples.

The label of a blank node says nothing outside of its document. Here each blank node gets a label from the triples
around it: its *class*. At first all blank nodes have the same class. In each round a node gets a new class, made from
its triples, with the classes of the other blank nodes in place of their labels. The rounds run over both documents, and
end when a round gives no more classes than the round before (colour refinement, as in the first part of RDFC-1.0). If
several nodes of a document have the same class, numbers tell them apart.

Law: two documents that differ only in the labels of blank nodes get the same triples. The law may fail if a document
has several blank nodes of the same class, and triples connect them with other blank nodes. Cost: a look at all triples
with blank nodes in each round; the number of rounds is at most the length of the longest list or expression.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import pyoxigraph
from pyoxigraph import BlankNode, Quad, RdfFormat

from kgreason.terms import tags

_Edge: TypeAlias = tuple[str, str, str, str | None]
"""Direction, predicate, graph, and the other term; None and its label aside if the other term is a blank node."""
_Node: TypeAlias = tuple[int, str]
"""The number of a document, and a label in it."""


def with_stable_labels(documents: Sequence[bytes]) -> list[bytes]:
    """Return N-Quads documents with new labels of blank nodes, each made from the triples around the blank node."""
    parsed = [list(tags.parse_quads(text, lenient=True)) for text in documents]
    classes = _node_classes(parsed)
    found = []
    for number, quads in enumerate(parsed):
        names = _new_labels(number, quads, classes)
        named = ([names[term.value] if isinstance(term, BlankNode) else term for term in quad] for quad in quads)
        lines = (Quad(*cast(tuple[Any, Any, Any, Any], tuple(terms))) for terms in named)
        found.append(pyoxigraph.serialize(lines, format=RdfFormat.N_QUADS) or b"")
    return found


def _node_classes(documents: Sequence[Sequence[Quad]]) -> dict[_Node, int]:
    edges = _edges(documents)
    classes = dict.fromkeys(edges, 0)
    count = 1
    while True:
        numbers: dict[object, int] = {}
        after = {}
        for node, around in edges.items():
            told = tuple(sorted((edge, -1 if other is None else classes[node[0], other]) for edge, other in around))
            after[node] = numbers.setdefault((classes[node], told), len(numbers))
        classes = after
        if len(numbers) <= count:
            return classes
        count = len(numbers)


def _edges(documents: Sequence[Sequence[Quad]]) -> dict[_Node, list[tuple[_Edge, str | None]]]:
    """Return, for each blank node, a pair for each of its triples. Keys are (number of the document, label).

    The first of the pair is the triple without the labels of blank nodes, as a tuple of texts. The second is the label
    of the other blank node in the triple; None if there is no other.
    """
    found: defaultdict[_Node, list[tuple[_Edge, str | None]]] = defaultdict(list)
    for number, quads in enumerate(documents):
        for subject, predicate, object_, graph in quads:
            said, place = str(predicate), str(graph)
            for direction, node, other in ((">", subject, object_), ("<", object_, subject)):
                if isinstance(node, BlankNode):
                    is_blank = isinstance(other, BlankNode)
                    edge = (direction, said, place, "" if is_blank else str(other))
                    found[number, node.value].append((edge, other.value if is_blank else None))
            if isinstance(graph, BlankNode):
                found[number, graph.value].append((("in", said, str(subject), str(object_)), None))
    return found


def _new_labels(document: int, quads: Sequence[Quad], classes: dict[_Node, int]) -> dict[str, BlankNode]:
    """Return a dict from the old label of each blank node to a blank node with the new label.

    `document` is the number of the document, `quads` are its quads. New labels are made from the `classes`.
    """
    taken: Counter[int] = Counter()
    names = {}
    for quad in quads:
        for term in quad:
            if isinstance(term, BlankNode) and term.value not in names:
                kind = classes[document, term.value]
                taken[kind] += 1
                names[term.value] = BlankNode(f"v{kind}n{taken[kind]}")
    return names
