"""The operations of the original app that have other names here, with its names and camel case."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field

from singletable_apps.games.api.dependencies import (
    EXISTS,
    SCORED_HERE,
    SEATED,
    WRONG_PHASE,
    Admin,
    AnySeat,
    Body,
    DriverSeat,
    GameId,
    Seated,
    Service,
)
from singletable_apps.games.api.games import StateBody, show_state
from singletable_apps.games.api.reports import AnswerSummary, find_summary
from singletable_apps.games.api.room import AnswerBody
from singletable_apps.games.api.sets import (
    FILE,
    AnySetActor,
    SetActor,
    SetSummary,
    list_own_sets,
)
from singletable_apps.games.entities import SetCategory
from singletable_apps.games.errors import InvalidInput, NotFound, NotPermitted
from singletable_apps.games.formats import FileProblem, SetFormat, read_set
from singletable_apps.games.formats.document import QuestionDocument
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import ranking_of
from singletable_apps.games.service import GamesService
from singletable_apps.games.set_library import download_set, load_templates
from singletable_apps.games.tokens import Role
from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import INVALID, PUBLIC, Problem, Segment, api_router, responses

router = api_router("as in the original", *SEATED)
CLEAR_PHRASE = "delete all games"

# ------------------------------------------------------------------------------ games


class Start(Body):
    """What a host saw when asking for the next question."""

    version: int | None = Field(None, strict=True)


@router.post("/games/{game_id}/start-question", responses=responses(WRONG_PHASE))
def start_question(service: Service, seated: DriverSeat, body: Start | None = None) -> StateBody:
    """Go on: start the game, close the question, or show the next one. The server chooses it."""
    version = body.version if body else None
    game_id = seated.game.game_id
    return show_state(service.rounds.command(game_id, Command.NEXT, version=version))


@router.post("/games/{game_id}/scores", status_code=410, responses=responses(SCORED_HERE))
def add_scores(seated: AnySeat) -> None:
    """Reject scores of clients: the server computes them when a question closes."""
    raise Problem(SCORED_HERE, "The server computes the scores. Read them with GET …/players.")


@router.post("/admin/clear-game/{game_id}", status_code=204)
def clear_game(service: Service, admin: Admin, game_id: GameId) -> None:
    """Delete a game of any host, with everything in it."""
    if service.games.find_entry(game_id) is None:
        raise NotFound("Game not found. Please check the game ID.")
    service.games.delete(game_id)


class Clear(Body):
    """The confirmation: “delete all games”."""

    confirm: str


class Cleared(Body):
    """Whether all games are deleted. If not, send the request again."""

    is_complete: bool


@router.post("/admin/clear-all-games", responses=responses(INVALID))
def clear_all_games(service: Service, admin: Admin, body: Clear) -> Cleared:
    """Delete the games of all hosts, some with each request."""
    if body.confirm != CLEAR_PHRASE:
        raise InvalidInput({"confirm": f"Send “{CLEAR_PHRASE}”."})
    return Cleared(is_complete=service.admin.delete_games())


class SummaryRequest(Body):
    """The questions whose answers are to be summarized."""

    question_ids: list[str] = Field(max_length=50)


@router.post("/admin/ai-summary/{game_id}")
def create_summaries(
    service: Service, _: Admin, game_id: GameId, body: SummaryRequest
) -> list[AnswerSummary]:
    """Summarize the answers to several questions."""
    return [find_summary(service, game_id, each, debug=False) for each in body.question_ids]


# ------------------------------------------------------------------------------ answers and votes

QuestionId = Annotated[
    str,
    Query(alias="questionId", max_length=10, description="Such as 001; the current one if empty."),
]


class AnswerList(Body):
    """Answers to a question. They are hidden if too few people have answered a survey."""

    count: int
    is_hidden: bool = False
    answers: list[AnswerBody]


@router.get("/games/{game_id}/answers")
def list_answers(service: Service, seated: AnySeat, question_id: QuestionId = "") -> AnswerList:
    """Return the answers to a question: a host gets all, a player the own one.

    Hosts do not get the names of anonymous authors before the reveal, and never in a survey.
    """
    game, seat = seated.game, seated.seat
    asked, is_over = _played(service, seated, question_id)
    if seat.role is Role.PLAYER:
        own = service.answers.find_answer(game.game_id, asked, seat.player_id)
        found = [AnswerBody.of(own)] if own else []
        return AnswerList(count=len(found), answers=found)
    answers = service.game_store.list_answers(game.game_id, asked)
    is_survey = game.type is EngagementType.SURVEY
    if is_survey and (not is_over or len(answers) < game.settings.min_cell):
        return AnswerList(count=len(answers), is_hidden=True, answers=[])
    bodies = [AnswerBody.of(each) for each in answers]
    if is_survey or not _may_name(seated, is_over):
        # Stored by player: neither the order nor the times may tell who wrote what.
        asked_at = service.context.get_state(game.game_id).question_started_at
        hidden = {"player_name": "", "submitted_at": asked_at}
        bodies = sorted(
            (each.model_copy(update=hidden) for each in bodies),
            key=lambda each: (each.answer, each.choices, each.number or 0),
        )
    return AnswerList(count=len(answers), answers=bodies)


class VoteRow(Body):
    """One rank of one vote."""

    question_id: str
    player_name: str
    answer_id: str
    rank: int


class VoteList(Body):
    """Votes on the answers to a question, a row for each rank."""

    count: int
    votes: list[VoteRow]


@router.get("/games/{game_id}/votes")
def list_votes(service: Service, seated: AnySeat, question_id: QuestionId = "") -> VoteList:
    """Return the votes on the answers to a question: a host gets all, a player the own one."""
    game_id, seat = seated.game.game_id, seated.seat
    asked, is_over = _played(service, seated, question_id)
    if seat.role is Role.PLAYER:
        own = service.answers.find_vote(game_id, asked, seat.player_id)
        votes, with_name = [own] if own else [], True
    else:
        votes, with_name = service.game_store.list_votes(game_id, asked), _may_name(seated, is_over)
    if not with_name:
        votes = sorted(votes, key=ranking_of)
    rows = [
        VoteRow(
            question_id=vote.question_id,
            player_name=vote.name if with_name else "",
            answer_id=answer,
            rank=rank,
        )
        for vote in votes
        for answer, rank in sorted(vote.votes.items(), key=lambda each: each[1])
    ]
    return VoteList(count=len(votes), votes=rows)


def _played(service: GamesService, seated: Seated, question_id: str) -> tuple[str, bool]:
    """Return the id of a question that was asked, and whether its results are shown."""
    if not seated.seat.can_drive and seated.seat.role is not Role.PLAYER:
        raise NotPermitted("Only hosts and players can do this.")
    state = service.context.get_state(seated.game.game_id)
    wanted = question_id or state.question_id
    if wanted not in state.played:
        raise NotFound("This question has not been asked.")
    entry = service.game_store.get_round(seated.game.game_id, wanted)
    return wanted, entry is not None and entry.completed_at is not None


def _may_name(seated: Seated, is_over: bool) -> bool:
    return is_over or not seated.game.settings.is_anonymous


# ------------------------------------------------------------------------------ question sets


class CategorySummary(
    Body,
    of=SetCategory,
    only="category_id name description question_count order_index",
    rename={"order": "order_index"},
):
    """A category of a set."""


@router.get("/question-sets/{set_id}/categories", openapi_extra=PUBLIC)
def list_categories(service: Service, actor: AnySetActor, set_id: Segment) -> list[CategorySummary]:
    """List the categories of a set, with the number of their questions."""
    found = service.sets.list_categories(service.sets.get(set_id, actor))
    return [CategorySummary.from_object(each) for each in found]


@router.get("/questions")
def list_questions(
    service: Service,
    actor: SetActor,
    set_id: Annotated[str, Query(alias="setId", max_length=40)],
    categories: Annotated[
        str, Query(description="Only these, separated by commas.", max_length=4_000)
    ] = "",
) -> list[QuestionDocument]:
    """List the questions of a set. During a game, the server chooses the next one by itself."""
    wanted = {each.strip() for each in categories.split(",") if each.strip()}
    questions = service.sets.load(set_id, actor).draft.questions
    return [
        QuestionDocument.of(each) for each in questions if not wanted or each.category in wanted
    ]


class UploadBody(Body):
    """A file of questions for a new set; CSV, JSON and GIFT as text, XLSX in Base64.

    The other fields replace what the file says.
    """

    file_name: str = Field(max_length=300)
    file_content: str
    encoding: Literal["text", "base64"] = "text"
    name: str = Field("", alias="customTitle")
    description: str = Field("", alias="customDescription")
    instruction: str = Field("", alias="customInstructions")
    ai_instruction: str = Field("", alias="aiContextInstructions")
    type: EngagementType | None = Field(None, alias="engagementType")


class UploadResult(Body):
    """The set that was created, and the rows of the file that were left out."""

    set_id: str
    name: str
    format: SetFormat
    question_count: int
    errors: list[FileProblem]


@router.post(
    "/admin/upload-questions",
    status_code=201,
    dependencies=limited("upload"),
    responses=responses(EXISTS),
)
def upload_questions(service: Service, actor: SetActor, body: UploadBody) -> UploadResult:
    """Create a set from a file in any of the formats. Rows that are not valid are left out."""
    content = body.file_content.encode()
    try:
        data = content if body.encoding == "text" else base64.b64decode(content, validate=True)
        read = read_set(data, body.file_name)
    except ValueError as error:
        raise InvalidInput({"fileContent": "This is not Base64."}) from error
    except InvalidInput as error:
        raise InvalidInput({"fileContent": str(error)}) from error
    if not read.draft.questions:
        problems = [f"Row {each.row}, {each.column}: {each.text}" for each in read.errors[:1]]
        raise InvalidInput({"fileContent": " ".join(["No question is valid.", *problems])})
    sent = body.model_dump(exclude={"file_name", "file_content", "encoding"})
    draft = replace(read.draft, **{name: value for name, value in sent.items() if value})
    item = service.sets.create(actor, draft, body.file_name)
    return UploadResult(
        set_id=item.set_id,
        name=item.name,
        format=read.format,
        question_count=item.total_questions,
        errors=list(read.errors),
    )


@router.get(
    "/admin/download-template", openapi_extra=PUBLIC, response_class=Response, responses=FILE
)
def download_template(format: SetFormat = SetFormat.CSV) -> Response:  # noqa: A002
    """Download an example of a file in one of the formats."""
    return download_set(load_templates()["trivia-night"], format)


@router.get("/admin/question-sets")
def list_all_question_sets(service: Service, actor: SetActor) -> list[SetSummary]:
    """List the sets of the caller, also inactive ones; all sets for the administrator."""
    return list_own_sets(service, actor)


class ToggleBody(Body):
    """Whether a set is active."""

    active: bool


@router.post("/admin/toggle-question-set/{set_id}")
def toggle_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: ToggleBody
) -> SetSummary:
    """Activate or deactivate a set. Only active ones can be chosen for a game."""
    return SetSummary.from_object(service.sets.toggle(actor, set_id, is_active=body.active))


class EditBody(Body):
    """The fields of a set to change; those that are left out stay."""

    name: str | None = None
    description: str | None = None
    instruction: str | None = Field(None, alias="customInstruction")
    ai_instruction: str | None = Field(None, alias="aiContextInstruction")


@router.post("/admin/edit-question-set/{set_id}", responses=responses(EXISTS))
def edit_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: EditBody
) -> SetSummary:
    """Change the name, description or instructions of a set."""
    sent = body.model_dump(exclude_none=True)
    item = service.sets.change(actor, set_id, lambda old: replace(old, **sent))
    return SetSummary.from_object(item)


@router.post("/admin/delete-question-set/{set_id}", status_code=204)
def delete_question_set(service: Service, actor: SetActor, set_id: Segment) -> None:
    """Delete a set with all its versions."""
    service.sets.delete(actor, set_id)
