"""Proofs of single facts, and why a fact does not hold.

Threads: all of this needs the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgreason.errors import QueryError
from kgreason.graph.explanations.presence import unknown_triple
from kgreason.graph.input.quads import Item, triple_of
from kgreason.graph.input.terms import Prefixes
from kgreason.graph.state.running import Running
from kgreason.materialize.materializer import Materializer
from kgreason.proofs.engine_facts import EngineFacts
from kgreason.proofs.notation import NO_PREFIXES, fact_text
from kgreason.proofs.proof import Proof
from kgreason.proofs.same_as import facts_of
from kgreason.proofs.search import Facts, derivations, prove
from kgreason.proofs.why_not.answer import WhyNot
from kgreason.proofs.why_not.why_not import why_not
from kgreason.rules.model import Atom, Triple


def explain(state: Running, item: Item, prefixes: Prefixes) -> Proof:
    """Return a proof of a triple; see `KnowledgeGraph.explain`."""
    return prove(*_goal(state, item, prefixes))


def explain_all(state: Running, item: Item, prefixes: Prefixes) -> list[Proof]:
    """Return one proof for each derivation of a triple; see `KnowledgeGraph.explain_all`."""
    return derivations(*_goal(state, item, prefixes))


def _goal(state: Running, item: Item, prefixes: Prefixes) -> tuple[Atom, Facts]:
    """Return the fact behind a triple, and the facts in which its proof is searched. Raises QueryError, InputError."""
    terms = triple_of(item, prefixes)
    fact = state.original_triple(terms)
    if fact is None:
        raise unknown_triple(terms, prefixes)
    return Atom(None, fact), facts_of(state.materializer)


def why_not_triple(state: Running, item: Item, prefixes: Prefixes, limit: int) -> WhyNot:
    """Say why a triple does not hold; see `KnowledgeGraph.why_not`."""
    terms = triple_of(item, prefixes)
    if state.original_triple(terms) is not None or state.materializer.has_in_some_spelling(terms):
        return WhyNot(Atom(None, terms), holds=True)
    return why_not(state.materializer, Atom(None, terms), limit)


def explain_fact(materializer: Materializer, name: str, terms: Sequence[str]) -> Proof:
    """Return a proof of a fact of a relation. Raises QueryError if the graph does not have the fact."""
    fact = Atom(name, tuple(terms))
    if EngineFacts(materializer).row(fact) < 0:
        raise QueryError(f"{fact_text(fact, NO_PREFIXES)}: the graph does not have this fact")
    return prove(fact, facts_of(materializer))


def why_not_fact(materializer: Materializer, name: str, terms: Sequence[str], limit: int) -> WhyNot:
    """Say why a fact of a relation does not hold."""
    fact = Atom(name, tuple(terms))
    is_there = EngineFacts(materializer).row(fact) >= 0
    return WhyNot(fact, holds=True) if is_there else why_not(materializer, fact, limit)


def prover(materializer: Materializer) -> Callable[[Triple], Proof]:
    """Return a function that proves triples of the present state. It encodes the rules once for all proofs."""
    facts = facts_of(materializer)
    return lambda terms: prove(Atom(None, terms), facts)
