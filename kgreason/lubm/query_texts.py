"""The 14 queries of LUBM, in our own words.

The comment of each query says what the query asks for, and which kind of reasoning the answer needs. The answers are
those of the published queries. The queries name Department0 of University0, so they have answers in data of any size.
"""

from importlib import resources


def queries() -> dict[int, str]:
    """Return the SPARQL text of each query by its number, 1 to 14."""
    folder = resources.files(__package__) / "queries"
    return {number: (folder / f"q{number:02}.rq").read_text(encoding="utf-8") for number in range(1, 15)}
