"""NOT, DATA, expressions and aggregates in parts, beside one process: the same facts, whatever the number of parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
import pytest

from kgreason.errors import KgreasonError, RuleError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.rules.expressions import RESERVED
from kgreason.rules.parser import parse
from kgreason.spark.rounds import placement as placement_module
from kgreason.spark.rounds.operators import PartOperators, Strata
from kgreason.spark.rounds.placement import PatternPlace
from kgreason.spark.rounds.plan import FIRST, MOST_ALIKE, PartsPlan
from kgreason.zset.columns import Int32, Int64
from tests.spark.programs import EQUALITY, drawn, rules_in, triples_in
from tests.spark.rounds.whole import Whole
from tests.volume import many


def is_right(case: Whole, parts: int, most: int = MOST_ALIKE, *, are_new: bool = False) -> bool:
    """Whether parts give the facts and flags of one process. Values with more than `most` facts are divided.

    With `are_new`, each step makes the parts anew.
    """
    try:
        one, several = case.in_parts(parts, most, are_new=are_new)
    except (AssertionError, KgreasonError, SyntaxError):  # a part without a text may fail in many ways
        return False
    return one == several


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_random_programs(parts: int) -> None:
    for case in islice(drawn(), many(5)):
        assert is_right(Whole(case.triples, case.rules), parts), case


def test_many_random_programs_with_hot_values() -> None:
    for case in islice(drawn(), many(50)):
        assert is_right(Whole(case.triples, case.rules), 5, most=0), case


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_many_random_programs(parts: int) -> None:
    for case in islice(drawn(), many(100)):
        assert is_right(Whole(case.triples, case.rules), parts), case


CASE = (
    EQUALITY
    + """
    [?x, :lone, 1] :- [?x, :in, ?y], NOT EXISTS ?z IN ([?z, :near, ?x]) .
    [?x, :plain, 1] :- [?x, :in, ?y], NOT [?x, :lone, 1] .
    [?x, :odd, ?y] :- [?x, :lone, ?n], [?x, :in, ?y], NOT EXISTS ?z IN ([?z, :in, ?y], [?z, :near, ?x]) .
    [:all, :size, ?n] :- AGGREGATE([?x, :in, ?y] BIND COUNT(*) AS ?n) .
    [?y, :members, ?n] :- AGGREGATE([?x, :in, ?y] ON ?y BIND COUNT(?x) AS ?n) .
    [?y, :sum, ?n] :- AGGREGATE([?x, :in, ?y], [?x, :age, ?a] ON ?y BIND SUM(?a) AS ?n) .
    [?x, :with, ?z] :- [?x, :in, ?y], [?z, :in, ?y] .
    [?x, :next, ?b] :- [?x, :age, ?a], BIND(?a + 1 AS ?b) .
    [?x, :old, ?y] :- [?x, :next, ?b], [?x, :in, ?y], FILTER(?b > 5) .
    [?x, :quiet, 1] :- [?x, :in, ?y], NOT [:no, :such, :thing] .
    [?x, :new, ?y] :- DATA [?x, :near, ?y], NOT DATA [?y, :near, ?x] .
    [?x, :card, ?b] :- [?x, :in, ?y], BIND(SKOLEM("card", ?x) AS ?b) .
    [?x, :named, ?y] :- [?x, :in, ?y], FILTER(STRENDS(STR(?x), "b")) .
    """
)
DATA = [
    *("abcdefgh"[n] + " in " + "uvw"[n % 3] for n in range(8)),
    *("abcdefgh"[n] + f" age {n}" for n in range(8)),
    *("a near b", "b near a", "c near d", "e near f", "b same k", "h same g"),
]


def case() -> Whole:
    return Whole(triples_in(*DATA), rules_in(CASE))


@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_a_program_of_the_whole_language(parts: int) -> None:
    assert is_right(case(), parts)


def test_parts_that_are_made_anew_with_the_texts_that_they_need() -> None:
    assert is_right(case(), 3, are_new=True)


def test_many_random_programs_in_parts_that_are_made_anew() -> None:
    for each in islice(drawn(), many(20)):
        assert is_right(Whole(each.triples, each.rules), 3, are_new=True), each


def test_all_values_of_a_program_are_divided() -> None:
    assert is_right(case(), 5, most=0)


# Misreadings


def all_at_once(self: Strata) -> Iterator[tuple[int, int]]:
    """All strata are decided as soon as no part has facts for another one."""
    yield from ((level, level) for level in (0, self._plan.last))


def never_again(self: Strata) -> Iterator[tuple[int, int]]:
    """A stratum is decided once, and not again for what is asked later."""
    while self._level < self._plan.last:
        self._level += 1
        yield self._level, self._level - 1


def only_what_is_known_is_kept(atoms: Iterable[object], *_: object) -> list[PatternPlace]:
    """What rules ask for stays where they ask."""
    return [PatternPlace(*each) for each in _places_for_key(atoms, *_) if not str(each[0].relation).startswith("asks ")]  # type: ignore[arg-type]


def rows_are_rewritten(self: PartsPlan, facts: Int32) -> Int32:
    """Of two names of an individual, facts have only one."""
    links = facts[facts[:, FIRST + 1] == SAME_AS]
    rows = _with_data(self, facts)
    for one, other in links[:, [FIRST, FIRST + 2]].tolist():
        rows[:, FIRST:] = np.where(rows[:, FIRST:] == max(one, other), min(one, other), rows[:, FIRST:])
    return np.unique(np.concatenate([rows, links]), axis=0)


def what_operators_read_is_divided(self: PartsPlan, counts: Int64, most: int) -> PartsPlan:
    """Hot values are divided in all places."""
    made = _with_hot_values(self, counts, most)
    return made._replace(forms=tuple(form._replace(is_decided=False) for form in made.forms))


_places_for_key = placement_module._places_for_key
_with_data, _with_hot_values = PartsPlan.with_data, PartsPlan.with_hot_values
MUTANTS: dict[str, tuple[object, str, object]] = {
    "operators decide what any part holds": (PartOperators, "_are_here", lambda *given: np.ones(len(given[2]), bool)),
    "asks stay where they are asked": (placement_module, "_places_for_key", only_what_is_known_is_kept),
    "all strata are decided at once": (Strata, "due", all_at_once),
    "a stratum is decided once": (Strata, "due", never_again),
    "rows are rewritten to representatives": (PartsPlan, "with_data", rows_are_rewritten),
    "no triple is asserted for DATA": (PartsPlan, "with_data", lambda _, facts: facts),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_misreading_gives_other_facts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    program = case()
    assert is_right(program, 3, most=2)
    monkeypatch.setattr(*MUTANTS[name])
    assert not is_right(program, 3, most=2)


def test_a_group_whose_rows_are_divided_is_counted_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of its own, because the whole language has a thousand decisions then."""
    rules = """
        [?y, :members, ?n] :- AGGREGATE([?x, :in, ?y] ON ?y BIND COUNT(?x) AS ?n) .
        [?x, :with, ?z] :- [?x, :in, ?y], [?z, :in, ?y] ."""
    program = Whole(triples_in(*DATA), rules_in(rules))
    assert is_right(program, 3, most=2)
    monkeypatch.setattr(PartsPlan, "with_hot_values", what_operators_read_is_divided)
    assert not is_right(program, 3, most=2)


