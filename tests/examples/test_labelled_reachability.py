"""Labelled reachability under single edits, against a search from each machine that holds a label."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from kgreason import KnowledgeGraph
from tests.examples.programs import EXAMPLES, Row, rows

RULES = EXAMPLES / "labelled-reachability" / "rules.dl"
NAMES = {"": "http://example.org/network/"}
Edge = tuple[str, str, str]


def searched(edges: set[Edge]) -> set[Row]:
    """The machines with the labels that they reach."""
    before: defaultdict[str, set[str]] = defaultdict(set)
    for one, predicate, other in edges:
        if predicate == "link":
            before[other].add(one)
    denied = {(machine, label) for machine, predicate, label in edges if predicate == "denies"}
    found: set[Row] = set()
    for holder, label in {(machine, label) for machine, predicate, label in edges if predicate == "holds"}:
        seen, waiting = {holder}, [holder]
        while waiting:
            machine = waiting.pop()
            if machine == holder or (machine, label) not in denied:
                waiting += before[machine] - seen
                seen |= before[machine]
        found |= {(machine, label) for machine in seen}
    return found


def draw_edge(random: Random, machines: int) -> Edge:
    def machine() -> str:
        return f"m{random.randrange(machines)}"

    predicate = random.choice(["link"] * 6 + ["holds", "denies"])
    return machine(), predicate, machine() if predicate == "link" else f"label{random.randrange(3)}"


def text(edges: set[Edge]) -> str:
    return "".join(f":{one} :{predicate} :{other} .\n" for one, predicate, other in edges)


@pytest.mark.parametrize("seed", range(4))
def test_each_single_edit_leaves_what_a_search_finds(seed: int) -> None:
    random = Random(seed)
    edges: set[Edge] = set()
    with KnowledgeGraph.open(rules=["none", f"{RULES}"]) as graph:
        for step in range(120):
            is_added = random.random() < (0.9 if step < 40 else 0.5)
            edge = draw_edge(random, 10) if is_added or not edges else random.choice(sorted(edges))
            delta = (
                graph.remove(text({edge}), prefixes=NAMES) if edge in edges else graph.add(text({edge}), prefixes=NAMES)
            )
            before, wanted = searched(edges), searched(edges := edges ^ {edge})
            assert rows(graph, NAMES, "?machine :reaches ?label") == wanted, f"history {seed}, step {step}"
            changed = [predicate for _, predicate, _ in (*delta.appeared(), *delta.disappeared())]
            assert changed.count(f"<{NAMES['']}reaches>") == len(before ^ wanted)


def test_ten_thousand_edges_come_and_go_one_by_one() -> None:
    random = Random(1)
    machines = 4_000
    edges = {(f"m{random.randrange(machines)}", "link", f"m{random.randrange(machines)}") for _ in range(10_000)}
    edges |= {(f"m{random.randrange(machines)}", "holds", f"label{number}") for number in range(10)}
    edges |= {(f"m{random.randrange(machines)}", "denies", f"label{random.randrange(10)}") for _ in range(1_500)}
    with KnowledgeGraph.open(rules=["none", f"{RULES}"]) as graph:
        graph.add(text(edges), prefixes=NAMES)
        for step in range(400):
            edge = random.choice(sorted(edges)) if random.random() < 0.5 else draw_edge(random, machines)
            if edge in edges:
                graph.remove(text({edge}), prefixes=NAMES)
            else:
                graph.add(text({edge}), prefixes=NAMES)
            edges ^= {edge}
            if step % 20 == 19:
                assert rows(graph, NAMES, "?machine :reaches ?label") == searched(edges), f"step {step}"
