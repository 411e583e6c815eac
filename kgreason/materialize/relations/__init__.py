"""Facts of the user's relations, such as `edge(<http://e/a>, 5)`.

facts     the facts in a state
keys      asserted facts by the columns of their keys
changes   the facts that an edit asserts and retracts, and those that a commit changed
"""
