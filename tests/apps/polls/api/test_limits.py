"""How often one address may ask: said in answers, refused beyond."""

from __future__ import annotations

from singletable_apps.polls.api import Limits
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.api.people import OPTIONS, make_place, type_of
from tests.apps.polls.rig.world import dump


def test_polls_are_made_so_often_and_not_more() -> None:
    place = make_place(limits=Limits(RateLimit("make", 2, 60), None, None))
    ada = place.somebody()
    poll = ada.makes()
    copied = ada.post(f"{poll.path}/duplicate")
    assert copied.headers["RateLimit-Policy"] == '"make";q=2;w=60'
    assert copied.headers["RateLimit"].startswith('"make";r=0;')
    before = dump(place.driver)
    for answer in (
        place.somebody().post("", {"title": "Best?", "candidates": OPTIONS}),
        place.somebody().post(f"{poll.path}/duplicate"),
    ):
        assert type_of(answer) == "429 too-many-requests"
        assert int(answer.headers["Retry-After"]) >= 1
        assert "RateLimit" in answer.headers
    assert dump(place.driver) == before
    assert ada.votes(poll, "Go").status_code == 201


def test_votes_are_cast_so_often_and_not_more() -> None:
    place = make_place(limits=Limits(None, RateLimit("vote", 2, 60), None))
    poll = place.somebody().makes()
    for left in (1, 0):
        vote = place.somebody().votes(poll, "Go")
        assert vote.headers["RateLimit"].startswith(f'"vote";r={left};')
    before = dump(place.driver)
    assert type_of(place.somebody().votes(poll, "Go")) == "429 too-many-requests"
    assert dump(place.driver) == before
    assert place.somebody().get(f"{poll.path}/results").status_code == 200


def test_a_class_that_votes_at_once_has_room() -> None:
    limits = Limits()
    place = make_place(limits=limits)
    poll = place.somebody().makes()
    for _ in range(40):
        assert place.somebody().votes(poll, "Go").status_code == 201
