"""Equal terms by representatives: the graph is that of the plain rules, and a clique costs what its rows cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.errors import RuleError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.same_as.cliques import components
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.options import SameAsMode, SchemaMode
from kgreason.proofs.contradictions import contradictions
from kgreason.rules.parser import parse
from kgreason.terms import vocabulary as v
from kgreason.zset.columns import IS_ASSERTED
from tests.graph.states import in_default, in_the_tables, rows_of, triples_of
from tests.oracle.graph import Triple
from tests.oracle.notation import term, triples
from tests.volume import many

TERMS = [*"abcdef", "A", "B", "p", "q"]
AXIOMS = triples("""
    p rdfs:subPropertyOf q . A rdfs:subClassOf B . p rdf:type owl:InverseFunctionalProperty .
    q rdf:type owl:FunctionalProperty . A owl:sameAs C . q owl:sameAs r . p owl:inverseOf r .
    q rdfs:domain B . p rdf:type owl:SymmetricProperty . a owl:differentFrom b .
    owl:sameAs rdfs:subPropertyOf like . q rdfs:range xsd:boolean .
    n owl:sourceIndividual a . n owl:assertionProperty p . n owl:targetIndividual b .
""")
LITERALS = [f'"{text}"^^<{v.XSD}integer>' for text in ("1", "01", "x")]
RULES = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @rule constant [?x, a, :A] :- [?x, :p, :b] .
    @rule linked [?x, :near, ?y] :- [?x, owl:sameAs, ?y] .
    @rule path way(?x, ?y) :- [?x, :q, ?y] .
    @rule back [?y, :p, ?x] :- way(?x, ?y), [?y, a, :B] .
    @rule nary way(:c, :d) .
    @rule denied false :- [?x, :p, :c] .
    @rule empty false :- [?x, a, :C] .
    @rule one false :- [?x, :q, 1] .
"""
OWN = parse(RULES).rules
names = st.sampled_from([term(name) for name in TERMS])
individuals = st.sampled_from([term(name) for name in TERMS[:6]])
links = st.tuples(individuals, st.just(term("owl:sameAs")), individuals)
facts = st.one_of(
    links,
    links,
    st.tuples(names, st.just(term("owl:sameAs")), names),
    st.tuples(individuals, st.sampled_from([term("p"), term("q")]), individuals),
    st.tuples(individuals, st.just(term("rdf:type")), st.sampled_from([term("A"), term("B")])),
    st.tuples(individuals, st.sampled_from([term("q"), term("owl:sameAs")]), st.sampled_from(LITERALS)),
    st.sampled_from(sorted(AXIOMS)),
)


class Step(NamedTuple):
    """A commit: facts that go, facts that come, and whether the user's rules are in force from now on."""

    removed: frozenset[Triple]
    added: frozenset[Triple]
    own: bool


steps = st.builds(Step, st.frozensets(facts, max_size=4), st.frozensets(facts, max_size=5), st.booleans())
histories = st.lists(steps, min_size=1, max_size=5)


class Shown:
    """A graph, and what those who follow its deltas believe that it is."""

    def __init__(
        self, same_as: SameAsMode, schema: SchemaMode = "axioms", aliases: int = 1_000_000, rules: str = "owl2rl"
    ) -> None:
        self.materializer = Materializer(select([rules], schema, same_as, aliases))
        self.asserted: set[Triple] = set()
        self.triples: set[Triple] = set()

    def commit(self, step: Step, strategy: Strategy = "auto") -> None:
        removed, added = (step.removed - step.added) & self.asserted, step.added - self.asserted
        change = self.change(removed, added, step.own, strategy)
        self.materializer.accept()
        was, self.asserted = self.asserted, (self.asserted - removed) | added
        self.follow(change, was)

    def change(self, removed: AbstractSet[Triple], added: AbstractSet[Triple], own: bool, strategy: Strategy) -> Change:
        gone, new = (rows_of(self.materializer, in_default(part)) for part in (removed, added))
        return self.materializer.change(Edit(gone, new, OWN if own else ()), strategy=strategy)

    def follow(self, change: Change, was: set[Triple]) -> None:
        texts = iter(self.materializer.dictionary.decode(change.rows.ravel()))
        for triple, before, after in zip(
            zip(texts, texts, texts, strict=True), change.before, change.after, strict=True
        ):
            assert bool(before) == (triple in self.triples)
            assert (before == IS_ASSERTED, after == IS_ASSERTED) == (triple in was, triple in self.asserted)
            (self.triples.add if after else self.triples.discard)(triple)

    def check(self) -> None:
        """What was followed is what a look at the state says, and what single triples are asked for."""
        assert self.triples == visible_triples(self.materializer)
        assert triples_of(self.materializer, asserted=True) == self.asserted
        rows = self.materializer.save().triples(self.materializer.dictionary)
        assert self.materializer.are_shown(rows).all()


