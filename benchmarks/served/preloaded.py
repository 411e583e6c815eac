"""The modules, the rule set and the kernels of a server. Processes of `forked` have them at their start.

No store is opened and no thread is started here, because a thread does not survive the fork.
"""

from __future__ import annotations

import kgreason.cli.commands
import kgreason.cli.serve
import kgreason.graph.commits
import kgreason.server.serve  # noqa: F401
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource

_materializer = Materializer(select(["owl2rl"]))
_materializer.change(Edit(added=read_files([resource("ontologies", "univ-bench.ttl")], _materializer.dictionary)))
_materializer.accept()
_quads = _materializer.dictionary.intern(["<a:a>", "<a:b>", "<a:c>", "<a:d>"]).astype("int32")[None]
for _edit in (Edit(added=_quads), Edit(removed=_quads)):
    _materializer.change(_edit, strategy="update")
    _materializer.accept()
