"""Search for people by their skills, teams, and rating rounds."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path, Query
from pydantic import Field

from singletable_apps.shared.frame.people_api import Message
from singletable_apps.shared.web import (
    NOT_FOUND,
    SIGNED_IN,
    Day,
    Headers,
    IfMatchIfAny,
    Model,
    Page,
    Pagination,
    api_router,
    responses,
)
from singletable_apps.skills.api.dependencies import Actor, Service, Username
from singletable_apps.skills.api.schemas import Body, PersonSummary, UserSkillBody
from singletable_apps.skills.entities import Level, Round, Team
from singletable_apps.skills.round_rules import RESULTS, count_progress
from singletable_apps.skills.rules import MAX_NAME
from singletable_apps.skills.search_rules import parse_rows

router = api_router("search and teams", *SIGNED_IN)
rounds_router = api_router("rating rounds", *SIGNED_IN)
RoundId: TypeAlias = Annotated[str, Path(description="The id of a round.")]
# How many skills one request rates at most.
MAX_RATED = 200
TeamId: TypeAlias = Annotated[str, Path(description="The id of a team.")]
Filter: TypeAlias = Annotated[str, Query(max_length=100)]
_UNKNOWN = responses(NOT_FOUND)
_SKILL = (
    "A skill that people must have, as `skill:level:years:since`: in any spelling, with its "
    "minimum level, minimum years, and the day since which it must have been used. All but the "
    "skill may be left out or empty. Repeat it for several skills."
)


class ScoreTerms(Body):
    """The score of a skill: (level + years + endorsements) × recency = total."""

    level: float
    years: float
    endorsements: float
    recency: float
    total: float


class MatchedSkill(Body):
    """A skill that meets a criterion, with its score."""

    skill: UserSkillBody
    score: ScoreTerms


class FoundPerson(Body):
    """A person who meets all criteria, with the skill for each of them."""

    person: PersonSummary
    score: float = Field(description="The sum of the scores of the skills.")
    skills: list[MatchedSkill]


class FoundPeople(Page[FoundPerson]):
    """A page of the people who meet all criteria, best first."""

    total: int


class NearPerson(Body):
    """A person with the levels that a job needs."""

    person: PersonSummary
    met: float = Field(description="The share of the needed levels that the person has.")
    missing_levels: int
    levels: dict[str, Level | None]


class NearPeople(Page[NearPerson]):
    """A page of the people who are nearest to a job."""

    targets: dict[str, Level]


class NewTeam(Model):
    """A team to save."""

    name: str
    members: list[str] = Field(default_factory=list)


class TeamChanges(Model):
    """What to change; the rest stays as it is."""

    name: str | None = None
    members: list[str] | None = None
    manager: str | None = Field(None, description="Who rates the members. For administrators.")


class TeamBody(Body, of=Team, only="team_id name members manager created_by created_at updated_at"):
    """A team."""


class NewRound(Model):
    """A round to open."""

    name: str = Field(max_length=MAX_NAME, examples=["Autumn 2026"])
    closes_on: Day = Field(description="The last day.")
    teams: list[str] = Field([], description="Ids of teams; everyone takes part if there are none.")


class RoundBody(Body, of=Round, only="round_id name team_ids opened_at closes_on closed_at"):
    """A rating round."""


class RoundProgress(RoundBody):
    """A round with the progress of you and your people; for administrators, of everyone."""

    teams: dict[str, dict[str, int]] = Field(
        description="By team: how many have finished their own ratings, and were rated.",
        examples=[{"Payments": {"finished": 3, "unfinished": 4, "rated": 2, "unrated": 5}}],
    )
    unfinished: list[str] = Field(description="Who has not finished their own ratings.")


class RoundRatings(Model):
    """Levels to confirm or change, by the id, name or alias of the skill; others stay."""

    levels: dict[str, Level] = Field({}, max_length=MAX_RATED, examples=[{"go": "Advanced"}])


@router.get("/search")
def search_people(
    service: Service,
    actor: Actor,
    page: Pagination,
    skill: Annotated[
        list[str], Query(description=_SKILL, examples=[["golang:Advanced:5:2024-01-01"]])
    ],
    department: Filter = "",
    location: Filter = "",
    job: Filter = "",
) -> FoundPeople:
    """Find the people who meet all criteria, best first."""
    filters = {"department": department, "location": location, "job": job}
    result = service.search.find(parse_rows([text.split(":") for text in skill], **filters))
    matches, cursor = page.slice(result.matches, service.context.secret)
    people = result.reads.profiles(match.username for match in matches)
    page.link_next(cursor)
    return FoundPeople(
        items=[
            FoundPerson(
                person=PersonSummary.model_validate(user),
                score=match.total,
                skills=[
                    MatchedSkill.model_validate({"skill": one, "score": terms})
                    for one, terms in zip(match.skills, match.scores, strict=True)
                ],
            )
            for match in matches
            if (user := people.get(match.username.casefold())) is not None
        ],
        next=cursor,
        total=len(result.matches),
    )


@router.get("/roles/{role_id}/nearest", responses=_UNKNOWN)
def list_nearest(
    role_id: Annotated[str, Path(description="The id of a job.")],
    service: Service,
    actor: Actor,
    page: Pagination,
) -> NearPeople:
    """List who of you and your people misses the fewest levels of a job's targets, at most 100."""
    result = service.search.nearest(actor, role_id)
    nearest, cursor = page.slice(result.people, service.context.secret)
    people = result.reads.profiles(each.username for each in nearest)
    page.link_next(cursor)
    return NearPeople(
        items=[
            NearPerson(
                person=PersonSummary.model_validate(user),
                met=each.met,
                missing_levels=each.missing,
                levels=dict(each.levels),
            )
            for each in nearest
            if (user := people.get(each.username)) is not None
        ],
        next=cursor,
        targets=result.role.targets,
    )


