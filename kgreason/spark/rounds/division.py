"""`local_rules`: replace rules whose joins are not local to a part by rules whose joins are.

An atom is *everywhere* if each part has all its facts: it has no variables, or its relation is small (`is_small`). The
other atoms of a body are *spread*. A body is a *star* if all its spread atoms have a variable in common. A star is
local if all facts with one value of this variable are in one part. Other bodies are divided:

    h(?x, ?w) :- p(?x, ?y), q(?y, ?z), r(?z, ?w)        join(?x, ?z) :- p(?x, ?y), q(?y, ?z)
                                                        h(?x, ?w) :- join(?x, ?z), r(?z, ?w)

The atoms around one variable become one atom of a hidden relation, until a star is left. The name of the hidden
relation has the text of these atoms. So users cannot write it, and equal joins share their facts. Its columns are the
variables that the rest of the rule reads.

If spread atoms are left that share no variable, their join is a product. Then all of them but the first must be
everywhere (`LocalRule.copied`).

Law: without the facts of hidden relations, the closure under the divided rules is that of the given rules. A rule that
reports a contradiction derives the same fact as before the division. Cost: linear in the rules; each rule is looked at
once for each of its atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kgreason.rules.formatter import format_atom
from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable, contradiction

JOIN = "join "
"""The name of a hidden relation begins with this text."""
IsSmall = Callable[[Atom], bool]


class LocalRule(NamedTuple):
    """A rule that is local to a part if its facts are placed as its atoms ask for.

    `spread` are the body atoms that are not everywhere, `variables` are those that all of them have. `copied` are the
    atoms whose facts must be everywhere.
    """

    rule: Rule
    spread: tuple[Atom, ...]
    variables: tuple[Variable, ...]
    copied: tuple[Atom, ...]


def local_rules(rules: Iterable[Rule], is_small: IsSmall) -> list[LocalRule]:
    """Divide positive rules. `is_small` says of an atom whether all its facts are everywhere."""
    found = (each for rule in rules for each in _local_rules_of(rule, is_small))
    return list({each.rule: each for each in found}.values())


def is_hidden(atom: Atom) -> bool:
    """Whether an atom is of a hidden relation that a division has made."""
    return atom.relation is not None and atom.relation.startswith(JOIN)


def _local_rules_of(rule: Rule, is_small: IsSmall) -> Iterator[LocalRule]:
    """Yield a rule as rules that are local, the given rule last."""
    heads = tuple(contradiction(rule) if head == FALSE else head for head in rule.heads)
    body = tuple(dict.fromkeys(rule.body))
    while True:
        spread = tuple(atom for atom in body if atom.variables() and not is_small(atom))
        if len(spread) < 2 or _common_variables(spread):
            break
        part = _atoms_around_one_variable(body, spread)
        if not part:
            break
        kept = tuple(atom for atom in body if atom not in part)
        hidden, joining = _hidden_join(replace(rule, heads=heads), part, kept)
        yield _local_rule(joining, is_small)
        body = (hidden, *kept)
    yield _local_rule(replace(rule, heads=heads, body=body), is_small)


def _local_rule(rule: Rule, is_small: IsSmall) -> LocalRule:
    spread = tuple(atom for atom in rule.body if atom.variables() and not is_small(atom))
    if len(spread) > 1 and not _common_variables(spread):
        spread = spread[:1]
    copied = tuple(atom for atom in rule.body if atom not in spread)
    return LocalRule(rule, spread, _common_variables(spread), copied)


def _common_variables(atoms: tuple[Atom, ...]) -> tuple[Variable, ...]:
    """Return the variables that all atoms have, sorted."""
    return tuple(sorted(set.intersection(*(atom.variables() for atom in atoms)))) if atoms else ()


def _atoms_around_one_variable(body: tuple[Atom, ...], spread: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms that become one: the spread atoms with the variable that most of them have.

    Small atoms join them if they have no other variables. If no two spread atoms share a variable, the result is a
    spread atom with a small atom that shares a variable with it; it is empty if there is no such atom.
    """
    variables = sorted({variable for atom in spread for variable in atom.variables()})
    most = max(variables, key=lambda variable: sum(variable in atom.variables() for atom in spread))
    around = tuple(atom for atom in spread if most in atom.variables())
    if len(around) > 1:
        known = set[Term]().union(*(atom.variables() for atom in around))
        return tuple(atom for atom in body if atom in around or (atom not in spread and atom.variables() <= known))
    for one in spread:
        for other in body:
            if other not in spread and one.variables() & other.variables():
                return one, other
    return ()


def _hidden_join(rule: Rule, part: tuple[Atom, ...], kept: tuple[Atom, ...]) -> tuple[Atom, Rule]:
    """Return the hidden atom that stands for the atoms `part` of a rule, and the rule that derives it.

    `kept` are the other atoms of the body.
    """
    read = {term for atom in (*kept, *rule.heads) for term in atom.terms}
    names: dict[Term, Term] = {}
    for atom in part:
        for term in atom.terms:
            if isinstance(term, Variable):
                names.setdefault(term, Variable(f"v{len(names)}"))
    columns = [term for term in names if term in read]
    body = tuple(Atom(atom.relation, tuple(names.get(term, term) for term in atom.terms)) for atom in part)
    shown = ", ".join(str(names[term]) for term in columns)
    text = f"{JOIN}({shown}) {', '.join(format_atom(atom, {}) for atom in body)}"
    head = Atom(text, tuple(names[term] for term in columns))
    return Atom(text, tuple(columns)), Rule((head,), body, JOIN.strip())
