"""The import wizard on pages: upload, check, import, undo."""

from __future__ import annotations

import httpx2

from singletable_apps.shared.spreadsheets import write_table
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser

FILE = b"Login,Name,Skill,Level\nbob,,Go,3\nzoe,Zoe Park,Rust,4\nyan,,Go,2\n"


def upload(browser: Browser, data: bytes = FILE, name: str = "people.csv") -> httpx2.Response:
    return browser.post("/skills/admin/import", files={"file": (name, data)})


def choose(browser: Browser, path: str, **fields: str) -> httpx2.Response:
    answer = browser.submit(browser.open(path), path.rpartition("/")[2], **fields)
    assert answer.status_code == 303, answer.text
    return browser.open(path)


def test_administrator_imports_and_undoes(app: PagesApp, ada: Browser) -> None:
    assert "No imports yet" in ada.get("admin", "import").text
    answer = upload(ada)
    assert answer.status_code == 303
    path = answer.headers["location"]
    page = ada.open(path)
    assert "Found 3 rows: 0 new, 1 duplicate, 1 skipped, 1 error." in page.text
    assert "This person is new: enter the name" in page.text
    assert "There is nothing to import." in page.text
    page = choose(ada, path, **{"action-0": "create:Backend", "duplicates": "overwrite"})
    assert "Found 3 rows: 1 new, 1 changed, 0 duplicates, 1 error." in page.text
    assert app.world.service.context.find_user("zoe") is None
    sent = ada.submit(page, "/apply")
    assert ada.flash(sent) == "Imported 2 skills."
    # Sent a second time, as by a double click.
    assert ada.flash(ada.submit(page, "/apply")) == "Imported 2 skills."
    report = ada.open(path).text
    assert "Rows that were left out" in report
    assert "yan" in report
    question = ada.open(f"{path}/undo")
    assert ada.flash(ada.submit(question, "/undo")) == "The import was undone."
    assert "Everything is as it was before." in ada.open(path).text
    assert app.world.service.context.find_user("zoe") is None
    assert "Undone" in ada.get("admin", "import").text


def test_row_with_several_errors_is_listed_once(ada: Browser) -> None:
    path = upload(ada, b"Username,Name,Skill,Level\n#,x,Go,9\n").headers["location"]
    page = ada.open(path).text
    assert "Found 1 row: 0 new" in page
    assert "1 to 1 of 1" in page
    assert page.count("<b>Level “9”:</b>") == page.count("<b>Name “x”:</b>") == 1
    assert ada.get("admin", "import").text.count('data-label="By">Ada<') == 1


def test_sheet_with_a_column_per_skill_counts_levels_and_names_people(ada: Browser) -> None:
    sheet = "Name,Go,Python\nZoë Park,3,2\n".encode()
    page = ada.open(upload(ada, sheet).headers["location"]).text
    assert "Found 2 levels in 1 row: 2 new" in page
    assert ">Import 2 levels<" in page
    assert 'data-label="Person">Zoë Park<' in page


def test_choices_are_checked(ada: Browser) -> None:
    path = upload(ada, b"Who,Skill,Level\nbob,Rust,4\n").headers["location"]
    page = ada.open(path)
    assert "Choose the column that contains usernames, e-mail addresses or names." in page.text
    assert "/apply" not in page.text
    page = choose(ada, path, **{"column-0": "username"})
    ending = path.rpartition("/")[2]
    wrong = ada.submit(page, ending, **{"target-0": "Nothing"})
    assert wrong.status_code == 422
    assert "The catalog has no skill “Nothing”." in wrong.text
    typo = upload(ada, b"Username,Skill,Level\nbob,Pyhton,4\n").headers["location"]
    assert "Do you mean Python?" in ada.open(typo).text
    wrong = ada.submit(page, ending, **{"column-1": "username"})
    assert "Choose one column for the username" in wrong.text
    assert ada.submit(page, ending, duplicates="x").status_code == 422
    stale = choose(ada, path, others="create:Data")
    choose(ada, path, others="create:Other")
    assert ada.submit(stale, "/apply").status_code == 412
    assert ada.submit(stale, ending).status_code == 412


def test_wrong_uploads_are_explained(ada: Browser) -> None:
    for data, words in (
        (b"", "Choose a CSV or XLSX file."),
        (b"PK\x03\x04", "damaged"),
        (b"a,b\n1,2,3", "column C"),
        (b"user\n", "no rows"),
    ):
        answer = upload(ada, data, "x.csv" if data else "")
        assert answer.status_code == 422
        assert words in answer.text
    assert upload(ada, b"x" * 16_000_001).status_code == 413
    assert ada.get("admin", "import", "nothing").status_code == 404
    assert ada.get("admin", "import", "nothing", "undo").status_code == 404


def test_long_previews_have_pages_and_search(ada: Browser) -> None:
    rows = [(f"user{n}", f"User {n}", "Go", n % 5) for n in range(300)]
    data = b"".join(write_table(["username", "name", "skill", "level"], rows, "xlsx"))
    path = upload(ada, data, "<script>.xlsx").headers["location"]
    first = ada.open(path)
    assert "1 to 50 of 300" in first.text
    assert "&lt;script&gt;" in first.text
    assert first.text.count("badge-danger") == 50
    assert "51 to 60 of 60" in ada.open(f"{path}?q=error&cursor=50").text
