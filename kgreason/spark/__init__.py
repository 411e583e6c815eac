"""kgreason on Spark: it reads files in parallel, and computes closures that outgrow a process. See docs/spark.md.

start/     finds a Java, starts a session, turns errors of Spark into errors of kgreason
read/      reads RDF files as DataFrames of terms
encode/    replaces terms by ids, and makes the dictionary
rounds/    computes a closure by rounds of parts: an engine in each part, and facts that travel between parts
close/     makes the program of the data, and runs its rounds
folders/   writes tables so that an unfinished table is never taken for a finished one
pipeline   load and materialize: all steps from files to a store, or to files
out/       writes results as files, or as a commit of a store
live/      commits streams of edits to a store; gives the changes of a store as a stream
"""
