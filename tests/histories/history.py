"""What a history is: commits, each with facts and rules that come and go. And how small ones are written.

A commit is a set of wishes. +1 brings a fact or a rule, -1 takes it away. Needless and repeated wishes are among them.
A triple is a fact without a relation.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from tests.oracle.aggregates import number

Triple: TypeAlias = tuple[str, str, str]
Wish = TypeVar("Wish", bound=Hashable)


class Commit(NamedTuple):
    """What one commit asks for."""

    facts: dict[Atom, int]
    rules: dict[Rule, int]


History: TypeAlias = tuple[Commit, ...]


def granted(present: Iterable[Wish], wishes: Mapping[Wish, int]) -> dict[Wish, None]:
    """Return what is there after the wishes, in the order in which it came."""
    kept = [each for each in present if wishes.get(each) != -1]
    return dict.fromkeys([*kept, *(wish for wish, sign in wishes.items() if sign == 1)])


def in_line(text: str) -> History:
    """Return the commits of a text: `+ p(1) ; + q(?x) :- p(?x) | - p(1)` are two. A rule without body ends in `:-`."""
    return tuple(map(_commit, text.split("|")))


def _commit(text: str) -> Commit:
    commit = Commit({}, {})
    for wish in map(str.strip, text.split(";")):
        sign, statement = 1 if wish[0] == "+" else -1, wish[1:].strip()
        (rule,) = parse(f"@prefix : <http://e/> . {statement.removesuffix(':-')} .").rules
        if ":-" in statement:
            commit.rules[rule] = sign
        else:
            commit.facts[rule.heads[0]] = sign
    return commit


def in_words(*commits: tuple[str, str, str]) -> History:
    """Return commits that are each written as triples to add, triples to remove, and all rules from then on.

    `a p b . a p 1` are two triples of names and numbers.
    """
    history, before = [], dict[Rule, None]()
    for added, removed, text in commits:
        rules = dict.fromkeys(parse(f"@prefix : <http://e/> . {text}").rules)
        facts = dict.fromkeys(triples(removed), -1) | dict.fromkeys(triples(added), 1)
        history.append(Commit(facts, dict.fromkeys(before, -1) | dict.fromkeys(rules, 1)))
        before = rules
    return tuple(history)


def triples(text: str) -> list[Atom]:
    return [Atom(None, tuple(map(term, part.split()))) for part in text.split(" . ") if part]


def term(word: str) -> str:
    return number(int(word)) if word.isdigit() else f"<http://e/{word}>"
