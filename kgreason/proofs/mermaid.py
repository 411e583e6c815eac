"""A proof as a Mermaid flowchart, read from the bottom up: asserted facts below, the proved fact on top.

    flowchart BT
        f0["facts are boxes, asserted ones rounded"]
        r1{{"rules are hexagons"}}
        a1_0[/"the axioms of a rule, and its conditions on literals, are slanted"/]
        f0 --> r1 --> f1

Every fact and every derivation is drawn once. Labels are in quotation marks, and characters with a meaning in Mermaid
or HTML are written as entity codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kgreason.proofs.contradiction import conclusion_text
from kgreason.proofs.notation import Step, axioms_text, conditions

_ESCAPES = {ord(character): f"#{ord(character)};" for character in "#\"'<>&\\`*_~$%"}


def to_mermaid(proof: Step, prefixes: Mapping[str, str]) -> str:
    """Return the lines of the flowchart, each ended by a line feed."""
    steps = proof.steps()
    number = {step: place for place, step in enumerate(steps)}
    lines = ["flowchart BT\n"]
    for step in steps:
        lines += (f"    {line}\n" for line in _lines(step, number, prefixes))
    return "".join(lines)


def _lines(step: Step, number: Mapping[Step, int], prefixes: Mapping[str, str]) -> Iterator[str]:
    place = number[step]
    label = _label(conclusion_text(step, prefixes))
    if step.rule is None:
        yield f"f{place}({label})"
        yield from (f"f{number[premise]} --> f{place}" for premise in dict.fromkeys(step.premises))
        return
    yield f"f{place}[{label}]"
    yield f"r{place}{{{{{_label(step.rule.name)}}}}}"
    yield f"r{place} --> f{place}"
    for premise in dict.fromkeys(step.premises):
        yield f"f{number[premise]} --> r{place}"
    for index, axiom in enumerate([*conditions(step.rule, prefixes), *axioms_text(step.rule, prefixes)]):
        yield f"a{place}_{index}[/{_label(axiom)}/]"
        yield f"a{place}_{index} -.-> r{place}"


def _label(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
