"""What would take the compiler of shapes for ever is refused by name, before it is done."""

from __future__ import annotations

from itertools import combinations

import pytest

from kgreason.errors import ShapesError
from kgreason.graph.shapes.shapes_editor import triples_of_text
from kgreason.rules.model import Rule
from kgreason.shapes import paths, shape
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.program import rules_of
from kgreason.shapes.query import compiler
from kgreason.shapes.shape import shapes_of

_PREFIXES = "@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"


def _rules(text: str) -> tuple[Rule, ...]:
    return rules_of(triples_of_text((_PREFIXES + text).encode(), "ttl", None))


def _graph(text: str) -> ShapesGraph:
    return ShapesGraph(triples_of_text((_PREFIXES + text).encode(), "ttl", None))


def _select(body: str) -> str:
    return f':S sh:targetNode :a ; sh:sparql :Q . :Q sh:select """SELECT $this {{ $this <e:p> ?y . {body} }}""" .'


def _optionals(count: int) -> str:
    return " ".join(f"OPTIONAL {{ $this <e:q{place}> ?z{place} }}" for place in range(count))


def _components(count: int, validator: str = "") -> str:
    paths = "".join(f":C sh:parameter [ sh:path :p{place} ] . :S :p{place} 1, 2 .\n" for place in range(count))
    return f":S sh:targetNode :a . :C a sh:ConstraintComponent . {validator}\n{paths}"


