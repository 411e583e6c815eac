"""Facts of the user's relations, such as `edge(<http://e/a>, 5)`.

facts     reads these facts from a saved state
keys      finds asserted facts by the terms in some of their columns
changes   the facts that an edit asserts and retracts, and those that a commit changed
"""
