"""The command line on Spark: what goes wrong, and Ctrl-C, are one line, and Java says nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.errors import InputError, KgreasonError
from kgreason.spark.cluster.network import check_reached
from kgreason.spark.start import launch
from kgreason.spark.start.failures import reason
from kgreason.spark.start.launch import problem
from kgreason.spark.start.session import for_command
from tests.cli.calling import PROGRAM, message

pytestmark = pytest.mark.usefixtures("brief_java")

GOOD = "<http://e/a> <http://www.w3.org/2002/07/owl#imports> <http://e/b> .\n"
KNOWN = "<http://e/c> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Ontology> .\n"
SMALL = ("--master", "local[1]", "--conf", "spark.driver.memory=1g", "--conf", "spark.sql.shuffle.partitions=1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that imports what nobody knows."""
    (tmp_path / "a.nt").write_text(GOOD)
    return tmp_path / "a.nt"


def materialized(file: Path, *settings: str | Path) -> subprocess.CompletedProcess[str]:
    """Materialize a file on Spark, in a process of its own."""
    words = ("materialize", file, "-o", file.parent / "out", "--pipeline", "spark", *settings)
    return subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def refused(file: Path, *settings: str) -> str:
    """The one line of a command line whose Spark does not start."""
    ran = materialized(file, *settings)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert not (file.parent / "out").exists()
    return message(ran.stderr)


def test_a_master_and_a_setting_that_spark_does_not_take(file: Path) -> None:
    told = refused(file, "--master", "nonsense")
    assert told == "Spark does not start on nonsense: Master must either be yarn or start with spark, k8s, or local"
    told = refused(file, "--conf", "spark.driver.memory=lots", "--conf", "spark.my.password=secret")
    given = "spark.driver.memory, spark.my.password"
    assert told == f"Spark does not start on local[*] with {given}: Invalid maximum heap size: -Xmxlots"
    told = refused(file, "--master", "local[x]")
    assert told.startswith("Spark does not start on local[x]: ")
    assert told.endswith("Could not parse Master URL: 'local[x]'")


def test_an_endless_recursion_advises_an_option_that_spark_takes(file: Path) -> None:
    rules = file.with_name("endless.dl")
    rules.write_text("@prefix : <http://e/> .\n[?x, :a, ?n] :- [?x, :a, ?m], BIND(?m + 1 AS ?n) .\n")
    file.write_text('<http://e/x> <http://e/a> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
    ran = materialized(file, "--rules", rules, "--most-rounds", "2", *SMALL)
    assert (ran.returncode, ran.stdout, (file.parent / "out").exists()) == (1, "", False)
    told = ran.stderr.splitlines()[-1]  # on a busy machine a line before says that Spark still works
    assert re.match(r"kgreason: rule rule-1 .* 2 times in one commit; .* give a larger --most-rounds$", told)


def test_a_load_keeps_to_the_limits_of_the_engine(file: Path) -> None:
    def loaded(store: str, *options: str) -> subprocess.CompletedProcess[str]:
        words = ("load", "-l", file.parent / store, "-f", file, "--json", *options)
        return subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)

    file.write_text(
        "<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .\n"
        "<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Cat> .\n"
    )
    limits = ("--most-rounds", "5", "--budget", "1000000")
    counts = [
        json.loads(loaded(*words).stdout) for words in (("one", "--pipeline", "spark", *limits, *SMALL), ("other",))
    ]
    assert counts[0]["inferred"]
    assert (counts[0]["facts"], counts[0]["rewrites"]) == (counts[1]["facts"], counts[1]["rewrites"])
    told = loaded("third", "--pipeline", "spark", "--budget", "1", *SMALL)
    assert told.returncode == 1
    assert "more than its budget of 1 rewrite" in message(told.stderr)


@pytest.mark.parametrize(
    "url",
    [
        "sc://",
        "sc://127.0.0.1:99999",
        "sc://127.0.0.1/path",
    ],
)
def test_a_url_that_is_none(file: Path, url: str) -> None:
    assert refused(file, "--master", url).startswith(f"Spark does not start on {url}: ")


def test_a_token_is_not_told(file: Path) -> None:
    """Of a Connect server nobody answers at, and of parameters that are none."""
    told = refused(file, "--master", "sc://127.0.0.1:99999/;use_ssl=true;token=secret")
    assert told.startswith("Spark does not start on sc://127.0.0.1:99999: ")
    assert "secret" not in told
    with pytest.raises(InputError, match=r"sc://127\.0\.0\.1:9: no Spark Connect server answers there$"):
        check_reached("sc://127.0.0.1:9/;token=secret", patience=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[PATH_NOT_FOUND] no: /x. SQLSTATE: 42K03;\n'Project\n+- 'Relation\n\nJVM stacktrace:\na.B\n\tat c",
            "[PATH_NOT",
        ),
        ('<_Rendezvous of RPC with:\n\tstatus = X\n\tdetails = "no room"\n>', "no room"),
        (": java.io.IOException: outer\n\tat a.b\nCaused by: c.D: inner\n\t... 3 more\n", "c.D: inner"),
        (
            "An error occurred while calling x.\n: a.b: Cannot call methods on a stopped SparkContext.\nIt was"
            " created at:\n\nc.d(E:1)\n\n(No active SparkContext.)\n",
            "the application was stopped; if its executors do not start",
        ),
        ("An error occurred while calling x.\n: a.b: bad\n\tat c.d(E:1)\n\nnotes\n", "a.b: bad"),
        ("Traceback (most recent call last):\n  File x\nValueError: bad\n", "ValueError: bad"),
        ("", ""),
    ],
)
def test_the_line_that_says_most(text: str, expected: str) -> None:
    assert reason(text).startswith(expected)
    assert bool(reason(text)) == bool(expected)


