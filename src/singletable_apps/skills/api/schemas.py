"""What the API accepts and returns."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from singletable_apps.skills.entities import Role


class Body(BaseModel):
    """A request or a response; responses are made from entities."""

    model_config = ConfigDict(from_attributes=True)


class Message(Body):
    """What was done."""

    message: str


class NewUser(Body):
    """A new account."""

    username: str
    name: str
    password: str
    email: str = ""


class Credentials(Body):
    """A username and a password."""

    username: str
    password: str


class RefreshToken(Body):
    """The token that renews a session."""

    refresh_token: str


class Tokens(Body):
    """An access token, and a token to renew it."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    refresh_token: str


class Person(Body):
    """A person, without what is secret."""

    username: str
    name: str
    role: Role
    email: str
    title: str
    department: str
    location: str
    about: str
    job_role: str
    created_at: datetime
    updated_at: datetime
