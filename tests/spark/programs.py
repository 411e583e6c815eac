"""Random programs with NOT, DATA, expressions and aggregates: the last states of random histories, and their models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kgreason.materialize.selection import Selection, select
from kgreason.rules.model import DATA, Atom, Rule, Variable
from kgreason.rules.parser import parse
from tests.histories.drawn import Feature, history
from tests.histories.functions import FUNCTIONS
from tests.histories.history import History, Triple, granted
from tests.oracle.datalog import Fact
from tests.oracle.stratified import CircularError, perfect

STATES, TOGETHER = 100, 100
"""How many final states are compared, and how many of them are one program."""
FEATURES: tuple[tuple[Feature, ...], ...] = (
    ("not", "circles", "relations"), ("not", "circles", "relations", "data"), ("not", "expressions", "aggregates")
)  # fmt: skip


class Case(NamedTuple):
    """A program, the triples that it starts from, and its perfect model."""

    triples: frozenset[Triple]
    rules: tuple[Rule, ...]
    model: frozenset[Fact]


def rules_in(text: str) -> tuple[Rule, ...]:
    return parse(f"@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n{text}").rules


def triples_in(*lines: str) -> set[Triple]:
    """Triples of names and numbers; `same` is owl:sameAs."""
    return {(term(s), term(p), term(o)) for s, p, o in map(str.split, lines)}


def term(name: str) -> str:
    if name.isdigit():
        return f'"{name}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    return "<http://www.w3.org/2002/07/owl#sameAs>" if name == "same" else f"<http://e/{name}>"


def drawn() -> Iterator[Case]:
    """The last states of random histories whose rules have strata."""
    for seed in range(10 * STATES):
        found = last_state(history(seed, *FEATURES[seed % 3]))
        try:
            model = perfect(((None, terms) for terms in found.triples), found.rules, FUNCTIONS)
        except CircularError:
            continue
        if not all(rule.is_positive for rule in found.rules):
            yield found._replace(model=frozenset(model))


def last_state(commits: History) -> Case:
    """What a history ends with. A fact of a relation is a triple with a rule, since Spark reads triples only."""
    asserted, rules = dict[Atom, None](), dict[Rule, None]()
    for commit in commits:
        asserted, rules = granted(asserted, commit.facts), granted(rules, commit.rules)
    widths = {fact.relation: len(fact.terms) for fact in asserted if fact.relation}
    triples = set[Triple]()
    for relation, terms in asserted:
        words = [*map(str, terms)]
        triples.add((words[0], f"<http://e/fact-{relation}>" if relation else words[1], words[-1]))
    return Case(frozenset(triples), (*rules, *(_giving(*each) for each in widths.items())), frozenset())


def _giving(relation: str, width: int) -> Rule:
    """The rule that derives the facts of a relation from the triples that stand for them."""
    places = tuple(map(Variable, "ab"[:width]))
    return Rule(
        (Atom(relation, places),), (Atom(None, (places[0], f"<http://e/fact-{relation}>", places[-1])),), "given"
    )


def joined(cases: Iterable[Case]) -> tuple[set[Triple], tuple[Rule, ...]]:
    """All triples and rules, with the names of each program made different from those of the others."""
    triples: set[Triple] = set()
    rules: list[Rule] = []
    for number, case in enumerate(cases):
        triples |= {(s, renamed(p, number), o) for s, p, o in case.triples}
        rules += (renamed_rule(rule, number) for rule in case.rules)
    return triples, tuple(rules)


def renamed(predicate: str, number: int) -> str:
    return f"{predicate[:-1]}-{number}>"


def renamed_atom(atom: Atom, number: int) -> Atom:
    if atom.relation not in (None, DATA):
        return Atom(f"{atom.relation}{number}", atom.terms)
    subject, predicate, object_ = atom.terms
    return Atom(atom.relation, (subject, renamed(str(predicate), number), object_))


def renamed_fact(fact: Fact, number: int) -> Fact:
    atom = renamed_atom(Atom(*fact), number)
    return atom.relation, tuple(map(str, atom.terms))


def renamed_rule(rule: Rule, number: int) -> Rule:
    def all_of(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(renamed_atom(atom, number) for atom in atoms)

    return replace(
        rule,
        heads=all_of(rule.heads),
        body=all_of(rule.body),
        name=f"{rule.name}-{number}",
        negated=tuple(each._replace(atoms=all_of(each.atoms)) for each in rule.negated),
        aggregates=tuple(each._replace(atoms=all_of(each.atoms)) for each in rule.aggregates),
    )


def selected(rules: tuple[Rule, ...]) -> Selection:
    return replace(select(["none"]), own=rules)


EQUALITY = """
    @group eq .
    @rule eq-sym
    [?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] .
    @rule eq-trans
    [?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z] .
    @rule eq-rep-s
    [?z, ?p, ?o] :- [?x, owl:sameAs, ?z], [?x, ?p, ?o] .
    @rule eq-rep-o
    [?s, ?p, ?z] :- [?x, owl:sameAs, ?z], [?s, ?p, ?x] .
    @group cases .
"""
"""The rules of owl:sameAs that the cases need."""
