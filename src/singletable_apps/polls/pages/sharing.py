"""What is handed out: the link to vote as text and as a QR code, and the admin link to keep."""

from __future__ import annotations

from markupsafe import Markup

from singletable_apps.polls.links import admin_link, share_link
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.qr import qr_svg
from singletable_apps.polls.service import Own


def shared(site: Site, own: Own) -> dict[str, object]:
    """The links of a poll, for who manages it."""
    public = site.settings.public
    link = share_link(public, own.poll.id)
    return {
        "link": link,
        "qr": Markup(qr_svg(link)),
        "admin_link": admin_link(public, own.poll.id, own.admin_key),
    }
