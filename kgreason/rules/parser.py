"""`parse`, `load`, `ruleset`: rule text -> `Program`.

The language is RDFox's Datalog with n-ary atoms:

    @prefix : <http://example.org/> .
    @group family .
    @rule grandparent
    :grandparent[?x, ?z] :- :parent[?x, ?y], [?y, :parent, ?z] .      # both forms are triple patterns
    :Person[?x] :- [?x, :parent, ?y] .                                # [?x, a, :Person]
    reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) .                    # a relation of any arity, apart from triples
    edge(1, 2) .                                                      # a rule with an empty body
    false :- [?x, :parent, ?x] .                                      # a contradiction

`@rule NAME` names the rule that follows, `@group NAME .` the rules up to the next one; names of other than letters,
digits, `_` and single hyphens are quoted, and `@group "" .` ends a group. Terms are written as in Turtle; a blank node
is a constant. Variables and constants may stand in every place of a triple pattern (generalised triples).

Invariant: `parse(format_program(p)) == p`. A text is used as a whole or, at its first error, not at all.
Cost: about 0.13 ms for a rule of three atoms, after 0.15 s for the first text.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kgreason.errors import InputError
from kgreason.resources import resource
from kgreason.rules.program import Program


def parse(text: str, source: str = "<text>") -> Program:
    """The program that a rule text says; `source` is what error messages call it.

    Raises `RuleSyntaxError` (source, line and column, what was found and what was expected) and `UnsafeRuleError`.

    >>> parse("tc(?x, ?y) :- edge(?x, ?y) .").rules[0].name
    'rule-1'
    """
    from kgreason.rules.reader import read  # it imports lark, which not every command needs

    return read(text, source)


def load(path: str | Path) -> Program:
    """The program in a file of rule text (UTF-8); raises `InputError` where there is none, and as `parse` does."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    return parse(text, str(path))


@cache
def ruleset(name: str) -> Program:
    """The shipped program `rulesets/NAME.dl`; raises `InputError`, naming those that exist, where there is none."""
    return load(resource("rulesets", f"{name}.dl"))