@router.get("/teams")
def list_teams(service: Service, actor: Actor, page: Pagination) -> Page[TeamBody]:
    """List the teams by name."""
    found = service.teams.page(page.limit, page.cursor)
    return page.answer([TeamBody.model_validate(team) for team in found.items], found.cursor)


@router.post("/teams", status_code=201)
def create_team(new: NewTeam, headers: Headers, service: Service, actor: Actor) -> TeamBody:
    """Save a team of existing people."""
    team = service.teams.create(actor, new.name, new.members)
    headers.created(team.revision, "read_team", team_id=team.team_id)
    return TeamBody.model_validate(team)


@router.get("/teams/{team_id}", responses=_UNKNOWN)
def read_team(team_id: TeamId, headers: Headers, service: Service, actor: Actor) -> TeamBody:
    """Return a team."""
    team = service.teams.get(team_id)
    headers.read(team.revision)
    return TeamBody.model_validate(team)


@router.put("/teams/{team_id}", responses=_UNKNOWN)
def edit_team(
    team_id: TeamId, changes: TeamChanges, service: Service, actor: Actor, edit: IfMatchIfAny
) -> TeamBody:
    """Rename your team, replace its members, or both; as a manager any team."""
    team = service.teams.edit(actor, team_id, **dict(changes), check=edit.check)
    edit.answer(team.revision)
    return TeamBody.model_validate(team)


@router.delete("/teams/{team_id}", responses=_UNKNOWN)
def delete_team(team_id: TeamId, service: Service, actor: Actor, edit: IfMatchIfAny) -> Message:
    """Delete your team, or as a manager any team."""
    service.teams.delete(actor, team_id, edit.check)
    return Message(message="The team is deleted.")


@rounds_router.get("/rounds")
def list_rounds(service: Service, actor: Actor) -> list[RoundBody]:
    """List the rating rounds, the newest first."""
    return [RoundBody.model_validate(each) for each in service.rounds.list()]


@rounds_router.post("/rounds", status_code=201)
def open_round(new: NewRound, service: Service, actor: Actor) -> RoundBody:
    """Open a round, and ask its people by e-mail. For administrators."""
    return RoundBody.model_validate(service.rounds.open(actor, **dict(new)))


@rounds_router.get("/rounds/{round_id}", responses=_UNKNOWN)
def read_round(round_id: RoundId, service: Service, actor: Actor) -> RoundProgress:
    """Return a round with its progress by team."""
    item = service.rounds.get(round_id)
    people = service.rounds.people(item, service.context.reach(actor))
    teams = count_progress(people).items()
    return RoundProgress.from_object(
        item,
        teams={name: dict(zip(RESULTS, counts, strict=True)) for name, counts in teams},
        unfinished=[each.user.username for each in people if not each.is_finished],
    )


@rounds_router.put("/rounds/{round_id}/people/{username}", responses=_UNKNOWN)
def finish_ratings(
    round_id: RoundId, username: Username, sent: RoundRatings, service: Service, actor: Actor
) -> Message:
    """Finish your own ratings in a round, or as a manager those of your people."""
    service.rounds.finish(actor, round_id, username, sent.levels)
    return Message(message="The ratings are finished.")


@rounds_router.post("/rounds/{round_id}/close", responses=_UNKNOWN)
def close_round(round_id: RoundId, service: Service, actor: Actor) -> RoundBody:
    """Close a round. For administrators."""
    return RoundBody.model_validate(service.rounds.close(actor, round_id))
