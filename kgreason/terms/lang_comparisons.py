"""`places_compared_with_lang`: the strings that an expression of SPARQL compares with LANG(...).

    FILTER(LANG(?o) = "en-GB")        FILTER("en-GB" != LANG(?o))        FILTER(LANG(?o) NOT IN ("en-GB", "de"))

Oxigraph has all language tags in small letters, and LANG gives them so. So kgreason writes these strings in small
letters before Oxigraph reads them: language tags are compared without case. The string may name its datatype,
xsd:string. A string that comes from elsewhere, such as VALUES, stays as it is, and so does one inside of a function, as
in STR("en-GB"). Cost: a look at each token of a text with LANG.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_OPERATORS = ("=", "!=")
_SAME = ("FILTER", "HAVING", "STR", "AND", "OR", "BIND")
"""Words before a bracket that do not change the string inside."""
_STRINGS = ("xsd:string", "<http://www.w3.org/2001/XMLSchema#string>")


def places_compared_with_lang(words: Sequence[str]) -> Iterator[int]:
    """Yield the places of strings that are compared with LANG(...), by =, != or IN. `words` are tokens of SPARQL.

    >>> words = ['LANG', '(', '?o', ')', '=', '"en-GB"']
    >>> [words[place] for place in places_compared_with_lang(words)]
    ['"en-GB"']
    """
    for place, word in enumerate(words):
        if word.upper() == "LANG" and words[place + 1 : place + 2] == ["("]:
            before, after = _outside_brackets(words, place - 1, _closing_place(words, place + 1))
            if _word_at(words, before) in _OPERATORS and _is_string(words, start := _string_place(words, before)):
                yield start
            if _word_at(words, after) in _OPERATORS and _is_string(words, after + 1):
                yield after + 1
            after += _word_at(words, after).upper() == "NOT"
            if _word_at(words, after).upper() == "IN":
                yield from (
                    at for at in range(after + 1, _closing_place(words, after + 1)) if _is_list_member(words, at)
                )


def in_small_letters(string: str) -> str:
    """Return a string as it is written, in small letters; a string with an escape stays as it is."""
    return string if "\\" in string else string.lower()


def _outside_brackets(words: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """Return the places before and after the brackets that stand around the words between two places."""
    while (
        _word_at(words, before) == "(" and _word_at(words, after) == ")" and not _is_call(_word_at(words, before - 1))
    ):
        before -= 1 + (_word_at(words, before - 1).upper() == "STR")
        after += 1
    return before, after


def _is_call(word: str) -> bool:
    return (word[:1].isalpha() or ":" in word or word.startswith("<")) and word.upper() not in _SAME


def _closing_place(words: Sequence[str], opened: int) -> int:
    """Return the place after the bracket that closes the one at `opened`."""
    depth = 0
    for place in range(opened, len(words)):
        depth += (words[place] == "(") - (words[place] == ")")
        if depth <= 0:
            return place + 1
    return len(words)


def _word_at(words: Sequence[str], place: int) -> str:
    return words[place] if 0 <= place < len(words) else ""


def _is_list_member(words: Sequence[str], place: int) -> bool:
    return (
        _is_string(words, place)
        and words[place - 1] in ("(", ",")
        and _word_at(words, _place_behind(words, place)) in (")", ",")
    )


def _is_string(words: Sequence[str], place: int) -> bool:
    """Whether a word is a string without a language tag, and without a datatype but xsd:string."""
    word, behind = _word_at(words, place), _word_at(words, _place_behind(words, place))
    return word[:1] in ('"', "'") and word[-1:] in ('"', "'") and behind[:1] not in ("@", "^")


def _place_behind(words: Sequence[str], place: int) -> int:
    """Return the place behind a string and its datatype xsd:string."""
    datatype = place + 1
    while _word_at(words, datatype) in ("^", "^^"):
        datatype += 1
    return datatype + 1 if datatype > place + 1 and _word_at(words, datatype) in _STRINGS else place + 1


def _string_place(words: Sequence[str], end: int) -> int:
    """Return the place of the string before `end`, with or without the datatype xsd:string."""
    if _word_at(words, end - 1) not in _STRINGS:
        return end - 1
    place = end - 2
    while _word_at(words, place) in ("^", "^^"):
        place -= 1
    return place
