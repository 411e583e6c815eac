"""Rules that say NOT speak of individuals: under owl:sameAs they mean the same for every name of one individual."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.materialize.options import SameAsMode
from kgreason.rules.expressions import skolem_of
from kgreason.rules.formatter import format_program
from kgreason.rules.model import DATA, Aggregate, Atom, Not, Rule, Term, Variable
from kgreason.rules.program import Program
from tests.oracle.stratified import perfect
from tests.volume import many_seeds

_SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
_NAMES = tuple(f"<http://e/{name}>" for name in "abcdef")
_LAYERS = tuple(f"<http://e/{name}>" for name in "pqrs")
_X, _Y, _Z, _N, _B = map(Variable, "xyznb")
Triple = tuple[str, str, str]


MODES: tuple[SameAsMode, ...] = ("aliases", "representatives", "rules")


@pytest.mark.parametrize("mode", MODES)
def test_rules_see_individuals(mode: SameAsMode) -> None:
    for seed in range(20):
        run(seed, mode)


@pytest.mark.parametrize("mode", MODES)
def test_asserted_triples_are_about_individuals(mode: SameAsMode) -> None:
    for seed in range(20):
        run(seed, mode, data=True)


@pytest.mark.parametrize("mode", MODES)
def test_asserted_triples_are_about_individuals_in_many_histories(mode: SameAsMode) -> None:
    for seed in many_seeds(20, 32):
        run(seed, mode, data=True)


@pytest.mark.parametrize("mode", MODES)
def test_rules_see_individuals_in_many_histories(mode: SameAsMode) -> None:
    for seed in many_seeds(20, 50):
        run(seed, mode)


@pytest.mark.parametrize("mode", MODES)
def test_aggregates_count_individuals(mode: SameAsMode) -> None:
    for seed in range(20):
        run(seed, mode, groups=True)


@pytest.mark.parametrize("mode", MODES)
def test_aggregates_count_individuals_in_many_histories(mode: SameAsMode) -> None:
    for seed in many_seeds(20, 32):
        run(seed, mode, groups=True)


@pytest.mark.parametrize("mode", MODES)
def test_individuals_have_one_blank_node(mode: SameAsMode) -> None:
    for seed in range(20):
        run(seed, mode, nodes=True)


@pytest.mark.parametrize("mode", MODES)
def test_individuals_have_one_blank_node_in_many_histories(mode: SameAsMode) -> None:
    for seed in many_seeds(20, 32):
        run(seed, mode, nodes=True)


def run(seed: int, mode: SameAsMode, *, data: bool = False, groups: bool = False, nodes: bool = False) -> None:
    """Facts and links come and go; after each commit the graph is the model over individuals, with every name."""
    random = Random(seed)
    rules = [_rule(random, number) for number in range(random.randint(1, 5))]
    rules = [_over_data(random, rule) for rule in rules] if data else rules
    rules = [_with_node(random, rule) for rule in rules] if nodes else rules
    rules += [_over_groups(random, number) for number in range(random.randint(1, 3))] if groups else []
    graph = KnowledgeGraph.open(rules=["owl2rl"], same_as=mode)
    asserted: set[Triple] = set()
    for step in range(6):
        added = {_fact(random) for _ in range(random.choice([0, 1, 3]))} | {_link(random) for _ in range(step % 2)}
        removed = {triple for triple in sorted(asserted) if random.random() < 0.25} - added
        with graph.transaction() as transaction:
            transaction.remove(*removed).add(*added)
            if step == 1:
                transaction.add_rules(format_program(Program(tuple(rules))))
        asserted = asserted - removed | added
        found = {(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in graph.match(None, None, None)}
        shown = {triple for triple in found if triple[1] in _LAYERS}
        names, expected = _expected(asserted, rules if step >= 1 else [])
        if mode == "representatives":  # one name of each individual is shown; which one depends on the history
            shown, expected = ({_as(triple, names) for triple in triples} for triples in (shown, expected))
        assert shown == expected, f"seed {seed}, step {step}"


def _rule(random: Random, number: int) -> Rule:
    layer = random.randrange(1, len(_LAYERS))
    body = [_atom(random, _LAYERS[:layer], (_X, _Y)) for _ in range(random.choice([1, 2]))]
    bound: list[Term] = [term for atom in body for term in atom.terms if isinstance(term, Variable)] or [*_NAMES]
    negated = Not((_atom(random, _LAYERS[:layer], bound),))
    if random.random() < 0.4:
        negated = Not((Atom(None, (random.choice(bound), random.choice(_LAYERS[:layer]), _N)),), (_N,))
    head = Atom(None, (random.choice(bound), _LAYERS[layer], random.choice([*bound, _NAMES[0]])))
    return Rule((head,), tuple(body), f"r{number}", negated=(negated,))


def _over_data(random: Random, rule: Rule) -> Rule:
    """The rule with DATA before some of its atoms."""

    def read(atom: Atom) -> Atom:
        return atom._replace(relation=DATA) if random.random() < 0.5 else atom

    kept = rule.negated if random.random() < 0.7 else ()
    negated = tuple(each._replace(atoms=tuple(map(read, each.atoms))) for each in kept)
    return replace(rule, body=tuple(map(read, rule.body)), negated=negated)


def _with_node(random: Random, rule: Rule) -> Rule:
    """The rule, perhaps with a blank node in the head, or with DATA."""
    (head,) = (rule := _over_data(random, rule)).heads
    if random.random() < 0.3:
        return rule
    bound: list[Term] = sorted({term for atom in rule.body for term in atom.terms if isinstance(term, Variable)})
    given = [random.choice([*bound, *bound, random.choice(_NAMES)]) for _ in range(random.randint(0, 2))]
    subject, predicate, object_ = head.terms
    terms = random.choice([(_B, predicate, object_), (subject, predicate, _B)])
    return replace(rule, heads=(Atom(None, terms),), computed=(skolem_of(('"n"', *given), _B),))


def _over_groups(random: Random, number: int) -> Rule:
    """A rule that counts, or that adds such counts."""
    layer = random.randrange(1, len(_LAYERS))
    function = random.choice(["COUNT", "COUNT", "SUM"])
    below = _LAYERS[layer - 1] if function != "COUNT" else random.choice(_LAYERS[:layer])
    group, counted = random.choice([(_X, _Y), (_Y, _X)]) if function == "COUNT" else (_X, _Y)
    aggregate = Aggregate(
        (Atom(None, (_X, below, _Y)), *((Atom(None, (_Y, _LAYERS[0], _Z)),) if random.random() < 0.3 else ())),
        (),
        (group,),
        function,
        counted,
        _N,
        is_distinct=random.random() < 0.5,
    )
    subjects: list[Term] = [group, _NAMES[0]]
    return Rule((Atom(None, (random.choice(subjects), _LAYERS[layer], _N)),), (), f"g{number}", aggregates=(aggregate,))


def _atom(random: Random, predicates: Iterable[str], terms: Iterable[Term]) -> Atom:
    choices: list[Term] = [*terms, *terms, random.choice(_NAMES)]
    return Atom(None, (random.choice(choices), random.choice(list(predicates)), random.choice(choices)))


def _fact(random: Random) -> Triple:
    return random.choice(_NAMES), random.choice(_LAYERS[:2]), random.choice(_NAMES)


def _link(random: Random) -> Triple:
    return random.choice(_NAMES), _SAME, random.choice(_NAMES)


def _expected(asserted: set[Triple], rules: list[Rule]) -> tuple[dict[str, set[str]], set[Triple]]:
    """The names of each individual by name, and the model over individuals, each triple with all names of its terms."""
    groups = {name: {name} for name in _NAMES}
    for subject, predicate, object_ in asserted:
        if predicate == _SAME and groups[subject] is not groups[object_]:
            groups[subject] |= groups[object_]
            for name in groups[subject]:
                groups[name] = groups[subject]
    facts = {(None, _as(triple, groups)) for triple in asserted if triple[1] != _SAME}
    model = perfect(facts, [_renamed(rule, groups) for rule in rules])
    triples = {terms for relation, terms in model if relation is None and not terms[0].startswith('"')}
    return groups, {
        (s, p, o) for one, p, other in triples for s in groups.get(one, {one}) for o in groups.get(other, {other})
    }


def _as(triple: Triple, groups: dict[str, set[str]]) -> Triple:
    """A triple with the first name of its individuals."""
    subject, predicate, object_ = triple
    return min(groups.get(subject, {subject})), predicate, min(groups.get(object_, {object_}))


def _renamed(rule: Rule, groups: dict[str, set[str]]) -> Rule:
    def term(each: Term) -> Term:
        return min(groups[each]) if isinstance(each, str) and each in groups else each

    def atom(each: Atom) -> Atom:
        return Atom(each.relation, tuple(map(term, each.terms)))

    return Rule(
        tuple(map(atom, rule.heads)),
        tuple(map(atom, rule.body)),
        rule.name,
        negated=tuple(Not(tuple(map(atom, negated.atoms)), negated.local) for negated in rule.negated),
        computed=tuple(each._replace(parts=tuple(map(term, each.parts))) for each in rule.computed),
        aggregates=tuple(each._replace(atoms=tuple(map(atom, each.atoms))) for each in rule.aggregates),
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_constant_under_data_has_the_names_that_a_link_gave_it_before(mode: SameAsMode) -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"], same_as=mode)
    with graph.transaction() as transaction:
        transaction.add_rules("@prefix : <http://e/> . [?x, :r, :a] :- DATA [:d, :q, ?x] .")
        transaction.add(("<http://e/d>", _SAME, "<http://e/f>"))
    graph.add(("<http://e/f>", "<http://e/q>", "<http://e/a>"))
    assert graph.query("ASK { <http://e/a> <http://e/r> <http://e/a> }")


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_known_by_all_its_names(mode: SameAsMode) -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"], same_as=mode)
    with graph.transaction() as transaction:
        transaction.add_rules(
            "@prefix : <http://e/> . made(?x, ?s) :- [?x, :iri, ?v], BIND(IRI(?v) AS ?s) ."
            "[?x, :found, ?y] :- made(?x, ?s), [?s, :p, ?y] ."
        )
    graph.add('<http://e/q> <http://e/iri> "http://e/b" . <http://e/a> <http://e/p> <http://e/y> .')
    found = "ASK { <http://e/q> <http://e/found> <http://e/y> }"
    assert not graph.query(found)
    graph.add(("<http://e/a>", _SAME, "<http://e/b>"))
    assert graph.query(found)
    proof = graph.explain(("<http://e/q>", "<http://e/found>", "<http://e/y>"))
    assert proof is not None
    assert _SAME in proof.to_text()
    graph.remove(("<http://e/a>", _SAME, "<http://e/b>"))
    assert not graph.query(found)
