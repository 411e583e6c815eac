"""`check_known`: refuses a triple that a graph lacks. Cost: a look-up in the rows of the store, without the engine."""

from __future__ import annotations

from pyoxigraph import BlankNode, DefaultGraph, NamedNode

from kgreason.errors import QueryError
from kgreason.graph.input.quads import Item, triple_of
from kgreason.graph.input.terms import Prefixes, term_of
from kgreason.rules.model import Triple
from kgreason.store.oxigraph.store import OxigraphStore


def check_known(store: OxigraphStore, item: Item, prefixes: Prefixes) -> None:
    """Raise QueryError if the rows of a store lack a triple. Raises InputError if the item is not a triple.

    Nothing is checked if the triple is generalised: the store holds no generalised triples.
    """
    terms = triple_of(item, prefixes)
    subject, predicate, object_ = map(term_of, terms)
    if isinstance(subject, (NamedNode, BlankNode)) and isinstance(predicate, NamedNode):
        rows = store.match(subject, predicate, object_, DefaultGraph())
        if next(rows, None) is None:
            raise unknown_triple(terms, prefixes)


def unknown_triple(terms: Triple, prefixes: Prefixes) -> QueryError:
    """Make the error for a triple that the graph lacks. `prefixes` shorten the IRIs in its message."""
    from kgreason.proofs.notation import fact_text
    from kgreason.rules.model import triple

    return QueryError(f"{fact_text(triple(*terms), prefixes)}: the graph does not have this triple")
