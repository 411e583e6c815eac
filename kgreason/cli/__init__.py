"""The command line: `kgreason COMMAND`, in the words of Oxigraph's own command line where it has them.

    failures    errors as one line each, and exit statuses
    options     what several commands take
    notation    triples and prefixes
    editing     what changes a store
    progress    bars, and the word about compiling
    load, update, unload, rules             commands that change a store
    query, explain, check, dump, stats      commands that ask it
    diff, watch                             commands that show a change ahead of it, and afterwards
    materialize, run, lubm                  commands on files

Results go to standard output, everything else to standard error. What computes is imported by the command that needs
it: `query`, `dump` and `stats` start neither the engine nor Numba.
"""

from kgreason.cli.commands import main

__all__ = ["main"]