_LONG = f"<e:{'p' * 30_000}> "
_ENDS = ", 'a', 'b')"
_VALIDATOR = ":C sh:validator [ sh:ask 'ASK { $this ?p $p0 }' ] ."
REFUSED = {
    "OPTIONALs": (_select(_optionals(40)), "<http://e/Q>: the query has too many OPTIONALs or UNIONs"),
    "UNIONs": (
        _select(" ".join("{ $this <e:q> ?y } UNION { ?y <e:q> $this }" for _ in range(40))),
        "<http://e/Q>: the query has too many OPTIONALs or UNIONs",
    ),
    "EXISTS in EXISTS": (
        _select("".join(f"{_optionals(4)} FILTER EXISTS {{ $this <e:e{place}> ?y . " for place in range(8)) + "}" * 8),
        "<http://e/Q>: the query has too many OPTIONALs or UNIONs",
    ),
    "parameters": (_components(60, _VALIDATOR), "<http://e/S>: the parameters of <http://e/C> have"),
    "many parameters": (_components(70, _VALIDATOR), "have more than 2^64 combinations"),
    "paths that share their parts": (
        ":S sh:targetNode :a ; sh:minCount 1 ; sh:path _:a0 ."
        + "".join(f"_:a{place} sh:alternativePath (_:a{place + 1} _:a{place + 1}) ." for place in range(60))
        + "_:a60 sh:inversePath :p .",
        "<http://e/S>: a path has more than",
    ),
    "steps of a path": (
        f":S sh:targetNode :a ; sh:minCount 1 ; sh:path ({':p ' * 1001}) .",
        "<http://e/S>: a path has more than 1,000 steps",
    ),
    "stars": (
        f":S sh:targetNode :a ; sh:minCount 1 ; sh:path ({'[ sh:zeroOrMorePath :p ] ' * 101}) .",
        "<http://e/S>: a path has more than 100 sequences",
    ),
    "characters of a path": (
        f":S sh:targetNode :a ; sh:minCount 1 ; sh:path ({_LONG * 4}) .",
        "<http://e/S>: a path has more than 100,000 characters",
    ),
    "stars of a query": (_select(f"$this {'/'.join(['<e:p>*'] * 101)} ?z"), "<http://e/Q>: a path has more than 100"),
    "length of a query": (_select(f"# {'x' * 10_000}"), "<http://e/Q>: the query has 10,0"),
    "brackets": (_select(f"FILTER({'(' * 40}?y{')' * 40})"), "<http://e/Q>: the query has more than 32 brackets"),
    "brackets behind the sign for less": (
        _select(f"FILTER(?y<{'(' * 40}1{')' * 40}&&1>0)"),
        "<http://e/Q>: the query has more than 32 brackets",
    ),
    "signs": (_select(f"FILTER({'!' * 40}?y)"), "<http://e/Q>: the query has more than 32 brackets or signs"),
    "calls in calls": (
        _select(f"FILTER({'REPLACE(' * 20}?y{_ENDS * 20} = 'a')"),
        "<http://e/Q>: the query cannot be a rule",
    ),
    "values of parameters": (
        f":S sh:targetNode :a ; :p0 '{'x' * 20_000}' . :C a sh:ConstraintComponent ; sh:parameter [ sh:path :p0 ] ."
        ":C sh:validator :V . :V sh:ask 'ASK { $this ?p $p0 }' .",
        "<http://e/V>: the namespaces of the query and the values of its parameters",
    ),
    "a list in one rule": (
        f":S sh:targetNode :a ; sh:or ({_LONG * 20}) .",
        "<http://e/S>: a value or a list is too long: the rule sh-or",
    ),
    "siblings": (
        f":S sh:targetNode :a ; sh:property :P, {', '.join(f':P{n}' for n in range(1001))} ."
        ":P sh:path :p ; sh:qualifiedValueShapesDisjoint true ; sh:qualifiedValueShape :Q ."
        + "".join(f":P{n} sh:path :p ; sh:qualifiedValueShape :Q{n} ." for n in range(1001)),
        "<http://e/P>: the shape has more than 1,000 sibling shapes",
    ),
    "xone": (
        f":S sh:targetNode :a ; sh:xone ({' '.join(f':N{n}' for n in range(501))}) .",
        "<http://e/S>: the list of sh:xone has more than 500 members",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_take_the_compiler_for_ever_is_refused_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_MOST_OF_ALL", 100)
    text, message = REFUSED[name]
    with pytest.raises(ShapesError) as caught:
        _rules(text)
    assert message in str(caught.value)


def test_what_a_person_writes_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _rules(_select(_optionals(5)))
    assert _rules(_select("FILTER(!(((?y + 1) * 2) IN (1, 2)) && regex(str(?y), '((((a)))'))"))
    assert _rules(_components(4, _VALIDATOR))
    assert _rules(_components(60))  # no validator
    assert _rules(f":S sh:targetNode :a ; sh:minCount 1 ; sh:path ({':p ' * 300}) .")
    assert _rules(_select(f"$this {'/'.join(['<e:p>*'] * 20)} ?z"))
    monkeypatch.setattr(paths, "_MOST_COMPOUND", 5)
    assert _rules(_select(_optionals(5).replace("> ?z", ">* ?z")))


def test_only_a_negative_way_in_a_circle_is_refused() -> None:
    """The counts are those of a walk from each end of a way, for graphs of three shapes with three ways."""
    ways = [(start, kind, end) for start in "ABC" for kind in ("node", "not") for end in "ABC"]
    refused = 0
    for several in list(combinations(ways, 3))[::6]:
        below = {node: {end for start, _, end in several if start == node} for node in "ABC"}
        for _ in range(3):
            below = {node: ends.union(*(below[end] for end in ends)) for node, ends in below.items()}
        is_circle = any(kind == "not" and (start == end or start in below[end]) for start, kind, end in several)
        text = " ".join(f":{start} sh:{kind} :{end} ." for start, kind, end in several)
        graph = ShapesGraph(
            triples_of_text(
                f"{_PREFIXES} :A sh:targetNode :a . :B sh:targetNode :a . :C sh:targetNode :a . {text}".encode(),
                "ttl",
                None,
            )
        )
        try:
            shapes_of(graph)
        except ShapesError:
            assert is_circle, text
            refused += 1
        else:
            assert not is_circle, text
    assert refused > 50


def test_a_long_chain_of_negations_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[None]()
    monkeypatch.setattr(shape, "let_out", lambda: calls.append(None))
    text = "".join(f":N{n} sh:not :N{n + 1} ." for n in range(1000))
    shapes_of(_graph(f":N0 sh:targetNode :a . {text}"))
    assert len(calls) < 10_000
