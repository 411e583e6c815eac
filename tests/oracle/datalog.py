"""Datalog by definition: the least model, with the stamp and the support of every fact (docs/architecture/commit.md).

A fact is `(relation, constants)`; the relation of a triple is None, so that a triple pattern and a ternary atom never
match each other. The immediate-consequence operator is applied to everything known until it adds nothing:

    level 0       the asserted facts
    level n + 1   heads of all rules over the facts of levels 0 to n

A *derivation* is a pair (rule, substitution). The *stamp* of a fact has the level at which it first appears, and then
its *frailty*: how far its derivations from facts of smaller levels stay below 127. The *support* of a fact is the
number of derivations of it whose body facts all have a smaller stamp. Rules are a set: two that differ in the names of
variables alone are one. A rule derives a head once for each substitution, even where two of its heads become equal.
Rules of kgreason are taken as they are: whatever has `heads`, `body`, `relation`, `terms` will do, and a variable is
whatever has a `name`.

Cost: nested loops over an index by (relation, width, column, constant); fine for a few thousand facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

Constant: TypeAlias = str
Fact: TypeAlias = tuple[str | None, tuple[Constant, ...]]
FactLike: TypeAlias = tuple[str | None, tuple[Any, ...]]
Substitution: TypeAlias = dict[str, Constant]


@dataclass(frozen=True)
class Var:
    """A variable."""

    name: str


class Atom(NamedTuple):
    """A triple pattern (`relation is None`) or an n-ary atom."""

    relation: str | None
    terms: tuple[Constant | Var, ...]


@dataclass(frozen=True)
class Rule:
    """`heads :- body`; the label tells apart rules that are otherwise equal."""

    heads: tuple[Atom, ...]
    body: tuple[Atom, ...]
    label: tuple[str, str] = ("", "")


MOST_FRAIL = 127


class State(NamedTuple):
    """What the engine keeps for a fact."""

    stamp: int
    support: int
    asserted: bool


class Derivation(NamedTuple):
    """One use of a rule: each head and the body facts it stands on."""

    rule: Rule
    substitution: frozenset[tuple[str, Constant]]
    heads: frozenset[Fact]
    body: frozenset[Fact]


def stamp_of(level: int, derivations: int) -> int:
    """The stamp of a fact that appeared at a level with so many derivations; an asserted fact appears at level 0."""
    return level * (MOST_FRAIL + 1) + max(0, MOST_FRAIL - derivations) if level else 0


def level_of(stamp: int) -> int:
    """The level that a stamp has; -1 for the empty body, whose stamp is -1."""
    return stamp // (MOST_FRAIL + 1)


def close(facts: Iterable[FactLike], rules: Iterable[Any]) -> dict[Fact, int]:
    """The least model: every fact with its level."""
    rules = rule_set(rules)
    index = Index()
    levels: dict[Fact, int] = {}
    new = set(map(plain, facts))
    level = 0
    while new or level == 0:
        for fact in new:
            levels[fact] = level
            index.add(fact)
        consequences = {head for derivation in derivations(index, rules) for head in derivation.heads}
        new = consequences - levels.keys()
        level += 1
    return levels


def materialize(facts: Iterable[FactLike], rules: Iterable[Any]) -> dict[Fact, State]:
    """The least model: every fact with its stamp, its support and whether it is asserted."""
    rules, asserted = rule_set(rules), set(map(plain, facts))
    levels = close(asserted, rules)
    first = support(levels, rules)
    stamps = {fact: stamp_of(level, first[fact]) for fact, level in levels.items()}
    supports = support(stamps, rules)
    return {fact: State(stamp, supports[fact], fact in asserted) for fact, stamp in stamps.items()}


def support(stamps: Mapping[Fact, int], rules: Iterable[Any]) -> dict[Fact, int]:
    """For every fact the number of its derivations over these facts whose body stamps are all smaller than its own."""
    counts = dict.fromkeys(stamps, 0)
    for derivation in derivations(Index(stamps), rule_set(rules)):
        newest = max((stamps[fact] for fact in derivation.body), default=-1)
        for head in derivation.heads:
            counts[head] += newest < stamps[head]
    return counts


def spares(stamps: Mapping[Fact, int], rules: Iterable[Any]) -> dict[Fact, int]:
    """For every fact the number of its derivations that `support` does not count."""
    counts = dict.fromkeys(stamps, 0)
    for derivation in derivations(Index(stamps), rule_set(rules)):
        newest = max((stamps[fact] for fact in derivation.body), default=-1)
        for head in derivation.heads:
            counts[head] += newest >= stamps[head]
    return counts


def violations(state: Mapping[Fact, State], rules: Iterable[Any]) -> list[str]:
    """The ways in which an engine's state breaks the three invariants of a commit; none means it is right."""
    rules = rule_set(rules)
    heads = {head for derivation in derivations(Index(state), rules) for head in derivation.heads}
    missing = heads - state.keys()
    if missing:
        return [f"derivable, but absent: {fact}" for fact in missing]
    counts = support({fact: row.stamp for fact, row in state.items()}, rules)
    problems = []
    for fact, row in state.items():
        if row.support != counts[fact]:
            problems.append(f"support {row.support}, not {counts[fact]}: {fact}")
        if not row.asserted and not counts[fact]:
            problems.append(f"neither asserted nor supported: {fact}")
    return problems


