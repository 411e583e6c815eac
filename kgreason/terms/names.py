"""`Names`: prefixes, and texts in the place of terms: a label of an IRI, the expression of a blank node.

Wherever prefixes shorten the IRIs of a text, `Names` may stand in their place. Cost: the text of a term is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Names(dict[str, str]):
    """Prefixes as a dict from prefix to namespace, with other texts for some terms and triples.

    `word` returns the text of a term, and `statement` that of a triple; None if there is no other text. `is_inside`
    says whether a triple only says what the text of another one has: it is a part of an expression.
    """

    def __init__(
        self,
        prefixes: Mapping[str, str],
        word: Callable[[str], str | None],
        statement: Callable[[tuple[str, str, str]], str | None] = lambda _triple: None,
        is_inside: Callable[[tuple[str, str, str]], bool] = lambda _triple: False,
    ) -> None:
        super().__init__(prefixes)
        self._word, self._words = word, dict[str, str | None]()
        self.statement, self.is_inside = statement, is_inside

    def word(self, term: str) -> str | None:
        """Return the text that stands in the place of a term, which is given as N-Triples text.

        >>> Names({}, {"_:b1": "(p some C)"}.get).word("_:b1")
        '(p some C)'
        """
        if term not in self._words:
            self._words[term] = self._word(term)
        return self._words[term]
