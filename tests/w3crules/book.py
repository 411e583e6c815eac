"""What the rules by the book say of a case: the oracle of tests/oracle, its noisy rows switched on as the case asks.

Rules without a body (axiomatic triples) are said to the oracle as facts.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import RdfFormat, Store, parse

from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Triple
from tests.oracle.rdfs import CORE, OPTIONS, rdfs_close, rhodf_close
from tests.oracle.vocabulary import SAME_AS

from .cases import Case, Step, Triples, Wrong
from .rulesets import program, rule_of, switch


def loaded(case: Case, given: Triples) -> Step:
    """What follows from an input, and the contradictions in it."""
    closure, found = _closure(case, given)
    return Step(frozenset(), frozenset(closure - given), named(found))


def edited(case: Case, before: Triples, after: Triples) -> Step:
    """The delta between two inputs, and the contradictions in the second."""
    (old, _), (new, found) = _closure(case, before), _closure(case, after)
    return Step(frozenset(old - new), frozenset(new - old), named(found))


def knows(case: Case) -> bool:
    """Whether the oracle has the rule, or the rule has no body."""
    tables = {"owl2rl": {*owl2rl.ROWS, *owl2rl.CHECKS}, "rdfs": {*CORE, *OPTIONS}}
    rows = tables.get(case.ruleset)
    rule = rule_of(case.ruleset, case.rule)
    return rows is None or case.rule in rows or (rule is not None and not rule.body)


def asserted(case: Case, given: Triples) -> Triples:
    """What is asserted after the edit of a case, by Oxigraph; what stays keeps its spelling."""
    store = _store(given)
    store.update(case.edit)
    after, rows = _triples(store), {triple: next(iter(_triples(_store([triple])))) for triple in given}
    return frozenset(triple for triple in given if rows[triple] in after) | (after - set(rows.values()))


def _store(triples: Iterable[Triple]) -> Store:
    store = Store()
    lines = "".join(f"{' '.join(triple)} .\n" for triple in triples)
    store.extend(parse(lines, RdfFormat.N_QUADS))  # loading the text would rename blank nodes
    return store


def _triples(store: Store) -> Triples:
    return frozenset((str(s), str(p), str(o)) for s, p, o, _ in store)


def _closure(case: Case, given: Triples) -> tuple[set[Triple], set[Contradiction]]:
    """The closure, as a graph shows it, and the contradictions."""
    facts, rows = given | _bodiless(case), _switched(case)
    if case.ruleset == "owl2rl":
        closure, found = owl2rl.close(facts, noise=rows)
        return _rdf(closure), found
    if case.ruleset == "rdfs":
        return _rdf(rdfs_close(facts, options=[row for row in OPTIONS if row in rows])), set()
    return _rdf(rhodf_close(facts, reflexive=bool(rows))), set()


def _switched(case: Case) -> list[str]:
    """The rules that the switch of a case turns on."""
    group = switch(case.ruleset, case.rule)
    return [rule.name for rule in program(case.ruleset).select(group).rules] if group else []


def _bodiless(case: Case) -> set[Triple]:
    """What the rules without a body that are on say."""
    rules = [rule for rule in program(case.ruleset).rules if not rule.body and rule.name in _switched(case)]
    return {(str(s), str(p), str(o)) for rule in rules for s, p, o in (head.terms for head in rule.heads)}


def _rdf(closure: Iterable[Triple]) -> set[Triple]:
    return {(s, p, o) for s, p, o in closure if not s.startswith('"') and p.startswith("<")}


def named(found: Iterable[Contradiction]) -> frozenset[Wrong]:
    """Contradictions of the oracle by the facts that the row reads; by eq-ref a term is equal to itself, no fact."""
    return frozenset(
        Wrong(each.rule, frozenset((s, p, o) for s, p, o in each.facts if (p, s) != (SAME_AS, o))) for each in found
    )


def same(expected: frozenset[Wrong], oracle: frozenset[Wrong], given: Triples) -> bool:
    """Whether contradictions are of the same rules, and those that rest on given facts at once on the same facts."""
    at_once = {each for each in oracle if each.facts and each.facts <= given}
    return {each.rule for each in expected} == {each.rule for each in oracle} and at_once <= expected
