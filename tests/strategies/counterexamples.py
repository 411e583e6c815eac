"""Small histories that tell the algorithm of a commit from each of its misreadings, and some more.

A key is the name of a class of `tests.oracle.misreadings`, which says what is misread. Most were found in random
histories and shrunk. Every test of histories runs over them too.
"""

from __future__ import annotations

from tests.histories.history import in_line

TEXTS = {
    "FlagAfterRetract": "+ p() ; + q() :- p() | - p() ; + q()",
    "SupportedFlagAfterRetract": "+ p() ; + p() :- | - p() ; - p() :-",
    "FlagResetsStamp": "+ p() ; + q() :- p() | + q()",
    "SeedsAsserted": "+ p() ; + p() :- | - p() :-",
    "WalkTakesAsserted": "+ p() ; + q() :- p() | + q() | - p()",
    "SupportedSeeds": "+ p() ; + q() :- p() ; + r() :- p() ; + r() :- q() | + r() | - r()",
    "LeavingRulesAfterFacts": "+ p() ; + q() :- p() | - p() ; - q() :- p()",
    "LeavingRulesWalked": "+ p() ; + q() :- p() | - p() ; + q() ; - q() :- p()",
    "NewRulesWalked": "+ p(1, 1) ; + q() :- p(?x, ?y) | - p(1, 1) ; + q() :- p(?x, ?x)",
    "UncountedTaken": "+ p() ; + q() ; + p() :- q() | - q()",
    "MetForEachLeavingFact": "+ p() ; + q() ; + r() :- p(), q() | - p() ; - q()",
    "RederiveSeesReturned": """
        + p() ; + q() ; + r() ; + q() :- p() ; + r() :- p() ; + q() :- r() ; + r() :- q() | - q() ; - r()""",
    "RederiveSeesArriving": "+ p() ; + p() :- q() | - p() ; + q()",
    "RederiveByNewRules": "+ p() | - p() ; + p() :-",
    "RederiveByLeavingRules": "+ p() :- | - p() :-",
    "RederiveOnce": "+ p() ; + q(1) ; + q(2) ; + p() :- q(?x) | - p()",
    "RederiveAllHeads": "+ p() ; + q() ; + p(), r() :- q() | - p()",
    "NewRulesSkipOldHeads": "+ p() ; + q() :- p() | + q() :- p(), p()",
    "NewRulesOverBatch": "+ p() ; + q() :- p()",
    "NewRulesBeforeRetract": "+ p() | - p() ; + p() :- p()",
    "EmptyBodiesFireAgain": "+ p() :- | + q()",
    "MetForEachNewFact": "+ p() ; + q() ; + r() :- p(), q()",
    "OldHeadsNotCounted": "+ p(1) ; + q() :- p(?x) | + p(2)",
    "StampOfTheBest": "+ p(1) ; + p(2) :- ; + q() :- p(?x)",
    "SameStampCounted": "+ p() ; + q() :- p() ; + r() :- p() ; + q() :- r() ; + r() :- q() | - p()",
    "SameLevelCounted": "+ p() ; + r() ; + q() :- p() ; + h() :- p() ; + h() :- r() ; + h() :- q()",
    "SameLevelNotCounted": "+ p() ; + r() ; + q() :- p() ; + q() :- r() ; + h() :- p() ; + h() :- q()",
    "FrailtyFollowsSupport": "+ p() ; + r() ; + q() :- p() ; + q() :- r() ; + h() :- p() | + h() :- q()",
    "FrailtyOfOne": "+ p() ; + r() ; + q() :- p() ; + q() :- r() ; + h() :- p() ; + h() :- r() ; + h() :- q()",
    "EmptyBodyNotCounted": "+ p() ; + p() :-",
    "HeadsCountedTwice": "+ p(1, 1) ; + q(?x), q(?y) :- p(?x, ?y)",
    "a head that left before is met again": "+ p() ; + q() :- p() ; + r() :- q() ; + q() :- r() | - p()",
    "a fact that leaves, returns and is met by a new rule": """
        + p(1) ; + p(2) ; + q(1) ; + q(?x) :- p(?x) | - q(1) ; + q(?y) :- p(?x), p(?y)""",
    "a cycle that hung on one edge, and a shortcut into it": """
        + edge(1, 2) ; + edge(2, 3) ; + edge(3, 2) ; + path(?x, ?y) :- edge(?x, ?y) ;
        + path(?x, ?z) :- path(?x, ?y), path(?y, ?z) | - edge(1, 2) ; + edge(1, 3) | - edge(1, 3)""",
    "a value that the next atom looks for twice": """
        + p(1) ; + q(2, 1) | + r(2, 2, 2) ; + q(1, 1) ; + r(?z, ?y, 3) :- p(?x), q(?y, 1), r(?z, ?y, ?y) | - p(1)""",
    "two names for one rule": "+ p(1, 2) ; + q(?x) :- p(?x, ?y) ; + q(?a) :- p(?a, ?b) | - q(?b) :- p(?b, ?a)",
}

COUNTEREXAMPLES = {name: in_line(text) for name, text in TEXTS.items()}
