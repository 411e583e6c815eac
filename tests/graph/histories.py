"""Random histories of a graph, and what the graph has to show after each commit, from scratch.

A history draws its quads from one ontology with data, spread over graphs: every commit retracts some and asserts some,
takes rules of the user away and adds others. Axioms come apart triple by triple, lists and restrictions too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.graph.transaction import Transaction
from kgreason.materialize.edit import Edit as Wanted
from kgreason.options import SchemaMode
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from tests.oracle import datalog, owl2rl
from tests.oracle.graph import Triple
from tests.oracle.tables import table8
from tests.oracle.vocabulary import OWL, RDFS, SAME_AS
from tests.strategies.axioms import KINDS
from tests.strategies.ontologies import Quad, datasets, union

from .named import LOUD, is_plain
from .states import in_default, new_materializer, rows_of, triples_of
from .views import Lines

PREFIXES = f"@prefix : <http://example.org/> . @prefix rdfs: <{RDFS}> . @prefix owl: <{OWL}> .\n"
DATATYPES = frozenset(["datatypeRange", "datatypeFiller"])
RULES = {
    "converse": "@rule converse [?y, :q, ?x] :- [?x, :p, ?y] .",
    "reach": """@group paths . @rule near reach(?x, ?y) :- [?x, :p, ?y] .
        @rule far reach(?x, ?z) :- reach(?x, ?y), [?y, :p, ?z] .
        @rule "reached at last" [?x, :q, ?y] :- reach(?x, ?y) .""",
    "loop": "@rule loop [?x, a, :C] :- [?x, :p, ?x] .",
    "hub": "@rule hub hub(:i) . @rule spoke [?x, :p, :j] :- hub(?x) .",
    "axiom": "@rule axiom [:A, rdfs:subClassOf, :B] :- [?x, a, :C] .",
    "same": "@rule same [?x, owl:sameAs, ?y] :- [?x, :q, ?y], [?y, :q, ?x] .",
}
"""Rules of the user, under the names of what is added and removed together."""


class Edit(NamedTuple):
    """What a commit asks for; of a quad that is in both, or a rule, the addition wins."""

    removed: tuple[Quad, ...] = ()
    added: tuple[Quad, ...] = ()
    rules_removed: tuple[str, ...] = ()
    rules_added: tuple[str, ...] = ()

    def tell(self, tx: Transaction) -> None:
        """Ask a transaction for it."""
        tx.remove(*map(row, self.removed)).add(*map(row, self.added))
        for name in self.rules_removed:
            tx.remove_rules(PREFIXES + RULES[name])
        for name in self.rules_added:
            tx.add_rules(PREFIXES + RULES[name])


class Model(NamedTuple):
    """What is asserted, and which rules of the user are in force."""

    quads: frozenset[Quad] = frozenset()
    rules: frozenset[str] = frozenset()
    schema: SchemaMode = "axioms"

    def after(self, edit: Edit) -> Model:
        return Model(
            (self.quads - set(edit.removed)) | set(edit.added),
            (self.rules - set(edit.rules_removed)) | set(edit.rules_added),
            self.schema,
        )

    @property
    def asserted(self) -> set[Triple]:
        """The asserted triples of all graphs."""
        return union(self.quads)

    def closure(self) -> frozenset[Triple]:
        """All that follows, generalised triples too."""
        return _closure(frozenset(self.asserted), self.rules, self.schema)

    def visible(self) -> set[Triple]:
        """The RDF triples that follow, each value in one spelling."""
        found = ((s, p, o) for s, p, o in self.closure() if not s.startswith('"') and p.startswith("<"))
        return table8.visible(found, self.asserted)

    def lines(self) -> Lines:
        """What follows, and the quads of named graphs."""
        return lines_of([*self.visible(), *(quad for quad in self.quads if quad[3])])


@cache
def _closure(asserted: frozenset[Triple], names: frozenset[str], schema: SchemaMode) -> frozenset[Triple]:
    """The closure by the tables; where scm-reflexive has a say in it, that of a new graph.

    What a new graph says of restrictions that say the same is judged by `test_twins` and `test_closure`.
    """
    quiet, loud = _by_the_tables(asserted, names), _by_the_tables(asserted, names, LOUD)
    if quiet == loud:
        return quiet
    materializer = new_materializer(schema=schema)
    own = tuple(rule for name in names for rule in parsed(name))
    materializer.change(Wanted(added=rows_of(materializer, in_default(asserted)), own=own))
    return (
        quiet
        if is_plain(asserted, quiet, loud) and not any(materializer.flags)
        else frozenset(triples_of(materializer))
    )


def _by_the_tables(
    asserted: frozenset[Triple], names: frozenset[str], noise: Collection[str] = ()
) -> frozenset[Triple]:
    rules = [rule for name in names for rule in parsed(name)]
    closure = set(asserted)
    while True:
        closure = owl2rl.close(closure, noise=noise)[0]
        found = datalog.close(((None, triple) for triple in closure), rules)
        derived = {(s, p, o) for (relation, terms) in found if relation is None for s, p, o in [terms]}
        derived = {(s, p, o) for s, p, o in derived if (p, s) != (SAME_AS, o)}
        if derived <= closure:
            return frozenset(closure)
        closure |= derived


@cache
def parsed(name: str) -> tuple[Rule, ...]:
    return parse(PREFIXES + RULES[name]).rules


def row(quad: Quad) -> tuple[str, ...]:
    """A quad as a transaction takes it."""
    return tuple(term for term in quad if term)


def lines_of(rows: Iterable[tuple[str | None, ...]]) -> Lines:
    return frozenset(" ".join([*filter(None, each), "."]) for each in rows)


@st.composite
def histories(draw: DrawFn, kinds: Collection[str] = KINDS - DATATYPES, steps: int = 4) -> list[Edit]:
    """A first commit of most quads, then some that take a few away and bring a few back.

    Edits of datatypes have histories of their own (`test_literals`).
    """
    pool = draw(datasets(kinds, max_axioms=6).filter(bool))
    quads = st.lists(st.sampled_from(pool), max_size=6, unique=True).map(tuple)
    names = st.lists(st.sampled_from(sorted(RULES)), max_size=1).map(tuple)
    missing = draw(quads)
    model, edits = Model(), [Edit(added=tuple(quad for quad in pool if quad not in missing), rules_added=draw(names))]
    for _ in range(draw(st.integers(1, steps))):
        model = model.after(edits[-1])
        gone = draw(st.lists(st.sampled_from(sorted(model.rules)), max_size=1)) if model.rules else []
        edits.append(Edit(draw(quads), draw(quads), tuple(gone), draw(names)))
    return edits