def visible_triples(materializer: Materializer) -> set[Triple]:
    """The triples of the graph that are RDF."""
    return {(s, p, o) for s, p, o in triples_of(materializer) if not s.startswith('"') and not p.startswith('"')}


def check_history(history: Sequence[Step], strategy: Strategy, schema: SchemaMode) -> None:
    aliases, rules = Shown("aliases", schema), Shown("rules", schema)
    for step in history:
        aliases.commit(step, strategy)
        rules.commit(step, strategy)
        aliases.check()
        assert aliases.triples == rules.triples
        assert count_contradictions(aliases.materializer).keys() == count_contradictions(rules.materializer).keys()


@pytest.mark.parametrize(("rules", "same_as"), [("owl2rl", "aliases"), ("owl2rl", "rules"), ("rdfs", "aliases")])
@settings(max_examples=7)
@given(history=histories)
def test_the_rules_in_force_are_those_of_a_new_graph(rules: str, same_as: SameAsMode, history: list[Step]) -> None:
    """A link between classes that is taken back takes the rules along which it called for; contradictions alike."""
    graph = Shown(same_as, rules=rules)
    for step in history:
        graph.commit(step)
        other = Shown(same_as, rules=rules)
        other.commit(Step(frozenset(), frozenset(graph.asserted), step.own))
        assert graph.materializer.rules == other.materializer.rules
        assert graph.materializer.flags == other.materializer.flags
        assert {*graph.materializer.warnings} == {*other.materializer.warnings}
        assert count_contradictions(graph.materializer) == count_contradictions(other.materializer)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("same_as", ["aliases", "rules"])
def test_the_type_of_a_literal_is_contradicted_once(same_as: SameAsMode, order: tuple[int, ...]) -> None:
    """Whether it stands for those that are equal to it, or one of them for it. Here the letter makes them equal."""
    k, value = "<http://e/k>", "<http://e/v>"
    commits = (value, term("rdf:type"), term("owl:FunctionalProperty")), (k, value, _typed("+1", "integer"))
    with KnowledgeGraph.open(rules=["owl2rl+eq-literals"], same_as=same_as) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"[?x, a, <http://e/E>] :- [?x, <http://e/w>, ?v], [?v, a, <{v.XSD}integer>] .")
        for number in order:
            with graph.transaction() as tx:
                tx.add((*commits, (k, value, _typed("300", "byte")))[number])
        assert len(graph.contradictions()) == len(graph.prove_contradictions()) == 1


def _typed(text: str, datatype: str) -> str:
    return f'"{text}"^^<{v.XSD}{datatype}>'


@pytest.mark.parametrize("named", ["@rule r [?x, :r, ?y] :- [?x, :q, ?y] .", ":q rdfs:domain :A ; rdfs:range :B ."])
@pytest.mark.parametrize("is_late", [False, True])
def test_who_is_named_no_more_is_no_representative(named: str, is_late: bool) -> None:
    """Rules that name a member of a clique have it represented while they are in force, and not for longer."""
    prefixes = f"@prefix : <http://e/> . @prefix owl: <{v.OWL}> . @prefix rdfs: <{v.RDFS}> ."
    same, rows = ":p owl:sameAs :q .", " ".join(f":s{n} :p :o{n} ." for n in range(20))
    with KnowledgeGraph.open() as graph, KnowledgeGraph.open() as other:
        with other.transaction() as tx:
            tx.add(prefixes + same + rows)
        for text in (same, rows)[:: -1 if is_late else 1]:
            with graph.transaction() as tx:
                tx.add(prefixes + text)
        for is_added in (True, False):
            with graph.transaction() as tx:
                if named.startswith("@"):
                    (tx.add_rules if is_added else tx.remove_rules)(prefixes + named)
                else:
                    (tx.add if is_added else tx.remove)(prefixes + named)
        assert graph.stats()["hidden"] == other.stats()["hidden"]
        assert {*b"".join(graph.dump()).splitlines()} == {*b"".join(other.dump()).splitlines()}


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_property_below_owl_same_as_makes_equal(schema: SchemaMode) -> None:
    """Also where it relates a thing to itself, which owl:sameAs is not said to do."""
    graph = Shown("aliases", schema)
    said = "p rdfs:subPropertyOf owl:sameAs . owl:sameAs rdfs:subPropertyOf q . owl:sameAs rdfs:domain C . a p a"
    graph.commit(Step(frozenset(), frozenset(triples(said)), False))
    assert triples("a q a . a rdf:type C") <= graph.triples


