"""`Describer`: adds to proofs, and to answers of why_not, the triples that say what their blank nodes stand for.

Cost: a look-up in the store for each blank node, and for each blank node inside its expression. At most
`manchester.MOST` triples of a node are read.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from pyoxigraph import BlankNode, DefaultGraph

from kgreason.ontology.manchester import MOST, describing_triples, is_blank
from kgreason.proofs.proof import Proof
from kgreason.proofs.why_not.answer import WhyNot
from kgreason.proofs.words.naming import terms_of
from kgreason.rules.model import Triple
from kgreason.store.oxigraph.store import OxigraphStore


class Describer:
    """Reads the triples of blank nodes from the rows of a store. One instance reads a node once."""

    def __init__(self, store: OxigraphStore) -> None:
        self._store = store
        self._said: dict[str, tuple[tuple[str, str], ...]] = {}

    def describe_proof(self, proof: Proof) -> Proof:
        """Return a proof with the triples that say what its blank nodes stand for."""
        triples = self.triples(terms_of(proof))
        return proof.with_described(triples) if triples else proof

    def describe_why_not(self, answer: WhyNot) -> WhyNot:
        """Return an answer with the triples that say what its blank nodes stand for."""
        return replace(answer, described=tuple(self.triples(answer.terms())))

    def triples(self, terms: dict[str, None]) -> list[Triple]:
        """Return the triples that say what the blank nodes among `terms` stand for."""
        return describing_triples(filter(is_blank, terms), self._triples_about)

    def _triples_about(self, node: str) -> tuple[tuple[str, str], ...]:
        if node not in self._said:
            rows = self._store.match(BlankNode(node[2:]), None, None, DefaultGraph())
            self._said[node] = tuple((str(row.predicate), str(row.object)) for row in islice(rows, MOST))
        return self._said[node]
