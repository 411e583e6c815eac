"""Tables on disk that are whole, or do not look so.

markers      a small table that says that others are whole
folders      save: a DataFrame as a folder of files
stages       tables below a folder, each written once
checkpoints  levels, read back as they were written
"""
