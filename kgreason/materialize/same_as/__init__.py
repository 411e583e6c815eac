"""owl:sameAs by representatives.

representatives  Equality: which terms represent others, asserted for the rules of representatives.dl
cliques          Cliques: which terms belong together
images           the triples that facts over representatives stand for
"""