def derivations(index: Index, rules: Iterable[Rule]) -> Iterator[Derivation]:
    """Every derivation over the facts of the index."""
    for rule in rules:
        for binding in solutions(index, rule.body, {}):
            heads = frozenset(ground(atom, binding) for atom in rule.heads)
            body = frozenset(ground(atom, binding) for atom in rule.body)
            yield Derivation(rule, frozenset(binding.items()), heads, body)


def solutions(index: Index, atoms: tuple[Atom, ...], binding: Substitution) -> Iterator[Substitution]:
    """Every extension of the binding that turns all atoms into facts of the index."""
    if not atoms:
        yield binding
        return
    first, *rest = atoms
    for fact in index.candidates(first, binding):
        extended = match(first, fact, binding)
        if extended is not None:
            yield from solutions(index, tuple(rest), extended)


def match(atom: Atom, fact: Fact, binding: Substitution) -> Substitution | None:
    """The binding extended so that the atom is the fact, or None."""
    extended = dict(binding)
    for term, constant in zip(atom.terms, fact[1], strict=True):
        wanted = extended.setdefault(term.name, constant) if isinstance(term, Var) else term
        if wanted != constant:
            return None
    return extended


def ground(atom: Atom, binding: Substitution) -> Fact:
    """The fact that the atom is under the binding."""
    return atom.relation, tuple(binding[term.name] if isinstance(term, Var) else term for term in atom.terms)


class Index:
    """Facts by relation and width, and by constant in each column."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._tables: dict[tuple[str | None, int], list[Fact]] = defaultdict(list)
        self._columns: dict[tuple[str | None, int, int, Constant], list[Fact]] = defaultdict(list)
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        relation, constants = fact
        self._tables[relation, len(constants)].append(fact)
        for column, constant in enumerate(constants):
            self._columns[relation, len(constants), column, constant].append(fact)

    def candidates(self, atom: Atom, binding: Substitution) -> list[Fact]:
        """Facts among which are all that match the atom: the shortest list that one bound column gives."""
        relation, width = atom.relation, len(atom.terms)
        lists = [self._tables.get((relation, width), [])]
        for column, term in enumerate(atom.terms):
            constant = binding.get(term.name) if isinstance(term, Var) else term
            if constant is not None:
                lists.append(self._columns.get((relation, width, column, constant), []))
        return min(lists, key=len)


def plain(atom: FactLike) -> Fact:
    """An atom without variables, of whatever class, as a plain tuple."""
    relation, terms = atom
    return relation, tuple(terms)


def rule_set(rules: Iterable[Any]) -> list[Rule]:
    """The rules as values of this module, each once whatever its variables are called."""
    return list(dict.fromkeys(map(convert, rules)))


def convert(rule: Any) -> Rule:
    """A rule of whatever class, its variables numbered in order of appearance; ValueError where a head is unsafe."""
    names: dict[str, Var] = {}
    body = tuple(_convert_atom(atom, names) for atom in rule.body)
    bound = len(names)
    heads = tuple(_convert_atom(atom, names) for atom in rule.heads)
    if len(names) > bound:
        raise ValueError(f"a head variable that no body atom binds: {rule}")
    label = rule.label if hasattr(rule, "label") else (rule.group, rule.name)
    return Rule(heads, body, label)


def _convert_atom(atom: Any, names: dict[str, Var]) -> Atom:
    terms = (
        names.setdefault(term.name, Var(str(len(names)))) if hasattr(term, "name") else term for term in atom.terms
    )
    return Atom(atom.relation, tuple(terms))
