"""Polls where people pick or find a date, add options, and give their names."""

from __future__ import annotations

import pytest

from singletable_apps.polls.entities import PollKind, Protection
from singletable_apps.polls.rules import PollDraft
from tests.apps.polls.pages.client import OPTIONS, Server, Visitor, faults_in, id_in
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in

DATES = changed(
    PollDraft("When?", ["2026-11-21", "2026-11-20T18:00:00+01:00"]), kind=PollKind.DATES, names=True
)


def test_picks_are_checked_and_counted(server: Server, ada: Visitor) -> None:
    poll = server.poll(changed(PollDraft("Where to?", OPTIONS), kind=PollKind.SEVERAL, max_picks=2))
    ballot = ada.get(poll.at)
    refused = ada.send(ballot, poll.id, pick=["Castle", "Lake", "Museum"])
    assert (refused.status_code, refused.text.count(" checked")) == (422, 3)
    assert "Pick at most 2 options." in text_in(refused.text)
    assert ada.send(ballot, poll.id, pick=["Castle", "Lake"]).status_code == 303
    assert poll.votes == 1
    assert ada.get(f"{poll.at}?change=yes").text.count(" checked") == 2


def test_results_of_picks_name_the_winner_or_the_tie(server: Server, ada: Visitor) -> None:
    poll = server.poll(
        changed(PollDraft("Where to?", OPTIONS), kind=PollKind.SEVERAL, protection=Protection.OPEN)
    )
    assert "No votes yet" in ada.get(f"{poll.at}/results").text
    for picks in (["Lake", "Castle"], ["Lake"], ["Castle"]):
        poll.cast(*picks)
    text = text_in(ada.get(f"{poll.at}/results").text)
    assert "Lake and Castle are tied 2 of 3 picked each of them." in text
    poll.cast("Lake")
    server.wait(seconds=2)
    text = text_in(ada.get(f"{poll.at}/results").text)
    assert "Lake leads 3 of 4 picked it." in text
    assert "Round" not in text


def test_dates_are_shown_in_the_time_zone_of_the_reader(server: Server, ada: Visitor) -> None:
    poll = server.poll(DATES)
    assert poll.stored.candidates == ["2026-11-20T17:00:00Z", "2026-11-21"]
    assert "Fri 20 Nov 2026, 17:00 UTC" in text_in(ada.get(poll.at).text)
    ada.browser.cookies.set("zone", "America/New_York")
    shown = text_in(ada.get(poll.at).text)
    assert "Fri 20 Nov 2026, 12:00 EST" in shown
    assert "Sat 21 Nov 2026" in shown


def test_dates_are_answered_with_yes_maybe_and_a_name(server: Server, ada: Visitor) -> None:
    poll = server.poll(DATES)
    evening, day = poll.stored.candidates
    answers = {f"answer.{evening}": "yes", f"answer.{day}": "maybe"}
    nameless = ada.send(ada.get(poll.at), poll.id, **answers, name="")
    assert (nameless.status_code, [*faults_in(nameless)]) == (422, ["name"])
    assert nameless.text.count(" checked") == 2
    thanks = ada.follow(ada.send(nameless, poll.id, **answers, name="Ada"))
    assert "As Ada" in text_in(thanks.text)
    # No date suits Ben, which is an answer, too.
    server.wait(seconds=1)
    ben = server.new_visitor()
    none = dict.fromkeys(answers, "")
    assert ben.send(ben.get(poll.at), poll.id, **none, name="Ben").status_code == 303
    server.wait(seconds=2)
    page = ben.get(f"{poll.at}/results").text
    assert "1 of 2 said yes." in text_in(page)
    assert "anonymous" not in ben.get(f"{poll.at}?change=yes").text
    assert page.index(">Ada<") < page.index(">Ben<")


# Without scripts, dates are typed.
@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (["2026-07-01 18:00", "2026-07-02"], ["2026-07-01T16:00:00Z", "2026-07-02"]),
        (["tomorrow", "2026-07-02"], []),
        (["2026-02-30", "2026-07-02"], []),
    ],
)
def test_dates_are_typed_in_the_time_zone_of_the_organizer(
    server: Server, ada: Visitor, typed: list[str], stored: list[str]
) -> None:
    ada.browser.cookies.set("zone", "Europe/Berlin")
    form = ada.get("/polls/new")
    answer = ada.send(form, "/new", title="When?", candidates=typed, kind="dates")
    if stored:
        assert server.polls.context.get_poll(id_in(answer)).candidates == stored
        edit = ada.get(f"/polls/p/{id_in(answer)}/manage/edit")
        assert f'value="{typed[0]}"' in edit.text
    else:
        assert "is not a date" in faults_in(answer)["candidates-0"]


def test_voters_add_options_and_the_organizer_removes_those_without_votes(
    server: Server, ada: Visitor
) -> None:
    poll = server.poll(changed(PollDraft("Where to?", OPTIONS), write_ins=True))
    ballot = ada.get(poll.at)
    for option, status in (("Sea", 303), ("sea", 422), ("", 422), ("Forest", 303)):
        assert ada.send(ballot, "/options", option=option).status_code == status
    # A ballot that was opened before still counts.
    assert ada.send(ballot, poll.id, **{"rank.Lake": "1"}, sure="yes").status_code == 303
    ben = server.new_visitor()
    ben.vote(poll.id, "Forest", "Lake")
    chair = poll.organizer()
    page = chair.get(f"{poll.at}/manage")
    removals = [
        chair.post(f"{poll.at}/manage/options/remove", {"option": name}).status_code
        for name in ("Sea", "Forest")
    ]
    assert removals == [303, 303]
    assert "Sea" in text_in(page.text)
    assert poll.stored.candidates == [*OPTIONS, "Forest"]
    assert "People have voted for “Forest”" in chair.get(f"{poll.at}/manage").text
    ben.vote(poll.id, "Forest")
    server.wait(seconds=2)
    text = text_in(ada.get(f"{poll.at}/results").text)
    assert "Lake and Forest are tied" in text
    assert server.polls.tallies.recount(poll.stored).agrees


# Which options have votes by code would show how the last one voted.
def test_organizer_does_not_learn_which_options_have_votes_by_code(
    server: Server, ada: Visitor
) -> None:
    draft = changed(PollDraft("Where to?", OPTIONS), protection=Protection.CODES, write_ins=True)
    poll = server.poll(draft, codes=2)
    assert ada.post(f"{poll.at}/options", {"option": "Sea"}).status_code == 422
    assert ada.post(f"{poll.at}/options", {"option": "Sea", "code": poll.code()}).status_code == 303
    ada.vote(poll.id, "Lake", code=poll.code())
    chair = poll.organizer()
    assert "Options without votes" not in chair.get(f"{poll.at}/manage").text
    chair.post(f"{poll.at}/manage/options/remove", {"option": "Sea"})
    assert "Sea" in poll.stored.candidates
