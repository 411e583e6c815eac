"""`command_line_message`: a message of the library with options of the command line in place of arguments of Python.

    pass prefixes={'ex': 'http://e/'}    ->    give --prefix ex=http://e/

Messages of the library say what to do in Python. A message in which no pattern of this module matches stays as it is.

Cost: one regular expression for each entry, only for an error.
"""

from __future__ import annotations

import re

_OPTIONS = (
    (re.compile(r"pass prefixes=\{'([^']*)': '([^']*)'\}"), r"give --prefix \1=\2"),
    (re.compile(r"pass wait=SECONDS to wait longer"), "wait longer with --wait SECONDS"),
    (re.compile(r"pass a larger most_made_terms="), "give a larger --most-made-terms"),
    (re.compile(r"pass a larger most_rounds="), "give a larger --most-rounds"),
    (re.compile(r"pass a larger budget= to KnowledgeGraph\.open"), "give a larger --budget"),
    (re.compile(r"to make one: KnowledgeGraph\.open\('([^']*)'\)"), r"to make one: kgreason load -l \1 -f FILE"),
    (re.compile(r"to load the file, call load\([^)]*\)"), "to load a file, name it after -f"),
    (
        re.compile(r"assert triples with add\(text\), or a file with load\(path\)"),
        "load RDF files with `kgreason load -l STORE -f FILE`",
    ),
    (re.compile(r"; leave same_as=? out"), "; leave --same-as out"),
    (re.compile(r"; leave history=? out"), "; leave --history out"),
    (re.compile(r"; leave on_contradiction=? out"), "; leave --on-contradiction out"),
    (re.compile(r"; leave on_violation=? out"), "; leave --on-violation out"),
    (re.compile(r"; leave (rules|schema|aliases)=? out"), r"; leave --\1 out"),
    (re.compile(r"call tx(?:\.load_rules\('[^']*'\))+ in a transaction tx"), "run `kgreason rules add -l STORE FILE`"),
    (re.compile(r"call remove_rules\(file='([^']*)'\)"), r"give --file \1"),
    (re.compile(r"call load_rules\('([^']*)'\)"), r"name it without --rule: kgreason rules add -l STORE \1"),
    (
        re.compile(r"add its rules with load_rules in a transaction"),
        "add its rules with `kgreason rules add -l STORE FILE`",
    ),
)


def command_line_message(message: str) -> str:
    """Turn a message of the library into one for a user of the command line.

    >>> command_line_message("the prefix ex: is not declared; pass prefixes={'ex': 'http://example.org/'}")
    'the prefix ex: is not declared; give --prefix ex=http://example.org/'
    """
    for argument, option in _OPTIONS:
        message = argument.sub(option, message)
    return message
