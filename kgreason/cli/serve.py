"""`kgreason serve`: serves a store over HTTP to many users at once.

The paths /query, /update and /store are those of Oxigraph's server. Options that Oxigraph's server also has have the
same names.

Invariant: SIGTERM and Ctrl-C end the server with status 0. First the server completes a running commit, and closes the
store. SIGHUP does the same if there is no file of tokens; else the server reads this file again.
"""

from __future__ import annotations

import logging
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kgreason.cli.edit.options import WAIT
from kgreason.cli.options import catalogue, example, functions, integer, limits, only_folder, seconds, threads
from kgreason.errors import InputError


@click.command(
    epilog=example(
        "kgreason serve -l store",
        "kgreason serve -l store --bind 0.0.0.0:7878 --token-file tokens --name graph.example.org",
    )
)
@only_folder
@click.option(
    "-b",
    "--bind",
    default="127.0.0.1:7878",
    show_default=True,
    metavar="HOST:PORT",
    help="The address to listen on. Another address than the loopback needs --token-file or --public.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Serve only requests with a token of this file. A line of the file is a role (read, write or admin), a token, "
    "and perhaps a name, which becomes the author of commits. SIGHUP has the server read the file again.",
)
@click.option("--public", "is_public", is_flag=True, help="Let everybody who reaches the server read and write.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A name of this server that a request may give as its Host; may be given several times.",
)
@click.option(
    "--cors",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let web pages of this origin, such as https://example.org, use the server; * is every origin. May be given "
    "several times.",
)
@click.option(
    "--allow-load",
    "loads",
    multiple=True,
    metavar="IRI",
    help="Let LOAD read this file, or all files below an IRI that ends in a slash, such as file:///data/; may be given "
    "several times.",
)
@click.option(
    "--allow-service",
    "services",
    multiple=True,
    metavar="IRI",
    help="Let SERVICE in a query ask services whose IRI begins so, such as https://example.org/; may be given several "
    "times.",
)
@integer(
    "--query-memory",
    "query_bytes",
    least=1 << 29,
    unit="BYTES",
    help="How much memory a query process may have (default: half of the machine's memory, or of that of the "
    "container, divided by --queries). It starts with 0.2 GB. A query that needs more ends alone.",
)
@seconds(
    "--query-timeout", "query_seconds", default=60, help="How long a query may take, with the time to send its rows."
)
@seconds(
    "--standing-timeout",
    "standing_seconds",
    default=1,
    help="How long all standing queries together may take that are answered from the changes of a commit; the next "
    "edit waits for them. If they would take longer, the server ends those that take longest. Any other standing query "
    "may take as long each time, and no edit waits for it.",
)
@seconds(
    "--question-timeout",
    "question_seconds",
    default=10,
    help="How long a question may run that needs the engine, such as a what-if or a proof.",
)
@integer(
    "--question-memory",
    "question_bytes",
    least=1 << 26,
    unit="BYTES",
    default=1 << 30,
    help="By how much the memory of the server may grow while such a question runs.",
)
@click.option(
    "--question-hold",
    "hold_seconds",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="How long such a question may hold up an edit. After that it is ended with status 503.",
)
@integer("--what-if-budget", default=100_000_000, help="Refuse a what-if whose work is more than N rewrites.")
@click.option(
    "--what-if-role",
    type=click.Choice(("read", "write", "admin")),
    default="read",
    show_default=True,
    help="The role that a token needs for what-ifs.",
)
@integer("--max-answer", "answer_bytes", unit="BYTES", help="How long an answer to a query may be (default: no limit).")
@integer(
    "--max-body",
    "body_bytes",
    unit="BYTES",
    default=1 << 30,
    help="How long the body of a request may be, after it was unpacked.",
)
@integer("--queries", default=8, help="How many queries run at once, each in a process of its own.")
@integer(
    "--waiting", least=0, default=64, help="How many queries, and how many edits, may wait; others get status 503."
)
@integer(
    "--streams",
    least=0,
    default=100,
    help="How many clients may follow the changes, or a standing query, at once; others get status 503.",
)
@integer(
    "--keep-changes",
    "kept",
    least=0,
    unit="BYTES",
    default=1 << 26,
    help="How much of the past commits the server keeps in memory, for clients of /changes that were away. A store "
    "that keeps its history has older commits as well.",
)
@integer(
    "--budget", help="Refuse an edit whose work is more than N rewrites. A rewrite is one step of evaluating a rule."
)
@click.option(
    "--access-log",
    type=click.Choice(["plain", "json"]),
    help="Write a line for each answer: to standard error, or to the file of --access-log-file.",
)
@click.option(
    "--access-log-file",
    "access_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of the access log. If it is moved away, the server begins a new one.",
)
@click.option(
    "--root-path",
    default="",
    metavar="PATH",
    help="The path below which a proxy serves this server, such as /kg. Addresses in answers begin with it.",
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="The address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; may be given "
    "several times.",
)
@click.option("--console/--no-console", default=True, show_default=True, help="Serve the console at the address /.")
@limits
@threads
@catalogue
@functions
@WAIT
def serve(
    location: Path,
    bind: str,
    token_file: Path | None,
    waiting: int,
    wait: float,
    threads: int | None,
    catalogue: Path | None,
    functions: list[Any],
    **options: Any,
) -> None:
    """Serve a store over HTTP.

    The paths are those of Oxigraph's server: /query and /update (the SPARQL 1.1 Protocol) and /store (the Graph Store
    Protocol). Queries run in processes of their own and never wait for an edit. SERVICE is refused, and so is LOAD.
    Ctrl-C or SIGTERM ends the server after the commit that runs; so does SIGHUP without --token-file.
    """
    try:
        from kgreason.server.serve import serve as run
    except ModuleNotFoundError as error:
        raise InputError("serve needs libraries that are not installed: pip install 'kgreason[server]'") from error
    from kgreason.graph.knowledge_graph import KnowledgeGraph
    from kgreason.server.operation.access import LineFormatter
    from kgreason.server.operation.tokens import Tokens, read_tokens
    from kgreason.server.settings import Settings, host_and_port, share_of_memory

    host, port = host_and_port(bind)
    tokens = read_tokens(token_file) if token_file else Tokens({}, {})
    options |= {"tokens": tokens.roles, "token_names": tokens.names, "token_file": token_file}
    options["query_bytes"] = options["query_bytes"] or share_of_memory(options["queries"])
    settings = Settings(location, host, port, queries_waiting=waiting, writers_waiting=waiting, **options)
    settings.check()
    if token_file and hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)  # the tokens are read again below, after the store is open
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter("%(asctime)s %(name)s %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    budgets = {name: getattr(settings, name) for name in ("budget", "most_made_terms", "most_rounds")}
    means: dict[str, Any] = {"catalogue": catalogue, "functions": functions, "threads": threads, "wait": wait}
    with KnowledgeGraph.open(location, **budgets, **means) as graph:
        graph.check_writable()
        if token_file:
            tokens = read_tokens(token_file)
            settings = replace(settings, tokens=tokens.roles, token_names=tokens.names)
        run(graph, settings, lambda address, _: click.echo(f"kgreason: serving {location} at {address}", err=True))
