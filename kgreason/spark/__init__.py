"""kgreason on Spark, for data that one process cannot hold. See docs/spark.md.

start/     a Java and a session; errors of Spark as errors of kgreason
read/      RDF files -> DataFrames of terms
encode/    terms -> ids and a dictionary
close/     the closure, level by level
folders/   tables on disk that are whole or do not look so
pipeline   load and materialize: the steps from files to a store, or to files
out/       results as files, or as a commit of a store
live/      streams into a store, and the delta feed of one
rule/      one rule or query as relational algebra and Spark SQL
"""
