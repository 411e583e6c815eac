"""Write results of Spark.

write  writes triples to files of text
store  writes a DataFrame of triples to a store, as one commit
"""
