"""Shortest paths under random edits, in a graph and on tables, against Dijkstra's algorithm."""

from __future__ import annotations

from heapq import heappop, heappush
from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from tests.examples.programs import EXAMPLES, rows, run

FOLDER = EXAMPLES / "shortest-paths"
NAMES = {"": "http://example.org/roads/"}
Road = tuple[str, str, int]
Distances = dict[str, int]


def dijkstra(roads: set[Road], starts: set[str]) -> Distances:
    distances = Distances()
    waiting = [(0, start) for start in starts]
    while waiting:
        far, place = heappop(waiting)
        if place not in distances:
            distances[place] = far
            for _, to, length in (road for road in roads if road[0] == place):
                heappush(waiting, (far + length, to))
    return distances


def text(number: int, road: Road) -> str:
    return f":road{number} :from :{road[0]} ; :to :{road[1]} ; :length {road[2]} .\n"


def draw_road(random: Random, places: list[str]) -> Road:
    return random.choice(places), random.choice(places), random.choice([0, 1, 1, 2, 3, 5, 8])


@pytest.mark.parametrize("seed", range(4))
def test_a_graph_keeps_the_distances_under_edits(seed: int) -> None:
    random = Random(seed)
    places = [f"p{number}" for number in range(10)]
    roads: dict[int, Road] = {}
    starts: set[str] = set()
    with KnowledgeGraph.open(rules=["none", f"{FOLDER}/program.dl", f"{FOLDER}/roads.dl"]) as graph:
        for step in range(60):
            added, removed = "", ""
            for number in random.sample(range(30), random.choice([1, 1, 1, 2, 8])):
                if number in roads:  # a road is deleted, or gets another length
                    removed += text(number, roads[number])
                    if random.random() < 0.4:
                        del roads[number]
                        continue
                    roads[number] = (*roads[number][:2], random.randrange(9))
                else:
                    roads[number] = draw_road(random, places)
                added += text(number, roads[number])
            if random.random() < 0.2 or not step:
                place = random.choice(places)
                starts ^= {place}
                added, removed = (
                    (added + f":{place} a :Start .", removed)
                    if place in starts
                    else (added, removed + f":{place} a :Start .")
                )
            with graph.transaction() as tx:
                tx.remove(removed, prefixes=NAMES)
                tx.add(added, prefixes=NAMES)
            wanted = {(place, str(far)) for place, far in dijkstra(set(roads.values()), starts).items()}
            assert rows(graph, NAMES, "?place :distance ?far") == wanted, f"history {seed}, step {step}"


@pytest.mark.parametrize("seed", range(4))
def test_the_program_on_tables_finds_distances_and_last_roads(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    places = [f"p{number}" for number in range(50)]
    roads = {draw_road(random, places) for _ in range(150)}
    starts = set(random.sample(places, 2))
    found = run(FOLDER / "program.dl", {"road": roads, "start": [(start,) for start in starts]}, tmp_path)
    far = dijkstra(roads, starts)
    assert found["distance"] == {(place, str(length)) for place, length in far.items()}
    assert found["last"] == {(b, a) for a, b, length in roads if a in far and far[a] + length == far[b]}