def count_contradictions(materializer: Materializer) -> Counter[str]:
    """How often each row is contradicted. Which of equal terms stands for them goes by the order of edits."""
    return Counter(
        in_the_tables(each.rule)
        for each in contradictions(materializer.save(), materializer.dictionary, materializer.false_rules)
    )


CONTRADICTIONS = {
    "a literal": [":a owl:sameAs 'x'^^xsd:integer ."],
    "a class of a rule": [":S owl:sameAs :C . :a a :C ."],
    "an individual of a rule": [":a owl:sameAs :c . :x :p :c ."],
    "later": [":c a :K .", ":a owl:sameAs :c . :x :p :c ."],
    "the value of a rule": [":k :r '01'^^xsd:integer .", ":z :q 1 ."],
    "a value that is equal to a term": [
        ":age a owl:FunctionalProperty ; rdfs:range xsd:integer . :bob :age :unknown .",
        ":bob :age 'n/a' .",
    ],
    "a denied triple": [
        "_:n owl:sourceIndividual :b ; owl:assertionProperty :p ; owl:targetIndividual :d .",
        ":a owl:sameAs :b ; :p :d .",
    ],
}


@pytest.mark.parametrize("same_as", ["aliases", "representatives"])
@pytest.mark.parametrize("texts", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_no_contradiction_is_lost_to_a_representative(same_as: SameAsMode, texts: list[str]) -> None:
    """The rule's constants and a literal stay as they are written, whatever stands for them elsewhere."""
    prefixes = (
        f"@prefix : <http://example.org/> . @prefix owl: <{v.OWL}> . "
        f"@prefix rdfs: <{v.RDFS}> . @prefix xsd: <{v.XSD}> ."
    )
    with KnowledgeGraph.open(same_as=same_as) as graph, KnowledgeGraph.open(same_as="rules") as plain:
        for each in (graph, plain):
            for text in texts:
                with each.transaction() as tx:
                    tx.add(prefixes + text)
                    tx.add_rules(RULES)
        found, expected = ({in_the_tables(c.rule) for c in each.contradictions()} for each in (graph, plain))
        assert found == expected != set()
        assert len(graph.prove_contradictions()) == len(graph.contradictions()) == graph.stats()["contradictions"]


FOUND = {
    "a clique comes apart while rules make another": [
        ("", "a owl:sameAs b . q rdf:type owl:FunctionalProperty"),
        ("a owl:sameAs b", "c q d . c q e . d near f"),
    ],
    "owl:sameAs has an equal": [
        ("", "like owl:sameAs owl:sameAs"),
        ("", "a owl:sameAs b . c owl:sameAs b"),
        ("like owl:sameAs owl:sameAs", ""),
        ("", "d like c . owl:sameAs owl:sameAs like"),
    ],
    "owl:sameAs is not the primary of its clique": [
        ("", "rdf:type owl:sameAs owl:sameAs . a owl:sameAs b"),
        ("rdf:type owl:sameAs owl:sameAs", "a owl:sameAs c"),
    ],
}


@pytest.mark.parametrize("aliases", [0, 20, 1_000_000])
@pytest.mark.parametrize("history", FOUND.values(), ids=FOUND)
def test_a_history_that_was_once_followed_wrongly(history: list[tuple[str, str]], aliases: int) -> None:
    few, all_ = Shown("aliases", aliases=aliases), Shown("rules")
    for parts in history:
        removed, added = (frozenset(triples(f"{part} .") if part else ()) for part in parts)
        for shown in (few, all_):
            shown.commit(Step(removed, added, own=False))
        few.check()
        assert few.triples <= all_.triples
        assert aliases < 1_000_000 or few.triples == all_.triples


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=many(15))
@given(history=histories)
def test_the_graph_is_that_of_the_plain_rules(schema: SchemaMode, strategy: Strategy, history: list[Step]) -> None:
    check_history(history, strategy, schema)


