"""`copy_of_server`: the store of a server, unpacked into a folder.

    GET /backup -> a tar file -> a folder beside the new path -> the new path

Law: an error or Ctrl-C leaves no part of a copy. Cost: the space of the tar file beside that of the copy.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

from kgreason.client.link import Link
from kgreason.errors import StoreError
from kgreason.files import sync_folder
from kgreason.store.backup import check_free, sync_all

_TOP = "store"


def copy_of_server(link: Link, path: Path) -> int:
    """Copy the store of a server to `path`, where nothing is yet. Returns the number of the copy's last commit.

    Raises StoreError, and the errors of the server.
    """
    check_free(path)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        reply = link.get("/backup", accept="application/x-tar")
        with reply.file, tarfile.open(fileobj=reply.file, mode="r:") as file:
            file.extractall(new, filter="data")
        sync_all(new)
        (new / _TOP).replace(path)
        sync_folder(path.parent)
    except (OSError, tarfile.TarError) as error:
        raise StoreError(f"{path}: the copy cannot be written: {getattr(error, 'strerror', None) or error}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return int(reply.headers["kgreason-commit"])
