"""Workers whose Python is an environment of its own: without kgreason an error says what to do, and both ways work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyspark

from kgreason import KnowledgeGraph, __version__
from kgreason.errors import StoreError
from kgreason.lubm import generator
from kgreason.spark.cluster.workers import _clear, check_workers, problem
from tests.cli.calling import PROGRAM, message
from tests.packaging.test_wheel import make_environment, run

ROOT = Path(__file__).parents[2]
CLUSTER = ("--pipeline", "spark", "--master", "local-cluster[2,1,1024]", "--conf", "spark.driver.memory=1g")
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
GOOD = {
    "host": "one",
    "python": "/env/bin/python",
    "version": HERE,
    "kgreason": __version__,
    "missing": {},
    "unseen": [],
}
BOTH_WAYS = (
    "-m pip install 'kgreason[spark]==",
    "--conf spark.archives=env.tar.gz#env with PYSPARK_PYTHON=env/bin/python",
)


@pytest.mark.parametrize(
    ("worker", "told"),
    [
        (
            {"missing": {"kgreason": "No module named 'kgreason'"}},
            f"need kgreason: on one, /env/bin/python (Python {HERE}): No",
        ),
        ({"missing": {"numba": "No module named 'numba'"}}, "No module named 'numba'. Run `/env/bin/python -m pip"),
        ({"kgreason": "0.0.1"}, f"need kgreason {__version__} as this process has; on one, /env/bin/python"),
        ({"version": "3.9"}, f"need Python {HERE} as this process has; on one, /env/bin/python (Python 3.9)"),
    ],
)
def test_a_worker_that_cannot_run_kgreason_is_named_with_both_remedies(worker: dict[str, Any], told: str) -> None:
    found = problem(GOOD | worker)
    assert told in found
    assert all(way in found for way in BOTH_WAYS)
    assert problem(GOOD) == ""


def test_a_folder_that_a_worker_does_not_see_is_named() -> None:
    """Spark would lose the rows that are written there."""
    for unseen in ("/data/a.nt", "/data/.kgreason-x1"):
        wanted = unseen.removesuffix("/.kgreason-x1")
        told = problem(GOOD | {"unseen": [unseen]})
        assert told.startswith(f"Spark's worker on one does not see {wanted}, which this process sees: choose files")


def test_a_folder_to_which_this_process_cannot_write_is_named(tmp_path: Path) -> None:
    session: Any = object()
    with pytest.raises(StoreError, match=rf"^{tmp_path}/none: cannot be written: No such file"):
        check_workers(session, [tmp_path / "none"])


def test_a_python_that_does_not_start_is_named() -> None:
    missing = 'java.io.IOException: Cannot run program "/no/python": error=2, No such file or directory'
    assert "have no Python at /no/python: set PYSPARK_PYTHON" in str(_clear(missing))
    other = (
        "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12 than that in driver: 3.11, PySpark"
        " cannot run with different minor versions."
    )
    assert "workers run Python 3.12, and this process Python 3.11: set PYSPARK_PYTHON" in str(_clear(other))
    assert _clear("java.lang.OutOfMemoryError") is None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    variables = os.environ | {"KGREASON_WHEEL": "any"}
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, environment=variables)
    return next(folder.glob("*.whl"))


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """Spark, in a folder in which a cluster on this machine may write its logs."""
    home = tmp_path / "spark"
    home.mkdir()
    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (home / part.name).symlink_to(part)
    return home


def loaded(spark_home: Path, python: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Load files on a cluster of two workers that run `python`, and see nothing of this process but the files."""
    variables = os.environ | {"PYSPARK_PYTHON": python, "SPARK_HOME": str(spark_home)}
    variables.pop("PYTHONPATH", None)
    command = [*PROGRAM, "load", "--json", "--rules", "rdfs", *map(str, words), *CLUSTER]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


def test_workers_without_kgreason_are_named_before_the_first_job(spark_home: Path, wheel: Path, tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env", wheel)
    run(sys.executable, "-m", "pip", "--python", python, "uninstall", "-y", "kgreason")
    ran = loaded(spark_home, str(python), "-l", tmp_path / "store", "-f", ROOT / "ontologies" / "family.ttl")
    assert (ran.returncode, ran.stdout) == (1, "")
    told = message(ran.stderr)
    assert f"{python} (Python {HERE}): No module named 'kgreason'. Run `{python} -m pip" in told
    assert all(way in told for way in BOTH_WAYS)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("way", ["installed", "packed"])
def test_a_small_university_is_loaded_by_workers_that_have_kgreason(
    way: str, spark_home: Path, wheel: Path, tmp_path: Path
) -> None:
    python, settings = str(make_environment(tmp_path / "env", wheel)), []
    if way == "packed":
        with tarfile.open(tmp_path / "env.tar.gz", "w:gz") as archive:
            archive.add(tmp_path / "env", ".")
        (tmp_path / "env").rename(tmp_path / "away")
        python, settings = "env/bin/python", ["--conf", f"spark.archives={tmp_path}/env.tar.gz#env"]
    [(_, lines), *_] = generator.generate(1)
    files = [ROOT / "ontologies" / "univ-bench.ttl", tmp_path / "department.nt"]
    files[1].write_text("".join(f"{line}\n" for line in lines))
    ran = loaded(spark_home, python, "-l", tmp_path / "store", "-f", *files, *settings)
    assert ran.returncode == 0, ran.stderr
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.load(*files)
        told, here = json.loads(ran.stdout), graph.stats()
    assert {name: told[name] for name in ("facts", "asserted", "inferred")} == {
        name: here[name] for name in ("facts", "asserted", "inferred")
    }
    assert here["inferred"]


def test_the_function_of_the_check_uses_nothing_of_kgreason() -> None:
    """Pickled as the check pickles it, it runs where no import of kgreason can work."""
    program = (
        "import sys; from kgreason.spark.cluster import workers; from pyspark import cloudpickle;"
        "cloudpickle.register_pickle_by_value(workers); sys.stdout.buffer.write(cloudpickle.dumps(workers._describe))"
    )
    pickled = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    look = (
        "import pickle, sys; sys.modules['kgreason'] = None;"
        """print(pickle.loads(sys.stdin.buffer.read())('[["kgreason", "json"], ["/", "/no/file"]]'))"""
    )
    ran = subprocess.run([sys.executable, "-c", look], input=pickled, capture_output=True, check=True)
    worker = json.loads(ran.stdout)
    assert (set(worker["missing"]), worker["unseen"]) == ({"kgreason"}, ["/no/file"])
    assert "need kgreason" in problem(worker)
