"""A server in a process of its own, as `kgreason serve` starts it, and pages of a browser over it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgreason import KnowledgeGraph

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

PATIENCE = 60
_RUN = "from kgreason.cli import main; main()"
WIDE: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 390, "height": 844}
EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
ZOO = """
@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :Dog rdfs:subClassOf :Animal . :Animal rdfs:subClassOf :LivingThing .
:Cat owl:disjointWith :Dog . :Cat a owl:Class . :Dog a owl:Class . :Animal a owl:Class . :LivingThing a owl:Class .
:name a owl:DatatypeProperty . :eats a owl:ObjectProperty ; owl:inverseOf :eatenBy .
:tom a :Cat ; :name "Tom"@en ; :age 7 . :ben a :Dog . :tom :eats :fish .
"""


def executable() -> str | None:
    """The browser of the system, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def serving(store: Path, *options: str, text: str = ZOO) -> Iterator[str]:
    """The address of a server of a store, which is made with this Turtle text if it is not there."""
    if not store.exists():
        with KnowledgeGraph.open(store) as graph:
            graph.add(text)
    command = [sys.executable, "-c", _RUN, "serve", "-l", str(store), "--bind", "127.0.0.1:0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert process.stderr
    log: list[str] = []
    reader = threading.Thread(target=lambda: log.extend(process.stderr or ()), daemon=True)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        for line in process.stderr:
            log.append(line)
            if "serving" in line:
                break
        timer.cancel()
        assert log, "the server has not started"
        assert " at http://" in log[-1], log
        reader.start()
        yield log[-1].rsplit(" at ", 1)[1].strip()
    finally:
        timer.cancel()
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        if reader.ident:
            reader.join(PATIENCE)
        process.stderr.close()
    assert process.returncode == 0, log
    assert not [line for line in log if "Traceback" in line], "".join(log)


@contextmanager
def visiting(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A page of a fresh profile. In the end nothing came from elsewhere, and the log has no error."""
    context = browser.new_context(viewport=WIDE, base_url=address, **options)
    context.set_default_timeout(15_000)
    page, wrong = context.new_page(), []
    page.on("console", lambda each: wrong.append(each.text) if each.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = (address, address.replace("http", "ws", 1), "data:", "blob:")
    page.on("request", lambda each: None if each.url.startswith(own) else wrong.append(each.url))
    page.on("websocket", lambda each: None if each.url.startswith(own) else wrong.append(each.url))
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"


def write(page: Page, text: str) -> None:
    """Replace the text of the editor, as by typing."""
    page.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