@settings(max_examples=many(5))
@given(histories, st.integers(0, 60))
def test_cliques_past_the_budget_are_shown_by_one_member(history: list[Step], aliases: int) -> None:
    """Deltas stay exact while cliques grow past their budget and shrink below it."""
    few, all_ = Shown("aliases", aliases=aliases), Shown("rules")
    for step in history:
        few.commit(step, "update")
        all_.commit(step, "update")
        few.check()
        assert few.asserted <= few.triples <= all_.triples


@settings(max_examples=many(5))
@given(histories, st.integers(0, 60))
def test_a_rollback_takes_cliques_back(history: list[Step], aliases: int) -> None:
    shown = Shown("aliases", aliases=aliases)
    for step, other in zip(history, history[::-1], strict=True):
        shown.change((other.removed - other.added) & shown.asserted, other.added - shown.asserted, other.own, "auto")
        shown.materializer.rollback()
        shown.commit(step)
        shown.check()


@settings(max_examples=many(5))
@given(histories)
def test_a_state_that_is_restored_goes_on(history: list[Step]) -> None:
    shown = Shown("aliases", aliases=30)
    for step in history:
        shown.commit(step)
        saved, materializer = shown.materializer.save(), shown.materializer
        shown.materializer = Materializer(materializer.selection, materializer.dictionary)
        shown.materializer.restore(saved)
        shown.materializer.own = materializer.own
        shown.check()


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=40))
def test_components(links: list[tuple[int, int]]) -> None:
    pairs = np.array(links, dtype=np.int32).reshape(-1, 2)
    terms, labels = components(pairs)
    parent = {name: name for pair in links for name in pair}
    for left, right in links:
        old, new = max(parent[left], parent[right]), min(parent[left], parent[right])
        parent = {name: new if label == old else label for name, label in parent.items()}
    assert dict(zip(terms.tolist(), terms[labels].tolist(), strict=True)) == parent


def test_a_clique_costs_what_its_rows_cost() -> None:
    n, k = 1_000, 10
    materializer = Materializer(select(["owl2rl"], "axioms", "representatives"))
    ids = materializer.dictionary.intern([f"<http://e/{i}>" for i in range(n)])
    others = materializer.dictionary.intern([f"<http://e/o{i}>" for i in range(n * k)])
    links = np.column_stack([ids[:-1], np.full(n - 1, SAME_AS), ids[1:], np.zeros(n - 1)])
    rows = np.column_stack([np.repeat(ids, k), np.full(n * k, others[0]), others, np.zeros(n * k)])
    change = materializer.change(Edit(added=np.concatenate([links, rows]).astype(np.int32)))
    materializer.accept()
    assert len(materializer.engine) < 4 * len(rows)
    assert change.work.rewrites < 20 * len(rows)
    star, others_asserted = 2 * (n - 1), n - 2
    assert len(change.rows) == 2 * len(rows) - k + star + others_asserted


@pytest.mark.parametrize(
    ("same_as", "aliases", "count"),
    [("aliases", None, 100), ("rules", None, 100), ("representatives", None, 27), ("aliases", 50, 27)],
)
def test_the_mode_and_the_budget_are_the_stores(
    tmp_path: Path, same_as: SameAsMode, aliases: int | None, count: int
) -> None:
    chain = " ".join(f"<http://e/{i}> owl:sameAs <http://e/{i + 1}> ." for i in range(9))
    text = f"@prefix owl: <http://www.w3.org/2002/07/owl#> . {chain} <http://e/0> <http://e/p> <http://e/x> ."
    with KnowledgeGraph.open(tmp_path, same_as=same_as, aliases=aliases) as graph, graph.transaction() as tx:
        tx.add(text)
    with KnowledgeGraph.open(tmp_path) as graph:
        assert graph.stats()["facts"] == count
        assert sum(chunk.count(b"\n") for chunk in graph.dump()) == count
    other: SameAsMode = "rules" if same_as != "rules" else "aliases"
    with pytest.raises(StoreError, match=f"the store was made with same_as {same_as}"):
        KnowledgeGraph.open(tmp_path, same_as=other)


