"""The host's screen and the big screen in a browser, over the socket."""

from __future__ import annotations

import re
from dataclasses import replace

import httpx2
from playwright.sync_api import Page, expect

from singletable_apps.games.entities import Game, GameSettings
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import Question, SetDraft, make_options
from singletable_apps.games.service.games import GameDraft
from singletable_apps.games.tokens import new_id
from tests.apps.games.support.world import CAPITAL, LESSON, LUNCH
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.games.server import HOST, Served
from tests.browser.page_checks import find_axe_violations

BIG = {"width": 1280, "height": 720}


def create(served: Served, *questions: Question, is_moderated: bool = False) -> Game:
    settings = GameSettings(reading_seconds=60, question_seconds=0, is_moderated=is_moderated)
    draft = GameDraft("Friday quiz", questions=questions, settings=settings)
    return served.service.games.create(HOST, draft)


def join(served: Served, game: Game, *names: str) -> dict[str, str]:
    """Let players join, and return their tokens."""
    players = served.service.players
    return {name: players.join(game.game_id, name).token for name in names}


def answer(served: Served, game: Game, token: str, **data: object) -> None:
    """Send an answer as a phone does whose socket is blocked."""
    question = served.service.context.get_state(game.game_id).question_id
    message = {"id": new_id(), "type": "answer", "data": {"questionId": question, **data}}
    url = f"{served.address}{served.service.context.urls.api('games', game.game_id, 'messages')}"
    headers = {"Authorization": f"Bearer {token}"}
    reply = httpx2.post(url, json=message, headers=headers).json()
    assert reply["data"]["outcome"] == "accepted"


def open_screen(served: Served, open_page: OpenPage, game: Game) -> tuple[Page, list[str]]:
    """Open the big screen, and return it with the errors of its scripts."""
    screen, errors = open_page(viewport=BIG), list[str]()
    screen.on("pageerror", lambda error: errors.append(str(error)))
    served.host(screen, game)
    screen.goto(served.at("screen", game.game_id))
    return screen, errors


def test_quiz_is_hosted_by_keys_and_followed_on_the_big_screen(
    served: Served, open_page: OpenPage
) -> None:
    game = create(served, CAPITAL, LUNCH)
    phones = join(served, game, "Ada", "Bob")
    screen, errors = open_screen(served, open_page, game)
    host = served.host(open_page(), game)
    expect(screen.get_by_text("2 players are in")).to_be_visible()
    join(served, game, "Eve")
    expect(screen.locator(".name").first).to_have_text("Eve")
    expect(host.get_by_role("button", name="Eve")).to_be_visible()
    expect(host.get_by_text("Live, one screen")).to_be_visible()

    host.keyboard.press("Space")
    expect(screen.get_by_role("heading", name=CAPITAL.title)).to_be_visible()
    expect(screen.locator(".option")).to_have_count(0)
    host.locator("#next", has_text="Open answers").press("Enter")
    expect(screen.locator(".option")).to_have_count(4)
    # The focus stays on the button that says something else now.
    expect(host.locator("#next", has_text="Close answers")).to_be_focused()

    answer(served, game, phones["Ada"], choices=["b"])
    expect(host.locator(".is-done .person-name")).to_have_text(["Ada"])
    host.locator("body").press("p")
    expect(screen.get_by_text("Paused", exact=True).first).to_be_visible()
    host.locator("body").press("p")
    expect(screen.locator(".overlay")).to_have_count(0)
    host.locator("#next", has_text="Close answers").click()
    dialog = host.get_by_role("dialog")
    expect(dialog).to_contain_text("players have answered. Close anyway?")
    dialog.get_by_role("button", name="Close anyway").click()
    expect(screen.locator(".option.is-right")).to_contain_text("Canberra")
    expect(screen.get_by_text(CAPITAL.explanation)).to_be_visible()
    assert not find_axe_violations(screen)

    host.locator("#next", has_text="Leaderboard").click()
    expect(screen.locator(".row").first).to_contain_text("Ada")
    screen.reload()
    expect(screen.locator(".row").first).to_contain_text("Ada")
    host.locator("#next", has_text="Next question").click()
    expect(screen.get_by_role("heading", name=LUNCH.title)).to_be_visible()
    host.locator("body").press("s")
    host.get_by_role("dialog").get_by_role("button", name="Skip the question").click()
    expect(screen.get_by_text("This question was skipped.")).to_be_visible()
    host.get_by_role("button", name="End game").click()
    host.get_by_role("dialog").get_by_role("button", name="End the game").click()
    expect(screen.get_by_role("heading", name="Winner: Ada")).to_be_visible()
    expect(host.get_by_role("link", name="Open the report")).to_be_visible()
    expect(host.locator(".console-code")).to_be_empty()
    assert not errors


