"""One case in one reading of the schema: what was seen, whole deltas and proofs.

Invariants checked on the way: the closure is what the deltas add up to; a triple that was retracted and is entailed
turns from asserted to inferred; a contradiction is reported under the name of the rule that its proof ends in.
Blank nodes go by the labels of their file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.ontology.read.schema import is_schema
from kgreason.options import SameAsMode, SchemaMode
from kgreason.proofs.contradictions import mistakes
from kgreason.proofs.engine_facts import EngineFacts, atom_of
from kgreason.proofs.proof import Proof
from kgreason.proofs.same_as import facts_of, owl_rl_rule
from kgreason.proofs.search import Derivation, Facts, prove
from tests.graph.states import as_written
from tests.graph.views import lines
from tests.oracle.graph import Triple

from .cases import Case, Step, Triples, Wrong
from .rulesets import owner, switch


class Seen(NamedTuple):
    """The two steps of a case, and the rules that derive what they add.

    `last` are the names of all rules that derive a triple or a contradiction of its own accord, `used` those of the
    rules in the proofs.
    """

    loaded: Step
    edited: Step
    last: frozenset[str]
    used: frozenset[str]


@cache
def observe(case: Case, schema: SchemaMode, same_as: SameAsMode = "aliases") -> Seen:
    """Load the input of a case, explain what follows, then edit it."""
    with KnowledgeGraph.open(rules=[_rules(case)], schema=schema, same_as=same_as) as graph:
        deltas: list[Delta] = []
        graph.subscribe(deltas.append)
        graph.load(case.input)
        [delta] = deltas
        loaded, proofs = _step(delta, graph), _proofs(delta, graph)
        loaded = loaded._replace(added=_triples(delta.appeared(asserted=False)))
        assert len(delta.quads(added=True)) == len(case.given)
        before = _dumped(graph)
        delta = graph.update(case.edit).delta
        edited, proofs = _step(delta, graph), proofs + _proofs(delta, graph)
        assert _dumped(graph) == (before - edited.removed) | edited.added
        assert _triples(delta.turned(asserted=False)) == _triples(delta.quads(added=False)) - edited.removed
        assert _triples(delta.turned(asserted=True)) == _triples(delta.quads(added=True)) - edited.added
    used = {rule.name for proof in proofs for step in proof.steps() if (rule := step.rule)}
    last = {proof.rule.name for proof in proofs if proof.rule}
    return Seen(loaded, edited, frozenset(last), frozenset(used))


def _rules(case: Case) -> str:
    """The rule set, with the group that the rule of the case needs besides."""
    # users see what dt-eq and eq-rep-o say together only with this group
    group = "eq-spellings" if case.rule == "dt-eq" else switch(case.ruleset, case.rule)
    return f"{case.ruleset}+{group}" if group else case.ruleset


def _step(delta: Delta, graph: KnowledgeGraph) -> Step:
    return Step(_triples(delta.disappeared()), _triples(delta.appeared()), contradictions(graph))


def _proofs(delta: Delta, graph: KnowledgeGraph) -> list[Proof]:
    """Every derivation of what appeared, but those that say no more than that a triple follows from itself."""
    triples = delta.appeared(asserted=False)
    derived = (proof for triple in triples for proof in graph.explain_all(triple) if not proof.uses(proof.fact))
    proofs = graph.prove_contradictions()
    assert {each.rule for each in graph.contradictions()} == {proof.rule.name for proof in proofs if proof.rule}
    return [*derived, *proofs]


def contradictions(graph: KnowledgeGraph) -> frozenset[Wrong]:
    """What is wrong in a graph: each use of a rule that derives `false`, by the asserted data that it rests on."""
    materializer = graph._committer().materializer
    facts = EngineFacts(materializer)
    uses: list[Derivation] = []
    for told, row in mistakes(materializer.save(), materializer.dictionary, materializer.false_rules):
        if row is None:
            uses.append(Derivation(owl_rl_rule(told.rule), told.facts))
        else:
            uses += facts.derivations(atom_of(materializer, row[row > 0], is_triple=False))
    shown = facts_of(materializer)
    return frozenset(Wrong(owner(use.rule.name), _triples(_grounds(use, shown))) for use in uses)


def _grounds(use: Derivation, facts: Facts) -> Iterator[tuple[str, ...]]:
    """The asserted triples that the body of a rule rests on, schema aside; lists are schema."""
    for atom in use.body:
        if not (atom.relation or "").startswith("list_"):
            leaves = (step.fact for step in prove(atom, facts).steps() if step.is_asserted and not step.fact.relation)
            triples = [(str(s), str(p), str(o)) for s, p, o in (leaf.terms for leaf in leaves)]
            yield from (triple for triple in triples if not is_schema(triple))


def _triples(rows: Iterable[tuple[str, ...]]) -> Triples:
    """Triples, or quads of the default graph, as they are written in files."""
    return frozenset(_triple(row) for row in rows)


def _triple(row: tuple[str, ...]) -> Triple:
    s, p, o = map(as_written, row[:3])
    return s, p, o


def _dumped(graph: KnowledgeGraph) -> Triples:
    rows = (line.removesuffix(" .").split(" ", 2) for line in lines(graph.dump()))
    return _triples(map(tuple, rows))
