"""The program as arrays: what rules share, which triggers they hang on, and which arrangements they ask for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given

from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import encode, encode_all
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.errors import LimitError
from kgreason.rules.model import Atom, Rule, Variable, triple
from tests.engine.crews import crews
from tests.engine.systems import System
from tests.oracle.datalog import materialize, violations
from tests.strategies.programs import programs

X, Y, Z = Variable("x"), Variable("y"), Variable("z")


class Program:
    """A planner, the rules it was given, and the sizes of its arrays."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.planner = Planner()
        self._ids: dict[str, int] = {}
        self.rules: list[EncodedRule] = []
        for rule in rules:
            self.add(rule)

    def add(self, rule: Rule) -> int:
        encoded = encode(rule, self.planner, self._intern)
        self.rules.append(encoded)
        return self.planner.add(encoded)

    def _intern(self, texts: Iterable[str]) -> list[int]:
        return [self._ids.setdefault(text, len(self._ids) + 1) for text in texts]

    def sizes(self, *names: str) -> list[int]:
        return [getattr(self.planner, name).n for name in names]

    def plans_on(self, key: int) -> list[int]:
        """The plans that hang on a key."""
        links = self.planner.plans.array[:, 2]
        return chain(int(self.planner.key_info.array[key, 1]), links)

    def asks_of(self, key: int) -> list[int]:
        """The arrangements that a key asks for."""
        asks = self.planner.asks.array
        return [int(asks[ask, 0]) for ask in chain(int(self.planner.key_info.array[key, 2]), asks[:, 1])]

    def spelt(self, rule: int) -> list[list[object]]:
        """The steps of a rule's plans with what they point to in place of where it is."""
        planner, found = self.planner, list[list[object]]()
        for _, plan in planner.plans_of(rule):
            _, start, _, low, high = planner.plans.array[plan].tolist()
            for step in planner.steps.array[[start, *range(low, high)]].tolist():
                table, count, _, _, *columns = planner.arranged.array[step[at.STEP_ARRANGEMENT]].tolist()
                probed = (planner.tables()[table], columns[:count]) if step[at.STEP_ARRANGEMENT] >= 0 else None
                after = (planner.nodes.array[step[at.STEP_NEXT]] - low).tolist()
                first, heads = step[at.STEP_TEMPLATES], step[at.STEP_HEADS]
                templates = planner.templates.array[first : first + heads].tolist()
                spelt = [(planner.tables()[head[0]], head[1 : 1 + planner.tables()[head[0]][1]]) for head in templates]
                found.append([step[at.STEP_ATOM], probed, after, spelt, *step[at.STEP_FREE : at.STEP_TEMPLATES]])
        return found

    def probed(self, plan: int) -> set[tuple[int, int]]:
        """The (atom, arrangement) pairs that a plan's steps probe."""
        low, high = self.planner.plans.array[plan, 3:5]
        steps = self.planner.steps.array[low:high]
        return {
            (int(step[at.STEP_ATOM]), int(step[at.STEP_ARRANGEMENT]))
            for step in steps
            if step[at.STEP_ARRANGEMENT] >= 0
        }


def chain(first: int, links: np.ndarray) -> list[int]:
    """A linked list."""
    members = []
    while first >= 0:
        members.append(first)
        first = int(links[first])
    return members


def subclass(sub: str, super_: str) -> Rule:
    """cax-sco for one axiom."""
    return Rule((triple(X, "<type>", super_),), (triple(X, "<type>", sub),))


def some_values(of: str, property_: str, filler: str) -> Rule:
    """cls-svf1 for one axiom."""
    return Rule((triple(X, "<type>", of),), (triple(X, property_, Y), triple(Y, "<type>", filler)))


def test_rules_that_differ_in_constants_share_everything_but_their_constants() -> None:
    program = Program([some_values("<A>", "<p>", "<B>")])
    shared = program.sizes("steps", "nodes", "templates", "shapes", "arranged")
    for number in range(50):
        program.add(some_values(f"<A{number}>", f"<p{number}>", f"<B{number}>"))
    assert program.sizes("steps", "nodes", "templates", "shapes", "arranged") == shared
    assert program.sizes("rules", "plans", "key_info") == [51, 102, 102]


def test_rules_of_two_shapes_share_no_steps() -> None:
    program = Program([subclass("<A>", "<B>")])
    (steps,) = program.sizes("steps")
    program.add(some_values("<A>", "<p>", "<B>"))
    assert program.sizes("steps")[0] > steps


