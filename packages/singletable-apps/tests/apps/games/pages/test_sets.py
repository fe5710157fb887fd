"""The pages of question sets: list, editor, sharing, versions and export, without scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from singletable_apps.games.entities import QuestionSet
from singletable_apps.games.formats import SetFormat, read_set
from singletable_apps.games.questions import (
    EngagementType,
    Question,
    SetDraft,
    Visibility,
)
from singletable_apps.games.service.sets import ADMIN
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import (
    CAPITAL,
    HOST,
    LESSON,
    LUNCH,
    MOON,
    PAINTER,
    PLANETS,
    PRIMES,
)

DRAFT = SetDraft("Friday quiz", questions=(CAPITAL, LESSON, PRIMES))


def create(app: PagesApp, draft: SetDraft = DRAFT) -> QuestionSet:
    return app.world.service.sets.create(HOST, draft)


def questions(app: PagesApp, item: QuestionSet) -> tuple[Question, ...]:
    return app.world.service.sets.load(item.set_id, HOST).draft.questions


def titles(app: PagesApp, item: QuestionSet) -> list[str]:
    return [each.title for each in questions(app, item)]


def png() -> bytes:
    file = BytesIO()
    Image.new("RGB", (64, 48), "green").save(file, "PNG")
    return file.getvalue()


def test_new_browser_gets_its_own_sets(app: PagesApp) -> None:
    browser = app.browser()
    page = browser.get("sets")
    assert "You have no sets yet" in page.text
    made = browser.submit(page, "trivia-night")
    assert "Trivia night" in browser.open(made.headers["location"]).text
    assert "Trivia night" in browser.get("sets").text.partition("Templates")[0]
    assert "Trivia night" not in app.browser().get("sets").text.partition("Templates")[0]
    assert browser.post("/games/sets/templates/none").status_code == 404


def test_set_is_created_with_a_free_name(app: PagesApp) -> None:
    browser = app.browser(host=True)
    page = browser.get("sets", "new")
    made = browser.submit(page, name="Friday quiz", type="trivia")
    assert browser.flash(made) == "Created “Friday quiz”."
    again = browser.submit(page, name="FRIDAY QUIZ", type="poll")
    assert again.status_code == 422
    assert "Choose another name" in again.text
    assert browser.submit(page, name="", type="poll").status_code == 422
    assert browser.submit(page, name="x", type="bingo").status_code == 422


def test_question_is_added_edited_moved_and_deleted(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "questions", "new", type="choice")
    options = {"option-0": "Yes", "option-2": "No"}
    added = browser.upload(page, {"title": "Again?", "place": "2", **options})
    assert added.headers["location"].endswith("/questions/2")
    assert [each.text for each in questions(app, item)[1].options] == ["Yes", "No"]
    page = browser.get("sets", item.set_id, "questions", "2")
    browser.upload(page, {"title": "Once more?", "selections": "2"})
    assert questions(app, item)[1].selections == 2
    page = browser.get("sets", item.set_id)
    moved = browser.submit(page, "/questions/2/move", to="up")
    assert moved.headers["location"].endswith("#q-1")
    assert titles(app, item)[:2] == ["Once more?", CAPITAL.title]
    page = browser.get("sets", item.set_id, "questions", "1", "delete")
    assert browser.flash(browser.submit(page, "/delete")) == "Deleted the question."
    assert titles(app, item) == [each.title for each in DRAFT.questions]


def test_question_changes_its_type_and_loses_nothing(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "questions", "new", type="trivia")
    typed = {"title": "Typed", "option-0": "One", "option-7": "Eight", "correct-7": "on"}
    page = browser.upload(page, {**typed, "explanation": "Why", "retype": "text"})
    assert 'value="Typed"' in page.text
    page = browser.upload(page, {"retype": "rank"})
    page = browser.upload(page, {"retype": "trivia"})
    assert len(questions(app, item)) == 3
    browser.upload(page, {})
    added = questions(app, item)[3]
    assert ([each.text for each in added.options], added.correct) == (["One", "Eight"], ("b",))
    assert added.explanation == "Why"


@pytest.mark.parametrize("question", [MOON, PLANETS, PAINTER], ids=lambda each: each.type)
def test_quiz_question_of_any_kind_is_written_and_saved_again(
    app: PagesApp, question: Question
) -> None:
    browser, item = app.browser(host=True), create(app, SetDraft("Mine"))
    page = browser.get("sets", item.set_id, "questions", "new", type=question.type)
    names = ("title", "seconds", "low", "high", "target", "tolerance")
    sent = {name: str(getattr(question, name)) for name in names if f'name="{name}"' in page.text}
    sent |= {f"option-{slot}": each.text for slot, each in enumerate(question.listed)}
    assert browser.upload(page, {"title": "Nothing else?"}).status_code == 422
    browser.upload(page, sent)
    assert questions(app, item) == (replace(question, category="General"),)
    browser.upload(browser.get("sets", item.set_id, "questions", "1"), {})
    assert questions(app, item) == (replace(question, category="General"),)
    assert str(question.target or question.options[0].text) in browser.get("sets", item.set_id).text
    for other in ("trivia", "order", "typed", "slider"):
        shown = browser.get("sets", item.set_id, "questions", "1", type=other)
        assert (shown.status_code, question.title in shown.text) == (200, True)


@pytest.mark.parametrize(
    ("sent", "order", "opened"),
    [
        ({"then": "duplicate"}, "0012", "2"),
        ({"then": "move", "source": "3", "to": "1"}, "201", "2"),
        ({"then": "move", "source": "1", "to": "3"}, "120", "3"),
        ({"then": "3"}, "012", "3"),
        ({"then": "another"}, "012", "new?type=trivia"),
    ],
)
def test_saved_question_is_duplicated_or_others_are_moved(
    app: PagesApp, sent: dict[str, str], order: str, opened: str
) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "questions", "1")
    saved = browser.upload(page, {"title": CAPITAL.title, **sent})
    assert titles(app, item) == [DRAFT.questions[int(at)].title for at in order]
    assert saved.headers["location"].endswith(f"/questions/{opened}")


def test_questions_of_other_sets_are_found_in_the_bank(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app, SetDraft("Mine"))
    create(app, replace(DRAFT, questions=(CAPITAL, LUNCH)))
    page = browser.get("sets", item.set_id, "questions", "bank", q="NOODLES pizza")
    assert "1 question</p>" in page.text
    browser.submit(page, "pizza")
    assert titles(app, item) == [LUNCH.title]
    page = browser.get("sets", item.set_id, "questions", "bank", q="nothing like this")
    assert "Nothing found" in page.text


def test_invalid_question_is_shown_again_with_its_errors(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "questions", "new", type="trivia")
    answer = browser.upload(page, {"title": "Which?", "option-0": "x", "option-2": "X"})
    assert answer.status_code == 422
    assert "Two options have the same text." in answer.text
    assert "Mark at least one option as correct." in answer.text
    assert 'value="Which?"' in answer.text
    answer = browser.upload(page, {"title": "\x00", "seconds": "soon", "type": "bingo"})
    assert answer.status_code == 422
    for number in ("0", "99", "-1", "x"):
        assert browser.get("sets", item.set_id, "questions", number).status_code in (404, 422)
    assert len(questions(app, item)) == 3


def test_edit_of_an_older_revision_is_shown_as_a_conflict(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    form = browser.get("sets", item.set_id, "questions", "1")
    page = browser.get("sets", item.set_id)
    app.world.service.sets.change(
        HOST, item.set_id, lambda old: replace(old, questions=(LUNCH, *old.questions))
    )
    conflict = browser.upload(form, {"title": "Changed"})
    assert conflict.status_code == 412
    assert "Someone else changed this" in conflict.text
    moved = browser.submit(page, "/questions/2/move", to="down")
    assert browser.flash(moved).startswith("Someone else has changed this set.")
    assert titles(app, item)[0] == LUNCH.title
    assert browser.upload(conflict, {}).status_code == 303
    assert titles(app, item)[0] == "Changed"


def test_edit_of_a_deleted_question_can_be_added_again(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    form = browser.get("sets", item.set_id, "questions", "3")
    app.world.service.sets.save(HOST, item.set_id, replace(DRAFT, questions=(CAPITAL,)))
    conflict = browser.upload(form, {"title": "Typed for an hour"})
    assert conflict.status_code == 412
    assert browser.upload(conflict, {}).status_code == 303
    assert titles(app, item) == [CAPITAL.title, "Typed for an hour"]


def test_images_are_stored_and_served_in_widths(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "questions", "1")
    browser.upload(page, {}, {"image_file": png(), "option_file-1": png()})
    stored = questions(app, item)[0]
    assert stored.image == stored.options[1].image
    image = app.browser().open(stored.image)
    assert (image.status_code, image.headers["content-type"]) == (200, "image/webp")
    for path in (stored.image.replace("960", "961"), "/games/images/x/960.webp"):
        assert app.browser().open(path).status_code == 404
    page = browser.get("sets", item.set_id, "questions", "1")
    broken = browser.upload(page, {"title": "New title"}, {"image_file": b"not an image"})
    assert broken.status_code == 422
    browser.upload(page, {"image_drop": "on", "option_drop-1": "on"})
    assert questions(app, item)[0].image == ""


def test_details_rename_reorder_and_remove_categories(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id, "edit")
    fields = {"category-0": "Cities", "place-0": "9", "category-3": "Spare", "name": "Quiz"}
    browser.submit(page, "", **fields, visibility="shared", is_active=None)
    loaded = app.world.service.sets.load(item.set_id, HOST)
    assert [each.name for each in loaded.draft.categories] == [
        *("Lessons", "Numbers", "Spare", "Cities"),
    ]
    assert loaded.draft.questions[0].category == "Cities"
    assert (loaded.item.name, loaded.item.is_active) == ("Quiz", False)
    page = browser.get("sets", item.set_id, "edit")
    # A category with questions stays.
    browser.submit(page, **{"place-2": "0", "place-3": "0"})
    draft = app.world.service.sets.load(item.set_id, HOST).draft
    assert [each.name for each in draft.categories] == ["Cities", "Lessons", "Numbers"]
    page = browser.get("sets", item.set_id, "edit")
    rejected = browser.submit(page, type="poll")
    assert rejected.status_code == 422
    assert "cannot contain" in rejected.text


def test_versions_are_listed_and_restored(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    app.world.service.sets.save(HOST, item.set_id, replace(DRAFT, questions=(LUNCH,)))
    page = browser.get("sets", item.set_id, "versions")
    restored = browser.submit(page, "/versions/1")
    assert browser.flash(restored) == "Version 1 is the current one again."
    assert len(titles(app, item)) == 3
    assert browser.flash(browser.submit(page, "/versions/1")).startswith("Someone else")
    app.world.service.sets.save(HOST, item.set_id, replace(DRAFT, name="Renamed"))
    create(app)
    page = browser.get("sets", item.set_id, "versions")
    assert "already" in browser.flash(browser.submit(page, "/versions/1"))


def test_sets_of_others_are_readable_only_if_shared(app: PagesApp) -> None:
    item = create(app)
    stranger, admin = app.browser(), app.browser(admin=True)
    for part in ("", "export", "edit", "versions", "questions/1", "delete"):
        path = app.world.service.context.urls.question_set(item.set_id)
        assert stranger.open(f"{path}/{part}".rstrip("/")).status_code == 404
    assert admin.get("sets", item.set_id).status_code == 200
    app.world.service.sets.change(
        HOST, item.set_id, lambda draft: replace(draft, visibility=Visibility.LINK)
    )
    page = stranger.get("sets", item.set_id)
    assert CAPITAL.title in page.text
    assert "/move" not in page.text
    assert stranger.flash(stranger.submit(page, "/copy")) == "Copied as “Friday quiz”."
    assert (
        stranger.post(f"/games/sets/{item.set_id}/sharing", {"is_active": "false"}).status_code
        == 404
    )


def test_set_is_activated_and_deleted(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    page = browser.get("sets", item.set_id)
    browser.submit(page, "/sharing")
    browser.post(f"/games/sets/{item.set_id}/sharing", {"is_active": "x"})
    assert not app.world.service.sets.get(item.set_id, ADMIN).is_active
    page = browser.get("sets", item.set_id, "delete")
    assert browser.flash(browser.submit(page, "/delete")) == "Deleted “Friday quiz”."
    assert browser.get("sets", item.set_id).status_code == 404


@pytest.mark.parametrize("kind", [SetFormat.JSON, SetFormat.KAHOOT])
def test_export_can_be_imported_again(app: PagesApp, kind: SetFormat) -> None:
    browser, item = app.browser(host=True), create(app)
    assert "of 3" in browser.get("sets", item.set_id, "export").text
    file = browser.get("sets", item.set_id, "export", kind)
    assert "attachment" in file.headers["content-disposition"]
    assert read_set(file.content, "x").draft.questions
    example = browser.get("sets", "import", f"example.{kind}")
    assert read_set(example.content, "x").errors == ()


# ------------------------------------------------------------------------------ import

CSV = (
    b"Category,Question,OptionA,OptionB,CorrectAnswer\n"
    b"Maths,2 + 2?,3,4,4\nMaths,Neither?,x,y,w\nWords,Rhymes with cat?,hat,dog,A\n"
)


def test_import_shows_problems_and_saves_the_chosen_questions(app: PagesApp) -> None:
    browser = app.browser(host=True)
    page = browser.upload(browser.get("sets", "import"), {}, {"file": CSV}, "words.csv")
    assert page.status_code == 200
    assert "Row 3, CorrectAnswer" in page.text
    unnamed = browser.submit(page, "/save", name="", keep="1")
    assert unnamed.status_code == 422
    assert browser.submit(page, "/save", keep=None).status_code == 422
    made = browser.submit(page, "/save", name="Words", keep="1")
    [item] = app.world.service.sets.list_own(HOST)
    assert browser.flash(made) == "Imported 1 question."
    assert (item.source_file, titles(app, item)) == ("words.csv", ["Rhymes with cat?"])


def test_import_adds_to_an_existing_set(app: PagesApp) -> None:
    browser, item = app.browser(host=True), create(app)
    form = browser.get("sets", "import", into=item.set_id)
    page = browser.upload(form, {}, {"file": CSV})
    browser.submit(page, "/save")
    assert titles(app, item)[3:] == ["2 + 2?", "Rhymes with cat?"]
    assert app.browser().get("sets", "import", into=item.set_id).status_code == 404


UNSOLVED, SOLVED = "Tea?\na) Green\nb) Black", "Sky?\na) Red\nb) Blue *"


@pytest.mark.parametrize(
    ("kind", "text", "warning"),
    [
        (EngagementType.TRIVIA, UNSOLVED, "1 question has no correct answer"),
        (EngagementType.TRIVIA, SOLVED, ""),
        (EngagementType.MIXED, UNSOLVED, ""),
        (None, f"{UNSOLVED}\n{SOLVED}\n{UNSOLVED}", "2 questions have no correct answer"),
        (None, UNSOLVED, ""),
    ],
)
def test_preview_warns_of_trivia_without_correct_answers(
    app: PagesApp, kind: EngagementType | None, text: str, warning: str
) -> None:
    into = {"into": create(app, SetDraft("Mine", type=kind)).set_id} if kind else {}
    browser = app.browser(host=True)
    page = browser.upload(browser.get("sets", "import", **into), {"text": text})
    found = re.findall(r"\d+ questions? ha(?:s|ve) no correct answer", page.text)
    assert found == ([warning] if warning else [])


def test_unreadable_file_is_rejected_beside_its_field(app: PagesApp) -> None:
    browser = app.browser(host=True)
    page = browser.upload(browser.get("sets", "import"), {}, {"file": b"name,email\na,b\n"})
    assert page.status_code == 422
    assert 'id="f-file-error"' in page.text
    assert (
        browser.post("/games/sets/import/save", {"document": "{", "keep": "0"}).status_code == 422
    )
