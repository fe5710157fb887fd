"""The matrix, the gap report and the exports, on pages."""

from __future__ import annotations

import csv
import io
from datetime import date

import pytest
from openpyxl import load_workbook

from singletable_apps.skills.entities import JobRole, Level, User, UserSkill
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


@pytest.fixture(autouse=True)
def jobs(app: PagesApp) -> None:
    """Give Bob a job that he does not master, and a name that a spreadsheet would run."""
    store = app.world.service.context.store
    targets = {"go": Level.EXPERT, "python": Level.BEGINNER}
    store.create(JobRole(role_id="dev", name="Developer <1>", targets=targets))
    store.update(
        User.key("bob"),
        User.job_role.set("dev"),
        User.department.set("R&D"),
        User.title.set("=HYPERLINK(1)"),
    )
    store.update(UserSkill.key("mia", "python"), UserSkill.last_used.set(date(2020, 1, 1)))
    app.world.calls.clear()


def test_matrix_has_a_row_per_person_and_a_column_per_skill(bob: Browser) -> None:
    page = bob.get("matrix").text
    assert page.count('<th scope="row">') == 5
    assert '<th scope="colgroup" colspan="2">Programming</th>' in page
    assert page.count('<th scope="col"') == 3
    assert "4 people and their levels in 2 skills" in page
    cell = 'data-years="0" title="Expert, 0 years, last used 2026-01">4<'
    assert f'<td class="level-4" data-name="Go" {cell}' in page
    assert '<td class="level-4 stale" data-name="Python"' in page


def test_matrix_keeps_the_filters_while_sorting(bob: Browser) -> None:
    page = bob.get("matrix", department="R&D", sort="go", size="100").text
    assert page.count('<th scope="row">') == 2
    assert 'aria-sort="descending"><a href="/skills/matrix?department=R%26D&amp;size=100' in page
    assert '<option value="R&amp;D" selected>' in page
    assert '<option value="100" selected>' in page
    nobody = bob.get("matrix", q="nobody")
    assert nobody.status_code == 200
    assert "Nobody matches these filters." in nobody.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"size": "many"}, 422),
        ({"q": "x" * 10_000}, 422),
        ({"team": "none"}, 404),
        ({"cursor": "x" * 5_000}, 400),
        ({"department": "=1+1 🦊"}, 200),
    ],
)
def test_matrix_answers_wrong_filters_with_a_page(
    bob: Browser, query: dict[str, str], status: int
) -> None:
    page = bob.get("matrix", **query)
    assert page.status_code == status
    assert "<h1" in page.text


def test_gaps_name_who_a_skill_depends_on(bob: Browser) -> None:
    page = bob.get("gaps", enough="2", level="Expert").text
    assert page.count("Depends on one person") == 2
    assert '<a href="/skills/people/mia">Mia</a>' in page
    assert "Developer &lt;1&gt;" in page
    assert "Beginner, needs Expert" in page
    assert "(critical)" in page
    assert "Enough people have every skill." in bob.get("gaps", enough="1", level="Beginner").text


@pytest.mark.parametrize("query", [{"enough": "0"}, {"enough": "²"}, {"level": "Wizard"}])
def test_gaps_answer_wrong_numbers_at_the_field(bob: Browser, query: dict[str, str]) -> None:
    page = bob.get("gaps", **query)
    assert page.status_code == 422
    assert 'aria-invalid="true"' in page.text


def test_matrix_is_downloaded_as_shown(mia: Browser, bob: Browser) -> None:
    text = mia.get("matrix", "export", format="csv", sort="go").content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["username", "name", "department", "job", "Go", "Python"]
    assert [row[0] for row in rows[1:]] == ["ada", "bob", "joan", "mia"]
    assert rows[2] == ["bob", "Bob", "R&D", "dev", "Beginner", ""]
    data = mia.get("matrix", "export", format="json", q="IA").json()
    assert data == [
        {
            "username": "mia",
            "name": "Mia",
            "department": "",
            "job": "",
            "Go": "",
            "Python": "Expert",
        }
    ]
    assert bob.get("matrix", "export", format="json", q="nobody").json() == []
    assert bob.get("matrix", "export", format="pdf").status_code == 422


