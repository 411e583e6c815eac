"""Facts about literals that rules need (Table 8 of OWL 2 RL).

values            Readings: finds literals with the same value, and ill-typed literals
datatypes_in_use  Asked: the datatypes whose members rules need to know
statements        Literals: asserts facts about literals when rules need them
"""
