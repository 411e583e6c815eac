"""What rules need to know of literals (Table 8 of OWL 2 RL).

values            which literals have one value, and which have none
datatypes_in_use  the datatypes that rules ask for
statements        Literals: facts about literals, asserted as rules need them
"""
