"""Users, signing in, sessions and permissions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from singletable_apps.elections.api.models.base import Name, Password
from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission, Role
from singletable_apps.elections.rules import allowed_roles
from singletable_apps.shared.web import Model, may_be_left_out

Email = Annotated[str, Field(min_length=3, max_length=200, examples=["grace@example.org"])]


class Registration(Model):
    """Somebody who wants to join."""

    name: Name = Field(description="Without an @.", examples=["Grace"])
    email: Email
    password: Password = Field(
        description="At least 12 characters.", examples=["several words in a row"]
    )


class Credentials(Model):
    """Who somebody says they are, and the password that shows it."""

    name_or_email: Annotated[str, Field(min_length=1, max_length=200)] = Field(examples=["Ada"])
    password: Password = Field(examples=["several words in a row"])


class ResetRequest(Model):
    """Who has forgotten a password."""

    name_or_email: Annotated[str, Field(min_length=1, max_length=200)] = Field(examples=["Ada"])


class NewPassword(Model):
    """Another password, for who got the letter."""

    token: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="From the link in the letter."
    )
    password: Password = Field(examples=["several other words"])


class PasswordChange(Model):
    """Another password, for who knows the present one."""

    current: Password = Field(examples=["several words in a row"])
    new: Password = Field(examples=["several other words"])


class UserChanges(Model):
    """What is to be another about a user; what is left out stays."""

    name: Name = may_be_left_out("Another name.")
    email: Email = may_be_left_out("Another e-mail address.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"name": "Grace H."}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected a name, an email, or both")
        return self


class RoleChange(Model):
    """Another role."""

    role: Role = Field(examples=["VOTER"])


class Account(Model):
    """A user, as who may see the address sees them."""

    name: str
    email: str
    role: Role
    allowed_roles: list[Role] = Field(
        description="The roles to choose from for them, by who asks: the present one included."
    )
    when_registered: datetime
    revision: int = Field(description="The number in the ETag.")

    @classmethod
    def of(cls, user: User, viewer: User) -> Account:
        """The user, as the viewer sees them."""
        return cls(
            name=user.name,
            email=user.email,
            role=user.role,
            allowed_roles=list(allowed_roles(viewer, user)),
            when_registered=user.when_registered,
            revision=user.revision,
        )


class Tokens(Model):
    """Somebody is signed in; the token that renews this one is in the cookie."""

    access_token: str
    token_type: str = Field("Bearer", examples=["Bearer"])
    expires_in: int = Field(description="Seconds.", examples=[600])
    user: Account


class OwnActivity(Model):
    """What somebody has been doing here."""

    user_name: str
    role: Role
    elections_owned: int
    ballots_cast: int


class SessionShown(Model):
    """Somewhere one is signed in."""

    id: str
    about: str = Field(description="What the browser said about itself.")
    begun: datetime
    used: datetime = Field(description="When it was renewed last.")
    ends: datetime


class RolePermissions(Model):
    """What a role may do."""

    role: Role
    permissions: list[Permission]
