"""One-time codes: issued, and listed, for whoever has the key of the poll."""

from __future__ import annotations

from singletable_apps.polls.api.asking import AdminKey, PollId, ThisApi
from singletable_apps.polls.api.models.voting import CodeShown, IssuedCodes, NewCodes
from singletable_apps.polls.api.refusals import NO_ADMIN_KEY, topic
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    Page,
    Paging,
    SealedOffsets,
)

router = topic("codes", NO_ADMIN_KEY, NOT_ALLOWED, NOT_FOUND)


@router.post("/{poll_id:uuid}/codes", status_code=201)
def issue_codes(poll_id: PollId, key: AdminKey, sent: NewCodes, api: ThisApi) -> IssuedCodes:
    """So many codes more; they can be listed again at any time."""
    issued = api.polls.making.issue_codes(str(poll_id), key, sent.count)
    public = api.settings.public
    codes = [CodeShown.of(public, str(poll_id), code, used=False) for code in issued]
    return IssuedCodes(codes=codes)


@router.get("/{poll_id:uuid}/codes")
def list_codes(poll_id: PollId, key: AdminKey, api: ThisApi, page: Paging) -> Page[CodeShown]:
    """The codes in the order of their numbers, and which were voted with; never for what."""
    offsets = SealedOffsets(api.polls.desk.secret.key)
    position = offsets.open(page)
    first = position if isinstance(position, int) else 0
    codes = api.polls.making.codes(str(poll_id), key, first=first, size=page.limit + 1)
    following = offsets.seal(page, first + page.limit) if len(codes) > page.limit else None
    public = api.settings.public
    shown = [
        CodeShown.of(public, str(poll_id), one.code, used=one.is_used)
        for one in codes[: page.limit]
    ]
    return page.answer(shown, following)
