"""Why a fact holds.

proof      a proof: facts, the rules that derived them, down to asserted facts
contradiction    a use of a rule that derives false, in words
search     finds proofs by running rules backwards
notation   facts, rules and axioms as people read them
text, mermaid    a proof as indented text, as a drawing
"""
