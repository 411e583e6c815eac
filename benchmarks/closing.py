"""Print the seconds of three Bootstraps of a dense closure as JSON: `python closing.py`.

`benchmarks.door` runs this file with the Python of another environment. So `kgreason` is the package that is installed
there, and only `benchmarks` comes from this checkout. KGREASON_KERNELS says where the kernels come from.
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))
    from benchmarks.engine import bootstrap
    from benchmarks.programs import TRANSITIVE_CLOSURE, random_graph, relational

    start = relational(TRANSITIVE_CLOSURE, {"edge": random_graph(1_000, 10_000)})
    bootstrap(start)
    sys.stdout.write(json.dumps([bootstrap(start) for _ in range(3)]))
