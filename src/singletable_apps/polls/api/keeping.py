"""A poll: for everybody to see; for whoever has its key to change, close and delete."""

from __future__ import annotations

from fastapi import Response

from singletable_apps.polls.api.asking import AdminKey, Api, PollId, Service, ThisApi
from singletable_apps.polls.api.models.polls import PollChanges, PollShown
from singletable_apps.polls.api.refusals import NO_ADMIN_KEY, SETTLED, topic
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.links import share_link
from singletable_apps.polls.qr import qr_svg
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    Edit,
    IfMatch,
    IfNoneMatch,
    responses,
)

router = topic("polls", NOT_FOUND)
_MANAGED = responses(NO_ADMIN_KEY, NOT_ALLOWED)
_SVG = {"description": "The QR code.", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}


@router.get("/{poll_id:uuid}")
def read_poll(poll_id: PollId, api: ThisApi, look: IfNoneMatch) -> PollShown:
    """A poll, for everybody who knows its id."""
    poll = api.polls.desk.poll(str(poll_id))
    look.answer(poll.revision)
    return PollShown.of(poll, api.settings.public)


@router.patch("/{poll_id:uuid}", responses={**_MANAGED, **responses(SETTLED)})
def change_poll(
    poll_id: PollId, key: AdminKey, sent: PollChanges, api: ThisApi, edit: IfMatch
) -> PollShown:
    """Some things about a poll; options, and how one votes, only while nobody has voted."""
    poll = api.polls.changing.change(str(poll_id), key, sent.on, basis=edit.check)
    return _shown(poll, edit, api)


@router.post("/{poll_id:uuid}/close", responses=_MANAGED)
def close_poll(poll_id: PollId, key: AdminKey, api: ThisApi, edit: IfMatch) -> PollShown:
    """Take no more votes. The results are final when this is answered."""
    poll = api.polls.changing.close(str(poll_id), key, basis=edit.check)
    return _shown(poll, edit, api)


@router.delete("/{poll_id:uuid}", status_code=204, responses=_MANAGED)
def delete_poll(poll_id: PollId, key: AdminKey, polls: Service, edit: IfMatch) -> None:
    """Delete a poll with every vote in it."""
    polls.deleting.delete(str(poll_id), key, basis=edit.check)


@router.get("/{poll_id:uuid}/qr.svg", response_class=Response, responses={200: _SVG})
def draw_qr_code(poll_id: PollId, api: ThisApi) -> Response:
    """The link to the poll as a picture that phones read."""
    poll = api.polls.desk.poll(str(poll_id))
    drawn = qr_svg(share_link(api.settings.public, poll.id))
    return Response(drawn, media_type="image/svg+xml")


def _shown(poll: Poll, edit: Edit, api: Api) -> PollShown:
    edit.answer(poll.revision)
    return PollShown.of(poll, api.settings.public)
