"""Commands that only read a store, or files.

query, explain, check, validate, dump, stats, log, profile   ask a store
backup                   copies a store
entails                  asks files
diff, watch              show what an edit would change, and what commits have changed
"""
