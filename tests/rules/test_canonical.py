from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import UnsafeRuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import FALSE, Atom, Rule, Variable
from kgreason.rules.parser import parse
from kgreason.rules.safety import bound_terms, unbound_variables
from tests.oracle import datalog
from tests.strategies.programs import fact_sets, random_rules

VARIABLES = [Variable(name) for name in "uvwxyz"]
SYMMETRIC = st.builds(
    lambda pairs: Rule((FALSE,), tuple(Atom("edge", pair) for pair in pairs)),
    st.lists(st.tuples(*[st.sampled_from(VARIABLES)] * 2), min_size=1, max_size=6),
)


def rule(text: str) -> Rule:
    (found,) = parse(text).rules
    return found


def renamed(original: Rule, names: dict[Variable, Variable]) -> Rule:
    def change(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(
            Atom(atom.relation, tuple(names[term] if isinstance(term, Variable) else term for term in atom.terms))
            for atom in atoms
        )

    return Rule(change(original.heads), change(original.body), original.name, original.group)


@st.composite
def rewritten(draw: st.DrawFn, rules: st.SearchStrategy[Rule]) -> tuple[Rule, Rule]:
    """A rule, and the same with other names, its atoms in another order and some of them twice."""
    original = draw(rules)
    used = sorted({variable for atom in original.body for variable in atom.variables()})
    others = draw(st.permutations([*VARIABLES, *(Variable(f"v{n}") for n in range(len(used)))]))
    other = renamed(original, dict(zip(used, others, strict=False)))
    body = draw(st.permutations(other.body + tuple(draw(st.lists(st.sampled_from(other.body))) if other.body else ())))
    heads = draw(st.permutations(other.heads))
    return original, Rule((*heads, heads[0]), tuple(body), other.name, other.group)


@given(rewritten(random_rules() | SYMMETRIC))
def test_names_order_and_repetition_do_not_matter(pair: tuple[Rule, Rule]) -> None:
    one, other = pair
    assert canonical(one) == canonical(other)


@given(random_rules() | SYMMETRIC)
def test_it_is_idempotent(original: Rule) -> None:
    assert canonical(canonical(original)) == canonical(original)


@given(random_rules(), fact_sets())
def test_it_is_the_same_rule(original: Rule, facts: set[Atom]) -> None:
    heads, body = tuple(dict.fromkeys(original.heads)), tuple(dict.fromkeys(original.body))
    assert datalog.materialize(facts, [Rule(heads, body)]) == datalog.materialize(facts, [canonical(original)])


@given(SYMMETRIC, SYMMETRIC)
def test_equal_forms_are_renamings_and_no_more(one: Rule, other: Rule) -> None:
    assert (canonical(one) == canonical(other)) == is_renaming(one, other)


def is_renaming(one: Rule, other: Rule) -> bool:
    """By trying every injective renaming, which is the definition."""
    ours, theirs = ({variable for atom in r.body for variable in atom.variables()} for r in (one, other))
    if len(ours) != len(theirs) or len(set(one.body)) != len(set(other.body)):
        return False
    return any(
        set(renamed(one, dict(zip(sorted(ours), names, strict=True))).body) == set(other.body)
        for names in itertools.permutations(theirs)
    )


def test_the_form_itself() -> None:
    form = canonical(rule("@rule trp p(?a), q(?a, ?c) :- [?b, <urn:p>, ?c], [?a, <urn:p>, ?b], [?a, <urn:p>, ?b] ."))
    assert form == rule("@rule trp p(?v0), q(?v0, ?v2) :- [?v0, <urn:p>, ?v1], [?v1, <urn:p>, ?v2] .")


def test_of_one_atom_that_is_written_so_the_form_is_the_rule_itself() -> None:
    names = ", ".join(f"?v{number}" for number in range(12))
    written = rule(f"p(?v11, ?v0) :- q({names}) .")
    assert canonical(written) is written
    assert canonical(rule(f"p(?z, ?a0) :- q({names.replace('?v11', '?z').replace('?v', '?a')}) .")) == written
    swapped = rule("p(?v1) :- q(?v1, ?v0, ?v1) .")
    assert canonical(swapped) == rule("p(?v0) :- q(?v0, ?v1, ?v0) .")


def test_heads_decide_between_orders_that_read_alike() -> None:
    assert canonical(rule("h(?a) :- p(?a), p(?b) .")) == canonical(rule("h(?a) :- p(?b), p(?a) ."))
    assert canonical(rule("h(?a, ?b) :- p(?a), p(?b) .")) == canonical(rule("h(?b, ?a) :- p(?a), p(?b) ."))
    assert canonical(rule("h(?a, ?a) :- p(?a), p(?b) .")) != canonical(rule("h(?a, ?b) :- p(?a), p(?b) ."))


def test_different_rules_have_different_canonical_forms() -> None:
    texts = (
        *(
            "p() :- q(?x) .",
            "p() :- q(?x, ?y) .",
            "p() :- q(?x, ?x) .",
            "@rule a p() :- q(?x) .",
            "@group g . p() :- q(?x) .",
        ),
        *("p() :- q(<urn:x>) .", "[<urn:a>, <urn:b>, <urn:c>] .", "t(<urn:a>, <urn:b>, <urn:c>) .", "false ."),
    )
    assert len({canonical(rule(text)) for text in texts}) == len(texts)


def test_sources_stay_but_do_not_count() -> None:
    source = (("<urn:a>", "<urn:b>", "<urn:c>"),)
    form = canonical(Rule((FALSE,), (), sources=source))
    assert form.sources == source
    assert form == canonical(Rule((FALSE,), ()))


def test_a_long_body_of_like_atoms_is_still_the_same_rule() -> None:
    body = ", ".join(f"p(?x{n})" for n in range(9))
    form = canonical(rule(f"h(?x0, ?x8) :- {body} ."))
    assert len(form.body) == 9
    assert sorted(map(len, (atom.terms for atom in form.body))) == [1] * 9
    assert len(set(form.heads[0].terms)) == 2


def test_the_file_of_a_rule_is_kept() -> None:
    for text in ("p(?a, ?b) :- q(?b, ?a) .", "p(?a) :- q(?a), r(?a) .", "p(?a) :- q(?a), NOT r(?a) ."):
        assert canonical(replace(rule(text), file="a.dl")).file == "a.dl"


def test_an_unsafe_rule_has_no_form() -> None:
    unsafe = Rule((Atom("p", (Variable("x"), Variable("y"))),), (Atom("q", (Variable("y"),)),), "odd")
    assert unbound_variables(unsafe, bound_terms(unsafe)) == [Variable("x")]
    with pytest.raises(UnsafeRuleError, match=r"rule odd: \?x is in the head but in no body atom"):
        canonical(unsafe)
