"""Who plays: a person, a level, or any agent with its time. Start at SeatChooser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from nicegui import ui

from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError
from ponderosa.web.model.catalogue import ADVISER, PERSON, offered, same_agent, setting_of, takes, with_seconds
from ponderosa.web.model.hub import Hub

AGENT = "agent"
"""The choice that opens a field for an agent's text."""


class SeatChooser:
    """Fields for one seat: a person, a level of difficulty or an agent, and a thinking time."""

    def __init__(
        self,
        hub: Hub,
        words: str,
        seat: str,
        on_change: Callable[[], Any],
        nobody: str | None = PERSON,
        advises: bool = False,
        game: Game | None = None,
    ) -> None:
        """`nobody` is the choice that is no agent, if there is one; `advises`: the adviser can be chosen, too.

        Without a game all levels are offered; those that it lacks are the next higher ones.
        """
        self._on_change, self._most = on_change, hub.limits.max_seconds
        self._quiet = True
        self._nobody = nobody
        self._hub = hub
        self._usual = [text for text in (nobody, ADVISER if advises else None, *offered(game)) if text]
        self._networks = hub.catalogue.networks(game)
        choices = self._choices()
        with ui.element("div").classes("line tight"):
            self.choice = ui.select(choices, value=next(iter(choices)), label=words, on_change=self._chosen)
            self.choice.props("dense options-dense outlined").classes("grow")
            granted = {
                f"{self._most:g} s at most": lambda value: value is None or value <= self._most,
                "more than 0": lambda value: value is None or value > 0,
            }
            self.seconds = ui.number(
                "seconds", min=0.01, step=0.5, format="%g", on_change=self._timed, validation=granted
            )
            self.seconds.props("dense outlined debounce=500 hide-bottom-space").style("width:6.2rem")
        self.text = ui.input("agent: name:key=value,…", autocomplete=hub.catalogue.agent_names, on_change=self._typed)
        self.text.props("dense outlined debounce=600").classes("wide mt-1")
        self.set(seat)

    def _choices(self) -> dict[str, str]:
        """What can be chosen, and what it is called."""
        usual = {text: text.rpartition(":")[2].capitalize() for text in self._usual}
        return usual | self._networks | {AGENT: "Agent …"}

    def know(self, game: Game) -> None:
        """Offer the networks that know this game."""
        found = self._hub.catalogue.networks(game)
        if found != self._networks:
            seat, self._quiet, self._networks = self.seat, True, found
            self.choice.set_options(self._choices(), value=AGENT)
            self.set(seat)

    def set(self, seat: str) -> None:
        """Show a seat: PERSON, a level, or an agent's text."""
        self._quiet = True
        network = next((text for text in self._networks if _is_network(seat, text)), None)
        known = network or (seat if seat in self._usual else AGENT)
        self.choice.value = known
        self.text.value = seat if known == AGENT else self.text.value or "mcts:seconds=1"
        self._show()
        if network is not None:
            said = setting_of(seat, "seconds")
            self.seconds.value = float(said) if said else None
        self._quiet = False

    def _show(self) -> None:
        """Show the fields that the choice needs."""
        self.text.set_visibility(self.choice.value == AGENT)
        self.seconds.set_enabled(self.choice.value != self._nobody)
        if self.choice.value == AGENT:
            with suppress(PonderosaError, ValueError):  # half a name is typed; whoever uses it says what is wrong
                said = setting_of(self.text.value, "seconds")
                self.seconds.value = float(said) if said else None
        else:
            self.seconds.value = None

    @property
    def seat(self) -> str:
        """What was chosen: PERSON, a level, or an agent's text."""
        return str(self.text.value) if self.choice.value == AGENT else str(self.choice.value)

    @property
    def time(self) -> float | None:
        """The thinking time that was asked for in its field."""
        return None if self.seconds.value is None else min(float(self.seconds.value), self._most)

    def _chosen(self) -> Any:
        if not self._quiet:
            self._quiet = True
            self._show()
            self._quiet = False
            return self._on_change()  # what is to be waited for, if anything

    def _typed(self) -> Any:
        return self._chosen() if self.choice.value == AGENT else None

    def _timed(self) -> Any:
        if self._quiet or self.time is None:
            return None
        if self.choice.value == AGENT:
            self._quiet = True
            with suppress(PonderosaError, ValueError):
                if takes(self.text.value, "seconds"):
                    self.text.value = with_seconds(self.text.value, self.time)
            self._quiet = False
        return self._on_change()


def _is_network(seat: str, network: str) -> bool:
    """Whether a seat has this network, with whatever thinking time."""
    try:
        return same_agent(seat, network)
    except PonderosaError:  # half a text was typed
        return False
