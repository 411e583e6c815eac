"""Writes what a wheel brings along to a folder: the parsed rule sets, and the tables of the parser for updates."""

import sys
from pathlib import Path

from kgreason.grammars import prepare_grammar
from kgreason.resources import prepare, resource
from kgreason.rules.parser import ruleset, text_of_file
from kgreason.sparql import syntax

folder = Path(sys.argv[1])
for path in resource("rulesets", "owl2rl.dl").parent.glob("*.dl"):
    prepare(folder, ruleset(path.stem), path.stem, text_of_file(path))
prepare_grammar(folder, syntax.__file__)