# Errors


def test_facts_that_make_rules_circular() -> None:
    """An equal class carries what follows from a result back to what the result was read from."""
    copying = "@group eq . @rule eq-rep-p [?s, ?q, ?o] :- [?p, owl:sameAs, ?q], [?s, ?p, ?o] .\n@group own .\n"
    cases = {
        "NOT .* was decided for .*, and then the negated fact was derived": """
            [?x, :other, 1] :- [?x, :age, ?v], NOT [?x, :inner, 1] .""",
        "SUM.* was decided.*, and then its atoms changed": """
            [?x, :total, ?n] :- AGGREGATE([?x, :inner, ?v] ON ?x BIND SUM(?v) AS ?n) .
            [?x, :other, 5] :- [?x, :total, ?n] .""",
    }
    triples = triples_in("a age 1", "a inner 2", "b age 1", "other same inner")
    for problem, rules in cases.items():
        whole = Whole(triples_in(), rules_in(EQUALITY + copying + rules))
        with pytest.raises(StratificationError, match=f"the facts make the rules circular: .*{problem}"):
            whole.closed(triples, 3)


def test_a_function_that_fails_names_rule_and_call() -> None:
    def inverse(x: int) -> float:
        return 1 / x

    registry = Registry([inverse], RESERVED)
    text = "@prefix : <http://e/> . @rule half [?x, :half, ?z] :- [?x, :age, ?y], BIND(inverse(?y) AS ?z) ."
    rules = parse(text, functions=registry.find).rules
    whole = Whole(triples_in("a age 1", "b age 2"), rules, registry)
    one, several = whole.in_parts(3)
    assert one == several
    with pytest.raises(RuleError, match=r"^rule half.*: inverse\(0\) raised ZeroDivisionError"):
        whole.closed(triples_in("a age 0"), 3)


@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_a_part_without_the_rules_of_equality_counts_equal_names_once(parts: int) -> None:
    rules = """@group eq .
        @rule eq-sym
        [?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] .
        @rule eq-trans
        [?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z] .
        @group cases .
        [?y, :members, ?n] :- AGGREGATE([?x, :in, ?y] ON ?y BIND COUNT(?x) AS ?n) ."""
    members = (f"{x} in {y}" for x in "abc" for y in "uvwxyz")
    assert is_right(Whole(triples_in("a same b", *members), rules_in(rules)), parts)
