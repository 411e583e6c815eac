"""Tables on disk. A table that is not complete is never read as if it were complete.

markers      small tables, each of which says that other tables are complete
folders      save: writes a DataFrame as a folder of files
stages       Stages: the tables of one job below a folder, each written once
fingerprint  which computation tables on disk belong to
"""
