"""The published data profile of LUBM, as numbers.

A `Bounds` is a range from which a count is drawn, both ends included. UNDERGRADUATES_PER_FACULTY and
GRADUATES_PER_FACULTY are how many students a department has for each member of its faculty. The numbers are in the
order of the appendix of the paper.
"""

from typing import NamedTuple


class Bounds(NamedTuple):
    """A range of numbers from which a count is drawn, both ends included."""

    low: int
    high: int


class Rank(NamedTuple):
    """A rank of the faculty; `name` is its class.

    `members`: how many members of this rank a department has. `publications`: how many each of them has.
    """

    name: str
    members: Bounds
    publications: Bounds


PROFESSORS = (
    Rank("FullProfessor", Bounds(7, 10), Bounds(15, 20)),
    Rank("AssociateProfessor", Bounds(10, 14), Bounds(10, 18)),
    Rank("AssistantProfessor", Bounds(8, 11), Bounds(5, 10)),
)
LECTURER = Rank("Lecturer", Bounds(5, 7), Bounds(0, 5))
FACULTY = (*PROFESSORS, LECTURER)

DEPARTMENTS = Bounds(15, 25)
RESEARCH_GROUPS = Bounds(10, 20)
COURSES_TAUGHT = Bounds(1, 2)
"""How many courses a member of the faculty teaches. The number of graduate courses is drawn from the same bounds."""

UNDERGRADUATES_PER_FACULTY = Bounds(8, 14)
GRADUATES_PER_FACULTY = Bounds(3, 4)
UNDERGRADUATE_COURSES = Bounds(2, 4)
GRADUATE_COURSES = Bounds(1, 3)
GRADUATE_PUBLICATIONS = Bounds(0, 5)
ADVISED_UNDERGRADUATES = 1 / 5

TEACHING_ASSISTANTS = Bounds(4, 5)
"""The number of graduate students for each teaching assistant. Each teaching assistant has a course of its own."""
RESEARCH_ASSISTANTS = Bounds(3, 4)
"""The number of graduate students for each research assistant. No teaching assistant is a research assistant."""

UNIVERSITIES = 1000
"""Degrees come from universities 0 to 999, even if fewer are generated."""
RESEARCH_INTERESTS = 30
