"""The generic rules of a rule set, beside the translated ones.

patterns  atoms with variables on both sides; unification
generic   the rules by their part: closing, rows, free
needed    which of them the data needs as well, and why
"""
