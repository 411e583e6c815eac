"""Random rule sets under random edits, against Oxigraph: each commit gives what the specification's algorithm gives.

The oracle evaluates a rule set from scratch, layer by layer, as *Evaluation of a Rule Set* says: rules that assign or
make blank nodes once, then the others until nothing is new. Each rule is a CONSTRUCT query over two graphs: the default
graph holds all triples, the graph <base> the asserted ones.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pyoxigraph
import pytest

from kgreason import KnowledgeGraph
from kgreason.rules.canonical_form import canonical as canonical_rule
from kgreason.rules.parser import parse
from tests.srl.suite import canonical

E = "http://example.org/"
HEADER = f"PREFIX : <{E}>\n"
LAYERS = 4
BASE = pyoxigraph.NamedNode(f"{E}base")


class Drawn(NamedTuple):
    """A rule as text of SPARQL-RL, and the query that says the same."""

    layer: int
    is_once: bool
    text: str
    query: str


def rule(random: Random, number: int) -> Drawn:
    """A rule that derives triples of its layer; what it negates, and what feeds new terms, is of lower layers."""
    layer = random.randrange(1, LAYERS)
    kind = random.choice(["plain", "plain", "set", "blank", "triple", "not", "not", "data", "data"])
    is_once = kind in ("set", "blank", "triple")
    below = layer if is_once else layer + 1
    body = [f"?x :p{random.randrange(below)} ?y"]
    if random.random() < 0.5:
        body.append(
            random.choice(["?y :p{} ?z", "?x :p{} ?z", "?z :p{} ?x", "?x :p{}/:p0 ?z"]).format(random.randrange(below))
        )
    patterns = " . ".join(body)
    last = random.choice(["?y", "?z"]) if "?z" in patterns else "?y"
    filters = random.choice(["", "", "FILTER(?y != 2)", "FILTER(isIRI(?x))", f"FILTER({last} > 0)"])
    head = f"?x :p{layer} {last}"
    text, query = f"{patterns} {filters}", f"{patterns} {filters}"
    if kind == "set":
        expression = random.choice([f"{last} + 1", f"STR({last})", f"1 / {last}"])
        text += f" SET(?v := {expression})"
        query += f" BIND({expression} AS ?v) FILTER(BOUND(?v))"
        head = f"?x :p{layer} ?v"
    elif kind == "blank":
        head = random.choice([f"?x :p{layer} []", f"_:b :p{layer} {last} ; :q ?x", f"[ :p{layer} ?x ] :q {last}"])
    elif kind == "triple":
        head = f"?x :p{layer} <<( ?x :q {last} )>>"
    elif kind == "not" or (kind == "data" and random.random() < 0.5):
        inner = f"{random.choice(['?x', last, ':a'])} :p{random.randrange(layer)} ?w{number}"
        inner += random.choice(["", f" FILTER(?w{number} > {last})", f" FILTER(?w{number} != {last})"])
        word = "NOT" if kind == "data" else random.choice(["NOT", "NOT DATA"])
        text += f" {word} {{ {inner} }}"
        inner = f"GRAPH :base {{ {inner} }}" if word == "NOT DATA" else inner
        query += f" FILTER NOT EXISTS {{ {inner} }}"
    where = "WHERE"
    if kind == "data":
        where = "WHERE DATA"
        query = f"GRAPH :base {{ {query} }}"
    return Drawn(
        layer,
        is_once,
        f"RULE {{ {head} }} {where} {{ {text} }}",
        f"{HEADER}CONSTRUCT {{ {head} }} WHERE {{ {query} }}",
    )


def triples_by_definition(rules: list[Drawn], base: set[str]) -> Any:
    """All triples, by the algorithm of the specification."""
    store = pyoxigraph.Store()
    lines = "\n".join(base).encode()
    store.load(lines, pyoxigraph.RdfFormat.N_TRIPLES)
    store.load(lines, pyoxigraph.RdfFormat.N_TRIPLES, to_graph=BASE)
    for layer in range(1, LAYERS):
        here = [each for each in rules if each.layer == layer]
        once = [list(_heads(store, each)) for each in here if each.is_once]
        for made in once:
            store.extend(made)
        size = -1
        while size != len(store):
            size = len(store)
            for each in here:
                if not each.is_once:
                    store.extend(_heads(store, each))
    return canonical(quad for quad in store if quad.graph_name != BASE)


def _heads(store: pyoxigraph.Store, drawn: Drawn) -> list[pyoxigraph.Quad]:
    found: Any = store.query(drawn.query)
    return [pyoxigraph.Quad(each.subject, each.predicate, each.object) for each in found]


def triple(random: Random) -> str:
    value = f'"{random.randrange(4)}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    object_ = random.choice([value, f"<{E}{random.choice('abc')}>"])
    return f"<{E}{random.choice('abc')}> <{E}p{random.choice([0, 0, 0, 1, 2])}> {object_} ."


def apart(rules: list[Drawn]) -> list[Drawn]:
    """The rules, each once: a text that is removed means every rule that reads alike."""
    found = {canonical_rule(replace(parse(HEADER + each.text, syntax="srl").rules[0], name="")): each for each in rules}
    return list(found.values())


def follow(seed: int) -> None:
    random = Random(seed)
    rules = apart([rule(random, number) for number in range(random.randint(1, 6))])
    base = {triple(random) for _ in range(6)}
    with KnowledgeGraph.open(rules=[]) as graph:
        with graph.transaction() as tx:
            tx.add("\n".join(base))
            tx.add_rules(HEADER + "\n".join(each.text for each in rules), syntax="srl")
        for step in range(5):
            every = canonical(graph.construct("CONSTRUCT WHERE { ?s ?p ?o }"))
            assert every == triples_by_definition(rules, base), (seed, step, [each.text for each in rules], base)
            gone = {each for each in base if random.random() < 0.25}
            come = {triple(random) for _ in range(random.choice([0, 1, 3]))} - gone
            with graph.transaction() as tx:
                tx.remove_lines("\n".join(gone).encode())
                tx.add("\n".join(come))
                if step == 2 and len(rules) > 1:
                    tx.remove_rules(f"{HEADER}{rules.pop().text}", syntax="srl")
            base = (base - gone) | come


@pytest.mark.parametrize("seed", [*range(13), 95])
def test_every_commit_gives_what_the_specification_says(seed: int) -> None:
    follow(seed)


@pytest.mark.parametrize("seed", range(100, 130))
def test_every_commit_of_many_histories_gives_what_the_specification_says(seed: int) -> None:
    for each in range(10 * seed, 10 * seed + 10):
        follow(each)