def test_download_has_one_of_all_pages(bob: Browser, app: PagesApp) -> None:
    store = app.world.service.context.store
    for number in range(60):
        store.create(User(username=f"a{number:02}", user_id=100 + number, name=f"Ada {number:02}"))
    app.world.calls.clear()
    assert "/skills/people/bob" not in bob.get("matrix").text.partition("<tbody>")[2]
    rows = bob.get("matrix", "export", format="json").json()
    assert [row["username"] for row in rows] == ["bob"]


def test_gaps_are_downloaded(mia: Browser, bob: Browser) -> None:
    coverage = mia.get("gaps", "export", format="json", level="Expert").json()
    assert [(row["skill"], row["at_level"], row["people"]) for row in coverage] == [
        ("Go", 1, "Ada"),
        ("Python", 1, "Mia"),
    ]
    book = bob.get("gaps", "export", format="xlsx", of="targets")
    sheet = load_workbook(io.BytesIO(book.content)).active
    assert sheet is not None
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert [row[0] for row in rows] == ["username", "bob", "bob"]
    assert rows[1][-4:] == ["Expert", "Beginner", "below", "critical"]


def test_everything_is_exported_for_managers_without_formulas(mia: Browser, bob: Browser) -> None:
    assert "XLSX" in mia.get("export").text
    answer = mia.get("export", format="csv")
    assert answer.headers["content-disposition"].startswith('attachment; filename="skills.csv"')
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["username"], row["skill"]) for row in rows] == [
        ("ada", "Go"),
        ("ada", "Python"),
        ("bob", "Go"),
        ("joan", ""),
        ("mia", "Python"),
    ]
    assert rows[2]["title"] == "'=HYPERLINK(1)"
    sheet = load_workbook(io.BytesIO(mia.get("export", format="xlsx").content)).active
    assert sheet is not None
    assert [cell.data_type for cell in sheet[4]][3] == "s"


def test_users_see_and_download_their_own_gaps_only(bob: Browser, app: PagesApp) -> None:
    joan = app.browser("joan")
    assert "Beginner, needs Expert" in bob.get("gaps").text
    assert "Beginner, needs Expert" not in joan.get("gaps").text
    assert joan.get("gaps", "export", format="json", of="targets").json() == []
    for parts in (("matrix", "export"), ("export",)):
        rows = joan.get(*parts, format="json").json()
        assert {row["username"] for row in rows} == {"joan"}


def test_cell_is_rated_in_place(bob: Browser) -> None:
    page = bob.get("matrix").text
    assert page.count("data-user=") == 1
    saved = bob.post("/skills/matrix/bob/python", {"level": "3", "years": "4"})
    assert saved.json() == {
        "level": 3,
        "years": 4,
        "class": "level-3",
        "title": "Advanced, 4 years, last used 2026-01",
    }
    cleared = bob.post("/skills/matrix/bob/python", {"level": "0"}).json()
    assert (cleared["level"], cleared["used"]) == (0, "2026-01-01")
    undo = {"level": "3", "years": "4", "last_used": "2025-03-01"}
    assert "last used 2025-03" in bob.post("/skills/matrix/bob/python", undo).json()["title"]
    bob.submit(bob.get("people", "bob", "skills", "go", "edit"), "/edit", notes="At home")
    kept = bob.post("/skills/matrix/bob/go", {"level": "0"})
    assert (kept.status_code, "notes" in kept.json()["error"]) == (422, True)
    bob.post("/skills/matrix/bob/go", {"level": "4"})
    back = bob.post("/skills/matrix/bob/go", {"undo": "true"}).json()
    assert (back["level"], back["class"]) == (1, "level-1")
    for sent in ({"level": "5"}, {"level": "2", "years": "-1"}, {"level": "x"}):
        wrong = bob.post("/skills/matrix/bob/go", sent)
        assert (wrong.status_code, bool(wrong.json()["error"])) == (422, True)
    assert bob.post("/skills/matrix/ada/go", {"level": "1"}).status_code == 403
