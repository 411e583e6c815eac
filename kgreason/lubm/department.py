"""One department of a university, as N-Triples lines.

The faculty comes first, with its courses and publications. Then come the students, who take the courses and co-author
the publications. Names are those of the original benchmark:
`http://www.Department0.University0.edu/FullProfessor0/Publication3`.

Invariant: within a department no line occurs twice. Every university that is mentioned has one line with rdf:type.
Cost: only a list of about 400 publications is kept in memory.
"""

from collections.abc import Iterator

from kgreason.lubm import profile
from kgreason.lubm.draw import Draw
from kgreason.lubm.profile import Bounds, Rank

ONTOLOGY = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
FACULTY_DEGREES = ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom")


def university_iri(number: int) -> str:
    """Return the IRI of a university, as N-Triples text."""
    return f"<http://www.University{number}.edu>"


def instance(subject: str, class_name: str) -> str:
    """Return the N-Triples line that says: `subject` is an instance of the class `class_name` of the ontology."""
    return f"{subject} {TYPE} <{ONTOLOGY}{class_name}> .\n"


def link(subject: str, property_name: str, object_: str) -> str:
    """Return the N-Triples line `subject property object`. `object_` is a term in N-Triples text."""
    return f"{subject} <{ONTOLOGY}{property_name}> {object_} .\n"


