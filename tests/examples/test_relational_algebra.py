"""The SQL of a rule adds the facts that the oracle derives with the rule."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from tests.examples.programs import EXAMPLES
from tests.oracle.datalog import Index, convert, derivations, plain
from tests.strategies.programs import fact_sets, instances, rules


def _module() -> Any:
    spec = spec_from_file_location("algebra", EXAMPLES / "relational-algebra" / "algebra.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


algebra = _module()


ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'


def _is_table(atom: Atom) -> bool:
    return bool(atom.terms)  # SQL has no table without columns


@given(rules().filter(lambda rule: all(map(_is_table, (*rule.heads, *rule.body)))), st.data())
def test_the_sql_of_a_rule_adds_what_the_rule_derives(rule: Rule, data: st.DataObject) -> None:
    facts = data.draw(st.sets(instances(rule.body), max_size=20) if rule.body else fact_sets(0))
    for head, statement in zip(rule.heads, algebra.sql(rule), strict=True):
        with closing(sqlite3.connect(":memory:")) as db:
            for atom in (*rule.heads, *rule.body):
                db.execute(algebra.create(atom))
            for fact in facts:
                marks = ", ".join("?" * len(fact.terms))
                db.execute(f"INSERT INTO {algebra.table(fact)} VALUES ({marks})", fact.terms)
            db.execute(statement)
            rows = set(db.execute(f"SELECT * FROM {algebra.table(head)}"))
        old = {fact.terms for fact in facts if algebra.table(fact) == algebra.table(head)}
        alone = convert(Rule((head,), rule.body))
        derived = derivations(Index(map(plain, facts)), [alone])
        assert rows == old | {row for each in derived for _, row in each.heads}


def test_a_rule_with_more_than_plain_atoms_is_refused() -> None:
    (rule,) = parse("q(?x) :- r(?x), NOT s(?x) .").rules
    for translated in (algebra.algebra, algebra.sql):
        with pytest.raises(ValueError, match="plain atoms"):
            translated(rule)


def test_the_tree_of_a_rule_names_columns_of_the_product() -> None:
    (rule,) = parse("[?x, <e:q>, ?z], q(1) :- [?x, <e:p>, ?y], edge(?y, ?z, ?z) .").rules
    assert algebra.algebra(rule) == [
        "project[#0, <e:q>, #4](select[#1 = <e:p>, #2 = #3, #4 = #5](triple/3 x edge/3))",
        f"project[{ONE}](select[#1 = <e:p>, #2 = #3, #4 = #5](triple/3 x edge/3))",
    ]
