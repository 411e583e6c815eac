"""Results of Spark.

write  DataFrames of ids -> files of text
store  a DataFrame of triples -> one commit of a store
"""
