"""A case for every rule: folders under tests/cases, what runs them, and the rule-support table that comes of them.

tables.py       the rules of the specifications, by table
rulesets.py     the rules of rulesets/, what switches each on, and the helpers that belong to it
cases.py        the folders
running.py      one case in one reading of the schema: deltas, contradictions, proofs
gaps.py         what is missing, with reasons
support.py      docs/rule-support.md: `python -m tests.w3crules.support`
"""
