"""nginx in front of a server, with the configuration of the documentation, and a page of another origin beside it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from kgreason import KnowledgeGraph
from tests.console.browsing import PATIENCE, ZOO, serving
from tests.docs.page import Page

READ, WRITE = "r" * 16, "w" * 16
_WHOLE = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{ text/html html; text/javascript js; }}
    {documented}
    server {{
        listen 127.0.0.1:{other};
        root {folder}/pages;
    }}
}}
"""


class Proxy(NamedTuple):
    """A server behind nginx: its `address` below a path, and the origin of the page that is served beside it."""

    address: str
    other: str


def nginx() -> str | None:
    """The nginx of the system, or None."""
    return shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@contextmanager
def proxied(folder: Path) -> Iterator[Proxy]:
    """A server with two tokens behind nginx; the test is skipped where there is no nginx."""
    if (program := nginx()) is None:
        pytest.skip("there is no nginx: apt-get install nginx")
    port, other = _free(), _free()
    tokens = folder / "tokens"
    tokens.write_text(f"read {READ}\nwrite {WRITE} ann\n")
    options = ["--token-file", str(tokens), "--root-path", "/kg", "--trusted-proxy", "127.0.0.1"]
    with KnowledgeGraph.open(folder / "store", history="all") as graph:
        graph.add(ZOO)
    with serving(folder / "store", *options, "--cors", f"http://127.0.0.1:{other}") as address:
        (folder / "nginx.conf").write_text(_configuration(folder, address, port, other))
        (folder / "pages").mkdir()
        Page("how-to/javascript").lay_out(folder / "pages")
        (folder / "pages" / "page.html").write_text("<!doctype html><title>page</title>")
        process = subprocess.Popen([program, "-p", str(folder), "-c", str(folder / "nginx.conf")])
        try:
            _wait(port, process)
            yield Proxy(f"http://127.0.0.1:{port}/kg", f"http://127.0.0.1:{other}")
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _configuration(folder: Path, address: str, port: int, other: int) -> str:
    """The configuration of the documentation, without TLS and with other ports."""
    [text] = Page("how-to/operate").of("nginx")
    text = re.sub(r"^ *ssl_.*$", "", text, flags=re.MULTILINE)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = text.replace("http://127.0.0.1:7878", address.removesuffix("/kg"))
    assert f"proxy_pass {address.removesuffix('/kg')};" in text
    user = "user root;" if hasattr(os, "getuid") and os.getuid() == 0 else ""  # its workers read the folder of the test
    return _WHOLE.format(user=user, folder=folder, documented=text, other=other)


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("nginx has not started")