class Department:
    """A department of a university. Universities and departments have numbers from 0. Call `lines` only once."""

    def __init__(self, university: int, number: int, seed: int) -> None:
        self.number = number
        self.university = university
        self._draw = Draw(seed, university, number)
        self._host = f"Department{number}.University{university}.edu"
        self._iri = f"<http://www.{self._host}>"
        self._typed_universities = {university}
        self._members = {rank.name: self._draw.between(rank.members) for rank in profile.FACULTY}
        self._courses = 0
        self._graduate_courses = 0
        self._publications: list[str] = []

    def lines(self) -> Iterator[str]:
        """Yield every line of the department, each with its newline."""
        yield from self._organisation()
        for rank in profile.FACULTY:
            for number in range(self._members[rank.name]):
                yield from self._faculty_member(rank, number)
        yield link(self._professor(profile.PROFESSORS[0]), "headOf", self._iri)
        yield from self._undergraduates()
        yield from self._graduates()

    def _local(self, name: str) -> str:
        return f"<http://www.{self._host}/{name}>"

    def _professor(self, rank: Rank) -> str:
        return self._local(f"{rank.name}{self._draw.below(self._members[rank.name])}")

    def _advisor(self, student: str) -> str:
        """Return the line that gives a student an advisor. First the rank of the advisor is drawn, then the person."""
        rank = profile.PROFESSORS[self._draw.below(len(profile.PROFESSORS))]
        return link(student, "advisor", self._professor(rank))

    def _individual(self, class_name: str, number: int) -> Iterator[str]:
        name = f"{class_name}{number}"
        yield instance(self._local(name), class_name)
        yield link(self._local(name), "name", f'"{name}"')

    def _organisation(self) -> Iterator[str]:
        university = university_iri(self.university)
        yield instance(university, "University")
        yield instance(self._iri, "Department")
        yield link(self._iri, "name", f'"Department{self.number}"')
        yield link(self._iri, "subOrganizationOf", university)
        for number in range(self._draw.between(profile.RESEARCH_GROUPS)):
            group = self._local(f"ResearchGroup{number}")
            yield instance(group, "ResearchGroup")
            yield link(group, "subOrganizationOf", self._iri)

    def _person(self, class_name: str, number: int) -> Iterator[str]:
        person = self._local(f"{class_name}{number}")
        yield from self._individual(class_name, number)
        yield link(person, "emailAddress", f'"{class_name}{number}@{self._host}"')
        yield link(person, "telephone", '"xxx-xxx-xxxx"')

    def _degree(self, person: str, property_name: str) -> Iterator[str]:
        number = self._draw.below(profile.UNIVERSITIES)
        if number not in self._typed_universities:
            self._typed_universities.add(number)
            yield instance(university_iri(number), "University")
        yield link(person, property_name, university_iri(number))

    def _faculty_member(self, rank: Rank, number: int) -> Iterator[str]:
        person = self._local(f"{rank.name}{number}")
        yield from self._person(rank.name, number)
        yield link(person, "worksFor", self._iri)
        for degree in FACULTY_DEGREES:
            yield from self._degree(person, degree)
        if rank is not profile.LECTURER:
            yield link(person, "researchInterest", f'"Research{self._draw.below(profile.RESEARCH_INTERESTS)}"')
        yield from self._taught_courses(person)
        for publication in range(self._draw.between(rank.publications)):
            yield from self._publication(person, publication)

    def _taught_courses(self, person: str) -> Iterator[str]:
        """Yield the lines for the courses that a member of the faculty teaches. Nobody else teaches these courses."""
        for _ in range(self._draw.between(profile.COURSES_TAUGHT)):
            yield from self._individual("Course", self._courses)
            yield link(person, "teacherOf", self._local(f"Course{self._courses}"))
            self._courses += 1
        for _ in range(self._draw.between(profile.COURSES_TAUGHT)):
            yield from self._individual("GraduateCourse", self._graduate_courses)
            yield link(person, "teacherOf", self._local(f"GraduateCourse{self._graduate_courses}"))
            self._graduate_courses += 1

    def _publication(self, author: str, number: int) -> Iterator[str]:
        publication = f"{author[:-1]}/Publication{number}>"
        self._publications.append(publication)
        yield instance(publication, "Publication")
        yield link(publication, "name", f'"Publication{number}"')
        yield link(publication, "publicationAuthor", author)

    def _students(self, per_faculty: Bounds) -> int:
        faculty = sum(self._members.values())
        return self._draw.between(Bounds(per_faculty.low * faculty, per_faculty.high * faculty))

    def _undergraduates(self) -> Iterator[str]:
        for number in range(self._students(profile.UNDERGRADUATES_PER_FACULTY)):
            student = self._local(f"UndergraduateStudent{number}")
            yield from self._person("UndergraduateStudent", number)
            yield link(student, "memberOf", self._iri)
            for course in self._draw.distinct(self._draw.between(profile.UNDERGRADUATE_COURSES), self._courses):
                yield link(student, "takesCourse", self._local(f"Course{course}"))
            if self._draw.chance(profile.ADVISED_UNDERGRADUATES):
                yield self._advisor(student)

    def _graduates(self) -> Iterator[str]:
        total = self._students(profile.GRADUATES_PER_FACULTY)
        for number in range(total):
            yield from self._graduate(number)
        yield from self._assistants(total)

    def _graduate(self, number: int) -> Iterator[str]:
        student = self._local(f"GraduateStudent{number}")
        yield from self._person("GraduateStudent", number)
        yield link(student, "memberOf", self._iri)
        yield from self._degree(student, "undergraduateDegreeFrom")
        for course in self._draw.distinct(self._draw.between(profile.GRADUATE_COURSES), self._graduate_courses):
            yield link(student, "takesCourse", self._local(f"GraduateCourse{course}"))
        yield self._advisor(student)
        for index in self._draw.distinct(self._draw.between(profile.GRADUATE_PUBLICATIONS), len(self._publications)):
            yield link(self._publications[index], "publicationAuthor", student)

    def _assistants(self, graduates: int) -> Iterator[str]:
        teaching = min(self._draw_share(graduates, profile.TEACHING_ASSISTANTS), self._courses)
        research = self._draw_share(graduates, profile.RESEARCH_ASSISTANTS)
        chosen = [self._local(f"GraduateStudent{n}") for n in self._draw.distinct(teaching + research, graduates)]
        for student, course in zip(chosen[:teaching], self._draw.distinct(teaching, self._courses), strict=True):
            yield instance(student, "TeachingAssistant")
            yield link(student, "teachingAssistantOf", self._local(f"Course{course}"))
        for student in chosen[teaching:]:
            yield instance(student, "ResearchAssistant")

    def _draw_share(self, number: int, one_in: Bounds) -> int:
        return self._draw.between(Bounds(number // one_in.high, number // one_in.low))
