"""Print the seconds that Spark needs for the closure of files: `python spark_closing.py MASTER FOLDER RULES FILE...`.

`benchmarks.spark` runs this file once for each number of cores. The closure under RULES is written to FOLDER as
Parquet. The clock runs from the first file that is read to the last file that is written. The start of the session does
not count.
"""

import sys
from time import perf_counter

if __name__ == "__main__":
    from kgreason.spark.pipeline import materialize
    from kgreason.spark.start.session import session

    master, folder, rules, *files = sys.argv[1:]
    spark = session(master)
    begun = perf_counter()
    materialize(spark, files, folder, rules=[rules], form="parquet")
    sys.stdout.write(str(perf_counter() - begun))
    spark.stop()
