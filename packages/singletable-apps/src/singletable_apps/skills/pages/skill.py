"""The page of a skill: its description, the number of people at each level, and the people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from singletable_apps.shared.pages import ListQueryParameters
from singletable_apps.skills.entities import Level
from singletable_apps.skills.pages.dependencies import Segment, UserPage
from singletable_apps.skills.rules import LEVELS, PERMISSIONS, RANKS, Permission, people_at
from singletable_apps.skills.service.user_skills import HolderFilter

router = APIRouter()
_PAGE = 25


@router.get("/catalog/{skill_id}")
def show_skill(
    page: UserPage,
    skill_id: Segment,
    query: ListQueryParameters,
    level: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show a skill with the people who have it, the best first. Other spellings redirect here."""
    service, urls = page.service, page.urls
    skill = service.catalog.get(skill_id)
    if skill.skill_id != skill_id:
        return page.redirect(urls.skill(skill.skill_id))
    chosen = Level(level) if level in LEVELS else None
    if chosen is None:
        found = service.user_skills.list_best(skill_id, limit=_PAGE, cursor=query.cursor)
    else:
        wanted = HolderFilter(level=chosen, min_years=0)
        found = service.user_skills.list_people(skill_id, wanted, limit=_PAGE, cursor=query.cursor)
    people = service.context.get_users([each.username for each in found.items])
    count = service.catalog.counts([skill_id])[skill_id]
    own = service.user_skills.find(page.user.username, skill_id)
    return page.render(
        "skill",
        skill=skill,
        total=people_at(count),
        levels=[
            (each, RANKS[each], getattr(count, each.lower()), urls.skill(skill_id, level=each))
            for each in reversed(LEVELS)
        ],
        level=chosen,
        holders=query.page(found.items, found.cursor),
        people=people,
        own=own,
        ranks=RANKS,
        can_administer=PERMISSIONS.allows(page.user.role, Permission.ADMINISTER),
    )
