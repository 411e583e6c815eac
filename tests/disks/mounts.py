"""Small file systems of their own: a tmpfs, or ext4 in a file. Tests are skipped where nobody may mount."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

KINDS = ("tmpfs", "ext4")


class SmallDisk:
    """A mounted file system that a file fills up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self, spare: int = 0) -> None:
        """Write until nothing fits any more, then give `spare` bytes back."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while True:
                        file.write(bytes(size))
            file.truncate(max(0, file.tell() - spare))

    def free(self) -> None:
        """Remove what `fill` wrote."""
        self._filler.unlink(missing_ok=True)


@contextmanager
def mounted(kind: str, folder: Path, megabytes: int = 12) -> Iterator[SmallDisk]:
    """Mount a new file system of some megabytes in a folder."""
    mount, image = folder / kind, folder / f"{kind}.img"
    mount.mkdir()
    if kind == "tmpfs":
        how = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs"]
    else:
        if not shutil.which("mkfs.ext4"):
            pytest.skip("there is no mkfs.ext4")
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        options = ["-m", "0", "-O", "^has_journal"]  # a journal would take half of it
        subprocess.run(["mkfs.ext4", "-q", "-F", *options, str(image)], check=True)
        how = ["-o", "loop", str(image)]
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root may mount a file system")
    done = subprocess.run(["mount", *how, str(mount)], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(mount)
    finally:
        subprocess.run(["umount", "--lazy", str(mount)], check=True)
