"""`compare`: what only one of two versions of an ontology states and entails, and the axioms responsible for that.

    old + data -> graph A        new + data -> graph B        gained: B has it, A lacks it; lost: the reverse

Each entailed triple that only one graph has is proved in this graph. An axiom of the proof is *responsible* for the
triple if the other version lacks the axiom. There is at least one such axiom: with all axioms of the proof, the other
graph would have the triple too. A proof may have no such axiom in two cases: a rule of the proof says NOT, or the proof
uses that two literals are equal, and only one version uses one of these literals.

Asserted triples that only one version has are edits, not consequences. Entailed triples with blank nodes are counted
and not listed. That a class or a property is below itself is not counted. Classes that nothing can be in are found as
`kgreason check` finds them, and each has the axioms that are responsible.

Cost: two closures, and one proof for each entailed triple that only one graph has. A proof takes a millisecond or less.
The search for classes that nothing can be in takes a few commits in each graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias

from kgreason.entailment.versions.labels import with_stable_labels
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.labels import LABELS, best_labels, literal
from kgreason.graph.opening.options import Documents
from kgreason.ontology.manchester import Manchester, about_of, describing_triples
from kgreason.progress import SILENT, Progress
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.notation import NO_PREFIXES, term_text
from kgreason.proofs.proof import Proof
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

File: TypeAlias = str | PathLike[str]
Axioms: TypeAlias = tuple[Triple, ...]
_REFLEXIVE = frozenset({v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.RDFS_SUB_PROPERTY_OF, v.OWL_EQUIVALENT_PROPERTY})
RULES = ("owl2rl", "owl2el")
"""The default: an edit of an ontology has consequences that only the rules of OWL 2 EL see."""


@dataclass(frozen=True, slots=True)
class Group:
    """Entailed triples that only one version has, and the axioms of this version that are responsible for them.

    `axioms` and `parts` are the asserted triples that the proofs of `triples` use and that the other version lacks.
    Those with a blank node as subject are `parts`: the triples of restrictions and lists. If all have a blank node as
    subject, all are `axioms`. `triples` are the entailed triples.
    """

    axioms: Axioms
    parts: Axioms
    triples: Axioms

    def to_json(self) -> dict[str, Any]:
        """Return the group as a dict for `json.dumps`. Terms are N-Triples text."""
        return {"axioms": self.axioms, "parts": self.parts, "triples": self.triples}


@dataclass(frozen=True, slots=True)
class Side:
    """The triples and contradictions that one version has and the other version lacks.

    - `asserted`: triples without blank nodes that only this version asserts.
    - `stated`: all triples that only this version asserts; `described` says what the blank nodes in them stand for.
    - `groups`: triples that only this version entails, grouped by the axioms responsible; the largest groups first.
    - `unsatisfiable`: the classes that nothing can be in, only in this version. Each is a group with one triple: the
      class is below owl:Nothing.
    - `contradictions`: the contradictions that only this version has.
    - `blank`: the number of triples with blank nodes that only this version entails.
    - `untold`: the number of entailed triples that are left out, because the limit was reached.
    """

    asserted: Axioms
    stated: Axioms
    described: Axioms
    groups: tuple[Group, ...]
    unsatisfiable: tuple[Group, ...]
    contradictions: tuple[Contradiction, ...]
    blank: int
    untold: int

    @property
    def entailed(self) -> int:
        """The number of triples without blank nodes that this version entails and the other version does not."""
        return sum(len(group.triples) for group in self.groups) + self.untold

    def axioms(self, names: Mapping[str, str]) -> list[str]:
        """Return what only this version asserts as axioms in Manchester syntax, in the order of their texts.

        `names` are prefixes, or `terms.names.Names`.
        """
        return sorted(self.manchester(names).axioms(self.stated))

    def manchester(self, names: Mapping[str, str]) -> Manchester:
        """Return the writer of axioms of this side."""
        return Manchester(about_of((*self.stated, *self.described)), lambda term: term_text(term, names))

    def to_json(self) -> dict[str, Any]:
        """Return the side as a dict for `json.dumps`. `axioms` has the asserted triples in Manchester syntax."""
        return {
            "axioms": self.axioms(NO_PREFIXES),
            "asserted": self.asserted,
            "entailed": self.entailed,
            "groups": [group.to_json() for group in self.groups],
            "unsatisfiable": [group.to_json() for group in self.unsatisfiable],
            "contradictions": [str(each) for each in self.contradictions],
            "blank": self.blank,
            "untold": self.untold,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two versions: `gained` is only in the new version, `lost` only in the old one.

    `prefixes` are those that the files declare, the new file's first. `labels` has the labels of terms that `compare`
    was asked for.
    """

    gained: Side
    lost: Side
    prefixes: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the versions differ, in triples or in contradictions."""
        return any(
            side.stated or side.groups or side.unsatisfiable or side.contradictions or side.blank or side.untold
            for side in (self.gained, self.lost)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a dict for `json.dumps`."""
        return {"gained": self.gained.to_json(), "lost": self.lost.to_json()}


