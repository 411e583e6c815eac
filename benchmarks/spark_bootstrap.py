"""Print the seconds of the engine's Bootstrap with two threads, as JSON: `python spark_bootstrap.py FILE...`.

`benchmarks.spark` runs this file, beside a closure of the same files on Spark. The facts about literals and
restrictions are given, so only rules are evaluated. The best of three runs counts.
"""

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files

if __name__ == "__main__":
    materializer = Materializer(select(["owl2rl"]), threads=2)
    materializer.change(Edit(added=read_files([Path(name) for name in sys.argv[1:]], materializer.dictionary)))
    materializer.accept()
    saved, seconds = materializer.save(), []
    states, columns = saved.records[:, at.STATE], saved.records[:, at.FIRST :]
    is_asserted = (states & at.ASSERTED) != 0
    tables = states >> at.TABLE & at.LAST_TABLE
    facts = {
        number: np.ascontiguousarray(columns[(tables == number) & is_asserted, :width])
        for number, (_, width) in enumerate(saved.tables)
    }
    for _ in range(3):
        begun = perf_counter()
        materializer.engine.bootstrap(facts)
        seconds.append(perf_counter() - begun)
    sys.stdout.write(json.dumps({"bootstrap": min(seconds), "facts": len(materializer.engine)}))
