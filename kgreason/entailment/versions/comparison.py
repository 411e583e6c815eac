"""`compare`: the triples that only one of two versions of an ontology entails, and the axioms responsible for them.

    old + data -> graph A        new + data -> graph B        gained: B has it, A lacks it; lost: the reverse

Each entailed triple that only one graph has is proved in this graph. An axiom of the proof is *responsible* for the
triple if the other version lacks the axiom. There is at least one such axiom: with all axioms of the proof, the other
graph would have the triple too. A proof may have no such axiom in two cases: a rule of the proof says NOT, or the proof
uses that two literals are equal, and only one version uses one of these literals. An axiom with a blank node (a
restriction, a list) is shown by its triples.

Asserted triples that only one version has are edits, not consequences: they are `added` and `removed`. Triples with
blank nodes are counted and not listed.

Cost: two closures, and one proof for each entailed triple that only one graph has. A proof takes a millisecond or less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from kgreason.entailment.versions.labels import relabelled
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.opening.options import DEFAULT_RULES, Documents
from kgreason.progress import SILENT, Progress
from kgreason.proofs.proof import Proof
from kgreason.rules.model import Triple

File: TypeAlias = str | PathLike[str]
Axioms: TypeAlias = tuple[Triple, ...]


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
    - `groups`: triples that only this version entails, grouped by the axioms responsible; the largest groups first.
    - `contradictions`: the contradictions that only this version has, each as a line of text.
    - `blank`: the number of triples with blank nodes that only this version has, asserted or entailed.
    - `untold`: the number of entailed triples that are left out, because the limit was reached.
    """

    asserted: Axioms
    groups: tuple[Group, ...]
    contradictions: tuple[str, ...]
    blank: int
    untold: int

    @property
    def entailed(self) -> int:
        """The number of triples without blank nodes that this version entails and the other version does not."""
        return sum(len(group.triples) for group in self.groups) + self.untold

    def to_json(self) -> dict[str, Any]:
        """Return the side as a dict for `json.dumps`."""
        return {
            "asserted": self.asserted,
            "entailed": self.entailed,
            "groups": [group.to_json() for group in self.groups],
            "contradictions": self.contradictions,
            "blank": self.blank,
            "untold": self.untold,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two versions: `gained` is only in the new version, `lost` only in the old one."""

    gained: Side
    lost: Side

    def __bool__(self) -> bool:
        """Whether the versions differ, in triples or in contradictions."""
        return any(
            side.asserted or side.groups or side.contradictions or side.blank or side.untold
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
    rules: Sequence[File] = DEFAULT_RULES,
    catalogue: Documents | None = None,
    limit: int = 10_000,
    progress: Progress = SILENT,
) -> Comparison:
    """Compare two versions of an ontology, each together with the same data files.

    `rules` and `catalogue` are as for `KnowledgeGraph.open`. At most `limit` entailed triples of each side are proved
    and returned.
    Raises InputError, RdfSyntaxError, RuleError.
    """
    data = tuple(data)
    texts = relabelled([_lines(each) for each in (old, new)])
    graphs = [KnowledgeGraph.open(rules=rules, catalogue=catalogue) for _ in texts]
    try:
        for graph, text in zip(graphs, texts, strict=True):
            with graph.transaction() as tx:
                tx.load(*data, progress=progress) if data else tx
                tx.add_lines(text)
        before, after = map(_State, graphs)
        return Comparison(_side(after, before, limit), _side(before, after, limit))
    finally:
        for graph in graphs:
            graph.close()


def _lines(file: File) -> bytes:
    """Read a file and return its quads as lines of N-Quads."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(file)
        return b"".join(graph.dump(asserted=True, graphs=True))


class _State:
    """A version: its asserted and inferred triples, its contradictions, and the facts in which proofs are searched."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._prove = graph.prover()
        self.asserted = _triples(graph, asserted=True)
        self.inferred = _triples(graph, asserted=False)
        self.contradictions = dict.fromkeys(map(str, graph.contradictions()))
        self._used: dict[Triple, frozenset[Triple]] = {}

    def used(self, triple: Triple) -> frozenset[Triple]:
        """Return the asserted triples that the proof of `triple` uses."""
        if triple not in self._used:
            self._used[triple] = frozenset([triple]) if triple in self.asserted else self._proved(triple)
        return self._used[triple]

    def _proved(self, triple: Triple) -> frozenset[Triple]:
        self._used[triple] = frozenset()  # a source of the proof may be what is proved
        proof = self._prove(triple)
        return frozenset().union(*(self.used(each) for each in _leaves(proof, triple)))


def _leaves(proof: Proof, triple: Triple) -> Iterable[Triple]:
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


def _triples(graph: KnowledgeGraph, *, asserted: bool) -> set[Triple]:
    """Return the asserted triples of a graph (`asserted`), or its inferred triples, as texts."""
    found = set()
    for chunk in graph.dump(asserted=asserted):
        for line in chunk.decode().splitlines():
            subject, predicate, object_ = line.removesuffix(" .").split(" ", 2)
            found.add((subject, predicate, object_))
    return found


def _side(here: _State, there: _State, limit: int) -> Side:
    """Return what the version `here` has and the version `there` lacks. At most `limit` entailed triples are proved."""
    asserted = here.asserted - there.asserted
    only = {triple for triple in here.inferred if triple not in there.inferred and triple not in there.asserted}
    told = sorted(triple for triple in only if not _is_blank(triple))
    blank = sum(map(_is_blank, asserted)) + len(only) - len(told)
    groups: dict[tuple[Axioms, Axioms], list[Triple]] = {}
    for triple in told[:limit]:
        responsible = sorted(here.used(triple) & asserted)
        roots = _roots(responsible)
        parts = tuple(each for each in responsible if each not in roots)
        groups.setdefault((roots, parts), []).append(triple)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return Side(
        tuple(sorted(triple for triple in asserted if not _is_blank(triple))),
        tuple(Group(axioms, parts, tuple(triples)) for (axioms, parts), triples in ordered),
        tuple(line for line in here.contradictions if line not in there.contradictions),
        blank,
        max(0, len(told) - limit),
    )


def _roots(axioms: Iterable[Triple]) -> Axioms:
    """Return those of `axioms` that have an IRI as subject, or all if there are none."""
    axioms = tuple(axioms)
    return tuple(each for each in axioms if not each[0].startswith("_:")) or axioms


def _is_blank(triple: Triple) -> bool:
    return triple[0].startswith("_:") or triple[2].startswith("_:")
