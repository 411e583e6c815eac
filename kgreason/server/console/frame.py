"""`Frame`: what every page of the console has: style, navigation, notices, and the calls to the server.

A page is made in two steps. Its function builds the frame and the controls at once. Data of the graph is read after the
browser has connected (`Frame.when_connected`), so a slow answer does not delay the page.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Self, cast

from markupsafe import Markup
from nicegui import background_tasks, ui
from starlette.requests import Request

from kgreason.server.console.calls import Calls
from kgreason.server.console.markup import notice, with_root
from kgreason.server.console.shell import CONSOLE, Console
from kgreason.server.console.vocabulary import WELL_KNOWN, Words
from kgreason.server.guard import ROLE
from kgreason.server.problems import problem_of
from kgreason.server.request.proxy import root_of
from kgreason.server.session import cookie_of
from kgreason.server.settings import ROLES

PAGES = (
    ("Query", "/"),
    ("Edit", "/console/edit"),
    ("Explore", "/console/explore"),
    ("Ontology", "/console/ontology"),
    ("Contradictions", "/console/contradictions"),
    ("Shapes", "/console/shapes"),
    ("Feed", "/console/feed"),
    ("Status", "/console/status"),
)
_LOAD = "load"
_SHOW_CURRENT = "document.querySelector('nav [aria-current]').scrollIntoView({inline: 'center', block: 'nearest'})"
"""A script: on a narrow screen it scrolls the navigation until the name of the page is in sight."""
_STYLE, _THEME, _MEMORY = (
    Path(__file__).with_name(name).read_text("utf-8") for name in ("style.css", "theme.js", "memory.js")
)
_HEAD = f"<style>{_STYLE}</style><script>{_THEME}{_MEMORY}</script>"


class Frame:
    """The frame of a page. Use the frame as a context, and make the content of the page inside this context."""

    def __init__(self, request: Request, name: str, title: str = "") -> None:
        """Make the frame of the page `name`, as the navigation calls the page.

        `title` is its title (default: `name`).
        """
        console = cast(Console, request.scope[CONSOLE])
        self.calls: Calls = console.calls(request)
        self.body_bytes = console.body_bytes
        self.words = Words(WELL_KNOWN)
        self._vocabulary = console.vocabulary
        self._role = cast(str, request.scope[ROLE])
        self.language = _language_of(request.cookies.get(_LABELS))
        """The language of labels that the user wants: a tag, "" for any language, or None for no labels."""
        self._has_words = asyncio.Event()
        self._running: dict[str, asyncio.Task[Any]] = {}
        ui.add_head_html(_HEAD)
        ui.page_title(f"{title or name} · kgreason")
        cookie = cookie_of(request.headers.get("host", ""), root_of(request.scope))
        self._navigate(name, has_session=cookie in request.cookies)
        self._main = ui.element("div").classes("page").props('id="main" tabindex="-1"')
        with self._main:
            html(Markup('<h1 class="{}">{}</h1>').format("" if title else "quiet", title or name))
            self._notices = html("")
            self._loading = html("Loading…").classes("loading").props('role="status"')
        self._client = ui.context.client
        self._client.on_delete(self._end)

    def has_role(self, role: str) -> bool:
        """Whether the user has at least this role. The server checks the role of each request again."""
        return ROLES.index(self._role) >= ROLES.index(role)

    def _navigate(self, current: str, *, has_session: bool) -> None:
        links = [
            Markup('<a href="{}"{}>{}</a>').format(
                address, Markup(' aria-current="page"') if name == current else "", name
            )
            for name, address in PAGES
        ]
        leave = (
            Markup('<form method="post" action="/console/sign-out"><button class="plain">Sign out</button></form>')
            if has_session
            else Markup("")
        )
        with ui.header(fixed=False, elevated=False).classes("top"):
            html(Markup('<a class="skip" href="#main">Skip to the content</a><a class="brand" href="/">kgreason</a>'))
            html(Markup("").join(links), tag="nav").props('aria-label="Pages"')
            self._languages = ui.element("div").classes("tools")
            html(_THEMES + leave).classes("tools")

    def __enter__(self) -> Self:
        self._main.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._main.__exit__(*error)

    def show_message(self, message: str, kind: str = "error") -> None:
        """Show a message at the top of the page. An empty message removes the message that is shown."""
        self._notices.set_content(notice(message, kind) if message else "")

    def hide_loading(self) -> None:
        """Take away the word that the page loads. The frame does so when `load` of `when_connected` ends."""
        self._loading.set_visibility(False)

    def when_connected(self, load: Callable[[], Awaitable[object]]) -> None:
        """Call `load` after the browser has connected and the words of the graph (`Words`) were read."""

        async def loading() -> None:
            try:
                words = await self._vocabulary.words(self.calls)
                self.words = words if self.language is None else words.with_labels(self.language)
                with self._languages:
                    choice(_languages(words, self.language), "Label language", _keep_language)
                self._has_words.set()
                await load()
            finally:
                self.hide_loading()

        async def begin() -> None:
            await self._client.connected()
            if not self._client.is_deleted:  # a client that never connects is deleted after a minute
                self._client.run_javascript(f"{_SHOW_CURRENT}; kgreason.paint()")
                self.start_task(loading, _LOAD)

        background_tasks.create(begin())

    def start_task(self, call: Callable[[], Awaitable[object]], kind: str = "") -> asyncio.Task[Any]:
        """Start a task that runs `call`. An error of `call` becomes a message on the page.

        An earlier task of the same `kind` is cancelled, so that the latest wish of the user wins. Before the new task
        calls `call`, it waits until the earlier task has ended and the words of the graph (`Words`) are known.
        """
        before = self.stop(kind)

        async def running() -> None:
            if before is not None:
                await asyncio.wait([before])
            with self._client.content:
                try:
                    if kind != _LOAD:
                        await self._has_words.wait()
                    await call()
                except Exception as error:
                    self.show_message(problem_of(error).detail)

        task = background_tasks.create(running())
        self._running[kind] = task
        return task

    def stop(self, kind: str) -> asyncio.Task[Any] | None:
        """End the running task of a kind, and return it. Returns None if no such task was started."""
        if (task := self._running.pop(kind, None)) is not None:
            task.cancel()
        return task

    def _end(self) -> None:
        for task in self._running.values():
            task.cancel()

    def handler(self, call: Callable[[], Awaitable[object]], kind: str = "") -> Callable[[], None]:
        """Return an event handler that removes the message on the page and then calls `start_task(call, kind)`."""

        def handle() -> None:
            self.show_message("")
            self.start_task(call, kind)

        return handle


def html(text: Markup | str, tag: str = "div") -> ui.html:
    """Make an HTML element with the content `text`; `tag` is the name of the element.

    A `Markup` is inserted as it is, so its parts must be escaped already. A plain text is escaped. Addresses of this
    server get the prefix of its paths. The same holds for later texts, which the element gets by `set_content`.
    """
    root = root_of(ui.context.client.request.scope)
    return ui.html(text, sanitize=lambda content: with_root(Markup.escape(content), root), tag=tag)


_LABELS = "kgreason-labels"
"""The cookie with the language of the labels that the user wants in the place of IRIs: a tag, `any`, or `none`."""
_TAG = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_ANY, _NO = "any", "none"


def _language_of(cookie: str | None) -> str | None:
    """Return the language that a cookie names, "" for labels in any language, or None for no labels."""
    if cookie is None or cookie == _NO or not _TAG.fullmatch(cookie):
        return None
    return "" if cookie == _ANY else cookie


def _languages(words: Words, language: str | None) -> dict[str, str]:
    """Return the options for the language of labels; the present one comes first."""
    present = _NO if language is None else language or _ANY
    found = {_NO: "No labels", _ANY: "Labels"} | {tag: f"Labels: {tag}" for tag in words.languages}
    return {present: found.get(present, f"Labels: {present}")} | found


def _keep_language(chosen: str) -> None:
    if _TAG.fullmatch(chosen):
        cookie = f"{_LABELS}={chosen}; path=/; max-age=31536000; samesite=lax"
        ui.run_javascript(f"document.cookie = {json.dumps(cookie)}; location.reload()")


_THEMES = Markup(
    '<select id="theme" aria-label="Colors"><option value="system">System</option>'
    '<option value="light">Light</option><option value="dark">Dark</option></select>'
)


def button(text: str, handle: Callable[[], object], *, is_main: bool = False) -> ui.element:
    """Make a button. `handle` is called at a click. With `is_main` it looks like the main button of the page."""
    found = ui.element("button").props('type="button"').classes("main" if is_main else "")
    with found:
        html(text, tag="span")
    found.on("click", lambda _: handle())
    return found


def choice(options: Mapping[str, str], label: str, handle: Callable[[str], object]) -> ui.html:
    """Make a list to choose from. `options` maps each value to the text that the user sees.

    `handle` is called with the value that the user chooses.
    """
    parts = [Markup('<option value="{}">{}</option>').format(value, text) for value, text in options.items()]
    found = html(Markup("").join(parts), tag="select").props(f'aria-label="{label}"')
    found.on("change", lambda event: handle(str(event.args)), js_handler="(event) => emit(event.target.value)")
    return found
