"""Operators between strata: they assert facts about what rules have derived.

negation     what rules negate is absent for the values that they ask for
"""
