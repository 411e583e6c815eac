"""Rules of the user: they come and go, in files or as text, and stop where they explode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason.engine.changes import Strategy
from kgreason.errors import InputError, LimitError, RuleError, RuleSyntaxError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.store.journal.record import Record
from tests.graph.commits.test_edits import content
from tests.graph.dog_graph import ANIMAL, CLOSURE, ONTOLOGY, PREFIX, REX, add, add_rules, remove
from tests.graph.histories import PREFIXES, RULES
from tests.graph.views import lasting, lines, view


def test_a_commit_of_helper_relations_alone_is_a_commit(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    graph.subscribe(told_of.append)
    before = lines(graph.dump())
    for text in ("likes(<http://e/a>, <http://e/b>) .", "likes(?y, ?x) :- likes(?x, ?y) .", "false :- likes(?x, ?x) ."):
        delta = add_rules(graph, text)
        assert delta.commit == graph._home.last
        assert (len(delta), (delta.removed, delta.added)) == (0, (b"", b""))
        assert told_of.pop() is delta
    assert not graph.contradictions()
    add_rules(graph, "likes(<http://e/a>, <http://e/a>) .")
    assert [each.terms for each in graph.contradictions()] == [("<http://e/a>",)]
    assert lines(graph.dump()) == before


def test_rules_keep_names_and_groups(tmp_path: Path) -> None:
    """Through journal and snapshot; they go by name, or by text whatever the variables are called."""
    path = tmp_path / "store"
    with KnowledgeGraph.open(path) as graph:
        add(graph, PREFIX + ":a :to :b . :b :to :c .")
        add_rules(graph, CLOSURE)
        own = graph._committer().materializer.own
        assert [(rule.name, rule.group) for rule in own] == [(name, "paths") for name in ("step", "and on", "shown")]
    for _ in range(2):
        with KnowledgeGraph.open(path) as graph:
            assert graph._committer().materializer.own == own
            assert graph.query("ASK { <http://e/a> <http://e/reaches> <http://e/c> }")
            graph._committer().checkpoint()
    with KnowledgeGraph.open(path) as graph:
        with graph.transaction() as tx:
            tx.remove_rules("and on")
        assert tx.delta.disappeared() == [("<http://e/a>", "<http://e/reaches>", "<http://e/c>")]
        with graph.transaction() as tx:
            tx.remove_rules(PREFIX + "path(?a, ?b) :- [?a, :to, ?b] .")
        assert len(tx.delta.disappeared()) == 2
        assert [rule.name for rule in graph._committer().materializer.own] == ["shown"]


def test_rules_of_files_come_and_go(graph: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "closure.dl").write_text(CLOSURE)
    before = lasting(view(graph))
    with graph.transaction() as tx:
        tx.load_rules(tmp_path / "closure.dl").add_rules(CLOSURE)
    assert tx.delta.work.rules_added == 3 + 2  # two copy the facts of `reach` to equal terms
    with graph.transaction() as tx:
        tx.unload_rules(tmp_path / "closure.dl")
    assert tx.delta.work.rules_removed == 3 + 2
    assert lasting(view(graph)) == before
    with graph.transaction() as tx:
        tx.load_rules(tmp_path / "closure.dl").unload_rules(tmp_path / "closure.dl")
    assert not tx.delta.commit


def test_removing_a_rule_removes_it_under_every_name(graph: KnowledgeGraph) -> None:
    text = PREFIX + "[?y, :has, ?x] :- [?x, a, ?y] ."
    add_rules(graph, text + "\n@rule other [?b, :has, ?a] :- [?a, a, ?b] .")
    with graph.transaction() as tx:
        tx.remove_rules(text)
    assert ("<http://e/Dog>", "<http://e/has>", "<http://e/rex>") in tx.delta.disappeared()
    assert not graph._committer().materializer.own


BAD_RULES: list[tuple[Callable[[Transaction], object], type[Exception], str]] = [
    (lambda tx: tx.add_rules("p(?x) :- q(?x)\n oh"), RuleSyntaxError, "<rules>:2"),
    (lambda tx: tx.add_rules("p(?x) :- q(?y) .", "mine"), RuleError, "mine:1"),
    (lambda tx: tx.remove_rules("nobody"), RuleError, "nobody: no rule of this name"),
    (lambda tx: tx.remove_rules("p(?x) :- q(?x) ."), RuleError, "no such rule"),
    (lambda tx: tx.load_rules("missing.dl"), InputError, "missing"),
    (lambda tx: tx.add_rules(f"p({', '.join(f'?x{n}' for n in range(40))}) :- q(?x0) ."), RuleError, "x1"),
    (lambda tx: tx.add_rules(f"p({', '.join('1' for _ in range(40))}) ."), LimitError, "terms"),
]


@pytest.mark.parametrize(("ask", "error", "message"), BAD_RULES)
def test_a_rule_text_with_an_error_changes_nothing(
    graph: KnowledgeGraph, ask: Callable[[Transaction], object], error: type[Exception], message: str
) -> None:
    before = view(graph)
    tx = graph.transaction().add("<http://e/new> a <http://e/New> .")
    with pytest.raises(error, match=message), tx:
        ask(tx)
    assert view(graph) == before
    assert add(graph, ANIMAL).turned(asserted=True) == [ANIMAL]


EXPLODING = PREFIX + "@rule boom pair(?x, ?y) :- [?x, :p, ?v], [?y, :p, ?w] . [?x, :with, ?y] :- pair(?x, ?y) ."


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_rules_that_explode_stop_at_a_budget(tmp_path: Path, strategy: Strategy) -> None:
    many = PREFIX + "".join(f":x{n} :p {n} .\n" for n in range(200))
    with KnowledgeGraph.open(tmp_path / "store", strategy=strategy, budget=20_000) as graph:
        add(graph, many)
        before = view(graph)
        for begin in (graph.transaction, graph.what_if):
            with pytest.raises(LimitError, match=r"20,000 rewrites, .* most of it in rule boom"), begin() as tx:
                tx.add_rules(EXPLODING)
            assert view(graph) == before
        assert add(graph, REX).appeared() == [REX]
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert len(add_rules(graph, EXPLODING).appeared()) == 40_000


def test_the_journal_is_text_that_says_what_was_asked(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        add(graph, ONTOLOGY)
        with graph.transaction() as tx:
            tx.remove(REX).add(ANIMAL).add_rules(PREFIXES + RULES["reach"])
        [record] = graph._home.records_since_snapshot()
    assert (record.removed, record.added) == tuple(f"{' '.join(row)} .\n".encode() for row in (REX, ANIMAL))
    assert [(sign, text.split("\n")[0]) for sign, text in record.rules] == [(1, "@group paths .")] * 3
    assert '@rule "reached at last"' in record.rules[2][1]
    assert Record.parse(record.patch()) == record


def test_an_update_that_does_too_much_becomes_a_bootstrap() -> None:
    """Seen in the delta and in the statistics; the delta is that of an update."""
    chain = PREFIX + "".join(f":n{n} :to :n{n + 1} .\n" for n in range(90))
    deltas = []
    strategies: tuple[Strategy, Strategy] = ("auto", "update")
    for strategy in strategies:
        with KnowledgeGraph.open(rules=["none"], strategy=strategy) as graph:
            add(graph, chain)
            add_rules(graph, CLOSURE)
            deltas.append(remove(graph, PREFIX + "".join(f":n{n} :to :n{n + 1} .\n" for n in range(0, 90, 3))))
            assert graph.stats()["switched"] == deltas[-1].work.switched
    assert [(delta.work.strategy, delta.work.switched) for delta in deltas] == [("bootstrap", True), ("update", False)]
    assert content(deltas[0]) == content(deltas[1])
