"""The URLs of an app's pages, below the prefix at which the app is mounted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote, urlencode

LOCAL = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Urls:
    """Builds URLs. `public` is the origin of the server, without a slash at the end.

    An app inherits from it with its own prefix, and adds a method for each kind of page.
    """

    # The parts of the URL of the account pages, which are below it.
    account_path: ClassVar[tuple[str, ...]] = ()
    prefix: str
    public: str = LOCAL

    @property
    def home(self) -> str:
        """The page after signing in."""
        return self.page()

    @property
    def signed_out(self) -> str:
        """The page after signing out."""
        return self.account("sign-in")

    def page(self, *parts: str, **query: str) -> str:
        """Return the URL of a page; every part is quoted."""
        path = "/".join([self.prefix, *(quote(part, safe="") for part in parts)]) or "/"
        return f"{path}?{urlencode(query)}" if query else path

    def absolute(self, path: str) -> str:
        """Return the URL with its origin, for e-mails, shared links and QR codes."""
        return f"{self.public}{path}"

    def account(self, *parts: str, **query: str) -> str:
        """Return the URL of an account page, such as the one to sign in."""
        return self.page(*self.account_path, *parts, **query)

    def link(self, page: str, token: str) -> str:
        """Return the link in an e-mail to an account page, such as "email/old"."""
        return self.absolute(self.account(*page.split("/"), token=token))
