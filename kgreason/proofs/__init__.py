"""Why a fact holds.

notation facts, rules and axioms as people read them proof Proof: a fact, its rule, the proofs of the rule's body, down
to asserted facts search proofs found by running rules backwards engine_facts, same_as facts and derivations, read from
the engine; proofs over representatives text, mermaid a proof as indented text, as a drawing contradiction, different a
contradiction in words; pairs of terms that are equal and said to be different contradictions, contradiction_proofs all
contradictions of a state, and a proof of each
"""
