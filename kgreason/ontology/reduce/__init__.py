"""The passes that remove superfluous triples and rules, without a change of the closure.

covers  removes subclass and similar triples that follow from two others: A < C, if A < B and B < C
reduce  removes rules that chains of other rules replace
"""
