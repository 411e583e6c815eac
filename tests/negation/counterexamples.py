"""Small histories that give each misreading of `Negations` and of `Data` away; `test_mutants` follows them."""

from __future__ import annotations

from tests.histories.history import in_words

_LEVELS = "s(?x) :- [?x, :d, ?x], NOT [?x, :p, ?x] . t(?x) :- [?x, :d, ?x], NOT s(?x) ."
_RETURNING = """
    s(?x) :- [?x, :d, ?x], NOT [?x, :p, ?x] .
    s(?x) :- [?x, :e, ?x], NOT w(?x) .
    w(?x) :- [?x, :f, ?x], NOT [?x, :v, ?x] .
    t(?x) :- s(?x), NOT [?x, :u, ?x] .
"""
_STRAY = "stray(?x) :- [?x, :d, ?x], NOT [?x, :p, ?x] ."

_DERIVED = "[?x, :p, ?y] :- [?x, :e, ?y] ."
_TOLD = "[?x, :told, ?y] :- DATA [?x, :p, ?y] ."
_ITSELF = "s(?x) :- DATA [?x, :p, ?x] ."

_TEXTS: dict[str, list[tuple[str, str, str]]] = {
    "AllAtOnce": [("a d a", "", _LEVELS)],
    "NegatedFactsNotLookedAt": [("a d a", "", _STRAY), ("a p a", "", _STRAY)],
    "AskedValuesNotLookedAt": [("", "", _STRAY), ("a d a", "", _STRAY)],
    # In the second commit s(a) loses its first reason at level 1, and gets another one at level 2.
    "DecidedValuesNotLookedAt": [("a d a", "", _RETURNING), ("a p a . a e a", "", _RETURNING)],
    "ReturnedFactsNotLookedAt": [("a d a", "", _RETURNING), ("a p a . a e a", "", _RETURNING)],
    "NeverRetracts": [("a d a", "", _STRAY), ("a p a", "", _STRAY)],
    "ForgetsWhatRulesLeave": [("a d a", "", _STRAY), ("", "", "")],
    "LevelsGoOn": [("a d a", "", _LEVELS), ("a p a", "", _LEVELS)],
    "ReadsDerivedTriples": [("a e b", "", _DERIVED), ("", "", _DERIVED + _TOLD)],
    "LostFlagIsNoChange": [
        ("a e b", "", _DERIVED + _TOLD),
        ("a p b", "", _DERIVED + _TOLD),
        ("", "a p b", _DERIVED + _TOLD),
    ],
    "NewFlagIsNoChange": [("a e b", "", _DERIVED + _TOLD), ("a p b", "", _DERIVED + _TOLD)],
    "NewPatternsSeeNewTriplesOnly": [("a p b", "", ""), ("", "", _TOLD)],
    "ForgetsWhatRulesLeaveOfData": [("a p b", "", _TOLD), ("", "", ""), ("", "a p b", ""), ("", "", _TOLD)],
    "TakesWhatAnotherRuleReads": [("a p a", "", _TOLD + _ITSELF), ("", "", _TOLD)],
    "RepeatedVariablesNotLookedAt": [("a p b", "", _ITSELF)],
}

COUNTEREXAMPLES = {name: in_words(*commits) for name, commits in _TEXTS.items()}
