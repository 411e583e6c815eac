"""What the server and a query process send each other: frames. A frame is a kind, a length and a payload.

start     READY     empty: the process has started
request   REQUEST   JSON: the fields of `pool.Request`, and `most`: how many bytes the answer may have
answer    HEAD      JSON: {"kind": "solutions" | "triples", "read": how many bytes of Oxigraph's log the process read to
                    open the store} or {"error": [kind, message]}
          DATA      a piece of the answer
          END       empty, if the answer is complete; otherwise the message of an error
"""

from __future__ import annotations

import struct

READY, REQUEST, HEAD, DATA, END = b"S", b"R", b"H", b"D", b"E"
HEADER = struct.Struct(">cI")
"""The kind of a frame and the length of its payload."""
PIECE = 1 << 18
"""The least size of a piece, except of the last one."""
UNACCEPTABLE = "unacceptable"
"""The kind of the error for an answer that the client does not accept."""
MISSING = "missing"
"""The kind of the error for a graph that has no triple."""


def frame(kind: bytes, payload: bytes) -> bytes:
    """Make a frame: a header with its kind and length, and then the payload."""
    return HEADER.pack(kind, len(payload)) + payload
