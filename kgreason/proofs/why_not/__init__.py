"""Why a fact does not hold: the rules that could derive it, and the conditions of each rule that fail.

rows        the present facts as columns, and joins of bindings with an atom
attempts    one rule: which atoms of its body match, and which conditions fail
answer      the answer as a value, as text and as JSON
why_not     all rules for one fact, in order

Nothing of this is stored, and the engine is only read.
"""