def test_answers_are_approved_and_hidden_and_winners_shown_on_a_phone(
    served: Served, open_page: OpenPage
) -> None:
    game = create(served, LESSON, is_moderated=True)
    phones = join(served, game, "Ada", "Bob", "Eve")
    service = served.service
    service.rounds.command(game.game_id, Command.START)
    service.rounds.command(game.game_id, Command.NEXT)
    for name, token in phones.items():
        answer(served, game, token, text=f"Of {name}")
    screen, errors = open_screen(served, open_page, game)
    host = served.host(open_page(viewport=PHONE), game)
    for name in phones:
        host.get_by_role("listitem").filter(has_text=f"Of {name}").get_by_text("Approve").click()
        expect(host.get_by_text(f"Of {name}")).to_have_count(0)
    service.rounds.command(game.game_id, Command.CLOSE)
    expect(screen.locator(".card")).to_have_count(3)
    host.get_by_role("button", name="Hide: Of Eve").click()
    expect(screen.locator(".card")).to_have_count(2)
    expect(host.get_by_role("button", name="Show again: Of Eve")).to_be_visible()
    assert not find_axe_violations(host)
    host.get_by_label("Lock the room").check()
    expect(screen.get_by_text("The room is locked")).to_be_visible()
    host.get_by_role("button", name="Ada", exact=True).click()
    host.get_by_label("Name", exact=True).fill("Grace")
    host.get_by_role("button", name="Save").first.click()
    host.locator("#next", has_text="Show results").click()
    host.get_by_role("dialog").get_by_role("button", name="Close anyway").click()
    expect(screen.get_by_text("Grace")).to_be_visible()
    assert host.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not errors


def test_console_buttons_share_the_rows_of_a_phone(served: Served, open_page: OpenPage) -> None:
    game = served.create(CAPITAL)
    for command in (Command.START, Command.NEXT):
        served.service.rounds.command(game.game_id, command)
    host = served.host(open_page(viewport=PHONE), game)
    buttons = host.locator(".console-bar .button:not(.next)")
    expect(buttons).to_have_text([re.compile(each) for each in ("Pause", "30 s", "Skip", "End")])
    widths: list[float] = buttons.evaluate_all("all => all.map(each => each.offsetWidth)")
    assert min(widths) > PHONE["width"] * 0.4


def test_eight_long_options_fit_on_the_big_screen(served: Served, open_page: OpenPage) -> None:
    options = make_options([f"{number} {'which is long ' * 11}"[:150] for number in range(8)])
    game = served.create(replace(LUNCH, options=options))
    screen, _ = open_screen(served, open_page, game)
    rounds = served.service.rounds
    for commands, shown in (((Command.START, Command.NEXT), ""), ((Command.CLOSE,), ".is-poll")):
        for command in commands:
            rounds.command(game.game_id, command)
        texts = screen.locator(f".options{shown} .option-text")
        expect(texts).to_have_count(8)
        cut = texts.evaluate_all(
            """all => all.filter(each => each.scrollHeight > each.clientHeight + 1
                || each.offsetHeight > each.parentElement.clientHeight).length"""
        )
        assert cut == 0


