"""The examples of Shapiro, by number; a rule by substitution and by joins; naive and semi-naive evaluation, counted.

Source: Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog Materialization*, in the drafts that
the authors have published (github.com/brurucy/paberid, `b2bdatalog`). The programs are theirs. So are the values of
3.2 to 3.4 and of the index; the other values are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise, product

from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.papers.shapiro import CSDA, CSPA
from kgreason.circuit import ReferenceCircuit, grounding, zset
from kgreason.circuit.consequences import consequences
from kgreason.circuit.functions import NO_FUNCTIONS
from kgreason.circuit.kit import directions, join_orders, signals
from kgreason.circuit.rewriting import extend, shape, substitute, unify
from kgreason.circuit.zset import ZSet
from kgreason.rules.model import Atom, Constant, Rule, Term, Variable
from kgreason.rules.parser import parse, ruleset
from tests.histories.history import in_line
from tests.oracle.commits.baselines import Update

W, X, Y, Z = map(Variable, "wxyz")
Pair = tuple[str, str]


def closed(rules: Iterable[Rule], facts: Mapping[str, Iterable[Pair]]) -> dict[str, set[Pair]]:
    """The pairs of each relation after one commit of the circuit."""
    circuit = ReferenceCircuit("indexed")
    circuit.commit({Atom(name, pair): 1 for name, pairs in facts.items() for pair in pairs}, dict.fromkeys(rules, 1))
    found: dict[str, set[Pair]] = {}
    for fact in circuit.facts():
        found.setdefault(str(fact.relation), set()).add((str(fact.terms[0]), str(fact.terms[1])))
    return found


def pairs(*texts: str) -> set[Pair]:
    return {(text[0], text[1]) for text in texts}


SUBCLASS = Rule((Atom("sub", (X, Z)),), (Atom("sub", (X, Y)), Atom("sub", (Y, Z))))
"""Example 3.1: what is below a class is below the classes above it."""
CLASSES = pairs("pe", "et", "ed", "de")
"""Example 3.2: a (p)rofessor is an (e)mployee, who is a (t)axpayer; (e)mployee and employe(d) are the same."""


def is_model(interpretation: set[Pair]) -> bool:
    """A set of facts is a model if it has whatever the rule derives from it."""
    facts = {Atom("sub", pair): 1 for pair in interpretation}
    return consequences({SUBCLASS: 1}, facts, {}, NO_FUNCTIONS).keys() <= facts.keys()


def test_examples_3_1_to_3_4_the_closure_is_the_smallest_model() -> None:
    """The universe has 4 names, so the base has 16 facts. No smaller model has the given facts.

    The draft's first interpretation is no model, as it says. Its second one lacks two facts, p below d and d below t;
    with them it is the smallest model, and its third one a model that is larger by p below p.
    """
    universe = {name for pair in CLASSES for name in pair}
    base = set(product(universe, repeat=2))
    assert (len(universe), len(base)) == (4, 16)
    first = CLASSES | pairs("pt", "ee")
    second = first | pairs("dd")
    assert not is_model(first)
    assert not is_model(second)
    smallest = second | pairs("pd", "dt")
    assert is_model(smallest)
    assert is_model(smallest | pairs("pp"))
    derived = smallest - CLASSES
    assert not any(
        is_model(CLASSES | set(some)) for size in range(len(derived)) for some in combinations(derived, size)
    )
    assert closed([SUBCLASS], {"sub": CLASSES})["sub"] == smallest


CLOSURE = "tc(?x, ?y) :- edge(?x, ?y) . tc(?x, ?z) :- edge(?x, ?y), tc(?y, ?z) ."
OVERDELETED = """
    minus(?x, ?y) :- gone(?x, ?y) .
    minus(?x, ?z) :- gone(?x, ?y), tc(?y, ?z) .
    minus(?x, ?z) :- edge(?x, ?y), minus(?y, ?z) .
"""
"""Example 4.1; `gone` has the edges that leave, `minus` the pairs that leave with them."""
REDERIVED = """
    plus(?x, ?y) :- minus(?x, ?y), edge(?x, ?y) .
    plus(?x, ?z) :- minus(?x, ?z), edge(?x, ?y), tc(?y, ?z) .
    tc(?x, ?y) :- plus(?x, ?y) .
