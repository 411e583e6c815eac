"""Facts of the user's relations, such as `edge(<http://e/a>, 5)`.

facts     the facts in a state
keys      facts by the columns of their keys, and all facts of a relation
derived   types and keys of declared relations, for derived facts
reading   the facts of one relation, from the engine or from a snapshot
changes   the facts that an edit asserts and retracts, and those that a commit changed
"""
