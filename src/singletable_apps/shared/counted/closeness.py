"""How close it was, in one sentence."""

from __future__ import annotations

from singletable_apps.counting import Margin, format_number, pluralize


def margin_words(margin: Margin, *, final: bool, thing: str = "ballot") -> str:
    """How many would have to be different for another outcome; `thing` is what was cast."""
    could = "would have had to be" if final else "would have to be"
    ending = f"{could} different for anybody else to win or share the win."
    if margin.kind == "exact":
        return f"Exactly {pluralize(margin.at_least, thing)} {ending}"
    if margin.at_most is None:
        return f"At least {pluralize(margin.at_least, thing)} {ending}"
    return (
        f"Between {format_number(margin.at_least)} and {pluralize(margin.at_most, thing)} {ending}"
    )