def test_a_clique_past_its_budget_is_named() -> None:
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . <http://e/a> owl:sameAs <http://e/b> , <http://e/c> ."
    with KnowledgeGraph.open(aliases=8) as graph:
        with graph.transaction() as tx:
            tx.add(text)
        assert graph.warnings == [
            "owl:sameAs: 3 terms are equal to <http://e/a>; only this term is shown, because all would need 9 triples"
        ]
        with graph.transaction() as tx:
            tx.remove("<http://e/a> <http://www.w3.org/2002/07/owl#sameAs> <http://e/c> .")
        assert graph.warnings == []


@pytest.mark.parametrize("aliases", [11, 12, 13])
def test_a_clique_of_as_many_images_as_its_budget_is_shown(aliases: int) -> None:
    """Three terms have nine links between them, and three images of a row: twelve."""
    shown = Shown("aliases", aliases=aliases)
    shown.commit(Step(frozenset(), frozenset(triples("a owl:sameAs b . b owl:sameAs c . a p d .")), own=False))
    for materializer in (shown.materializer, _restore(shown.materializer)):
        assert len(materializer.warnings) == (aliases < 12)
        assert (triples("b p d . c p d . a owl:sameAs c") <= visible_triples(materializer)) == (aliases >= 12)


def _restore(materializer: Materializer) -> Materializer:
    """A materializer that begins with the state of another."""
    other = Materializer(materializer.selection, materializer.dictionary)
    other.restore(materializer.save())
    return other


_LINKS = [(term(s), term("owl:sameAs"), term(o)) for s, o in ("ab", "bc", "cd", "de", "ca", "cc")]
_ROWS = frozenset(triples("a p b . d q e . f p c . p rdfs:subPropertyOf q . a owl:sameAs a ."))


@settings(max_examples=many(5))
@given(
    st.lists(st.frozensets(st.sampled_from(_LINKS)), min_size=1, max_size=3),
    st.permutations(_LINKS),
    st.sampled_from([1, 3, 6]),
    st.sampled_from(["update", "bootstrap"]),
)
def test_no_representative_stays_once_its_clique_is_no_more(
    come: list[frozenset[Triple]], gone: list[Triple], size: int, strategy: Strategy
) -> None:
    """The asserted rows, those that are shown to nobody among them, are those of a graph without a link."""
    graph, other = Shown("aliases"), Shown("aliases")
    for shown in (graph, other):
        shown.commit(Step(frozenset(), _ROWS, own=True))
    for links in come:
        graph.commit(Step(frozenset(), links, own=True), strategy)
    for first in range(0, len(gone), size):
        graph.commit(Step(frozenset(gone[first : first + size]), frozenset(), own=True), strategy)
    assert asserted_rows(graph.materializer) == asserted_rows(other.materializer)
    assert graph.triples == other.triples


def test_cliques_that_were_one_for_a_while_have_the_representatives_that_they_had() -> None:
    graph, other = Shown("aliases"), Shown("aliases")
    links = frozenset(triples("a owl:sameAs b . c owl:sameAs d ."))
    bridge = frozenset(triples("b owl:sameAs c ."))
    for shown in (graph, other):
        shown.commit(Step(frozenset(), links, own=False))
    graph.commit(Step(frozenset(), bridge, own=False))
    assert asserted_rows(graph.materializer) != asserted_rows(other.materializer)
    graph.commit(Step(bridge, frozenset(), own=False))
    assert asserted_rows(graph.materializer) == asserted_rows(other.materializer)


def asserted_rows(materializer: Materializer) -> Counter[tuple[str, ...]]:
    """The asserted facts of all tables, as texts."""
    records = materializer.save().records
    rows = records[records[:, at.STATE] & at.ASSERTED != 0, at.FIRST :]
    return Counter(tuple(materializer.dictionary.decode(row)) for row in rows)


@pytest.mark.parametrize(
    "text", ["eq_rep(<http://e/a>, <http://e/b>) .", "[?x, ?p, ?x] :- [?x, ?p, ?y], dt_used(?x, ?y) ."]
)
def test_a_rule_may_not_speak_of_inner_relations(text: str, tmp_path: Path) -> None:
    with KnowledgeGraph.open() as graph:
        tx = graph.transaction()
        with pytest.raises(RuleError, match=r"rule rule-1: (eq_rep|dt_used) is a relation of kgreason itself"), tx:
            tx.add_rules(text)
    file = tmp_path / "own.dl"
    file.write_text(text)
    with pytest.raises(RuleError, match="take another name"):
        select([str(file)])
