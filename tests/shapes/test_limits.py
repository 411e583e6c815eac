"""What would take the compiler of shapes for ever is refused by name, before it is done."""

from __future__ import annotations

import pytest

from kgreason.errors import ShapesError
from kgreason.graph.shapes.pending import triples_of_text
from kgreason.rules.model import Rule
from kgreason.shapes.program import rules_of

_PREFIXES = "@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"


def _rules(text: str) -> tuple[Rule, ...]:
    return rules_of(triples_of_text((_PREFIXES + text).encode(), "ttl", None))


def _select(body: str) -> str:
    return f':S sh:targetNode :a ; sh:sparql :Q . :Q sh:select """SELECT $this {{ $this <e:p> ?y . {body} }}""" .'


def _optionals(count: int) -> str:
    return " ".join(f"OPTIONAL {{ $this <e:q{place}> ?z{place} }}" for place in range(count))


def _components(count: int, validator: str = "") -> str:
    paths = "".join(f":C sh:parameter [ sh:path :p{place} ] . :S :p{place} 1, 2 .\n" for place in range(count))
    return f":S sh:targetNode :a . :C a sh:ConstraintComponent . {validator}\n{paths}"


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
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_take_the_compiler_for_ever_is_refused_by_name(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ShapesError) as caught:
        _rules(text)
    assert message in str(caught.value)


def test_what_a_person_writes_is_allowed() -> None:
    assert _rules(_select(_optionals(5)))
    assert _rules(_components(4, _VALIDATOR))
    assert _rules(_components(60))  # no validator
