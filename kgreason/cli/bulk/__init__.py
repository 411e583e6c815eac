"""Commands on files, and where their work is done.

pipelines    --pipeline: in this process, or on Spark
materialize  files in, the closure out
lubm         benchmark data
"""
