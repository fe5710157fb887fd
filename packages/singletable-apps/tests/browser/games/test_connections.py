"""Phones with bad connections: no scripts, no network, and servers that die."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import expect

from dynamodb_engine.faults import FaultyDriver
from singletable import connect
from singletable_apps.games.entities import Game
from singletable_apps.games.phases import Command
from tests.apps.games.support.world import CAPITAL, LUNCH, PRIMES
from tests.browser.conftest import OpenPage
from tests.browser.games.hall import SMALL, Phone
from tests.browser.games.proxy import forward
from tests.browser.games.server import Served, serve

SLOW_CAPITAL = replace(CAPITAL, seconds=600)


def play(served: Served, game: Game, *commands: Command) -> None:
    """Do what the host does."""
    for command in commands:
        served.service.rounds.command(game.game_id, command)


def test_answer_that_comes_after_the_question_is_too_late(
    served: Served, open_page: OpenPage
) -> None:
    game = served.create(replace(PRIMES, seconds=600))
    page = open_page(viewport=SMALL)
    phone = Phone("Ada", served.join(page, game, "Ada"))
    idle = Phone("Bob", served.join(open_page(viewport=SMALL), game, "Bob"))
    play(served, game, Command.START, Command.NEXT)
    phone.expect("Choose all that are right.")
    page.context.set_offline(True)
    phone.choose("2", "11")
    phone.expect("No connection.")
    play(served, game, Command.CLOSE)
    idle.expect("No answer")
    page.context.set_offline(False)
    phone.expect("Too late", "+0", "this, so it does not count: 2, 11")


def test_phone_reconnects_to_another_server_when_its_server_dies(open_page: OpenPage) -> None:
    driver = FaultyDriver(connect("memory:"))  # an engine itself would not be shared by servers
    with serve(driver) as first, forward(first.address) as proxy:
        game = first.create(replace(LUNCH, seconds=600))
        host = first.host(open_page(), game)
        votes = host.locator(".bar-votes")
        bob = Phone("Bob", first.join(open_page(viewport=SMALL), game, "Bob"))
        with serve(driver) as second:
            proxy.fail_over(second.address)
            behind = replace(second, address=proxy.address)
            ada = Phone("Ada", behind.join(open_page(viewport=SMALL), game, "Ada"))
            expect(host.locator(".now")).to_contain_text("2 players are in the lobby.")
            host.locator("#next", has_text="Start").click()
            host.locator("#next", has_text="Open answers").click()
            ada.choose("Noodles")
            ada.expect("Answer received")
            # The host is connected to the other server.
            expect(host.locator(".console-progress")).to_have_text("1 of 2 answered")
            expect(votes).to_have_text(["1 · 100 %", "0 · 0 %", "0 · 0 %"])
            proxy.fail_over(first.address)
        ada.choose("Pizza")
        ada.expect("Answer received")
        expect(votes).to_have_text(["0 · 0 %", "0 · 0 %", "1 · 100 %"])
        bob.choose("Salad")
        bob.expect("Answer received")
        play(first, game, Command.CLOSE)
        for phone in (ada, bob):
            phone.expect("2 answers", "1 50%")
