"""Every error of the portfolio.

PortfolioError
├─ RequestRejected    nothing was changed, and the same request will be rejected again
│  ├─ NotFound        no such post, comment, image or account
│  ├─ InvalidInput    the input is not valid; `errors` has a sentence per field
│  ├─ AlreadyTaken    another post has the slug, or another account the address; `errors` as above
│  ├─ NotSignedIn     wrong password, or a session that has ended
│  ├─ NotPermitted    the account may not do this
│  └─ SwitchedOff     the owner has switched off likes, comments or the contact form
└─ SiteBusy           too many concurrent writes, or the mail server does not answer; try again
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable_apps.shared import accounts
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.permissions import NotPermitted

__all__ = [
    "AlreadyTaken",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSignedIn",
    "PortfolioError",
    "RequestRejected",
    "SiteBusy",
    "SwitchedOff",
]


class PortfolioError(AppError):
    """Base class of the errors of the portfolio, except NotPermitted of the toolkit."""


class RequestRejected(PortfolioError):
    """The request was rejected and nothing was changed."""


class NotFound(RequestRejected):
    """There is no such post, comment, image or account."""


class InvalidInput(RequestRejected):
    """The input is not valid. `errors` has a sentence for each invalid field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


class AlreadyTaken(InvalidInput):
    """Another post has the slug, or another account has the e-mail address."""


class NotSignedIn(RequestRejected, accounts.NotSignedIn):
    """The password is wrong, or the session has ended. `field` is the field at fault, if any."""


class SwitchedOff(RequestRejected):
    """The owner of the site has switched this off."""


class SiteBusy(PortfolioError):
    """Too many others are writing right now, or the mail server does not answer.

    Nothing was changed; try again.
    """
