"""Operators between strata: they assert facts about what rules have derived.

negation Negations: for which values a negated pattern has no match
"""
