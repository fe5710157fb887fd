"""The room of a game in the API: players, moderation, audience questions, settings and links."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    WRONG_PHASE,
    CurrentState,
    DriverSeat,
    GameId,
    PlayerSeat,
    Seated,
    Service,
)
from singletable_apps.games.api.schemas import Body, PlayerBody, SettingsBody, named_as_sent
from singletable_apps.games.entities import AnswerStatus, AskedStatus, AudienceQuestion, Game
from singletable_apps.games.errors import InvalidInput, NotPermitted
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Role
from singletable_apps.shared.frame import limited
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web import INVALID, PUBLIC, Segment, api_router, responses

router = api_router("hosts", *SEATED)
_CHANGES = responses(INVALID, WRONG_PHASE)


# ------------------------------------------------------------------------------ players


class NewName(Body):
    """A name."""

    name: str


class NewTeam(Body):
    """A team of the game."""

    team: str


class Names(Body):
    """Names that are free."""

    names: list[str]


class Moved(Body):
    """How many players were moved to another team."""

    moved: int


@router.get("/games/{game_id}/names", openapi_extra=PUBLIC, dependencies=limited("join"))
def suggest_names(service: Service, game_id: GameId, name: str = "") -> Names:
    """Return three names that are free in a game: friendly ones, or some like `name`."""
    game = service.context.get_game(game_id)
    return Names(names=service.players.suggest_names(game, name[:100]))


@router.put("/games/{game_id}/name", responses=responses(INVALID, EXISTS, WRONG_PHASE))
def rename_me(service: Service, seated: PlayerSeat, body: NewName) -> PlayerBody:
    """Change your own name, once, before the game starts."""
    game_id, player_id = seated.game.game_id, seated.seat.player_id
    renamed = service.players.rename(game_id, player_id, body.name, by_player=True)
    return PlayerBody.from_object(renamed)


@router.post("/games/{game_id}/players/{player_id}/rename", responses=responses(INVALID, EXISTS))
def rename_player(
    service: Service, seated: DriverSeat, player_id: Segment, body: NewName
) -> PlayerBody:
    """Give a player another name, also in earlier results."""
    return PlayerBody.from_object(service.players.rename(seated.game.game_id, player_id, body.name))


@router.post("/games/{game_id}/players/{player_id}/team", responses=responses(INVALID))
def move_player(
    service: Service, seated: DriverSeat, player_id: Segment, body: NewTeam
) -> PlayerBody:
    """Move a player to another team."""
    return PlayerBody.from_object(
        service.players.set_team(seated.game.game_id, player_id, body.team)
    )


@router.post("/games/{game_id}/players/{player_id}/remove")
def remove_player(service: Service, seated: DriverSeat, player_id: Segment) -> PlayerBody:
    """Remove and disconnect a player. The name stays taken."""
    return PlayerBody.from_object(service.players.remove(seated.game.game_id, player_id))


@router.post("/games/{game_id}/players/{player_id}/restore")
def restore_player(service: Service, seated: DriverSeat, player_id: Segment) -> PlayerBody:
    """Let a removed player back in, with the same name and points."""
    return PlayerBody.from_object(service.players.restore(seated.game.game_id, player_id))


@router.post("/games/{game_id}/teams/balance", responses=responses(INVALID))
def balance_teams(service: Service, seated: DriverSeat) -> Moved:
    """Make teams equally large by moving few players."""
    return Moved(moved=service.players.balance_teams(seated.game.game_id))


# ------------------------------------------------------------------------------ moderation


class WrittenAnswer(Body):
    """An answer that is not frozen yet. Its id does not reveal its author."""

    question_id: str
    answer_id: str
    text: str
    status: AnswerStatus


class FrozenAnswerBody(Body):
    """An answer on ballots and in results."""

    question_id: str
    answer_id: str
    text: str
    is_hidden: bool


class ModerationBody(Body):
    """What a host can decide about."""

    pending: list[WrittenAnswer]
    hidden: list[WrittenAnswer]
    ballot: list[FrozenAnswerBody]
    left_out: int = Field(description="Answers that were not approved before the question closed.")


class ReadText(Body):
    """The text that the host has read. If the player has changed it, nothing is done."""

    text: str | None = None


class DecisionBody(WrittenAnswer):
    """An answer after a decision."""

    is_late: bool = Field(description="The question was closed at the same time: see the ballot.")


class OfQuestion(Body):
    """A question that was played; the current one, if it is left out."""

    question_id: str = ""


@router.get("/games/{game_id}/moderation")
def read_moderation(service: Service, seated: DriverSeat) -> ModerationBody:
    """Return answers that wait for a decision, hidden ones, and those on the ballot."""
    play, moderation = service.game_store.load(seated.game.game_id), service.moderation
    current = service.game_store.get_round(play.game.game_id, play.state.question_id)
    return ModerationBody(
        pending=[WrittenAnswer.from_object(each) for each in moderation.list_answers(play)],
        hidden=[
            WrittenAnswer.from_object(each)
            for each in moderation.list_answers(play, AnswerStatus.HIDDEN)
        ],
        ballot=[
            FrozenAnswerBody.from_object(
                answer,
                question_id=entry.question_id,
                answer_id=answer.id,
                is_hidden=answer.id in entry.hidden,
            )
            for entry, answer in moderation.list_frozen(play)
        ],
        left_out=current.left_out if current else 0,
    )


_STATUSES = {"approve": AnswerStatus.VISIBLE, "hide": AnswerStatus.HIDDEN}


@router.post("/games/{game_id}/answers/{question_id}/{answer_id}/{verdict}", responses=_CHANGES)
def decide(
    service: Service,
    seated: DriverSeat,
    question_id: Segment,
    answer_id: Segment,
    verdict: Literal["approve", "hide"],
    body: ReadText | None = None,
) -> DecisionBody:
    """Let others see an answer, or hide it, while its question is open."""
    answer, is_late = service.moderation.decide(
        seated.game.game_id, question_id, answer_id, _STATUSES[verdict], body.text if body else None
    )
    return DecisionBody.from_object(answer, is_late=is_late)


@router.post("/games/{game_id}/ballot/{answer_id}/{change}", responses=_CHANGES)
def change_ballot(
    service: Service,
    seated: DriverSeat,
    answer_id: Segment,
    change: Literal["hide", "show", "accept", "reject"],
    body: OfQuestion | None = None,
) -> OfQuestion:
    """Hide a frozen answer on ballots and in results, or show it again.

    Before the votes are counted, a hidden answer gets no points. Accept a typed answer of the
    current question, and everyone who wrote it gets the points; reject takes that back.
    """
    if change in ("accept", "reject"):
        state = service.rounds.accept(seated.game.game_id, answer_id, change == "accept")
        return OfQuestion(question_id=state.question_id)
    question_id = body.question_id if body else ""
    changed = service.moderation.set_hidden(
        seated.game.game_id, answer_id, change == "hide", question_id
    )
    return OfQuestion(question_id=changed.question_id)


# ------------------------------------------------------------------------------ audience questions

_ASKED = "/games/{game_id}/audience-questions"


class NewAudienceQuestion(Body):
    """A question to the host, of at most 240 characters."""

    text: str


class AskedBody(Body, of=AudienceQuestion, only="asked_id text status asked_at"):
    """A question to the host. If it is pending, the host decides whether others see it."""


class Upvote(Body):
    """Whether you vote for a question."""

    is_on: bool


@router.post(_ASKED, status_code=201, responses=responses(INVALID, ROOM_CLOSED))
def ask_host(state: CurrentState, seated: PlayerSeat, body: NewAudienceQuestion) -> AskedBody:
    """Ask the host, if `takesQuestions` is on. Sending the same text again changes nothing."""
    state.count_use("ask", seated.seat.player_id)
    asked = state.service.audience.ask(seated.game, seated.seat.player_id, body.text)
    return AskedBody.from_object(asked)


@router.put(f"{_ASKED}/{{asked_id}}/vote", status_code=204, responses=responses(ROOM_CLOSED))
def upvote(state: CurrentState, seated: PlayerSeat, asked_id: Segment, body: Upvote) -> None:
    """Vote for a question, or take your vote back. The view has all questions with their votes."""
    state.count_use("answer", seated.seat.player_id)
    state.service.audience.vote(seated.game, seated.seat.player_id, asked_id, is_on=body.is_on)


@router.post(f"{_ASKED}/{{asked_id}}/{{status}}", status_code=204)
def decide_question(
    service: Service, seated: DriverSeat, asked_id: Segment, status: AskedStatus
) -> None:
    """Approve a question (`visible`), show it large, mark it as answered, or hide it."""
    service.audience.decide(seated.game, asked_id, status)


# ------------------------------------------------------------------------------ settings


class RoomBody(Body):
    """Settings of the room: lock, access code, and categories of the next questions."""

    is_locked: bool
    access_code: str
    categories: list[str]
    active_categories: list[str] = Field(description="All, if it is empty.")


class NewAccessCode(Body):
    """What players have to enter; empty if everyone can join."""

    access_code: str


class NewCategories(Body):
    """The categories from which the next questions come; all, if it is empty."""

    categories: list[str]


@router.get("/games/{game_id}/settings")
def read_settings(seated: DriverSeat) -> SettingsBody:
    """Return the settings of a game."""
    return SettingsBody(**asdict(seated.game.settings))


@router.put("/games/{game_id}/settings", responses=_CHANGES)
def replace_settings(service: Service, seated: DriverSeat, body: SettingsBody) -> SettingsBody:
    """Replace the settings; what is left out gets its default.

    Settings that decide about points and names cannot be changed while a question is open, and
    `minCell` cannot be lowered after the start.
    """
    try:
        game = service.games.edit(seated.game.game_id, settings=body.to_settings())
    except InvalidInput as error:
        error.errors = {to_camel(name): text for name, text in error.errors.items()}
        raise
    return SettingsBody(**asdict(game.settings))


@router.post("/games/{game_id}/lock")
def lock_game(service: Service, seated: DriverSeat) -> RoomBody:
    """Let nobody else join. Players can come back."""
    return RoomBody.from_object(service.games.edit(seated.game.game_id, is_locked=True))


@router.post("/games/{game_id}/unlock")
def unlock_game(service: Service, seated: DriverSeat) -> RoomBody:
    """Let people join again."""
    return RoomBody.from_object(service.games.edit(seated.game.game_id, is_locked=False))


@router.put("/games/{game_id}/access-code", responses=responses(INVALID))
def change_access_code(service: Service, seated: DriverSeat, body: NewAccessCode) -> RoomBody:
    """Ask players for an access code, or do not."""
    with named_as_sent():
        return RoomBody.from_object(
            service.games.edit(seated.game.game_id, access_code=body.access_code)
        )


@router.put("/games/{game_id}/categories")
def choose_categories(service: Service, seated: DriverSeat, body: NewCategories) -> RoomBody:
    """Choose the categories of the next questions. Unknown ones are ignored."""
    game_id = seated.game.game_id
    return RoomBody.from_object(service.games.edit(game_id, active_categories=body.categories))


# ------------------------------------------------------------------------------ links


class LinkBody(Body):
    """A link that gives a browser a role, with its QR code as SVG."""

    role: Role
    url: str
    qr: str


class Links(Body):
    """The links of a game. `player` is the one with which everybody joins."""

    links: list[LinkBody]


# Links that co-hosts see; hosts also see their own.
_LINKED = (Role.COHOST, Role.SCREEN, Role.AUDIENCE)


@router.get("/games/{game_id}/links")
def read_links(service: Service, seated: DriverSeat) -> Links:
    """Return the link of each role. Opening a link gives the role."""
    return _links(service, seated, seated.game)


@router.post("/games/{game_id}/links/{role}/replace")
def replace_links(service: Service, seated: DriverSeat, role: Role) -> Links:
    """Make the links of a role void, and return the new ones. Co-hosts cannot do this."""
    if not _is_owner(seated) or role in (Role.PLAYER, Role.ADMIN):
        raise NotPermitted("Only the host can replace links, and only those of other roles.")
    return _links(service, seated, service.games.replace_links(seated.game.game_id, role))


def _is_owner(seated: Seated) -> bool:
    return seated.seat.role in (Role.HOST, Role.ADMIN)


def _links(service: GamesService, seated: Seated, game: Game) -> Links:
    urls, context = service.context.urls, service.context
    found = {Role.PLAYER: urls.join(game.join_code)}
    for role in (Role.HOST, *_LINKED) if _is_owner(seated) else _LINKED:
        found[role] = urls.seat(context.issue_seat(game, role))
    absolute = {role: urls.absolute(path) for role, path in found.items()}
    return Links(
        links=[LinkBody(role=role, url=url, qr=qr_svg(url)) for role, url in absolute.items()]
    )
