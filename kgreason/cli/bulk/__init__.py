"""Commands on files, and where their work is done.

pipelines    --pipeline: in this process, or on Spark
materialize  files in, the closure out
classify     the taxonomy of an ontology
compare      what two versions of an ontology entail
lubm         benchmark data
"""
