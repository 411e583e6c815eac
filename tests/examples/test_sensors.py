"""The sensors under random readings that come and go, against averages and alarms computed from all readings."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from typing import NamedTuple

import pytest

from kgreason import KnowledgeGraph
from tests.examples.programs import EXAMPLES, rows

FOLDER = EXAMPLES / "sensors"
NAMES = {
    "": "http://example.org/plant/",
    "sosa": "http://www.w3.org/ns/sosa/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
KIND = """
    :Kind <http://www.w3.org/2000/01/rdf-schema#subClassOf> sosa:Sensor ;
        :warm 80 ; :hot 95 ; :lowest 0 ; :highest 200 .
"""
SENSORS = ("s1", "s2", "s3")
MORNING = datetime(2026, 3, 1, 10)


class Reading(NamedTuple):
    sensor: str
    minute: int
    halves: int
    zone: str

    @property
    def time(self) -> str:
        return f"{MORNING + timedelta(minutes=self.minute):%Y-%m-%dT%H:%M:%S}{self.zone}"

    @property
    def hour(self) -> str:
        return f"{MORNING + timedelta(minutes=self.minute):%Y-%m-%dT%H}:00:00Z"

    @property
    def is_fault(self) -> bool:
        return self.zone != "Z" or not 0 <= self.halves <= 400

    def text(self, number: int) -> str:
        value = f"{self.halves / 2:.1f}"
        return (
            f":r{number} sosa:madeBySensor :{self.sensor} ; sosa:hasSimpleResult {value} ;"
            f' sosa:resultTime "{self.time}"^^xsd:dateTime .\n'
        )


Hour = tuple[str, str]


def averages(readings: dict[int, Reading]) -> dict[Hour, tuple[Fraction, int]]:
    """The mean and the number of good readings of each sensor and hour."""
    values: defaultdict[Hour, list[int]] = defaultdict(list)
    for reading in readings.values():
        if not reading.is_fault:
            values[reading.sensor, reading.hour].append(reading.halves)
    return {hour: (Fraction(sum(halves), 2 * len(halves)), len(halves)) for hour, halves in values.items()}


def alarms(readings: dict[int, Reading], checks: dict[str, int]) -> set[tuple[str, str]]:
    """The sensors whose latest good readings are hot and not checked, with these readings."""
    found = set()
    for sensor in SENSORS:
        good = {number: each for number, each in readings.items() if each.sensor == sensor and not each.is_fault}
        latest = max((each.minute for each in good.values()), default=0)
        if checks.get(sensor, -1) < latest:
            found |= {
                (sensor, f"r{number}") for number, each in good.items() if each.minute == latest and each.halves > 190
            }
    return found


def compare(graph: KnowledgeGraph, readings: dict[int, Reading], checks: dict[str, int]) -> None:
    wanted = averages(readings)
    pattern = "?hour :of ?sensor ; :begins ?begin ; :mean ?mean ; :readings ?count"
    found = {
        (sensor, begin): (Fraction(mean), int(count)) for _, sensor, begin, mean, count in rows(graph, NAMES, pattern)
    }
    assert found.keys() == wanted.keys()
    for hour, (mean, count) in found.items():
        assert abs(mean - wanted[hour][0]) < Fraction(1, 10**12)
        assert count == wanted[hour][1]
    warm = {hour for hour, (mean, _) in wanted.items() if mean > 80}
    found_warm = rows(graph, NAMES, "?hour a :WarmHour . ?hour :of ?sensor . ?hour :begins ?begin")
    assert {(sensor, begin) for _, sensor, begin in found_warm} == warm
    faults = {(f"r{number}",) for number, reading in readings.items() if reading.is_fault}
    assert rows(graph, NAMES, "?reading a :Fault") == faults
    assert rows(graph, NAMES, "?sensor a :Silent") == {(sensor,) for sensor in SENSORS} - {(one,) for one, _ in wanted}
    assert rows(graph, NAMES, "?sensor :alarm ?reading") == alarms(readings, checks)


def draw_reading(random: Random) -> Reading:
    halves = random.choice(
        [160, random.randrange(100, 220), random.randrange(185, 200), random.choice([-1, 401, 0, 400])]
    )
    zone = random.choice(["Z"] * 9 + ["+01:00", "-05:00", ""])
    return Reading(random.choice(SENSORS), random.randrange(0, 240, 7), halves, zone)


@pytest.mark.parametrize("seed", range(3))
def test_averages_and_alarms_follow_the_readings(seed: int) -> None:
    random = Random(seed)
    readings: dict[int, Reading] = {}
    checks: dict[str, int] = {}
    with KnowledgeGraph.open(rules=["rdfs", f"{FOLDER}/rules.dl"]) as graph:
        graph.add(KIND + "".join(f":{sensor} a :Kind ." for sensor in SENSORS), prefixes=NAMES)
        for _ in range(60):
            with graph.transaction() as tx:
                for _ in range(random.choice([1, 1, 5])):
                    old = random.randrange(len(readings) + 20)
                    if old in readings:
                        tx.remove(readings.pop(old).text(old), prefixes=NAMES)
                    elif (fresh := max(readings, default=0) + 1) not in readings:
                        readings[fresh] = draw_reading(random)
                        tx.add(readings[fresh].text(fresh), prefixes=NAMES)
                if random.random() < 0.3:
                    sensor, minute = random.choice(SENSORS), random.randrange(240)
                    time = Reading(sensor, minute, 0, "Z").time
                    tx.add(f':{sensor} :checkedAt "{time}"^^xsd:dateTime .', prefixes=NAMES)
                    checks[sensor] = max(minute, checks.get(sensor, -1))
            compare(graph, readings, checks)
