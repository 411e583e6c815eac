"""The command line: `kgreason COMMAND`, in the words of Oxigraph's own command line where it has them.

    failures    errors as one line each, and exit statuses
    options     what several commands take
    progress    bars, and the word about compiling
    load, query, dump, stats, rules         commands on a store
    materialize, run, lubm                  commands on files

Results go to standard output, everything else to standard error. What computes is imported by the command that needs
it: `query`, `dump` and `stats` start neither the engine nor Numba.
"""

from kgreason.cli.commands import main

__all__ = ["main"]