"""
"""Example 4.2; `edge` and `tc` have what is left. What comes back counts for what follows."""


def test_examples_4_1_and_4_2_delete_and_rederive() -> None:
    """1 -> 2 -> 3 -> 4 and 1 -> 3, and the edge 2 -> 3 goes: four pairs leave, and two of them come back."""
    edges, gone = pairs("12", "23", "34", "13"), pairs("23")
    known = closed(parse(CLOSURE).rules, {"edge": edges})["tc"]
    assert known == pairs("12", "23", "34", "13", "24", "14")
    minus = closed(parse(OVERDELETED).rules, {"edge": edges, "gone": gone, "tc": known})["minus"]
    assert minus == pairs("23", "24", "13", "14")
    left = {"edge": edges - gone, "tc": known - minus, "minus": minus}
    plus = closed(parse(REDERIVED).rules, left)["plus"]
    assert plus == pairs("13", "14")
    assert closed(parse(CLOSURE).rules, {"edge": edges - gone})["tc"] == known - minus | plus


def test_an_index_compares_a_gate_with_the_facts_that_fit() -> None:
    """The alternative derivation of R from T and T: 2, 6 and 6 comparisons by Algorithm I, 2 each with the index."""
    (rule,) = parse("plus(?x, ?z) :- minus(?x, ?z), t(?x, ?y), t(?y, ?z) .").rules
    texts = {"t": ("ab", "bc", "cd"), "minus": ("ac", "bd")}
    facts = {Atom(name, (*text,)): 1 for name, each in texts.items() for text in each}
    indexed = grounding.index(facts, join_orders({rule: 1}))
    shapes, keys = Counter(map(shape, facts)), Counter(each.key for each in indexed)
    rewrites: ZSet[grounding.Rewrite] = {grounding.START: 1}
    compared = list[tuple[int, int]]()
    for _ in rule.body:
        gates = grounding.gatekeep(rewrites, directions({rule: 1}))
        compared.append(
            (sum(shapes[shape(g.atom)] for g in gates), sum(keys[grounding.gate_key(g.atom)] for g in gates))
        )
        rewrites = grounding.probe(gates, indexed)
        assert rewrites == grounding.product(gates, facts)
    assert compared == [(2, 2), (6, 2), (6, 2)]
    assert {each.substitution for each in rewrites} == {((X, x), (Z, z), (Y, y)) for x, z, y in ("acb", "bdc")}
    heads = grounding.ground(rewrites, signals({rule: 1}))
    assert heads == {Atom("plus", ("a", "c")): 1, Atom("plus", ("b", "d")): 1}


def test_example_6_1_what_is_stored_through_one_alias_is_read_through_the_other() -> None:
    """b := a, so their memories p and q are one; then what c gets from q may have come from p."""
    facts = {"assign": pairs("ba", "cq"), "dereference": pairs("ap", "bq")}
    found = closed(parse(CSPA).rules, facts)
    assert found["memory"] == pairs("aa", "bb", "cc", "qq", "pp", "pq", "qp")
    assert found["flow"] == pairs("aa", "bb", "cc", "qq", "ba", "cq", "cp")
    assert pairs("ab", "ba") < found["alias"]


def test_example_6_2_a_null_flows_along_arcs() -> None:
    """The draft's second rule has ?y in its head where ?z is meant: as printed, it derives nothing new."""
    facts = {"start": pairs("12"), "arc": pairs("23", "32", "45")}
    assert closed(parse(CSDA).rules, facts)["null"] == pairs("12", "13")
    printed = "null(?x, ?y) :- start(?x, ?y) . null(?x, ?y) :- null(?x, ?y), arc(?y, ?z) ."
    assert closed(parse(printed).rules, facts)["null"] == pairs("12")


RHODF = """
    [?y, a, ?x] :- [?a, rdfs:domain, ?x], [?y, ?a, ?z] .
    [?z, a, ?x] :- [?a, rdfs:range, ?x], [?y, ?a, ?z] .
    [?x, rdfs:subPropertyOf, ?z] :- [?x, rdfs:subPropertyOf, ?y], [?y, rdfs:subPropertyOf, ?z] .
    [?x, rdfs:subClassOf, ?z] :- [?x, rdfs:subClassOf, ?y], [?y, rdfs:subClassOf, ?z] .
    [?z, a, ?y] :- [?x, rdfs:subClassOf, ?y], [?z, a, ?x] .
    [?x, ?b, ?y] :- [?a, rdfs:subPropertyOf, ?b], [?x, ?a, ?y] .
"""
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
TRIPLES = st.builds(
    lambda *terms: Atom(None, terms),
    st.sampled_from(("<p>", "<q>", "<c>", "<d>")),
    st.sampled_from(("<p>", "<q>", TYPE, *(f"<{RDFS}{name}>" for name in ("domain", "range", "subPropertyOf")))),
    st.sampled_from(("<p>", "<q>", "<c>", "<d>")),
)


