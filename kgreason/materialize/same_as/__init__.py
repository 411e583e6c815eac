"""owl:sameAs by representatives: rules see one member of a clique, which stands for the others.

representatives  `Equality`: chooses representatives, for the rules of representatives.dl
cliques          `Cliques`: the cliques (groups of equal terms) of a graph
images           the triples that a fact over representatives stands for, and their changes in a commit
"""
