"""`hint`: what a user may have meant with the text of a rule set or a query that does not parse.

    IF { ... } THEN { ... }             this form is of an older draft of the language
    ... OPTIONAL { ?x :p ?y }           a rule has no OPTIONAL

Cost: a few regular expressions for an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_WORD = re.compile(r"[A-Za-z_]+(?![\w:-])")
_MORE_PATH = re.compile(r"[*+|!]|\?(?!\w)")
_DATALOG = re.compile(r"@(?:prefix|rule|group)\b|:-")
_UNBOUND = "may leave variables without a value, and a rule needs a value for each"
_MANY = "selects among all rows, and a rule is evaluated for each row by itself"
_SAID = {
    "IF": "IF ... THEN is of an older draft: write RULE { head } WHERE { body }",
    "FOR": "FOR ... IN is no part of SPARQL-RL: write a rule for each",
    "CONSTRUCT": "a rule set says RULE { head } WHERE { body }; a CONSTRUCT query is a rule in a file that ends in .rq",
    "BIND": "SPARQL-RL writes SET(?y := expression), not BIND(expression AS ?y)",
    "EXISTS": "FILTER has no EXISTS here: write the triples without FILTER EXISTS",
    "OPTIONAL": f"OPTIONAL {_UNBOUND}",
    "UNION": f"UNION {_UNBOUND}: write a rule for each side",
    "MINUS": "MINUS is not supported: use NOT (in a query FILTER NOT EXISTS)",
    "VALUES": "VALUES is not supported: write the values as triples, or a rule for each",
    "GRAPH": "GRAPH is not supported: a rule reads the default graph",
    "SERVICE": "SERVICE is not supported: a rule reads no other store",
    "FROM": "FROM is not supported: a rule reads the graph that it is added to",
    "SELECT": "SELECT is not supported: a rule is a CONSTRUCT query without subqueries",
    "ORDER": f"ORDER BY {_MANY}",
    "LIMIT": f"LIMIT {_MANY}",
    "OFFSET": f"OFFSET {_MANY}",
    "GROUP": f"GROUP BY {_MANY}",
    "HAVING": f"HAVING {_MANY}",
    "ASK": "only a CONSTRUCT query is a rule",
    "DESCRIBE": "only a CONSTRUCT query is a rule",
    "INSERT": "only a CONSTRUCT query is a rule",
    "DELETE": "only a CONSTRUCT query is a rule",
}
_IN_RULE_SETS = frozenset(["IF", "FOR", "CONSTRUCT"])
_AFTER_EXISTS = re.compile(r"\bEXISTS\s*\Z", re.IGNORECASE)
_GROUP = re.compile(r"\{(?!\|)(?:\s*(SELECT)\b|.*?\}\s*(UNION)\b)?", re.IGNORECASE | re.DOTALL)
_PATH_PLACE = re.compile(r"(?:[\w>)])\s*$")


def hint(text: str, at: int, expected: Collection[str], *, is_query: bool) -> str | None:
    """Return a hint for the syntax error at the index `at` of `text`, or None if there is no hint.

    `expected` are the names of the tokens that the parser could read at `at`. `is_query` says that the text is a query,
    not a rule set.
    """
    found = text[at:] if at >= 0 else ""
    if _DATALOG.match(found):
        return "this is the rule language of kgreason (.dl), not SPARQL-RL: name the file or the syntax accordingly"
    word = _WORD.match(found)
    if word and (said := _SAID.get(word[0].upper())) and not (is_query and word[0].upper() in _IN_RULE_SETS):
        return said
    if _AFTER_EXISTS.search(text, 0, max(at, 0)):
        return _SAID["EXISTS"]
    if "RIGHT_BRACE" in expected and (group := _GROUP.match(found)):
        inner = (group[1] or group[2] or "").upper()
        return _SAID.get(inner, "a group in braces is not supported here: write its triples without braces")
    if word and is_query and word[0].upper() in ("RULE", "DATA"):
        return "this is a rule set (SPARQL-RL), not a query: name the file .srl"
    if _MORE_PATH.match(found) and _PATH_PLACE.search(text[:at]):
        return f"a path has only / and ^ in a rule, not {found[0]}: write the path as rules of its own"
    return None
