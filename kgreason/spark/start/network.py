"""`check_reached`: whether anything answers where a master or a Spark Connect server is said to be.

Spark and its Connect client try again for minutes, without a word, where nothing does.

Cost: a connection, which is closed again; where nothing answers at most 15 seconds for each address.
"""

from __future__ import annotations

import socket

from kgreason.errors import InputError

CONNECT = "sc://"
_STANDALONE = "spark://"
_PATIENCE = 15.0
"""Seconds, which a server that is there never needs."""


def check_reached(master: str, patience: float = _PATIENCE) -> None:
    """Raise InputError where nothing answers at `sc://host:port` or `spark://host:port,..`; others are Spark's to say.

    PySpark's own errors are raised for a URL that is none, and where what Spark Connect takes is not installed.
    """
    if master.startswith(CONNECT):
        _check_connect(master, patience)
    elif master.startswith(_STANDALONE):
        _check_standalone(master, patience)


def shown(master: str) -> str:
    """A master as it may be printed: parameters of `sc://host:port/;token=...` may be secrets."""
    return master.partition("/;")[0] if master.startswith(CONNECT) else master


def _check_connect(master: str, patience: float) -> None:
    from pyspark.sql.connect.client import DefaultChannelBuilder, SparkConnectClient  # noqa: F401 - asks for grpc

    import grpc  # type: ignore[import-untyped]  # isort: skip

    with DefaultChannelBuilder(master).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=patience)
        except grpc.FutureTimeoutError as error:
            raise InputError(f"{shown(master)}: no Spark Connect server answers there") from error


def _check_standalone(master: str, patience: float) -> None:
    """One of several masters is enough."""
    problem = ""
    for place in master.removeprefix(_STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        if not (host and port.isdecimal() and int(port) < 1 << 16):
            return  # Spark says what is wrong with it
        try:
            socket.create_connection((host.strip("[]"), int(port)), patience).close()
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            return
    raise InputError(f"{master}: no Spark master answers there: {problem}")
