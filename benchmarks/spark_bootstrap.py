"""Print the seconds of the engine's Bootstrap with two threads, as JSON: `python spark_bootstrap.py FILE...`.

`benchmarks.spark` runs this file, beside a closure of the same files on Spark. The facts about literals and
restrictions are given, so only rules are evaluated. The best of three runs counts. In a new checkout the kernels are
compiled first, for a minute of processor time that does not count.
"""

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.zset.columns import IS_ASSERTED

if __name__ == "__main__":
    materializer = Materializer(select(["owl2rl"]), threads=2)
    materializer.change(Edit(added=read_files([Path(name) for name in sys.argv[1:]], materializer.dictionary)))
    materializer.accept()
    columns, tables, kinds = materializer.engine.facts.contents()
    facts = {
        number: np.ascontiguousarray(columns[(tables == number) & (kinds == IS_ASSERTED), :width])
        for number, (_, width) in enumerate(materializer.engine.tables)
    }
    seconds = list[float]()
    for _ in range(3):
        begun = perf_counter()
        materializer.engine.bootstrap(facts)
        seconds.append(perf_counter() - begun)
    sys.stdout.write(json.dumps({"bootstrap": min(seconds), "facts": len(materializer.engine)}))
