"""Commands that change a store.

options shared parts: strategy, budget, and the output after a commit load, unload, update, rules listing the text of
`rules list`
"""
