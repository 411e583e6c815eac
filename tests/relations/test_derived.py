"""Types and keys hold for facts that rules derive: a commit that would break one is refused, and changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.changes import Strategy
from kgreason.errors import RuleError
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.relations.derived_facts import DerivedFacts
from kgreason.materialize.relations.keys import KeyIndexes
from kgreason.tables.program import TableProgram
from tests.volume import many_seeds

RULES = """
    @relation price(item, amount: xsd:integer) key(item) .
    @rule first price(?x, ?y) :- offer(?x, ?y), NOT old(?y) .
    @rule later price(?x, ?y) :- price(?z, ?y), same(?z, ?x) .
"""
SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"


def open_graph(rules: str = RULES, rule_sets: tuple[str, ...] = ("none",), path: Path | None = None) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, rules=rule_sets)
    with graph.transaction() as tx:
        tx.add_rules(rules)
    return graph


def _prices(facts: dict[str, set[tuple[int, ...]]]) -> set[tuple[int, ...]]:
    found = {(item, amount) for item, amount in facts["offer"] if (amount,) not in facts["old"]} | facts["price"]
    while new := {(x, y) for z, y in found for other, x in facts["same"] if other == z} - found:
        found |= new
    return found


def follow(seed: int, strategy: Strategy = "auto") -> None:
    """A random history against the law: a commit is refused exactly if two prices of an item differ after it."""
    random = Random(seed)
    facts: dict[str, set[tuple[int, ...]]] = {name: set() for name in ("offer", "old", "same", "price")}
    with KnowledgeGraph.open(rules=["none"], strategy=strategy) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
        for _ in range(25):
            wanted = {name: set(rows) for name, rows in facts.items()}
            is_refused = False
            try:
                with graph.transaction() as tx:
                    for _ in range(2):
                        name = random.choice(list(facts))
                        row = (random.randrange(4),) if name == "old" else (random.randrange(4), random.randrange(4))
                        if random.random() < 0.7 and not (
                            name == "price" and {x for x, _ in wanted["price"]} & {row[0]}
                        ):
                            tx.relation(name).insert([row])
                            wanted[name].add(row)
                        else:
                            tx.relation(name).delete([row])
                            wanted[name].discard(row)
            except RuleError:
                is_refused = True
            found = _prices(wanted)
            assert is_refused == (len({item for item, _ in found}) < len(found))
            facts = facts if is_refused else wanted
            prices = {tuple(int(getattr(term, "value", "")) for term in row) for row in graph.relation("price").facts()}
            assert prices == _prices(facts)


@pytest.mark.parametrize("strategy", ["auto", "bootstrap"])
@pytest.mark.parametrize("seed", many_seeds(0, 3))
def test_a_commit_is_refused_exactly_if_a_key_has_two_facts_after_it(seed: int, strategy: Strategy) -> None:
    follow(seed, strategy)


def _without_old_facts(self: KeyIndexes, number: int, arity: int, *given: object) -> object:
    return self._facts_with_keys(number, arity, *given[:2])  # type: ignore[arg-type]


MISREADINGS: dict[str, tuple[type, str, object]] = {
    "keys are not checked": (DerivedFacts, "_check_key", lambda *_: None),
    "facts of the commit are not in the index": (KeyIndexes, "facts_in_commit", _without_old_facts),
    "all facts that changed are there": (
        DerivedFacts,
        "_changed_facts",
        lambda self, number, arity, changes: changes.rows[:0],
    ),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MISREADINGS[name])
    with pytest.raises(AssertionError):
        list(map(follow, range(3)))


def test_a_derived_fact_of_another_type_is_refused_with_its_rule() -> None:
    with open_graph() as graph:
        message = r'^rule first or rule later derives price\(1, "x"\), column amount: expected a literal of .*integer>$'
        with pytest.raises(RuleError, match=message.replace("1,", r"\S*1\S*,")):
            graph.relation("offer").insert([(1, '"x"')])
        assert not list(graph.relation("offer").facts())
        graph.relation("offer").insert([(1, 2)])
        with pytest.raises(
            RuleError, match=r"^rule first or rule later derives price\(.*2.*\), which has the same key as price"
        ):
            graph.relation("price").insert([(1, 3)])
        graph.relation("price").insert([(1, 2)])
        graph.relation("price").delete([(1, 2)])


def test_a_declaration_is_checked_with_the_facts_that_are_there() -> None:
    with open_graph("@rule first price(?x, ?y) :- offer(?x, ?y) .") as graph:
        graph.relation("offer").insert([(1, 2), (1, 3)])
        for columns in ("item, amount) key(item)", "item, amount: xsd:string)"):
            with pytest.raises(RuleError, match=r"^rule first derives price"), graph.transaction() as tx:
                tx.add_rules(f"@relation price({columns} .")
        with graph.transaction() as tx:
            tx.add_rules("@relation price(item, amount: xsd:integer) key(item, amount) .")


def equal_individuals() -> None:
    """Two names with one price are no two facts; two prices are, as soon as the names are equal."""
    with open_graph(rule_sets=("owl2rl",)) as graph:
        graph.relation("offer").insert([("<urn:tea>", 5), ("<urn:thee>", 5), ("<urn:milk>", 6)])
        graph.add(f"<urn:tea> {SAME_AS} <urn:thee> .")
        with pytest.raises(RuleError, match="which has the same key as"):
            graph.add(f"<urn:tea> {SAME_AS} <urn:milk> .")
        graph.relation("offer").delete([("<urn:tea>", 5)])
        graph.relation("offer").insert([("<urn:tea>", 5)])


def test_equal_individuals_are_one() -> None:
    equal_individuals()


def test_names_in_the_place_of_individuals_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Individuals, "first_names", lambda _self, ids, _changes: ids)
    monkeypatch.setattr(Individuals, "has_equal_terms", lambda _: False)
    rules = RULES.replace("key(item)", "key(amount)")  # two names with one amount are one fact
    monkeypatch.setitem(globals(), "RULES", rules)

    def history() -> None:
        with open_graph(rules, rule_sets=("owl2rl",)) as graph:
            graph.relation("offer").insert([("<urn:tea>", 5)])
            graph.add(f"<urn:tea> {SAME_AS} <urn:thee> .")
            graph.relation("offer").insert([("<urn:thee>", 5)])

    with pytest.raises(RuleError):
        history()
    monkeypatch.undo()
    history()


def test_a_store_goes_on_with_them(tmp_path: Path) -> None:
    with open_graph(path=tmp_path / "store") as graph:
        graph.relation("offer").insert([(1, 2)])
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        with pytest.raises(RuleError, match="which has the same key as"):
            graph.relation("offer").insert([(1, 3)])
        with pytest.raises(RuleError, match="which has the same key as"), graph.what_if() as tx:
            tx.relation("offer").insert([(1, 3)])
        with graph.transaction() as tx:
            tx.relation("offer").delete([(1, 2)])
            tx.relation("offer").insert([(1, 3)])


def test_a_commit_that_is_replayed_is_not_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store may have commits of a version that did not check what rules derive."""
    with monkeypatch.context() as patch:
        patch.setattr(DerivedFacts, "check", lambda *_: None)
        with open_graph(path=tmp_path / "store") as graph:
            graph.relation("offer").insert([(1, 2), (1, 3)])
            shutil.copytree(tmp_path / "store", tmp_path / "killed")
    with KnowledgeGraph.open(tmp_path / "killed") as graph:
        assert len(list(graph.relation("price").facts())) == 2
        graph.relation("offer").insert([(2, 3)])
        with pytest.raises(RuleError, match="which has the same key as"):
            graph.relation("offer").insert([(1, 4)])


def test_tables_keep_them(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text("@relation p(x, y: xsd:integer) key(x) . p(?x, ?y) :- q(?x, ?y) .")
    run: Callable[[str], None] = lambda text: _run(tmp_path, text)  # noqa: E731
    run("a\t1\nb\t2\n")
    with pytest.raises(RuleError, match=r'p\("a", .*1.*\), which has the same key as p\("a", .*2.*\)'):
        run("a\t1\na\t2\n")
    with pytest.raises(RuleError, match=r'derives p\("a", "x"\), column y'):
        run("a\tx\n")


def _run(folder: Path, text: str) -> None:
    (folder / "q.facts").write_text(text)
    program = TableProgram(folder / "p.dl")
    program.read(folder, lambda _: None)
    program.evaluate(lambda _: None)
