"""An edit by key looks at the facts with this key, however many facts the relation has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np
import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.facts.table import FactTable
from kgreason.errors import InputError, RuleError

RULES = """
@relation price(shop, item, amount: xsd:integer) key(shop, item) .
dear(?s, ?i) :- price(?s, ?i, ?a), FILTER(?a > 100) .
price(?s, "all", ?a) :- flat(?s, ?a) .
"""


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The numbers of rows that are read out of the table of facts in the block."""
    read: list[int] = []

    def counting(name: str) -> Any:
        method = getattr(FactTable, name)

        def call(table: FactTable, *args: Any) -> Any:
            found = method(table, *args)
            read.append(len(found[0] if isinstance(found, tuple) else found))
            return found

        return call

    with monkeypatch.context() as patch:
        for name in ("contents", "columns", "records", "present_rows", "present_and_gone_rows", "find"):
            patch.setattr(FactTable, name, counting(name))
        yield read


@pytest.mark.parametrize("kind", ["upsert", "insert", "delete"])
def test_an_edit_of_one_row_reads_as_many_rows_whatever_the_size_of_the_relation(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    for size in (1_000, 30_000):
        with KnowledgeGraph.open(rules=["none"]) as graph:
            with graph.transaction() as tx:
                tx.add_rules(RULES)
                tx.relation("price").insert([("urn:s", number, number % 90) for number in range(size)])
            price = graph.relation("price")
            price.upsert([("urn:s", 5, 1)])  # the first edit by key makes the index
            with counted(monkeypatch) as read:
                for number in range(20, 30):
                    row = ("urn:s", number if kind != "insert" else -number, number % 90 + (kind == "upsert"))
                    delta = getattr(price, kind)([row])
                    assert len(delta.relation("price")) == (2 if kind == "upsert" else 1)
            looks.append(sum(read))
    assert looks[0] == looks[1] < 300


def test_many_edits_of_a_transaction_do_not_look_at_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
        with counted(monkeypatch) as read, graph.transaction() as tx:
            price = tx.relation("price")
            for number in range(2_000):
                price.upsert([("urn:s", number // 2, number)])
            assert sum(read) < 10 * 2_000
        assert len(graph.relation("price")) == 1_000
        assert ("urn:s", 3, 7) in graph.relation("price")


def test_random_edits_by_key_are_those_of_a_dict() -> None:
    """A commit is refused if a derived fact and another fact have one key."""
    for seed in range(8):
        random, table, flat = Random(seed), dict[tuple[str, str], int](), set[int]()
        with KnowledgeGraph.open(rules=["none"]) as graph:
            with graph.transaction() as tx:
                tx.add_rules(RULES)
            for _ in range(8):
                before = dict(table), set(flat)
                try:
                    with graph.transaction() as tx:
                        _edit(tx, random, table, flat)
                        amounts = flat | ({table[ALL]} if ALL in table else set())
                        if random.random() < 0.2:
                            raise KeyError  # the edits are dropped
                except KeyError:
                    table, flat = before
                except RuleError:
                    assert flat, f"history {seed}"
                    assert len(amounts) > 1, f"history {seed}"
                    table, flat = before
                else:
                    assert not flat or len(amounts) == 1, f"history {seed}"
                found = {
                    (str(shop)[1:-1], str(item)): int(getattr(amount, "value", ""))
                    for shop, item, amount in graph.relation("price").facts(asserted=True)
                }
                assert found == table, f"history {seed}"


ALL = "urn:s0", '"all"'


def _edit(tx: Any, random: Random, table: dict[tuple[str, str], int], flat: set[int]) -> None:
    """Some edits by key, and the same edits of a dict. The facts of `flat` derive prices of the key `ALL`."""
    if random.random() < 0.3:
        amount = random.randrange(3)
        (tx.relation("flat", 2).delete if amount in flat else tx.relation("flat", 2).insert)([("urn:s0", amount)])
        flat ^= {amount}
    for _ in range(random.randrange(1, 5)):
        key = f"urn:s{random.randrange(2)}", random.choice(['"all"', '"tea"'])
        amount = random.randrange(3)
        kind = random.choice(["upsert", "insert", "delete"])
        relation = tx.relation("price")
        if kind == "delete":
            relation.delete([(*key, amount)])
            if table.get(key) == amount:
                del table[key]
        elif kind == "insert" and table.get(key, amount) != amount:
            with pytest.raises(InputError, match="has the same key as"):
                relation.insert([(*key, amount)])
        else:
            getattr(relation, kind)([(*key, amount)])
            table[key] = amount


def test_a_new_declaration_with_another_key_counts_at_once() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation p(x, y) key(x) .")
            tx.relation("p").insert([("urn:a", 1), ("urn:b", 2)])
            tx.remove_rules("p")
            tx.add_rules("@relation p(x, y) key(y) .")
            tx.relation("p").upsert([("urn:c", 2)])
        assert np.array_equal(sorted(str(x) for x, _ in graph.relation("p")), ["<urn:a>", "<urn:c>"])
        graph.relation("p").upsert([("urn:d", 1)])
        assert sorted(str(x) for x, _ in graph.relation("p")) == ["<urn:c>", "<urn:d>"]
