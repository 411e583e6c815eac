"""Commands that only read a store, or files.

query, explain, check, dump, stats   ask a store
entails                              asks files
diff, watch                          show what an edit would change, and what commits have changed
"""
