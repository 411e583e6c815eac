"""The data-quality view of random catalogues under edits, against checks of each thing in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from random import Random

import pytest

from kgreason import KnowledgeGraph
from tests.examples.programs import EXAMPLES, Row, rows

FOLDER = EXAMPLES / "data-quality"
NAMES = {
    "": "http://example.org/quality/",
    "schema": "https://schema.org/",
    "shop": "http://example.org/shop/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
REQUIRED = {
    "Product": {"name", "gtin", "offers"},
    "Book": {"author"},
    "Offer": {"price", "priceCurrency"},
}
LIMITS = {"price": (0, 10_000), "numberOfPages": (1, 10**9)}
VALUES = {
    "name": ['"Emma"', '"Lamp"'],
    "gtin": ['"978-1"', '"9781"', '"97 81"', '"9782"', '"978-3"'],
    "offers": ["shop:o1", "shop:o2"],
    "author": ['"Jane Austen"'],
    "price": ["0", "9.99", "-1", "10000", "10000.01", '"29,90"', "1e9"],
    "priceCurrency": ['"EUR"'],
    "numberOfPages": ["0", "1", "474", '"many"'],
    "validFrom": ['"2026-05-01"^^xsd:date'],
    "validThrough": ['"2026-04-30"^^xsd:date', '"2026-05-01"^^xsd:date', '"soon"'],
    "availability": ["schema:InStock", "schema:SoldOut"],
}
THINGS = ("t1", "t2", "t3", "t4", "t5")
Fact = tuple[str, str, str]


def classes(thing: str, facts: set[Fact]) -> set[str]:
    stated = {value.removeprefix("schema:") for one, verb, value in facts if (one, verb) == (thing, "a")}
    return stated | ({"Product"} if "Book" in stated else set())


def number(value: str) -> float | None:
    return None if value.startswith('"') else float(value)


def flaws(facts: set[Fact]) -> set[Row]:
    """Thing, property, and what is wrong; for a duplicate also the other thing."""
    found: set[Row] = set()
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for thing in THINGS:
        has = {verb for one, verb, _ in facts if one == thing}
        for class_ in classes(thing, facts):
            found |= {(thing, verb, "lacks") for verb in REQUIRED[class_] - has}
    for thing, verb, value in facts:
        if verb == "gtin":
            keys[value.strip('"').replace("-", "").replace(" ", "")].add(thing)
        if verb in LIMITS:
            amount = number(value)
            least, most = LIMITS[verb]
            if amount is None:
                found.add((thing, verb, "hasNoNumberAs"))
            elif not least <= amount <= most:
                found.add((thing, verb, "isOutOfRangeIn"))
    for things in keys.values():
        found |= {(one, "gtin", "hasSameKeyAs", other) for one, other in permutations(things, 2)}
    return found


def counts(facts: set[Fact]) -> set[Row]:
    """Class, things with a flaw, flaws, things."""
    members = {class_: {thing for thing in THINGS if class_ in classes(thing, facts)} for class_ in REQUIRED}
    wrong = {each[:3] for each in flaws(facts)}
    report = set[Row]()
    for class_, things in members.items():
        by_thing = Counter(thing for thing, *_ in wrong if thing in things)
        if things:
            report.add((class_, str(len(by_thing)), str(by_thing.total()), str(len(things))))
    return report


def contradictions(facts: set[Fact]) -> int:
    late = {('"2026-05-01"^^xsd:date', '"2026-04-30"^^xsd:date')}
    found = 0
    for thing in THINGS:
        values = {(verb, value) for one, verb, value in facts if one == thing}
        found += sum(("validFrom", one) in values and ("validThrough", other) in values for one, other in late)
        found += {("availability", "schema:InStock"), ("availability", "schema:SoldOut")} <= values
    return found


def compare(graph: KnowledgeGraph, facts: set[Fact]) -> None:
    wanted = flaws(facts)
    for kind in ("lacks", "hasNoNumberAs", "isOutOfRangeIn"):
        found = rows(graph, NAMES, f"?thing :{kind} ?property")
        assert found == {(thing, verb) for thing, verb, is_, *_ in wanted if is_ == kind}, kind
    same = {(each[0], each[3]) for each in wanted if each[2] == "hasSameKeyAs"}
    assert rows(graph, NAMES, "?thing :hasSameKeyAs ?other") == same
    assert rows(graph, NAMES, "?class :flawedThings ?flawed ; :flaws ?flaws ; :things ?things") == counts(facts)
    assert len(graph.contradictions()) == contradictions(facts)


def text(facts: set[Fact]) -> str:
    verbs = {verb: verb if verb == "a" else f"schema:{verb}" for _, verb, _ in facts}
    return "".join(f"shop:{thing} {verbs[verb]} {value} .\n" for thing, verb, value in sorted(facts))


@pytest.mark.parametrize("seed", range(3))
def test_the_view_follows_the_catalogue(seed: int) -> None:
    random = Random(seed)
    possible = [(thing, "a", f"schema:{class_}") for thing in THINGS for class_ in REQUIRED]
    possible += [(thing, verb, value) for thing in THINGS for verb, values in VALUES.items() for value in values]
    facts: set[Fact] = set()
    with KnowledgeGraph.open(rules=["rdfs", f"{FOLDER}/rules.dl"]) as graph:
        graph.load(f"{FOLDER}/requirements.ttl")
        for _ in range(50):
            changed = set(random.sample(possible, random.choice([1, 2, 12])))
            with graph.transaction() as tx:
                tx.remove(text(facts & changed), prefixes=NAMES)
                tx.add(text(changed - facts), prefixes=NAMES)
            facts ^= changed
            compare(graph, facts)
