"""The report of a game: page, files, and summaries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from io import BytesIO

from openpyxl import load_workbook

from singletable_apps.games.entities import Game
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, LUNCH, SETTINGS, SURVEY, World


def played(world: World) -> Game:
    """Play a quiz question and a call-and-answer question."""
    game = world.game(CAPITAL, LESSON)
    ada, bob = world.join(game, "Ada <b>", "Bob")
    world.play(game, Command.START)
    ada.answer("b")
    bob.answer("a")
    world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    ada.answer(text="=1+1 meetings")
    bob.answer(text="Slow builds")
    world.play(game, Command.CLOSE)
    ballot = world.service.snapshots.read(game.game_id).ballot
    for phone in (ada, bob):
        phone.vote(*(each.id for each in ballot if phone.player_id not in each.players))
    world.play_to(game, Phase.ENDED)
    return game


def test_report_shows_questions_answers_and_scores(app: PagesApp) -> None:
    game = played(app.world)
    page = app.browser(host=True).get("host", game.game_id, "report")
    assert page.status_code == 200
    for text in ("Winner: <b>Ada &lt;b&gt;</b>", "50 % correct", "2,000", "Slow builds"):
        assert text in page.text, text
    assert app.browser().get("host", game.game_id, "report").status_code == 401
    players = app.world.service.game_store.list_players(game.game_id)
    assert max(each.total_score for each in players) == 2_000


def test_report_leaves_out_teams_while_none_has_points(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, CAPITAL, settings=replace(SETTINGS, teams=("Red", "Blue")))
    ada, _ = app.world.join(game, "Ada", "Bob")
    host = app.browser(host=True)
    app.world.play(game, Command.START, Command.CLOSE)
    assert "Teams" not in host.get("host", game.game_id, "report").text
    app.world.play(game, Command.NEXT, Command.NEXT)
    ada.answer("b")
    app.world.play(game, Command.CLOSE)
    shown = host.get("host", game.game_id, "report").text
    assert ("Teams" in shown, "0.0 of" in shown) == (True, False)
    for text in ("Winner: <b>Red</b> with 1,000 points", "0 of 2 right"):
        assert text in shown, text


def test_files_have_all_answers_and_no_formulas(app: PagesApp) -> None:
    game = played(app.world)
    browser = app.browser(host=True)
    answers = browser.get("host", game.game_id, "report", "answers", format="csv")
    assert "filename*=UTF-8''Friday%20quiz%20answers.csv" in answers.headers["content-disposition"]
    lines = answers.content.decode("utf-8-sig").splitlines()
    assert len(lines) == 5
    assert "'=1+1 meetings" in answers.text
    scores = browser.get("host", game.game_id, "report", "scores", format="json").json()
    names = ["Place", "Player", "Team", "Points", "Answers", "Correct"]
    assert scores[0] == dict(zip(names, [1, "Ada <b>", "", 2_000, 2, 1], strict=True))
    assert browser.get("host", game.game_id, "report", "scores", format="xlsx").content[:2] == b"PK"
    everything = browser.get("host", game.game_id, "report", "game").json()
    assert [each["type"] for each in everything["questions"]] == ["trivia", "call-and-answer"]


def test_workbook_has_a_row_for_each_player_and_question_with_numbers(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, LUNCH)
    ada, _, cy = app.world.join(game, "Ada", "Bob", "Cy")
    app.world.service.players.remove(game.game_id, cy.player_id)
    app.world.play(game, Command.START)
    app.world.clock.advance(seconds=2)
    ada.answer("b")
    app.world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT, Command.CLOSE)
    app.world.join(game, "Dee")
    app.world.play_to(game, Phase.ENDED)
    browser = app.browser(host=True)
    browser.http.cookies.set("zone", "America/New_York")
    file = browser.get("host", game.game_id, "report", "answers", format="xlsx")
    heading, first, *others = load_workbook(BytesIO(file.content)).active.values  # type: ignore[union-attr]
    assert heading[-1] == "Submitted (America/New_York)"
    assert first[4:9] == ("Ada", None, "Canberra", "yes", 950)
    assert isinstance(first[9], (int, float))
    assert isinstance(first[10], datetime)
    assert (round(first[9], 1), first[10].hour) == (2.0, 7)
    # Bob was silent; Cy was removed, and Dee came later.
    assert [(each[0], each[4]) for each in others] == [(1, "Bob"), (2, "Ada"), (2, "Bob")]
    assert "1 of 2 answered" in browser.get("host", game.game_id, "report").text
    (entry,) = app.world.service.rounds.list_of_host(HOST).items
    assert entry.player_count == 3


def test_report_begins_with_hard_questions_and_players_who_need_help(app: PagesApp) -> None:
    game = app.world.game(CAPITAL, replace(CAPITAL, title="Easy?"))
    ada, bob = app.world.join(game, "Ada", "Bob")
    app.world.play(game, Command.START)
    for bob_chooses in ("a", "b"):
        ada.answer("b" if bob_chooses == "b" else "c")
        bob.answer(bob_chooses)
        app.world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    report = app.world.service.reports.read(game.game_id)
    assert [each.question.title for each in report.hardest] == [CAPITAL.title]
    assert report.strugglers == []
    app.world.play_to(game, Phase.ENDED)
    page = app.browser(host=True).get("host", game.game_id, "report")
    assert "Hardest questions" in page.text
    assert "Who needs help" not in page.text


def test_answers_are_summarized_on_request(app: PagesApp) -> None:
    game = played(app.world)
    browser = app.browser(host=True)
    page = browser.get("host", game.game_id, "report")
    answer = browser.submit(page, "/summaries/002")
    assert answer.status_code == 303
    page = browser.get("host", game.game_id, "report")
    assert "2 answers. Typical:" in page.text
    answer = browser.post(f"/games/host/{game.game_id}/report/summaries/001")
    assert browser.flash(answer) == "Only written answers can be summarized."


def test_survey_report_has_no_names_and_hides_small_groups(app: PagesApp) -> None:
    world = app.world
    settings = replace(SETTINGS, min_cell=2)
    game = world.game(*SURVEY, kind=EngagementType.SURVEY, settings=settings)
    ada, bob = world.join(game, "Ada", "Bob")
    world.play(game, Command.START)
    for phone in (ada, bob):
        phone.answer(question_id="001", number=5)
    ada.answer(question_id="003", text="Shorter breaks")
    world.play(game, Command.CLOSE, Command.NEXT)
    browser = app.browser(host=True)
    page = browser.get("host", game.game_id, "report")
    assert "mean 5.0" in page.text
    assert "Results hidden: fewer than 2 answers." in page.text
    for text in ("Ada", "Bob", "Shorter breaks"):
        assert text not in page.text
        assert text not in browser.get("host", game.game_id, "report", "game").text
        assert text not in browser.get("host", game.game_id, "report", "answers").text