def test_nobody_listens_at_the_master() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_reached(f"spark://127.0.0.1:{port}")
        check_reached(f"spark://127.0.0.1:9,127.0.0.1:{port}")
    for master in ("spark://127.0.0.1:9", "spark://127.0.0.1:9,127.0.0.1:7"):
        with pytest.raises(InputError, match=f"{master}: no Spark master answers there: Connection refused"):
            check_reached(master)
    for master in ("local[2]", "yarn", "spark://nonsense", "spark://a:b"):
        check_reached(master)


def test_no_connect_server_answers() -> None:
    pytest.importorskip("grpc")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in (9, silent.getsockname()[1]):
            begun = time.monotonic()
            with pytest.raises(InputError, match=f"sc://127.0.0.1:{port}: no Spark Connect server answers there"):
                check_reached(f"sc://127.0.0.1:{port}", patience=1)
            assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Invalid maximum heap size: -Xmxlots\nError: Could not create the Java Virtual Machine.\n", "Invalid maximum"),
        ('WARNING: Using incubator modules: x\nException in thread "main" a.b.C: no\n\tat d.e(F:1)\n', "no"),
        ('Exception in thread "main" a.B: outer\n\tat c.d(E:1)\nCaused by: f.G: inner\n\t... 3 more\n', "inner"),
        ("Picked up JAVA_TOOL_OPTIONS: -Da=b\n", ""),
    ],
)
def test_what_java_says_as_it_ends(said: str, expected: str) -> None:
    assert problem(said).startswith(expected)
    assert bool(problem(said)) == bool(expected)


def test_warnings_are_all_that_is_said(file: Path) -> None:
    """An ontology that is among the data is no import that is missing."""
    file.write_text(GOOD + GOOD.replace("/b>", "/c>") + KNOWN)
    ran = materialized(file, *SMALL)
    assert (ran.returncode, ran.stdout) == (0, "")
    told = message(ran.stderr)
    assert told.startswith("warning: <http://e/a> imports <http://e/b>: no document with this IRI is known")
    assert "\n" not in told


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
def test_ctrl_c_is_one_line(file: Path, tmp_path: Path) -> None:
    """As at a terminal: the whole group of processes gets the signal."""
    work = tmp_path / "work"
    words = ("materialize", file, "-o", tmp_path / "out", "--pipeline", "spark", *SMALL, "--work", work)
    process = subprocess.Popen(
        [*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None and not any(work.glob("encoded/*")):
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, told = process.communicate(timeout=60)
    assert (process.returncode, out, told) == (130, "", "kgreason: interrupted\n")
    assert not (tmp_path / "out").exists()


def test_ctrl_c_waits_for_java_to_have_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch that is broken off would leave a Java behind."""
    seen: list[str] = []

    def gateway(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        seen.append("launched")

    monkeypatch.setattr(launch, "launch_gateway", gateway)
    context = SimpleNamespace(_gateway=None, _ensure_initialized=lambda gateway: None)
    monkeypatch.setattr(launch, "SparkContext", context)
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("interrupted"))
    try:
        launch.launch({})
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["launched", "interrupted"]


def test_a_java_that_is_gone_is_one_error(file: Path) -> None:
    code = """if True:
        import signal
        from kgreason.errors import KgreasonError
        from kgreason.spark.start.session import for_command
        before = signal.getsignal(signal.SIGINT)
        try:
            with for_command("local[1]", **{"spark.driver.memory": "1g"}) as spark:
                assert signal.getsignal(signal.SIGINT) is before
                spark.sparkContext._gateway.proc.kill()
                spark.sparkContext._gateway.proc.wait()
                spark.range(10).count()
        except KgreasonError as error:
            print(type(error).__name__, error)
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout == "KgreasonError Spark failed: its Java process on this machine has ended\n"


def test_a_session_is_stopped_where_there_is_no_main_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the main thread may set what a signal does."""
    stopped: list[str] = []
    session = type("Session", (), {"stop": lambda self: stopped.append("stopped")})()
    monkeypatch.setattr("kgreason.spark.start.session.session", lambda master, **config: session)

    def work() -> None:
        with for_command("local"):
            stopped.append("worked")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert stopped == ["worked", "stopped"]


def test_what_spark_raises_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from py4j.protocol import Py4JError

    session = type("Session", (), {"stop": lambda self: None})()
    monkeypatch.setattr("kgreason.spark.start.session.session", lambda master, **config: session)
    text = "An error occurred\n: a.b.C: outer\n\tat d.e(F:1)\nCaused by: java.lang.OutOfMemoryError: Java heap space\n"
    with pytest.raises(KgreasonError) as caught, for_command("local"):
        raise Py4JError(text)
    assert str(caught.value) == "Spark failed: java.lang.OutOfMemoryError: Java heap space"
