"""The passes that remove superfluous triples and rules, without a change of the closure.

covers      removes subclass and similar triples that follow from two others: A < C, if A < B and B < C
statements  brings each rule into canonical form, then removes duplicates
shortcuts   removes rules if chains of other rules derive the same

A class `Live...` is the same pass for a schema that is edited: its input and output are changes.
"""
