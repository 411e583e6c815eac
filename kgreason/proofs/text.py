"""A proof as indented text: each fact, how it is known, and below it the facts that it follows from.

    :rex a :Animal
        by cax-sco: [?x, a, :Animal] :- [?x, a, :Dog] .
        with the axiom :Dog rdfs:subClassOf :Animal
        :rex a :Dog (asserted)

A derived fact that is used several times is proved at its first use, and only named after that. Lines below the level
`_DEEPEST` are indented no further, and begin with their level. So the text of a long chain stays linear in its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kgreason.proofs.contradiction import conclusion_text
from kgreason.proofs.notation import Step, axioms_text, conditions, rule_text
from kgreason.rules.lowering import is_operator_result

_INDENT = " " * 4
_DEEPEST = 20


def to_text(proof: Step, prefixes: Mapping[str, str]) -> str:
    """Return the lines of a proof, each ended by a line feed."""
    lines: list[str] = []
    told: set[Step] = set()
    waiting = [(proof, 0)]
    while waiting:
        step, depth = waiting.pop()
        note = _note_of(step, told)
        lines.append(f"{_margin(depth)}{conclusion_text(step, prefixes)}{note}\n")
        if not note:
            told.add(step)
            lines += (f"{_margin(depth + 1)}{reason}\n" for reason in _reasons(step, prefixes))
            waiting += ((premise, depth + 1) for premise in reversed(step.premises))
    return "".join(lines)


def _note_of(step: Step, told: set[Step]) -> str:
    if step.is_asserted:
        return "" if is_operator_result(step.fact) else " (asserted)"
    return " (proved above)" if step in told else ""


def _reasons(step: Step, prefixes: Mapping[str, str]) -> Iterator[str]:
    if step.rule is not None:
        text = f": {rule_text(step.rule, prefixes)}" if step.rule.heads else ""
        yield f"by {step.rule.name}{text}"
        yield from (f"where {condition}" for condition in conditions(step.rule, prefixes))
        yield from (f"with the axiom {axiom}" for axiom in axioms_text(step.rule, prefixes))


def _margin(depth: int) -> str:
    return _INDENT * depth if depth <= _DEEPEST else f"{_INDENT * _DEEPEST}[level {depth}] "
