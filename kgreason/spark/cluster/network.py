"""`check_reached`: check that a Spark master or a Spark Connect server answers at its address.

Without this check, Spark and its Connect client would silently try for minutes if nothing answers.

Cost: one connection, which is closed again; at most 15 seconds for each address that does not answer.
"""

from __future__ import annotations

import socket

from kgreason.errors import InputError

CONNECT = "sc://"
_STANDALONE = "spark://"
_PATIENCE = 15.0
"""The seconds to wait for an answer; a running server needs far less."""


def check_reached(master: str, patience: float = _PATIENCE) -> None:
    """Raise InputError if nothing answers at the address of a master: `sc://host:port` or `spark://host:port,..`.

    `patience` is the time to wait, in seconds. Other masters, such as `local`, are not checked.
    Raises PySpark's own errors for an invalid `sc://` URL, and if packages that Spark Connect needs are missing.
    """
    if master.startswith(CONNECT):
        _check_connect(master, patience)
    elif master.startswith(_STANDALONE):
        _check_standalone(master, patience)


def address(master: str) -> str:
    """Return the address of a master for messages, without parameters such as `;token=...`, which may be secret."""
    return master.partition("/;")[0] if master.startswith(CONNECT) else master


def _check_connect(master: str, patience: float) -> None:
    from pyspark.sql.connect.client import DefaultChannelBuilder, SparkConnectClient  # noqa: F401 - asks for grpc

    import grpc  # type: ignore[import-untyped]  # isort: skip

    with DefaultChannelBuilder(master).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=patience)
        except grpc.FutureTimeoutError as error:
            raise InputError(f"{address(master)}: no Spark Connect server answers there") from error


def _check_standalone(master: str, patience: float) -> None:
    """Raise InputError if none of the addresses in `master` (`spark://host:port,host:port`) answers."""
    problem = ""
    for place in master.removeprefix(_STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        if not (host and port.isdecimal() and int(port) < 1 << 16):
            return  # not a valid address: Spark says what is wrong with it
        try:
            socket.create_connection((host.strip("[]"), int(port)), patience).close()
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            return
    raise InputError(f"{master}: no Spark master answers there: {problem}")