@given(programs())
def test_a_rule_has_the_same_plans_wherever_they_are(rules: list[Rule]) -> None:
    program = Program(rules)
    for number, rule in enumerate(rules):
        assert program.spelt(number) == Program([rule]).spelt(0)


@given(programs())
def test_rules_are_encoded_together_as_one_by_one(rules: list[Rule]) -> None:
    one_by_one, together = Program(rules), Program()
    assert encode_all(rules, together.planner, together._intern) == one_by_one.rules


def test_a_repeated_constant_is_a_shape_of_its_own() -> None:
    assert len({rule.shape for rule in Program([subclass("<A>", "<B>"), subclass("<A>", "<A>")]).rules}) == 2


def test_rules_with_the_same_body_constants_share_a_key() -> None:
    program = Program([subclass("<A>", "<B>")])
    (key,) = {key for key, _ in program.planner.plans_of(0)}
    for number in range(10):
        program.add(subclass("<A>", f"<B{number}>"))
    assert program.sizes("key_info") == [1]
    assert sorted(program.plans_on(key)) == list(range(11))


def test_keys_of_two_shapes_share_by_constants_alone() -> None:
    """The two atoms of cls-svf1 and the one of cax-sco: `type A` is one key, whatever rule it stands in."""
    program = Program([some_values("<C>", "<p>", "<A>"), subclass("<A>", "<B>")])
    (_, second), (only,) = ([key for key, _ in program.planner.plans_of(number)] for number in range(2))
    assert second == only


def test_a_rule_with_one_key_for_two_atoms_hangs_there_twice() -> None:
    program = Program([Rule((triple(X, "<p>", Z),), (triple(X, "<p>", Y), triple(Y, "<p>", Z)))])
    keys = [key for key, _ in program.planner.plans_of(0)]
    assert keys[0] == keys[1]
    assert sorted(program.plans_on(keys[0])) == [0, 1]


@given(programs())
def test_each_plan_hangs_on_the_key_of_its_atom_and_nowhere_else(rules: list[Rule]) -> None:
    program = Program(rules)
    hung = [(key, plan) for key in range(program.planner.key_info.n) for plan in program.plans_on(key)]
    expected = [pair for number in range(len(rules)) for pair in program.planner.plans_of(number)]
    assert sorted(hung) == sorted(expected)
    assert [plan for _, plan in expected] == list(range(program.planner.plans.n))


@given(programs())
def test_a_key_holds_the_constants_of_its_atoms(rules: list[Rule]) -> None:
    program = Program(rules)
    planner = program.planner
    for number, rule in enumerate(program.rules):
        for atom, (key, _) in enumerate(planner.plans_of(number)):
            pattern = rule.shape.body[atom]
            columns = tuple(c for c, slot in enumerate(pattern.slots) if not rule.shape.is_variable(slot))
            table, count, *where = planner.shapes.array[planner.key_info.array[key, 0]].tolist()
            assert (table, tuple(where[:count])) == (pattern.table, columns)
            values = [rule.constants[pattern.slots[c] - rule.shape.variables - 1] for c in columns]
            assert planner.keys.array[key, list(columns)].tolist() == values


@given(programs())
def test_a_key_asks_for_what_some_plan_probes_it_with(rules: list[Rule]) -> None:
    program = Program(rules)
    wanted: dict[int, set[int]] = {key: set() for key in range(program.planner.key_info.n)}
    for number in range(len(rules)):
        pairs = program.planner.plans_of(number)
        for _, plan in pairs:
            for atom, arrangement in program.probed(plan):
                wanted[pairs[atom][0]].add(arrangement)
    for key, arrangements in wanted.items():
        assert sorted(program.asks_of(key)) == sorted(arrangements)


@given(programs())
def test_an_arrangement_is_for_one_table_and_set_of_columns(rules: list[Rule]) -> None:
    planner = Program(rules).planner
    forms = [
        (row[at.ARRANGED_TABLE], *row[at.ARRANGED_COLUMNS : at.ARRANGED_COLUMNS + row[at.ARRANGED_COUNT]])
        for row in planner.arranged.array[: planner.arranged.n].tolist()
    ]
    assert len(set(forms)) == len(forms)
    for step in planner.steps.array[: planner.steps.n]:
        assert step[at.STEP_ARRANGEMENT] < 0 or step[at.STEP_FREE] > 0  # all columns bound: the fact table is probed


def test_a_rule_without_a_body_hangs_nowhere() -> None:
    program = Program([Rule((Atom("edge", ("<a>", "<b>")),), ())])
    assert program.planner.plans_of(0) == []
    assert program.sizes("plans", "key_info") == [0, 0]


