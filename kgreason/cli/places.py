"""`-l`: the place of a store, which is a folder or the address of a server; and the graph at this place.

    -l store                       the folder of a store
    -l http://127.0.0.1:7878       a server, `kgreason serve`; with --token-file, or KGREASON_TOKEN, if it has tokens

Law: a command prints the same for a folder and for a server. Options about the process that holds the graph
(--functions, --catalogue, --threads) are refused for a server, because the server has functions, a catalogue
and threads of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from kgreason.errors import InputError
from kgreason.store.folder import is_store, no_store_error

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.graph.knowledge_graph import KnowledgeGraph

_SCHEMES = ("http://", "https://")
_TOKEN = "kgreason.token"
_VARIABLE = "KGREASON_TOKEN"
_OF_THE_SERVER = ("functions", "catalogue", "history", "most_made_terms", "most_rounds", "threads")


class Server(NamedTuple):
    """The address of a server, and the token for it."""

    url: str
    token: str | None

    def __str__(self) -> str:
        return self.url


Place: TypeAlias = Path | Server
Graph: TypeAlias = "KnowledgeGraph | RemoteGraph"
"""A graph of this process, or of a server."""


class _PlaceType(click.ParamType[Place]):
    """The type of `-l` for click: the address of a server, or else the path of a folder."""

    name = "store"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Place:  # noqa: ARG002
        """Return the place that a text names: a `Server`, or the path of a folder."""
        if isinstance(value, (Path, Server)):
            return value
        if not value.startswith(_SCHEMES):
            return Path(value)
        token = ctx.meta.get(_TOKEN) if ctx else None
        return Server(value, token or os.environ.get(_VARIABLE) or None)


PLACE = _PlaceType()


def _token(context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """Read the token from the file that `--token-file` names, and keep the token in click's context."""
    if path is None:
        return
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path}: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from error
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    if not words:
        raise click.BadParameter(f"{path}: the file has no token")
    context.meta[_TOKEN] = words[0][min(1, len(words[0]) - 1)]  # the line is TOKEN, ROLE TOKEN or ROLE TOKEN NAME


token_file = click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_token,
    help=f"For a server: the file with its token; the first one counts. Without it, {_VARIABLE} has the token.",
)


def require_store(place: Place) -> Place:
    """Return the place unchanged. Raises StoreError for a folder without a store."""
    if isinstance(place, Path) and not is_store(place):
        raise no_store_error(place)
    return place


def require_folder(place: Place, command: str) -> Path:
    """Return the place unchanged if it is a folder. Raises UsageError for a server.

    `command` is the name of the command, which works only with a folder.
    """
    if isinstance(place, Server):
        raise click.UsageError(f"{command} needs the folder of a store, and {place} is the address of a server")
    return place


def graph_at(place: Place | None, *, read_only: bool = False, **how: Any) -> Graph:
    """Open the graph at a place. If the place is None, open a graph in memory.

    `how` are options of `KnowledgeGraph.open`.

    Raises the errors of `open` and of `connect`, and UsageError for options that a server does not take.
    """
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    if not isinstance(place, Server):
        return KnowledgeGraph.open(place, read_only=read_only, **how)
    if refused := [f"--{name.replace('_', '-')}" for name in _OF_THE_SERVER if how.pop(name, None)]:
        raise click.UsageError(f"{' and '.join(refused)}: cannot be used with a server, which opens the store itself")
    from kgreason.client.graph import connect
    from kgreason.graph.opening.options import MADE_WITH, check_options_unchanged

    how.pop("wait", None)  # a server lets edits wait for their turn
    told = {name: value for name in MADE_WITH if (value := how.pop(name, None)) is not None}
    graph = connect(place.url, token=place.token, **how)
    try:
        if told:
            check_options_unchanged(place.url, graph.options, told)
    except BaseException:
        graph.close()
        raise
    return graph


def refuse_server(place: Place, option: str) -> None:
    """Raise InputError if the place is a server, because the option `option` works only with a folder."""
    if isinstance(place, Server):
        raise InputError(f"{option}: cannot be used with a server; name the folder of the store")
