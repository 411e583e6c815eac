"""Why a fact holds.

notation                facts, rules and axioms as people read them
proof                   `Proof`: a fact, its rule, and the proofs of the rule's body, down to asserted facts
search                  proofs found by running rules backwards
engine_facts            facts and derivations, read from the engine
same_as                 proofs over representatives, translated to the W3C's rules for owl:sameAs
words/                  class expressions and labels in the place of ids; short proofs
text, mermaid           a proof as indented text, and as a drawing
contradiction           a contradiction in words
different               pairs of terms that are equal and were asserted to be different
contradictions          all contradictions of a state
contradiction_proofs    a proof of each contradiction
reasons                 the rule and the axioms of each inferred triple, without a whole proof
why_not                 why a triple does not hold
"""