USE = Atom(None, ("<d>", "<q>", "<d>"))


@example({Atom(None, ("<p>", f"<{RDFS}domain>", "<c>")), Atom(None, ("<q>", f"<{RDFS}subPropertyOf>", "<p>")), USE})
@given(st.sets(TRIPLES, max_size=6))
def test_example_6_3_the_six_rules_derive_what_rhodf_derives(triples: set[Atom]) -> None:
    """kgreason ships rho-df with rule 5, which is needed only where a property in between is a blank node."""
    results = []
    for rules in (
        parse(f"PREFIX rdfs: <{RDFS}> {RHODF}").rules,
        [each for each in ruleset("rhodf").rules if each.name and each.name < "rho-6"],
    ):
        circuit = ReferenceCircuit("indexed")
        circuit.commit(dict.fromkeys(triples, 1), dict.fromkeys(rules, 1))
        results.append(circuit.facts())
    assert results[0] == results[1]


def parent(*terms: Term) -> Atom:
    return Atom("parent", terms)


def same(*terms: Term) -> Atom:
    return Atom("same", terms)


RULE = Rule((same(X, Y),), (parent(X, W), same(W, Z), parent(Y, Z)))
FACTS = [parent("ann", "eve"), parent("bob", "eve"), parent("cid", "fay"), same("eve", "eve"), same("eve", "fay")]


def test_substitutions_grow_along_the_body() -> None:
    """Each atom of the body, under the substitution so far, is unified with the facts."""
    rows = [((X, "ann"), (W, "eve")), ((X, "bob"), (W, "eve")), ((X, "cid"), (W, "fay"))]
    assert [found for fact in FACTS if fact.relation == "parent" if (found := unify(RULE.body[0], fact))] == rows
    assert [substitute(RULE.body[1], row) for row in rows] == [same("eve", Z), same("eve", Z), same("fay", Z)]
    second = [(*row, (Z, name)) for row in rows[:2] for name in ("eve", "fay")]
    met = [extend(row, (W, Z), fact.terms) for row in rows for fact in FACTS[3:]]  # type: ignore[arg-type]
    assert [each for each in met if each is not None] == second, "fay is of the generation of nobody that is known"
    assert [substitute(RULE.body[2], row) for row in second] == [parent(Y, name) for name in ("eve", "fay")] * 2
    heads = {
        **{same(x, y): 1 for x in ("ann", "bob") for y in ("ann", "bob")},
        **{same(x, "cid"): 1 for x in ("ann", "bob")},
    }
    assert consequences({RULE: 1}, dict.fromkeys(FACTS, 1), {}, NO_FUNCTIONS) == heads


def joined(facts: ZSet[Atom]) -> ZSet[Atom]:
    """The same rule by relations: two joins on a column each, then a projection."""

    def relation(name: str) -> ZSet[tuple[Constant, ...]]:
        return {tuple(map(str, fact.terms)): weight for fact, weight in facts.items() if fact.relation == name}

    parents, known = relation("parent"), relation("same")
    first = zset.join(parents, known, lambda row: row[1], lambda row: row[0], lambda left, right: (left[0], right[1]))
    second = zset.join(first, parents, lambda row: row[1], lambda row: row[1], lambda left, right: (left[0], right[0]))
    return zset.project(second, lambda row: same(*row))


NAMES = st.sampled_from(("ann", "bob", "cid"))


@given(st.sets(st.builds(parent, NAMES, NAMES) | st.builds(same, NAMES, NAMES), max_size=8))
def test_substitution_and_joins_derive_the_same_as_often(facts: set[Atom]) -> None:
    weights = dict.fromkeys(facts, 1)
    assert joined(weights) == consequences({RULE: 1}, weights, {}, NO_FUNCTIONS)


def test_semi_naive_evaluation_meets_each_derivation_once() -> None:
    """The closure of a chain of three edges has 6 derivations. Naive evaluation meets 3, 5, 6 and again 6 of them."""
    (commit,) = in_line(
        "+ path(?x, ?y) :- edge(?x, ?y) ; + path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) ; "
        "+ edge(1, 2) ; + edge(2, 3) ; + edge(3, 4)"
    )
    known, met = set(commit.facts), list[int]()
    while len(met) < 2 or met[-1] != met[-2]:
        heads = consequences(commit.rules, dict.fromkeys(known, 1), {}, NO_FUNCTIONS)
        met.append(sum(heads.values()))
        known |= heads.keys()
    assert met == [3, 5, 6, 6]
    model = Update()
    model.commit(*commit)
    assert model.looked == 6 == sum(after - before for before, after in pairwise([0, *met]))