def compare(
    old: File,
    new: File,
    *,
    data: Iterable[File] = (),
    rules: Sequence[File] = RULES,
    catalogue: Documents | None = None,
    limit: int = 10_000,
    classes: bool = True,
    language: str | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Compare two versions of an ontology, each together with the same data files.

    `rules` and `catalogue` are as for `KnowledgeGraph.open`. At most `limit` entailed triples of each side are proved
    and returned. `classes` says whether to look for classes that nothing can be in. With `language`, a language tag or
    "", the comparison has `labels`.
    Raises InputError, RdfSyntaxError, RuleError.
    """
    data = tuple(data)
    read = [_lines(each) for each in (old, new)]
    texts = with_stable_labels([lines for lines, _ in read])
    prefixes = {**read[0][1], **read[1][1]}
    graphs = [KnowledgeGraph.open(rules=rules, catalogue=catalogue) for _ in texts]
    try:
        for graph, text in zip(graphs, texts, strict=True):
            with graph.transaction() as tx:
                tx.load(*data, progress=progress) if data else tx
                tx.add_lines(text)
        before, after = (_Version(graph, classes=classes) for graph in graphs)
        sides = _side(after, before, limit), _side(before, after, limit)
        labels = {} if language is None else before.labels(language) | after.labels(language)
        return Comparison(*sides, prefixes, labels)
    finally:
        for graph in graphs:
            graph.close()


def _lines(file: File) -> tuple[bytes, dict[str, str]]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(file)
        return b"".join(graph.dump(asserted=True, graphs=True)), graph.prefixes


class _Version:
    """A version: its asserted and inferred triples, its contradictions, and the facts in which proofs are searched."""

    def __init__(self, graph: KnowledgeGraph, *, classes: bool) -> None:
        empty = graph.unsatisfiable_classes() if classes else []
        self.unsatisfiable = {each.name: each.proof for each in empty}
        self._prove = graph.prover()
        self.asserted = triples_of(graph, asserted=True)
        self.inferred = triples_of(graph, asserted=False)
        self.contradictions = {str(each): each for each in graph.contradictions()}
        self._used: dict[Triple, frozenset[Triple]] = {}

    def axioms_used(self, triple: Triple) -> frozenset[Triple]:
        """Return the asserted triples that the proof of `triple` uses."""
        if triple not in self._used:
            self._used[triple] = frozenset([triple]) if triple in self.asserted else self._axioms_of(triple)
        return self._used[triple]

    def axioms_of_proof(self, proof: Proof, triple: Triple | None = None) -> frozenset[Triple]:
        """Return the asserted triples that a proof uses. If one of these axioms is `triple`, it is left out."""
        known = (each for each in _leaves(proof, triple) if each in self.asserted or each in self.inferred)
        return frozenset().union(*map(self.axioms_used, known))

    def _axioms_of(self, triple: Triple) -> frozenset[Triple]:
        self._used[triple] = frozenset()  # a source of the proof may be what is proved
        return self.axioms_of_proof(self._prove(triple), triple)

    def labels(self, language: str) -> dict[str, str]:
        """Return the labels of all terms that have one, preferring those in a language."""
        rows = ((subject, object_) for subject, verb, object_ in self.asserted if verb in LABELS)
        return best_labels(((subject, literal(text)) for subject, text in rows if text.startswith('"')), language)


def _leaves(proof: Proof, triple: Triple | None) -> Iterable[Triple]:
    """Yield the asserted triples in a proof of `triple`, and the axioms from which the proof's rules were translated.

    If one of these axioms is `triple` itself, it is left out.
    """
    for step in proof.steps():
        if step.rule is None:
            terms = step.fact.terms
            if step.fact.relation is None and len(terms) == 3:
                yield str(terms[0]), str(terms[1]), str(terms[2])
        else:
            for source in step.rule.sources:
                if source != triple:
                    yield source


def triples_of(graph: KnowledgeGraph, *, asserted: bool) -> set[Triple]:
    """Return the asserted triples of a graph (`asserted`), or its inferred triples, as texts."""
    found = set()
    for chunk in graph.dump(asserted=asserted):
        for line in filter(None, chunk.decode().split("\n")):  # a literal may have other line breaks
            subject, predicate, object_ = line.removesuffix(" .").split(" ", 2)
            found.add((subject, predicate, object_))
    return found


def _side(here: _Version, there: _Version, limit: int) -> Side:
    """Return what the version `here` has and the version `there` lacks. At most `limit` entailed triples are proved."""
    asserted = here.asserted - there.asserted
    only = {
        triple
        for triple in here.inferred
        if not (triple in there.inferred or triple in there.asserted or _is_tautology(triple))
    }
    told = sorted(triple for triple in only if not _is_blank(triple))
    groups: dict[tuple[Axioms, Axioms], list[Triple]] = {}
    for triple in told[:limit]:
        groups.setdefault(_responsible_axioms(here.axioms_used(triple) & asserted), []).append(triple)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    contradictions = tuple(each for line, each in here.contradictions.items() if line not in there.contradictions)
    empty = (
        Group(
            *_responsible_axioms(here.axioms_of_proof(proof) & asserted), ((name, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING),)
        )
        for name, proof in here.unsatisfiable.items()
        if name not in there.unsatisfiable
    )
    mentioned = [*asserted, *(axiom for each in contradictions for axiom in each.axioms)]
    nodes = (term for triple in mentioned for term in triple)
    return Side(
        tuple(sorted(triple for triple in asserted if not _is_blank(triple))),
        tuple(sorted(asserted)),
        tuple(describing_triples(nodes, about_of(here.asserted), len(here.asserted))),
        tuple(Group(axioms, parts, tuple(triples)) for (axioms, parts), triples in ordered),
        tuple(empty),
        contradictions,
        len(only) - len(told),
        max(0, len(told) - limit),
    )


def _responsible_axioms(axioms: Iterable[Triple]) -> tuple[Axioms, Axioms]:
    """Return the `axioms` and `parts` of a group."""
    ordered = sorted(axioms)
    roots = _roots(ordered)
    return roots, tuple(each for each in ordered if each not in roots)


def _roots(axioms: Iterable[Triple]) -> Axioms:
    """Return those of `axioms` that have an IRI as subject, or all if there are none."""
    axioms = tuple(axioms)
    return tuple(each for each in axioms if not each[0].startswith("_:")) or axioms


def _is_tautology(triple: Triple) -> bool:
    """Whether a triple says that a class or a property is below itself or equal to itself, or below owl:Thing."""
    if triple[1] == v.RDFS_SUB_CLASS_OF and triple[2] == v.OWL_THING:
        return True
    return triple[0] == triple[2] and triple[1] in _REFLEXIVE


def _is_blank(triple: Triple) -> bool:
    return triple[0].startswith("_:") or triple[2].startswith("_:")
