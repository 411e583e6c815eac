"""`check_lengths`: refuse an expression that may make a text of more than 256 MiB out of its inputs.

    REPLACE(REPLACE(?t, ".", "a text of 30 letters"), ".", "a text of 30 letters")     up to 900 times as long as ?t

Every REPLACE may put its replacement into each place of its text, so a few of them in one another make a text that no
machine can hold, out of a short rule. Oxigraph evaluates an expression for one row as a whole and cannot be stopped in
it; so the length is bounded ahead. Other functions make no text that is much longer than their arguments together,
or one of a few hundred characters, such as a number or a hash.

Law: the bound is never smaller than the longest text that the evaluation makes. It may be much larger, if a pattern
matches less often. Cost: a step for each token of an expression with REPLACE; other expressions are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgreason.errors import LimitError
from kgreason.rules.expressions import expression_text
from kgreason.rules.model import Computed, Variable
from kgreason.terms import vocabulary as v

_MOST, _ENDLESS = 1 << 28, 1 << 62
_GROWS = {"UCASE": 3, "LCASE": 3, "ENCODE_FOR_URI": 12}
"""How many characters some functions make of one."""
_NUMBER, _OTHER, _BOOLEAN = 330, 64, 5
"""The longest double, -2.2250738585072014E-308 as a decimal; the longest other text that is no part of an argument."""
_LONGEST = {"SHA384": 96, "SHA512": 128}
_LONGEST |= dict.fromkeys(["STR", v.XSD_STRING, v.XSD_DOUBLE, v.XSD_DECIMAL, v.XSD_INTEGER], _NUMBER)
"""The longest text that a function makes even of short arguments, where that is not `_OTHER`."""


def check_lengths(computed: Computed, texts: Any) -> None:
    """Raise LimitError if an expression may make too long a text of a row of its inputs `texts`, object[n, k]."""
    if "REPLACE" not in computed.parts:
        return
    columns = zip(computed.inputs(), texts.T, strict=True)
    lengths = {variable: max(map(len, column), default=0) for variable, column in columns}
    if (most := length_bound(computed.parts, lengths)) > _MOST:
        raise LimitError(
            f"{expression_text(computed)}: REPLACE may make a text of {most:,} characters here; the limit is {_MOST:,}"
        )


def length_bound(parts: Sequence[Variable | str], lengths: Mapping[Variable, int]) -> int:
    """Return how many characters all texts together may have that an expression makes, at most.

    `parts`: the tokens of the expression. `lengths`: the length of the value of each of its variables.

    >>> x = Variable("x")
    >>> length_bound(["REPLACE", "(", x, ",", '"."', ",", '"abcd"', ")"], {x: 10})
    168
    """
    calls, name = [("", [0])], ""
    for part in parts:
        if part == "(":
            calls.append((name, [0]))
        elif part == ",":
            calls[-1][1].append(0)
        elif part == ")":
            made = _bound_of_call(*calls.pop())
            calls[-1][1][-1] += made
        else:
            calls[-1][1][-1] += lengths[part] if isinstance(part, Variable) else max(len(part), _BOOLEAN)
        name = part if isinstance(part, str) else ""
    return sum(calls[-1][1])


def _bound_of_call(name: str, arguments: Sequence[int]) -> int:
    """Return the bound of a call: how many characters its arguments and its result have together."""
    made = sum(arguments) * (1 + _GROWS.get(name, 0)) + _LONGEST.get(name, _OTHER if name else 0)
    if name == "REPLACE" and len(arguments) > 2:  # $1 and the like repeat a part of the text, once for each of them
        made += arguments[0] + (arguments[0] + 1) * arguments[2]
    return min(made, _ENDLESS)
