"""Pictures of options, which the organizer chooses."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.polls import patterns
from singletable_apps.polls.entities import OptionPicture, Poll
from singletable_apps.polls.errors import InvalidInput, NotFound
from singletable_apps.polls.rules import MAX_TITLE, printable_excerpt
from singletable_apps.polls.service.context import Context, retry_edits
from singletable_apps.shared.pictures import Picture, prepare_picture
from singletable_apps.shared.text import is_printable, normalize_line


@dataclass(frozen=True, slots=True)
class Pictures:
    """Set, find and copy pictures."""

    context: Context

    def set(self, poll_id: str, admin_key: str, option: str, data: bytes | None, alt: str) -> Poll:
        """Set the picture of an option, or what it shows; empty `data` removes it."""
        self.context.get_managed_poll(poll_id, admin_key)
        new = prepare_picture(data) if data else ("", b"")
        if len(alt := normalize_line(alt)) > MAX_TITLE or not is_printable(alt):
            message = f"Enter a description of at most {MAX_TITLE} visible characters."
            raise InvalidInput({"alt": message})
        return self._set(poll_id, option, None if data is None else new, alt)

    def copy(self, source: str, poll: Poll) -> Poll:
        """Copy the pictures of the poll with the id `source`, of options that both have."""
        original = self.context.find_poll(source)
        for option, picture in original.pictures.items() if original is not None else ():
            found = self.context.store.run(patterns.picture, source, picture.name)
            if found is not None and option in poll.candidates:
                poll = self._set(poll.id, option, (found.name, found.content), picture.alt)
        return poll

    def find(self, poll_id: str, name: str) -> bytes:
        """Return the content of a picture, or raise NotFound."""
        found = self.context.store.run(patterns.picture, poll_id, name)
        if found is None:
            raise NotFound("There is no such picture.")
        return found.content

    @retry_edits
    def _set(self, poll_id: str, option: str, new: tuple[str, bytes] | None, alt: str) -> Poll:
        poll = self.context.get_poll(poll_id)
        if option not in poll.candidates:
            raise NotFound(f"“{printable_excerpt(option)}” is not an option of this poll.")
        before = poll.pictures.get(option, Picture("", ""))
        name, content = (before.name, b"") if new is None else new
        pictures = {each: one for each, one in poll.pictures.items() if each != option}
        if name:
            pictures[option] = Picture(name, alt)
        with self.context.store.transaction(pattern=patterns.set_picture) as transaction:
            if content:
                transaction.put(OptionPicture(poll_id=poll_id, name=name, content=content))
            if before.name and before.name not in [each.name for each in pictures.values()]:
                transaction.delete(OptionPicture.key(poll_id, before.name))
            is_unchanged = Poll.revision == poll.revision
            transaction.update(Poll.key(poll_id), Poll.pictures.set(pictures), if_=is_unchanged)
        return self.context.get_poll(poll_id)