def test_a_rule_fires_while_it_is_switched_on() -> None:
    program = Program([subclass("<A>", "<B>")])
    assert program.planner.rules.array[0, at.RULE_ACTIVE] == 0
    program.planner.set_active(0, True)
    assert program.planner.rules.array[0, at.RULE_ACTIVE] == 1
    program.planner.set_active(0, False)
    assert program.planner.rules.array[0, at.RULE_ACTIVE] == 0


def test_tables_are_of_one_kind_and_width() -> None:
    planner = Planner()
    kinds = [(True, 3), (False, 3), (False, 2), (True, 3), (False, 2)]
    assert [planner.table(*kind) for kind in kinds] == [0, 1, 2, 0, 2]
    assert planner.width == 3


def test_an_atom_may_have_31_terms() -> None:
    variables = tuple(Variable(f"v{number}") for number in range(31))
    system = System()
    system.bootstrap(
        [Atom("wide", tuple(f"<{number}>" for number in range(31)))],
        [Rule((Atom("back", variables[::-1]),), (Atom("wide", variables),))],
    )
    assert ("back", tuple(f"<{number}>" for number in reversed(range(31)))) in system.states()
    with pytest.raises(LimitError, match="rule broad: an atom may have at most 31 terms"):
        Program([Rule((Atom("short", (X,)),), (Atom("broad", (X,) * 32),), "broad")])


def many_directions() -> list[Rule]:
    """A rule for each set of constant columns of two wide tables: 96 kinds of trigger keys."""
    columns = [Variable(f"v{number}") for number in range(6)]
    return [
        Rule(
            (Atom("met", (f"<{relation} {mask}>",)),),
            (Atom(relation, tuple(v if mask >> c & 1 else f"<{c}>" for c, v in enumerate(columns))),),
        )
        for relation, columns in (("six", columns), ("five", columns[1:]))
        for mask in range(2 ** len(columns))
    ]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_a_fact_meets_the_key_without_constants_once(strategy: Strategy, threads: int) -> None:
    """Behind so many other shapes it shares its bit with that of `?s <p> ?o`. Met twice, it gave <p> two supports."""
    rules = [
        *many_directions(),
        Rule((Atom("found", (Y,)),), (triple(X, Y, Z), Atom("wanted", (Y,)))),
        Rule((Atom("there", (X,)),), (triple(X, "<p>", Y),)),
    ]
    fact, wanted = triple("<a>", "<p>", "<b>"), Atom("wanted", ("<p>",))
    with crews(threads):
        system = System()
        system.bootstrap([wanted], rules)
        for facts, change in (([wanted, fact], {fact: 1}), ([fact], {wanted: -1}), ([fact, wanted], {wanted: 1})):
            system.commit(change, {}, strategy)
            states = system.states()
            assert set(states) == set(materialize(facts, rules))
            assert violations(states, rules) == []


def test_more_directions_than_bits_in_a_word() -> None:
    """All of many trigger keys fire."""
    rules = many_directions()
    row = tuple(f"<{number}>" for number in range(6))
    facts = [Atom("six", row), Atom("six", (*row[:5], "<x>")), Atom("five", row[:5]), Atom("five", ("<x>", *row[1:5]))]
    system = System()
    system.bootstrap(facts[:1], rules)
    for fact in facts[1:]:
        system.update([fact])
    states = system.states()
    assert set(states) == set(materialize(facts, rules))
    assert len(states) == len(facts) + 2**6 + 2**5
    assert violations(states, rules) == []


def test_keys_are_found_however_many_rules_are_added_one_by_one() -> None:
    """The hash table of the keys grows and is entered anew; nothing that hung on it is lost."""
    system = System()
    system.bootstrap([triple("<a>", "<type>", f"<A{number}>") for number in range(200)], [])
    for number in range(200):
        appeared = system.update([], [subclass(f"<A{number}>", f"<B{number}>")])
        assert appeared == {(None, ("<a>", "<type>", f"<B{number}>"))}
    appeared = system.update([triple("<b>", "<type>", f"<A{number}>") for number in range(200)])
    assert len(appeared) == 400


def test_memory_does_not_depend_on_the_ids_of_constants() -> None:
    system = System()
    system._texts *= 1 << 20  # the next id is 2**20
    rule = Rule((Atom("path", (X, "<late>")),), (Atom("edge", (X, "<b>")),))
    assert len(system.update([Atom("edge", ("<a>", "<b>")), Atom("edge", ("<a>", "<c>"))], [rule])) == 3
    assert system.engine._circuit.memory.room("asked") <= 1 << 10
