"""Commands that change a store.

load, unload, update, rules, relation, revert   the commands
options                                         shared parts: strategy, budget, and the output after a commit
listing                                         the text of `rules list`
convert                                         `rules convert`
"""
