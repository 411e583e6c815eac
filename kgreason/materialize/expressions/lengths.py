"""`check_lengths`: refuse an expression that may make a text of more than 256 MiB out of its inputs.

    REPLACE(REPLACE(?t, ".", "a text of 30 letters"), ".", "a text of 30 letters")     up to 900 times as long as ?t

Every REPLACE may put its replacement into each place of its text, so a few of them in one another make a text that no
machine can hold, out of a short rule. Oxigraph evaluates an expression for one row as a whole and cannot be stopped in
it; so the length is bounded ahead. Other functions make no text that is much longer than their arguments together.

Law: the bound is never smaller than the longest text that the evaluation makes. It may be much larger, if a pattern
matches less often. Cost: a step for each token of an expression with REPLACE; other expressions are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgreason.errors import LimitError
from kgreason.rules.expressions import expression_text
from kgreason.rules.model import Computed, Variable

_MOST, _ENDLESS = 1 << 28, 1 << 62
_GROWS = {"UCASE": 3, "LCASE": 3, "ENCODE_FOR_URI": 12}
"""How many characters some functions make of one."""


def check_lengths(computed: Computed, texts: Any) -> None:
    """Raise LimitError if an expression may make too long a text of a row of its inputs `texts`, object[n, k]."""
    if "REPLACE" not in computed.parts:
        return
    columns = zip(computed.inputs(), texts.T, strict=True)
    lengths = {variable: max(map(len, column), default=0) for variable, column in columns}
    if (most := bound(computed.parts, lengths)) > _MOST:
        raise LimitError(
            f"{expression_text(computed)}: REPLACE may make a text of {most:,} characters here; the limit is {_MOST:,}"
        )


def bound(parts: Sequence[Variable | str], lengths: Mapping[Variable, int]) -> int:
    """Return how many characters all texts together may have that an expression makes, at most.

    `parts`: the tokens of the expression. `lengths`: the length of the value of each of its variables.

    >>> x = Variable("x")
    >>> bound(["REPLACE", "(", x, ",", '"."', ",", '"abcd"', ")"], {x: 10})
    102
    """
    calls, name = [("", [0])], ""
    for part in parts:
        if part == "(":
            calls.append((name, [0]))
        elif part == ",":
            calls[-1][1].append(0)
        elif part == ")":
            made = _made(*calls.pop())
            calls[-1][1][-1] += made
        else:
            calls[-1][1][-1] += lengths[part] if isinstance(part, Variable) else len(part)
        name = part if isinstance(part, str) else ""
    return sum(calls[-1][1])


def _made(name: str, arguments: Sequence[int]) -> int:
    """Return the bound of a call: how many characters its arguments and its result have together."""
    made = sum(arguments) * (1 + _GROWS.get(name, 0))
    if name == "REPLACE" and len(arguments) > 2:  # $1 and the like repeat a part of the text, once for each of them
        made += arguments[0] + (arguments[0] + 1) * arguments[2]
    return min(made, _ENDLESS)
