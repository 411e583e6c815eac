"""Commands that change a store.

options                     what they share: strategy, budget, and what is said after a commit
load, unload, update, rules
listing                     the text of `rules list`
"""
