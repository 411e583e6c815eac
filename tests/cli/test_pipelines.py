"""`--pipeline`: what is wrong with a command line is said before Java starts; settings of Spark are for it alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.cli.calling import error_of, succeed

SETTINGS = (("--master", "local[1]"), ("--conf", "a=b"), ("--work", "work"))
COMMANDS = {"load": ("load", "-l", "store", "-f"), "materialize": ("materialize", "-o", "out.nt")}
SPARK = ("--pipeline", "spark")


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that starts no Spark."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")
    monkeypatch.setattr("kgreason.spark.start.session.use_java", lambda: pytest.fail("Java is looked for"))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda words: words[0])
@pytest.mark.parametrize("pipeline", ["auto", "local"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_setting_of_sparks_is_refused_in_process(
    command: str, pipeline: str, setting: tuple[str, ...], family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(family.parent)
    told = error_of(*COMMANDS[command], family, "--pipeline", pipeline, *setting, status=2)
    assert told == f"{setting[0]}: only with --pipeline spark (see kgreason {command} --help)"


def test_all_of_them_are_named(family: Path, tmp_path: Path) -> None:
    words = [word for setting in SETTINGS for word in setting]
    told = error_of("materialize", family, "-o", tmp_path / "out.nt", *words, status=2)
    assert told.startswith("--master, --conf, --work: only with --pipeline spark")


def test_a_wrong_input_is_told_without_java(no_java: None, family: Path, tmp_path: Path) -> None:
    (tmp_path / "file.pdf").touch()
    for file, *options, expected in (
        (tmp_path / "gone.nt", f"{tmp_path}/gone.nt: No such file or directory"),
        (tmp_path / "file.pdf", "file.pdf: the name does not end in a known RDF format"),
        (family, "--rules", "owl3", "owl3: neither a rule set"),
    ):
        assert expected in error_of("materialize", file, *options, "-o", tmp_path / "out", *SPARK)
        assert expected in error_of("load", "-l", tmp_path / "new", *options, "-f", file, *SPARK)
    assert not (tmp_path / "out").exists()


def test_a_wrong_output_is_told_without_java(no_java: None, family: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    for output, expected in (
        ("full", "already exists; remove it or choose another folder"),
        ("full/mine", "is a file, but the output is a folder; choose another name"),
        ("family.ttl/out/closure", "cannot be written: Not a directory"),
    ):
        told = error_of("materialize", family, "-o", tmp_path / output, *SPARK)
        assert told.startswith(f"{tmp_path / output}: {expected}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["family.ttl", "full"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system has no /proc")
def test_a_folder_that_nobody_can_make_is_told_without_java(no_java: None, family: Path) -> None:
    assert error_of("materialize", family, "-o", "/proc/x/y", *SPARK).startswith("/proc/x/y: cannot be written: ")


def test_without_pyspark_the_error_says_what_to_install(
    family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("kgreason.cli.bulk.pipelines.find_spec", lambda name: None if name == "pyspark" else find(name))
    told = error_of("materialize", family, "-o", tmp_path / "out", *SPARK)
    assert told == "PySpark is not installed: pip install 'kgreason[spark]'"
    succeed("materialize", family, "-o", tmp_path / "out.nt")
