"""`repairs`: the asserted axioms whose removal, one at a time, ends a contradiction or makes a class satisfiable.

    proof -> its asserted axioms and facts -> each is removed in a what-if -> those that help, and what each would cost

A derived axiom from which a rule was translated is proved, so that its own axioms are tried as well. An axiom is
removed with its annotations (owl:Axiom), because an annotated axiom holds even without its own triple. The parts of an
expression in a removed axiom stay: nothing uses them.

Laws: after the removal of a repair's triples the contradiction is gone, or the class is satisfiable as far as the rules
can tell. If an axiom is no repair, there is another proof without this axiom. Nothing changes. Cost: one what-if for
each axiom of the proof, or two for a class; at most `_MOST` axioms are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from uuid import uuid4

from pyoxigraph import BlankNode, NamedNode, Quad

from kgreason.ontology.manchester import Manchester, about_of, is_blank, is_part
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.notation import term_text
from kgreason.proofs.proof import Proof, Unsatisfiable
from kgreason.proofs.words.folding import source_triples
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.knowledge_graph import KnowledgeGraph

Graph: TypeAlias = "KnowledgeGraph | RemoteGraph"
_MOST = 50
"""At most so many axioms are tried."""
_DECLARED = frozenset(
    {
        *(v.OWL_CLASS, v.RDFS_CLASS, v.RDFS_DATATYPE, v.OWL_ONTOLOGY, v.OWL_NAMED_INDIVIDUAL),
        *(v.OWL_OBJECT_PROPERTY, v.OWL_DATATYPE_PROPERTY, v.OWL_ANNOTATION_PROPERTY),
    }
)
"""The types that a declaration gives: without its declaration an axiom is only not understood."""
OF_ANNOTATIONS = (v.OWL_ANNOTATED_SOURCE, v.OWL_ANNOTATED_PROPERTY, v.OWL_ANNOTATED_TARGET)
"""The predicates by which a node (owl:Axiom) says which axiom it annotates, in the order of the triple."""


class Repair(NamedTuple):
    """An axiom or fact whose removal is enough.

    - `axiom`: the asserted triple.
    - `triples`: what to remove: the triple, and the annotations of the axiom, as N-Triples text.
    - `lost`: how many inferred triples would go, not counting those with blank nodes.
    - `described`: triples that say what the blank nodes in the axiom stand for.
    """

    axiom: Triple
    triples: tuple[Triple, ...]
    lost: int
    described: tuple[Triple, ...]

    def to_text(self, names: Mapping[str, str]) -> str:
        """Return the axiom in Manchester syntax, and its annotations. `names` are prefixes, or `terms.names.Names`."""
        told = (f"{term_text(verb, names)} {term_text(value, names)}" for verb, value in notes(self.triples))
        return ", ".join([self._axiom(names), *(f"annotated with {each}" for each in told)])

    def _axiom(self, names: Mapping[str, str]) -> str:
        (text,) = Manchester(about_of(self.described), lambda term: term_text(term, names)).axioms([self.axiom])
        return text

    def to_json(self) -> dict[str, Any]:
        """Return the repair for `json.dumps`."""
        return {"axiom": self._axiom({}), "remove": [list(each) for each in self.triples], "lost": self.lost}


def repairs(graph: Graph, problem: Contradiction | Unsatisfiable, proof: Proof) -> list[Repair]:
    """Return the axioms whose removal solves a problem, one at a time. Those that cost the fewest triples come first.

    `proof` is a proof of the problem.

    >>> from kgreason import KnowledgeGraph
    >>> with KnowledgeGraph.open(rules=["owl2el"]) as graph:
    ...     _ = graph.add('''@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Fish owl:disjointWith :Limb .
    ...         :Fin rdfs:subClassOf :Fish , :Limb .''')
    ...     (fin,) = graph.unsatisfiable_classes()
    ...     [repair.to_text({"": "http://e/"}) for repair in repairs(graph, fin, fin.proof)]
    [':Fin SubClassOf :Fish', ':Fin SubClassOf :Limb', ':Fish DisjointWith :Limb']
    """
    return _Search(graph, problem).repairs(proof)


def may_repair(triple: Triple) -> bool:
    """Whether a triple is an axiom or a fact of its own: no part of an expression, and no declaration."""
    return not is_part(triple) and triple[2] not in _DECLARED


def annotated_axiom(told: Iterable[Triple]) -> Triple | None:
    """Return the axiom that a node annotates, from the triples of the node; None if they do not say exactly one."""
    said = [(predicate, object_) for _, predicate, object_ in told if predicate in OF_ANNOTATIONS]
    terms = dict(said)
    if len(said) != len(terms) or len(terms) != len(OF_ANNOTATIONS):
        return None
    source, property_, target = (terms[predicate] for predicate in OF_ANNOTATIONS)
    return source, property_, target


def notes(triples: Iterable[Triple]) -> list[tuple[str, str]]:
    """Return the property and the value of each annotation that the annotating nodes (owl:Axiom) in `triples` have."""
    triples = list(triples)
    nodes = {subject for subject, predicate, _ in triples if predicate == v.OWL_ANNOTATED_SOURCE}
    found = (each for each in triples if each[0] in nodes and each[1] not in OF_ANNOTATIONS)
    return [(predicate, value) for _, predicate, value in found if (predicate, value) != (v.RDF_TYPE, v.OWL_AXIOM)]


class _Search:
    def __init__(self, graph: Graph, problem: Contradiction | Unsatisfiable) -> None:
        self._graph, self._problem = graph, problem
        self._described: dict[Triple, None] = {}

    def repairs(self, proof: Proof) -> list[Repair]:
        found = []
        for axiom, quads in self._candidates(proof):
            if (delta := self._delta_if_solved(quads)) is not None:
                lost = sum(not any(map(is_blank, triple)) for triple in delta.disappeared(asserted=False))
                found.append(Repair(axiom, tuple(map(_texts, quads)), lost, tuple(self._described)))
        return sorted(found, key=lambda each: (each.lost, each.axiom))

    def _candidates(self, proof: Proof) -> Iterator[tuple[Triple, list[Quad]]]:
        """Yield the asserted axioms and facts of a proof, each with the quads to remove."""
        waiting, seen = [proof], set[Triple]()
        while waiting:
            each = waiting.pop(0)
            self._described.update(dict.fromkeys(source_triples(each)))
            for triple in _leaves(each):
                axiom = self._annotated_axiom(triple) if triple[1] in OF_ANNOTATIONS else triple
                if axiom is None or axiom in seen or not may_repair(axiom):
                    continue
                seen.add(axiom)
                asserted = self._matching_quads(*axiom)
                quads = [*asserted, *self._annotations(axiom)]
                if quads and len(seen) <= _MOST:
                    yield axiom, quads
                elif not quads and axiom in self._graph:
                    waiting.append(self._graph.explain(axiom))

    def _matching_quads(self, *terms: str | None) -> list[Quad]:
        pattern = (BlankNode(term[2:]) if term and is_blank(term) else term for term in terms)
        return list(self._graph.match(*pattern, asserted=True))

    def _annotated_axiom(self, part: Triple) -> Triple | None:
        return annotated_axiom({_texts(quad) for quad in self._matching_quads(part[0], None, None)})

    def _annotations(self, axiom: Triple) -> list[Quad]:
        said = list(zip(OF_ANNOTATIONS, axiom, strict=True))
        source, _, target = said  # a property such as rdfs:subClassOf has far more nodes
        nodes = [{str(quad.subject) for quad in self._matching_quads(None, *each)} for each in (source, target)]
        about = [self._matching_quads(node, None, None) for node in sorted(set.intersection(*nodes))]
        return [each for quads in about if {_texts(quad)[1:] for quad in quads} >= {*said} for each in quads]

    def _delta_if_solved(self, quads: Iterable[Quad]) -> Delta | None:
        """Return the delta of a removal if it solves the problem, else None."""
        with self._graph.what_if() as tx:
            tx.remove(*quads)
        delta, problem = tx.delta, self._problem
        if isinstance(problem, Contradiction):
            return delta if str(problem) in map(str, delta.ended) else None
        below = (problem.name, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING)
        if below in self._graph and below not in delta.disappeared():
            return None
        with self._graph.what_if() as tx:
            tx.remove(*quads)
            tx.add(Quad(NamedNode(f"urn:uuid:{uuid4()}"), NamedNode(v.RDF_TYPE[1:-1]), NamedNode(problem.name[1:-1])))
        return None if tx.delta.contradictions else delta


def _leaves(proof: Proof) -> Iterator[Triple]:
    for step in proof.steps():
        if step.rule is not None:
            yield from step.rule.sources
        elif step.fact.relation is None and len(step.fact.terms) == 3:
            subject, predicate, object_ = map(str, step.fact.terms)
            yield subject, predicate, object_


def _texts(quad: Quad) -> Triple:
    return str(quad.subject), str(quad.predicate), str(quad.object)
