"""Small programs with operators, on each of which one misreading of an operator shows.

All cases are one program with predicates of their own, since Spark starts many jobs for any program.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A misreading, rules and data on which it shows, and the triple that tells; `holds` says whether it is right."""

    misreading: str
    rules: str
    data: str
    triple: str
    holds: bool


CASES = (
    Case(
        "NOT is evaluated before its stratum is closed",
        """
        :Root[?x] :- :Node[?x], NOT [?x, :hasParent, true] .
        [?x, :hasParent, true] :- :Node[?x], NOT [?x, :orphan, true] .
        """,
        ":node a :Node .",
        ":node a :Root",
        False,
    ),
    Case(
        "a group without a match has the value 0",
        ":all[:found, ?n] :- AGGREGATE([?x, :missing, ?y] BIND COUNT(*) AS ?n) .",
        "",
        ":found :all 0",
        False,
    ),
    Case(
        "COUNT counts derivations",
        """
        :near[?x, ?y] :- :left[?x, ?y] .
        :near[?x, ?y] :- :right[?x, ?y] .
        :neighbours[?x, ?n] :- AGGREGATE(:near[?x, ?y] ON ?x BIND COUNT(?y) AS ?n) .
        """,
        ":a :left :b ; :right :b .",
        ":a :neighbours 1",
        True,
    ),
    Case(
        "SUM adds equal values of different matches once",
        ":total[?x, ?n] :- AGGREGATE(:item[?x, ?y], :price[?y, ?p] ON ?x BIND SUM(?p) AS ?n) .",
        ":bill :item :tea, :milk . :tea :price 2 . :milk :price 2 .",
        ":bill :total 4",
        True,
    ),
    Case(
        "an error in a FILTER keeps the row",
        ":Tall[?x] :- :height[?x, ?h], FILTER(?h > 10) .",
        ":odd :height 'tall' .",
        ":odd a :Tall",
        False,
    ),
    Case(
        "an aggregate reads each name of an individual",
        ":owners[?x, ?n] :- AGGREGATE(:owner[?x, ?y] ON ?x BIND GROUP_CONCAT(?y) AS ?n) .",
        ":dog :owner :tom, :thomas . :tom owl:sameAs :thomas .",
        ":dog :owners 'http://e/thomas'",
        True,
    ),
    Case(
        "each name has a blank node of its own",
        """
        :card[?x, ?b] :- :Member[?x], BIND(SKOLEM("card", ?x) AS ?b) .
        :Twice[?x] :- :card[?x, ?b], :card[?x, ?c], FILTER(?b != ?c) .
        """,
        ":ann a :Member . :ann owl:sameAs :anna .",
        ":ann a :Twice",
        False,
    ),
    Case(
        "DATA reads what rules derive",
        """
        :older[?x, ?y] :- :parent[?x, ?y] .
        :told[?x, ?y] :- DATA :older[?x, ?y] .
        """,
        ":eve :parent :kit .",
        ":eve :told :kit",
        False,
    ),
)