def test_dialogs_close_when_what_they_ask_about_is_over(
    served: Served, open_page: OpenPage
) -> None:
    game = create(served, CAPITAL, LUNCH)
    join(served, game, "Ada", "Bob")
    host, commands = served.host(open_page(), game), served.service.rounds
    dialog = host.get_by_role("dialog")
    commands.command(game.game_id, Command.START)
    host.get_by_role("button", name="Skip").click()
    commands.command(game.game_id, Command.NEXT)
    expect(host.get_by_text("Answers are open · Question 1")).to_be_visible()
    # The question can still be skipped, but not twice.
    expect(dialog).to_contain_text("Skip this question?")
    dialog.get_by_role("button", name="Cancel").click()
    host.locator("#next", has_text="Close answers").click()
    expect(dialog).to_contain_text("Only 0 of 2 players have answered. Close anyway?")
    commands.command(game.game_id, Command.CLOSE)
    expect(dialog).to_have_count(0)
    host.get_by_role("button", name="End game").click()
    commands.command(game.game_id, Command.END)
    expect(dialog).to_have_count(0)


def test_space_goes_on_after_a_click_on_something_else(served: Served, open_page: OpenPage) -> None:
    host = served.host(open_page(), create(served, CAPITAL))
    for _ in "12":
        host.get_by_label("Lock the room").click()
    host.keyboard.press("Space")
    expect(host.locator("#next", has_text="Open answers")).to_be_visible()
    expect(host.get_by_label("Lock the room")).not_to_be_checked()


def test_phones_and_screens_go_on_to_the_next_game(served: Served, open_page: OpenPage) -> None:
    game = create(served, CAPITAL)
    screen, errors = open_screen(served, open_page, game)
    phone = served.join(open_page(viewport=PHONE), game, "Ada")
    host = served.host(open_page(), game)
    expect(host.get_by_text("Links and devices")).to_be_visible()
    served.service.rounds.command(game.game_id, Command.END)
    # Nobody joins a game that is over.
    expect(host.get_by_text("Links and devices")).to_be_hidden()
    host.get_by_role("button", name="Play again").click()
    expect(phone.get_by_role("heading", name="You’re in, Ada")).to_be_visible()
    expect(screen.locator(".name")).to_have_text("Ada")
    expect(host.get_by_role("button", name="Ada", exact=True)).to_be_visible()
    assert game.game_id not in phone.url + screen.url + host.url
    assert not errors


def test_editor_previews_keeps_saves_and_sorts(served: Served, open_page: OpenPage) -> None:
    draft = SetDraft("Mine", questions=(CAPITAL, LUNCH, LESSON))
    item = served.service.sets.create(HOST, draft)
    page = open_page()
    served.host(page, create(served, CAPITAL))
    page.goto(served.at("sets", item.set_id, "questions", "new") + "?type=trivia")
    expect(page.locator(".is-phone .tile")).to_have_count(4)
    page.get_by_label("Image of the question").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": page.screenshot()}
    )
    expect(page.locator(".is-screen .picture")).to_be_visible()
    page.goto(served.at("sets", item.set_id, "questions", "1"))
    page.get_by_label("Question", exact=True).fill("Where is the parliament?")
    for frame in (".is-screen", ".is-phone"):
        expect(page.locator(f"{frame} h1")).to_have_text("Where is the parliament?")
    page.get_by_role("button", name="Call and answer").click()
    page.get_by_role("button", name="Trivia").click()
    expect(page.get_by_label("Option B", exact=True)).to_have_value("Canberra")
    assert not find_axe_violations(page)
    # Another question is opened after this one is saved; other links ask first.
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("link", name="Paste a list").click()
    page.get_by_role("link", name="Add a question").click()
    expect(page.get_by_role("heading", name="New question")).to_be_visible()
    page.get_by_role("link", name=LUNCH.title).click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(LUNCH.title)
    rows = page.locator(".ed-list li")
    rows.nth(2).drag_to(rows.nth(0))
    expect(page.locator(".ed-list .ed-title")).to_have_text(
        [LESSON.title, "Where is the parliament?", LUNCH.title]
    )


def test_buttons_work_while_the_socket_is_blocked(served: Served, open_page: OpenPage) -> None:
    game = create(served, CAPITAL)
    page = open_page()
    page.route_web_socket("**/socket**", lambda socket: socket.close())
    page.route("**/events**", lambda route: route.abort())
    host = served.host(page, game)
    expect(host.get_by_text("Buttons work meanwhile")).to_be_visible()
    host.locator("#next", has_text="Start").click()
    expect(host.locator("#next", has_text="Open answers")).to_be_visible()
