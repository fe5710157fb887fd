"""How a table stands apart from the settings that it should have."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.infrastructure.described import Described
from singletable.infrastructure.difference import Change, Difference
from singletable.infrastructure.encryption import OWNED, in_words, is_another
from singletable.infrastructure.settings import NO_SETTINGS, TableSettings


def setting_differences(settings: TableSettings, described: Described) -> Iterator[Difference]:
    """What differs of that which somebody cares about; all of it can be changed in place."""
    name = described.table.table_name
    for about, wanted, there, advice in (
        *_of_the_table(settings, described),
        *_recovery(settings, described),
        *_encryption(settings, described),
    ):
        if wanted is not None and wanted != there:
            yield Difference(name, about, wanted, there or "none", Change.IN_PLACE, advice)


def untold(described: Described, settings: TableSettings = NO_SETTINGS) -> list[str]:
    """What somebody cares about and the address does not tell, in words."""
    told: list[str] = []
    if settings.recovery_days is not None and described.recovery_days is None:
        told.append(
            "point-in-time recovery: cannot be told at this address, which knows of no backups of "
            "the table."
        )
    key = settings.encryption
    if key is not None and is_another(key, described.key) is None:
        meant = in_words(key)
        told.append(f"encryption: there is {described.key}. Only KMS can tell if it is {meant}.")
    return told


def _of_the_table(
    settings: TableSettings, described: Described
) -> Iterator[tuple[str, str | None, str | None, str]]:
    table = described.table
    stream = table.stream_specification
    view = stream.stream_view_type if stream is not None and stream.stream_enabled else None
    kind = table.table_class_summary
    yield "stream", settings.stream, view, "UpdateTable switches it on; to change it, off first."
    yield (
        "deletion protection",
        _on(settings.deletion_protection),
        _on(table.deletion_protection_enabled),
        "UpdateTable changes it at once.",
    )
    yield (
        "table class",
        settings.table_class,
        "STANDARD" if kind is None else kind.table_class,
        "UpdateTable changes it, twice a month at most.",
    )


def _recovery(settings: TableSettings, described: Described) -> Iterator[tuple[str, str, str, str]]:
    wanted, there = settings.recovery_days, described.recovery_days
    if wanted is None or there is None:
        return
    advice = "UpdateContinuousBackups changes it."
    if not there:
        advice = "UpdateContinuousBackups switches it on; what was before cannot be recovered."
    elif wanted < there:
        advice = "UpdateContinuousBackups changes it, and what is older is lost at once."
    yield "point-in-time recovery", _days(wanted), _days(there), advice


def _encryption(
    settings: TableSettings, described: Described
) -> Iterator[tuple[str, str, str, str]]:
    wanted, there = settings.encryption, described.key
    if wanted is not None and is_another(wanted, there):
        advice = "UpdateTable changes it, up to four times a day."
        yield "encryption", in_words(wanted), there or OWNED, advice


def _on(value: bool | None) -> str | None:
    return None if value is None else "on" if value else "off"


def _days(number: int) -> str:
    return f"{number} day{'' if number == 1 else 's'}" if number else "off"
