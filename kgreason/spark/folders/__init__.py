"""Tables on disk. A table that is not complete is never read as if it were complete.

markers  small tables, each of which says that another table is complete; `whole` writes a table once
folders  save: writes a DataFrame as a folder of files
"""
