"""A prefix that rules share, as a relation of its own: the same heads, from fewer rewrites."""

from __future__ import annotations

from benchmarks.prefixes import costs, rules
from kgreason.rules.parser import parse
from tests.oracle.datalog import Fact, materialize


def heads(text: str) -> set[Fact]:
    facts = parse("a(1, 2) . a(1, 3) . b(2, 4) . b(3, 4) . b(2, 5) . c0(4, 6) . c1(5, 6) .").rules
    found = materialize([rule.heads[0] for rule in facts], parse(text).rules)
    return {fact for fact in found if str(fact[0]).startswith("h")}


def test_a_shared_prefix_gives_the_same_heads_from_fewer_rewrites() -> None:
    plain, shared = (rules(2, is_shared=is_shared) for is_shared in (False, True))
    assert heads(plain) == heads(shared) != set()
    (bootstrap, *_), (less, *_) = (costs(2, is_shared=is_shared, is_narrow=True) for is_shared in (False, True))
    assert less < bootstrap
