"""Search for people by their skills, and teams."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path, Query
from pydantic import Field

from singletable_apps.shared import web
from singletable_apps.shared.frame.people_api import Message
from singletable_apps.skills.api.dependencies import Actor, Service
from singletable_apps.skills.api.schemas import Body, PersonSummary, UserSkillBody
from singletable_apps.skills.entities import Team
from singletable_apps.skills.search_rules import parse_rows

router = web.api_router("search and teams", *web.SIGNED_IN)
TeamId: TypeAlias = Annotated[str, Path(description="The id of a team.")]
Filter: TypeAlias = Annotated[str, Query(max_length=100)]
_UNKNOWN = web.responses(web.NOT_FOUND)
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
    """A person matching all criteria, with the skill for each of them."""

    person: PersonSummary
    score: float = Field(description="The sum of the scores of the skills.")
    skills: list[MatchedSkill]


class FoundPeople(web.Page[FoundPerson]):
    """A page of the people matching all criteria, best first."""

    total: int


class NewTeam(web.Model):
    """A team to save."""

    name: str
    members: list[str] = Field(default_factory=list)


class TeamChanges(web.Model):
    """What to change; the rest stays as it is."""

    name: str | None = None
    members: list[str] | None = None
    manager: str | None = Field(None, description="Who rates the members. For administrators.")


class TeamBody(Body, of=Team, only="team_id name members manager created_by created_at updated_at"):
    """A team."""


@router.get("/search")
def search_people(
    service: Service,
    actor: Actor,
    page: web.Pagination,
    skill: Annotated[
        list[str], Query(description=_SKILL, examples=[["golang:Advanced:5:2024-01-01"]])
    ],
    department: Filter = "",
    location: Filter = "",
    job: Filter = "",
) -> FoundPeople:
    """Find the people matching all criteria, best first."""
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


@router.get("/teams")
def list_teams(service: Service, actor: Actor, page: web.Pagination) -> web.Page[TeamBody]:
    """List the teams by name."""
    found = service.teams.page(page.limit, page.cursor)
    return page.answer([TeamBody.model_validate(team) for team in found.items], found.cursor)


@router.post("/teams", status_code=201, responses=web.CREATED)
def create_team(new: NewTeam, headers: web.Headers, service: Service, actor: Actor) -> TeamBody:
    """Save a team of existing people."""
    team = service.teams.create(actor, new.name, new.members)
    headers.created(team.revision, "read_team", team_id=team.team_id)
    return TeamBody.model_validate(team)


@router.get("/teams/{team_id}", responses={**_UNKNOWN, **web.TAGGED})
def read_team(team_id: TeamId, headers: web.Headers, service: Service, actor: Actor) -> TeamBody:
    """Return a team."""
    team = service.teams.get(team_id)
    headers.read(team.revision)
    return TeamBody.model_validate(team)


@router.put("/teams/{team_id}", responses=_UNKNOWN)
def edit_team(
    team_id: TeamId, changes: TeamChanges, service: Service, actor: Actor, edit: web.IfMatch
) -> TeamBody:
    """Rename your team, replace its members, or both; as a manager any team."""
    team = service.teams.edit(actor, team_id, **dict(changes), check=edit.check)
    edit.answer(team.revision)
    return TeamBody.model_validate(team)


@router.delete("/teams/{team_id}", responses=_UNKNOWN)
def delete_team(team_id: TeamId, service: Service, actor: Actor, edit: web.IfMatch) -> Message:
    """Delete your team, or as a manager any team."""
    service.teams.delete(actor, team_id, edit.check)
    return Message(message="The team is deleted.")
