"""What a graph shows does not depend on who evaluated it: the process that made the commits, or one that repeats them.

After every history the graph is looked at before it is closed, after it was opened again, after a kill (a copy of the
folder at that moment), after its journal became a snapshot, and by one who follows it. Facts are compared with stamps
and supports, so that every proof is the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine import update
from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.errors import KgreasonError, StoreError
from kgreason.graph.changes.follower import Follower
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.materializer import Materializer
from kgreason.options import SameAsMode
from kgreason.proofs.contradictions import contradictions
from kgreason.proofs.proof import Proof
from kgreason.proofs.same_as import facts_of
from kgreason.proofs.search import prove_each
from kgreason.rules.model import Atom
from kgreason.terms.vocabulary import OWL_SAME_AS
from tests.graph.states import triples_of
from tests.graph.values.test_equality import RULES, facts
from tests.graph.views import View, agrees, lasting, view
from tests.oracle.graph import Triple
from tests.oracle.notation import term, triples
from tests.volume import many

Quad = tuple[str, ...]
GRAPH = term("g")
NAMED = (
    "@prefix : <http://example.org/> . @rule named [?x, :q, :c] :- [?x, :p, :d] . @rule other false :- [:d, :p, ?x] ."
)
FAR = [term(name) for name in ("A0", "a0", "zz")]
"""Terms that only come with what is absent: in the order of texts before the others, and behind them."""


class Commit(NamedTuple):
    """A transaction: of quads that are in several parts the last part wins. `strategy` is that of its evaluation."""

    removed: tuple[Quad, ...] = ()
    added: tuple[Quad, ...] = ()
    withdrawn: tuple[Quad, ...] = ()
    rules: str = ""
    strategy: Strategy = "auto"
    end: str = "commit"


class Same(NamedTuple):
    """How a store takes owl:sameAs."""

    same_as: SameAsMode
    aliases: int


_terms = st.sampled_from(FAR)
_absent = st.tuples(_terms, st.sampled_from([term("p"), OWL_SAME_AS]), st.sampled_from([*FAR, '"+1"', term("b")]))
_quads = st.builds(lambda fact, graph: (*fact, *graph), facts, st.sampled_from([(), (), (), (GRAPH,)]))
_strange = st.one_of(_absent, st.tuples(_terms, st.just(OWL_SAME_AS), st.sampled_from([term("a"), term("c")])))
commits = st.builds(
    Commit,
    st.lists(st.one_of(_quads, _quads, _strange), max_size=4).map(tuple),
    st.lists(st.one_of(_quads, _quads, _quads, _strange), max_size=5).map(tuple),
    st.lists(_strange, max_size=2).map(tuple),
    st.sampled_from(["", "", "", RULES, NAMED, "-linked", "-constant"]),
    st.sampled_from(["auto", "auto", "update", "bootstrap"]),
    st.sampled_from(["commit"] * 6 + ["fail", "what_if", "bad text", "update"]),
)
modes = st.one_of(
    st.builds(Same, st.just("aliases"), st.sampled_from([0, 1, 4, 12, 30, 1_000_000])),
    st.builds(Same, st.sampled_from(["representatives", "rules"]), st.just(0)),
)


def carry_out(graph: KnowledgeGraph, commit: Commit) -> None:
    """Ask a graph for a transaction, and end it as it says."""
    graph._committer().strategy = commit.strategy
    if commit.end == "update":
        data = "".join(" ".join(quad[:3]) + " . " for quad in commit.added if not quad[0].startswith('"'))
        graph.update(f"INSERT DATA {{ {data} }} ; DELETE {{ ?x ?p ?y }} WHERE {{ ?x ?p ?y ; {term('q')} {term('c')} }}")
        return
    tx = graph.what_if() if commit.end == "what_if" else graph.transaction()
    with suppress(_FailureError), tx:
        tx.remove(*commit.removed).add(*commit.added)
        if commit.end == "bad text":
            with suppress(KgreasonError):
                tx.add("<http://example.org/A00> <http://example.org/p> '07'^^<http://e/> . ] .")
        tx.remove(*commit.withdrawn)
        if commit.rules.startswith("-"):
            with suppress(KgreasonError):
                tx.remove_rules(commit.rules[1:])
        elif commit.rules:
            tx.add_rules(commit.rules)
        if commit.end == "fail":
            raise _FailureError


class _FailureError(Exception):
    """What ends a transaction without a commit."""


class Deep(NamedTuple):
    """All that a materializer knows, in texts."""

    facts: dict[tuple[str, ...], tuple[bool, int, int]]
    primaries: dict[str, str]
    contradictions: list[str]
    rules: list[str]
    warnings: tuple[str, ...]
    proofs: list[tuple[str, ...]]


def deep(materializer: Materializer) -> Deep:
    saved, dictionary = materializer.save(), materializer.dictionary
    records = saved.records
    known = {}
    for row, texts in zip(records, _texts(materializer), strict=True):
        width = saved.tables[row[at.STATE] >> at.TABLE & at.LAST_TABLE][1]
        if texts[0] != "dt_value/2":  # which literal stands for a value is nowhere to be seen
            known[texts[:width]] = bool(row[at.STATE] & at.ASSERTED), int(row[at.STAMP]), int(row[at.SUPPORT])
    shown = triples_of(materializer)
    terms = sorted({each for triple in shown for each in triple})
    primaries = {each: materializer.equality.primary(each) for each in terms} if materializer.equality else {}
    return Deep(
        known,
        {each: primary for each, primary in primaries.items() if each != primary},
        [*map(str, contradictions(saved, dictionary, materializer.false_rules))],
        sorted(map(str, materializer.rules)),
        materializer.warnings,
        [_content(proof) for proof in _proofs(materializer, shown)],
    )


def _texts(materializer: Materializer) -> Iterator[tuple[str, ...]]:
    columns = materializer.save().records[:, at.FIRST :]
    texts = iter(materializer.dictionary.decode(columns.ravel()))
    return zip(*[texts] * columns.shape[1], strict=True)


def _proofs(materializer: Materializer, shown: set[Triple]) -> list[Proof]:
    wanted = sorted(triple for triple in shown if triple[1] != OWL_SAME_AS and not triple[0].startswith('"'))
    return prove_each([Atom(None, triple) for triple in wanted], facts_of(materializer))


def _content(proof: Proof) -> tuple[str, ...]:
    """A fact, the rule that it follows by, and what it follows from."""
    return str(proof.fact), str(proof.rule), *(str(premise.fact) for premise in proof.premises)


class Seen(NamedTuple):
    view: View
    deep: Deep


def look(graph: KnowledgeGraph) -> Seen:
    assert agrees(graph)
    return Seen(lasting(view(graph)), deep(graph._committer().materializer))


@contextmanager
def eager() -> Iterator[None]:
    """Have `auto` choose by the work even where there is little."""
    few, update.FEW = update.FEW, 0
    try:
        yield
    finally:
        update.FEW = few


def killed(store: Path, copy: Path) -> Path:
    """A copy of a store that is open, once Oxigraph does not remove files meanwhile."""
    while True:
        try:
            return shutil.copytree(store, copy)
        except shutil.Error:
            shutil.rmtree(copy)


def check(history: Sequence[Commit], same: Same) -> None:
    with TemporaryDirectory() as name, eager():
        store, folder = Path(name) / "store", Path(name)
        with KnowledgeGraph.open(store, same_as=same.same_as, aliases=same.aliases) as graph:
            graph.transaction().add((term("s"), term("p"), term("o"))).end(True)
            for commit in history:
                carry_out(graph, commit)
            seen, last = look(graph), graph._home.last
            copy = killed(store, folder / "copy")
            follower = Follower(store, 0)
            told = [*follower.read()]
        assert told
        assert follower.commit == last
        assert follower._materializer is not None
        assert deep(follower._materializer) == seen.deep
        for path in (store, copy):
            with KnowledgeGraph.open(path) as graph:
                assert look(graph) == seen
        with KnowledgeGraph.open(copy) as graph:
            with suppress(StoreError):
                graph._committer().checkpoint()
            assert look(graph) == seen
        with KnowledgeGraph.open(copy, read_only=True) as graph:
            assert not graph._home.position.is_ahead
            assert look(graph) == seen


def _commit(removed: str = "", added: str = "", withdrawn: str = "", strategy: Strategy = "auto") -> Commit:
    gone, come, back = (tuple(sorted(triples(f"{part} .") if part else ())) for part in (removed, added, withdrawn))
    return Commit(gone, come, back, strategy=strategy)


LADDER = (
    "A rdfs:subClassOf B . B rdfs:subClassOf C . x rdf:type A . p rdfs:domain A . q rdfs:domain C . r rdfs:domain B"
)
REPLAYED_WRONGLY = {
    "terms that are only in a removal of what is absent": [
        _commit(added="x p y"),
        _commit("a p zz", "c q c"),
        _commit(added="c owl:sameAs a"),
        _commit("c q c"),
    ],
    "a term that came and went in one transaction": [
        _commit(added="c q c . b p zz", withdrawn="b p zz"),
        _commit(added="a owl:sameAs b . c owl:sameAs b"),
    ],
    "a literal that is only in a removal": [
        _commit('a p "+1"^^xsd:integer', "a p b"),
        _commit(added='a q "1"^^xsd:integer . b q "01"^^xsd:integer . q rdf:type owl:FunctionalProperty'),
        _commit(added='b q "+1"^^xsd:integer . a owl:sameAs b'),
    ],
    "stamps of an update": [_commit(added=LADDER), _commit(added="y p z"), _commit(added="y q z", strategy="update")],
    "stamps of a bootstrap": [
        _commit(added=LADDER, strategy="update"),
        _commit(added="z rdfs:subClassOf A . y rdf:type z", strategy="update"),
        _commit(added="y rdf:type A . y q w", strategy="bootstrap"),
    ],
    "steps of several strategies": [
        _commit(added="a p b . c p d . q rdf:type owl:FunctionalProperty", strategy="bootstrap"),
        _commit(added="b q c . b q d . d q e . c q f", strategy="auto"),
        _commit("b q c", "f owl:sameAs a", strategy="auto"),
    ],
}


@pytest.mark.parametrize(("name", "same_as"), [*product(REPLAYED_WRONGLY, ("aliases", "representatives", "rules"))])
def test_a_history_that_could_be_replayed_wrongly(name: str, same_as: SameAsMode) -> None:
    check(REPLAYED_WRONGLY[name], Same(same_as, 12))


def test_a_triple_that_nothing_entails_is_not_there_after_reopening(tmp_path: Path) -> None:
    first, *others, last = REPLAYED_WRONGLY["terms that are only in a removal of what is absent"]
    with KnowledgeGraph.open(tmp_path, same_as="representatives") as graph:
        for commit in (first, *others):
            carry_out(graph, commit)
        assert graph.query(f"ASK {{ {term('a')} {term('q')} {term('a')} }}")
        assert len(graph._committer().materializer.dictionary.find([term("zz")]).nonzero()[0]) == 0
    with KnowledgeGraph.open(tmp_path) as graph:
        carry_out(graph, last)
        assert not graph.query(f"ASK {{ {term('a')} {term('q')} {term('a')} }}")


def test_unknown_retractions_are_counted() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add((term("a"), term("p"), term("b")))
        known = graph.stats()["terms"]
        with graph.transaction() as tx:
            tx.remove((term("a"), term("p"), term("c")), (term("a"), term("p"), term("b")), (term("b"),) * 3)
            tx.add((term("a"), term("p"), term("d")))
        assert tx.delta.missed == 2
        assert graph.stats()["terms"] == known + 1


@pytest.mark.parametrize("same_as", ["aliases", "representatives"])
@pytest.mark.parametrize("is_late", [False, True])
def test_the_first_by_its_text_stands_for_a_clique(same_as: SameAsMode, is_late: bool) -> None:
    """IRIs before blank nodes and literals, in whatever order they were met."""
    links = [_commit(added='z owl:sameAs "1"'), _commit(added="y owl:sameAs z . x owl:sameAs y")]
    with KnowledgeGraph.open(same_as=same_as, aliases=0) as graph:
        if is_late:
            links = [Commit(added=tuple(sorted((links[0].added + links[1].added), reverse=True)))]
        for commit in links:
            carry_out(graph, commit)
        equality = graph._committer().materializer.equality
        assert equality is not None
        assert {equality.primary(term(name)) for name in "xyz"} == {term("x" if is_late else "z")}


def test_of_several_that_rules_name_the_first_by_its_text_is_the_primary() -> None:
    with KnowledgeGraph.open(same_as="representatives") as graph:
        for commit in (_commit(added="c p x"), Commit(rules=RULES), _commit(added="c owl:sameAs b . b owl:sameAs d")):
            carry_out(graph, commit)
        materializer = graph._committer().materializer
        assert materializer.equality is not None
        assert len(materializer.save().preferred) == 1
        assert {materializer.equality.primary(term(name)) for name in "bcd"} == {term("b")}


@settings(max_examples=many(15), deadline=None)
@given(st.lists(commits, min_size=2, max_size=8), modes)
def test_whoever_replays_a_history_sees_the_same(history: list[Commit], same: Same) -> None:
    check(history, same)
