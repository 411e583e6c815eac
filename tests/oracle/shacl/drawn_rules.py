"""Random rules of SHACL-AF beside random shapes."""

from __future__ import annotations

from random import Random

from tests.oracle.shacl.drawn import CLASSES, NODES, PREDICATES, Knobs, Shapes

CONSTRUCTS = (
    "CONSTRUCT { $this :q ?o } WHERE { $this :p ?o FILTER NOT EXISTS { $this :q ?o } }",
    "CONSTRUCT { ?o :r $this } WHERE { $this :p ?o }",
    "CONSTRUCT { $this :p ?v . ?w :q $this } WHERE { $this :r ?v OPTIONAL { ?w :p $this } }",
    "CONSTRUCT { $this :r ?n } WHERE { { SELECT $this (COUNT(?o) AS ?n) { $this :p ?o } GROUP BY $this } }",
    "CONSTRUCT { $this a :A } WHERE { $this :p+ ?x . ?x a :B }",
    "CONSTRUCT { ?x :q ?y } WHERE { { $this :p ?x } UNION { $this :r ?x } ?x :p ?y }",
)
_DECLARED = 'sh:prefixes [ sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] ]'
_TARGET = "SELECT ?this WHERE { ?this :p ?o FILTER NOT EXISTS { ?this :q ?v } }"


def shapes_with_rules(drawn: Random, knobs: Knobs) -> list[str]:
    """Draw the statements of a shapes graph with rules."""
    found = Shapes(drawn, knobs).statements()
    names = sorted({each.split(" ", 1)[0] for each in found if each.startswith(":s")}) or [":t0"]
    for number in range(drawn.randint(1, 4)):
        rule, shape = f":r{number}-rule", f":t{drawn.randint(0, 1)}"
        found += [f"{shape} sh:rule {rule} .", *_rule(drawn, rule, names)]
        if drawn.random() < 0.5:
            several = drawn.sample(names, min(len(names), drawn.randint(1, 2)))
            found.append(f"{rule} sh:condition {', '.join(several)} .")
        if drawn.random() < 0.6:
            found.append(f"{rule} sh:order {drawn.choice(('1', '2', '-1', '0.5'))} .")
        if drawn.random() < 0.15:
            found.append(f"{rule} sh:deactivated true .")
    found += [f":t0 sh:targetClass {drawn.choice(CLASSES)} .", f":t1 sh:targetSubjectsOf {drawn.choice(PREDICATES)} ."]
    if drawn.random() < 0.4:
        found += [":t1 sh:target :t-select .", f':t-select sh:select "{_TARGET}" ; {_DECLARED} .']
    return list(dict.fromkeys(found))


def _rule(drawn: Random, rule: str, names: list[str]) -> list[str]:
    if drawn.random() < 0.5:
        return [f'{rule} sh:construct "{drawn.choice(CONSTRUCTS)}" ; {_DECLARED} .']
    subject = "sh:this" if drawn.random() < 0.7 else _expression(drawn, names, 1)
    predicate, value = drawn.choice(PREDICATES), _expression(drawn, names, 2)
    if drawn.random() < 0.3:
        predicate, value = "rdf:type", drawn.choice(CLASSES)
    return [f"{rule} sh:subject {subject} .", f"{rule} sh:predicate {predicate} .", f"{rule} sh:object {value} ."]


def _expression(drawn: Random, names: list[str], depth: int) -> str:
    def inner() -> str:
        return _expression(drawn, names, depth - 1)

    paths = (*PREDICATES, "( :p :q )", "[ sh:zeroOrMorePath :p ]", "[ sh:inversePath :r ]")
    path = f"[ sh:path {drawn.choice(paths)} ]"
    if not depth:
        return drawn.choice(("sh:this", drawn.choice([node for node in NODES if node[0] == ":"]), path))
    kind = drawn.choice(("simple", "path", "filterShape", "intersection", "union", "minus", "exists", "count", "if"))
    match kind:
        case "path":
            return f"[ sh:path {drawn.choice(PREDICATES)} ; sh:nodes {inner()} ]"
        case "filterShape":
            return f"[ sh:filterShape {drawn.choice(names)} ; sh:nodes {inner()} ]"
        case "intersection" | "union":
            return f"[ sh:{kind} ( {inner()} {inner()} ) ]"
        case "minus":
            return f"[ sh:nodes {inner()} ; sh:minus {inner()} ]"
        case "exists" | "count":
            return f"[ sh:{kind} {inner()} ]"
        case "if":
            return f"[ sh:if [ sh:exists {inner()} ] ; sh:then {inner()} ; sh:else {inner()} ]"
        case _:
            return path
