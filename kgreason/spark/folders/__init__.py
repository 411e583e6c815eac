"""Tables on disk. A table that is not complete is never read as if it were complete.

markers  small tables: a marker says that another table is complete. `whole_table` writes a table once
folders  writes a folder of files as a whole, or not at all
"""
