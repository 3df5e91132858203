"""Lets a game go on: machines move, an adviser thinks, a finished game is reviewed. Start at Director.tick.

Nothing here waits: the page, the API and the tests call `tick` from time to time, and it does what has become due.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future

from ponderosa.core.dice import MOST_ROLLS, dice_for_ever
from ponderosa.core.state import State
from ponderosa.errors import PonderosaError
from ponderosa.levels import adviser
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import PERSON, takes, with_seconds
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import FAILED, THINKING, Job, Runner, Thinker
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.shares import NO_VISITOR, Visitor

REVIEW_SECONDS = 0.3
"""How long the adviser looks at each position of a finished game."""


class Director:
    """A game session and the searches that it needs."""

    def __init__(
        self,
        session: GameSession,
        runner: Runner,
        clock: Callable[[], float] = time.monotonic,
        keep: Callable[[GameSession], Future[None] | None] | None = None,
        visitor: Visitor = NO_VISITOR,
    ) -> None:
        """`keep` saves the game after every change; its searches are the visitor's."""
        self.session = session
        self.runner = runner
        self._clock, self._keep = clock, keep
        self.visitor = visitor
        """Whose searches these are."""
        self.saving: Future[None] | None = None
        """What is done when the game is saved as it is now."""
        self.ended = False
        """Whether the game was closed for good: then nothing goes on."""
        self.paused = False
        """Whether machines wait until they are told to go on."""
        self.pace = 0.0
        """A machine's move takes at least this many seconds."""
        self.places: list[Place] = []
        """Where people look at the game."""
        self.reviewing = True
        """Whether a finished game is looked through."""
        self.adviser = adviser(session.game)
        """The agent that gives hints and advice."""
        self.message = ""
        """What went wrong last, in words."""
        self.version = 0
        """Counts up whenever the position, the seats or the reports change."""
        self._thinkers: dict[tuple[str, str], Thinker] = {}
        self._job: Job | None = None
        self._purpose = ""
        self._ply = 0
        self._player = 0
        self._begun = 0.0
        self._seen: object = None
        self._steps = 0
        self._hinting: Place | None = None
        """Where somebody waits for a hint."""
        self._refused: set[tuple[str, int]] = set()
        self._told: list[object] | None = None
        self._telling: Future[None] | None = None

    @property
    def job(self) -> Job | None:
        """The search that runs or waits for this game."""
        return self._job

    @property
    def purpose(self) -> str:
        """What the search is for: "move", "advice" or "review"."""
        return self._purpose if self._job is not None else ""

    def hints(self, place: Place) -> bool:
        """Whether the adviser thinks of a hint that somebody waits for in this place."""
        return self._hinting is place and self._job is not None

    def tick(self) -> bool:
        """Do what is due; True: something has changed."""
        if self.ended:
            return False
        before = self.version
        self.look_at_clocks()
        self._hear()
        self._roll()
        self._tell_end()
        self.save()
        if self._job is None:
            self._start()
        self.look_at_clocks()
        return self.version != before

    def look_at_clocks(self) -> None:
        """Let the clocks run for those who are to move; whose flag has fallen loses."""
        session = self.session
        if session.clocks is None:
            return
        fallen = session.clocks.look(self._clock(), session.plies, session.waiting_for(), self._on_the_clock())
        if fallen is not None and not session.finished:
            session.lose_on_time(fallen)
            self._drop_job()
            self.save()
            self.version += 1

    def _on_the_clock(self) -> set[int]:
        """The players whose clock runs now."""
        session = self.session
        if self.paused or not self.places or session.plies == len(session.given):
            return set()
        thinking = self.purpose == "move" and self._job is not None and self._job.phase == THINKING
        machine = self._player if thinking else None
        return {p for p in session.waiting_for() if session.seats[p] == PERSON or p == machine}

    @property
    def now(self) -> float:
        """The time by which the clocks of the game run."""
        return self._clock()

    def save(self) -> None:
        """Have the game saved, if it has changed."""
        if self._keep is not None and self.session.unsaved and not self.ended:
            self.saving = self._keep(self.session)

    def roll(self) -> None:
        """Let chance decide as long as it is to, and as long as the game can go on."""
        self._roll()
        self.save()

    def _roll(self) -> None:
        for _ in range(MOST_ROLLS):
            if not self.session.dice_due() or ("dice", self.session.plies) in self._refused:
                return
            try:
                self.session.roll()
            except PonderosaError as error:
                self._give_up("dice", str(error))
            self.version += 1
        if self.session.dice_due():
            self._give_up("dice", str(dice_for_ever(self.session.game)))

    def _give_up(self, purpose: str, message: str) -> None:
        """Say why the game cannot go on from its last position."""
        self.message = message
        self._refused.add((purpose, self.session.plies))

    def _hear(self) -> None:
        """Take what the running search has found."""
        job = self._job
        if job is None:
            return
        if job.report is not None and job.report is not self._seen:
            self._seen = job.report
            self._note(job.report)
            self.version += 1
        if not job.over:
            return
        if self._purpose == "move" and job.error is None and self._clock() - self._begun < self.pace:
            return  # a machine that is quicker than the pace waits with its move
        self._job = None
        self.version += 1
        if job.resigned and self._purpose == "move" and not self.session.finished:
            self.session.resign(self._player)
        elif job.phase == FAILED:
            self.message = job.error or "the search failed"
            self._refused.add((self._purpose, self._ply))
            self._hinting = None
            self.paused = self.paused or self._purpose == "move"
        elif self._purpose == "move":
            self._make_move(job)
        elif self._hinting is not None:
            self._give_hint(job, self._hinting)

    def _tell_end(self) -> None:
        """When a game is played to its end, let the machines that played learn from it, once."""
        if self._telling is not None and self._telling.done():
            error, self._telling = self._telling.exception(), None
            if error is not None:
                self.message, self.version = str(error), self.version + 1
        last = self.session.states[-1]
        if not last.is_terminal() or last.history() == self._told or self._telling is not None:
            return
        self._told = last.history()
        players = [thinker for (kind, _), thinker in self._thinkers.items() if kind.startswith("move of")]
        if players:
            self._telling = self.runner.prepare(lambda: _tell_all(players, last.clone(), self.runner.limits))

    def _note(self, report: Report) -> None:
        """Keep what was found out; while something is hidden, it is the player's alone, and a machine's is nobody's."""
        if not self.session.game.viewed or self._purpose == "review":
            self.session.note(self._ply, report, advice=self._purpose != "move")
        elif self._purpose == "advice":
            self.session.private[self._ply, self._player] = report

    def _make_move(self, job: Job) -> None:
        session, player = self.session, self._player
        due = player in session.waiting_for() and session.seats[player] != PERSON
        if session.plies == self._ply and due:
            try:
                session.choose(player, job.action)
            except PonderosaError as error:
                self._give_up("move", str(error))
                return
            self._roll()
            self._steps = max(0, self._steps - 1)

    def _give_hint(self, job: Job, place: Place) -> None:
        self._hinting = None
        if place.ply == self._ply and self._player == place.asker():
            place.take_hint(self._ply, place.state.observation(self._player).action_to_string(job.action))

    def _start(self) -> None:
        """Begin the search that is due, if any."""
        session = self.session
        machine, advised = self.machine_due(), self._hinting or self._advice_due()
        if self._hinting is None and machine is not None:
            self._think("move", session.plies, session.seats[machine], machine)
        elif advised is not None:
            self._advise(advised)
        elif self.reviewing and session.finished and self.unreviewed():
            spec = with_seconds(self.adviser, REVIEW_SECONDS) if takes(self.adviser, "seconds") else self.adviser
            ply = self.unreviewed()[-1]
            self._think("review", ply, spec, session.states[ply].to_move())

    def _advise(self, place: Place) -> None:
        """Let the adviser look at what somebody looks at, with their eyes."""
        asker = place.asker()
        if asker is not None:
            self._think("advice", place.ply, self.adviser, asker)

    def machine_due(self) -> int | None:
        """The player for whom a machine is to move now, if it is not paused."""
        session = self.session
        if self.paused and not self._steps:
            return None
        return next((player for player in sorted(session.waiting_for()) if session.seats[player] != PERSON), None)

    def _advice_due(self) -> Place | None:
        """A place at which somebody waits for advice."""
        return next((place for place in self.places if place.advised and self._unknown(place)), None)

    def _unknown(self, place: Place) -> bool:
        """Whether the adviser has yet to say what it thinks of a position, to whoever looks at it."""
        session, asker = self.session, place.asker()
        if asker is None or (session.game.viewed and not session.secret):
            return False
        return (place.ply, asker) not in session.private if session.secret else place.ply not in session.thoughts

    def unreviewed(self) -> list[int]:
        """The positions of the game that the adviser has not seen; from the last on, so that it knows what came."""
        session = self.session
        return [
            ply
            for ply in range(session.plies)
            if ply not in session.thoughts
            and ("review", ply) not in self._refused
            and session.states[ply].to_move() >= 0
        ]

    def _think(self, purpose: str, ply: int, spec: str, player: int) -> None:
        if (purpose, ply) in self._refused:
            return
        secret = self.session.game.viewed  # then nobody's tree may serve another player
        kind = f"move of {player}" if purpose == "move" else f"advice of {player}" if secret else "advice"
        key, clocks = (kind, spec), self.session.clocks
        try:
            if key not in self._thinkers:
                self._thinkers[key] = Thinker(spec, self.session.game, self.session.seed)
            self._job = self.runner.submit(
                self._thinkers[key],
                self.session.states[ply].observation(player),
                self.visitor,
                clocks=None if purpose != "move" or clocks is None else clocks.told(ply, player),
            )
        except PonderosaError as error:
            self.message, self._hinting = str(error), None
            self._refused.add((purpose, ply))
            return
        self._purpose, self._ply, self._player = purpose, ply, player
        self._begun, self._seen = self._clock(), None
        self.version += 1

    def stop_now(self) -> None:
        """End the running search; its answer counts."""
        if self._job is not None:
            self._job.stop()

    def go_on(self, place: Place) -> None:
        """Let the adviser think on about a position."""
        if self._job is None:
            self._refused.clear()
            self._advise(place)

    def ask_hint(self, place: Place) -> None:
        """Let the adviser say what it would play in a position."""
        if place.asker() is None:
            return
        self._refused.clear()
        self._drop_job()
        self._hinting = place
        self.tick()

    def look(self, place: Place) -> None:
        """Somebody begins to look at the game."""
        self.places.append(place)

    def look_elsewhere(self, place: Place) -> None:
        """Somebody looks at another position, or no longer at all: advice that nobody waits for ends."""
        if self._hinting is place:
            self._hinting = None
        wanted = any(place.ply == self._ply and place.advised for place in self.places)
        if self.purpose == "advice" and self._hinting is None and not wanted:
            self._drop_job()

    def look_away(self, place: Place) -> None:
        """Somebody no longer looks at the game."""
        self.places.remove(place)
        self.look_elsewhere(place)

    def step(self) -> None:
        """Let a paused machine make one move."""
        self._refused.clear()
        self._steps = 1
        self.tick()

    def pause(self, paused: bool) -> None:
        """Let the machines wait, or go on."""
        self.paused, self._steps = paused, 0
        self._refused.clear()
        if paused and self._purpose == "move":
            self._drop_job()
        self.version += 1

    def changed(self) -> None:
        """The position or the seats were changed from outside: what was under way is out of date."""
        self.look_at_clocks()
        self._drop_job()
        self._refused.clear()
        self._hinting, self.message = None, ""
        for place in self.places:
            place.forget_hint()
        self._forget_unused()
        self.save()
        self.version += 1

    def set_seat(self, player: int, seat: str) -> None:
        """Somebody else plays for a player from now on."""
        self.session.set_seat(player, seat)
        self.changed()

    def set_seconds(self, player: int, seconds: float) -> None:
        """A machine thinks longer or shorter from now on."""
        self.set_seat(player, with_seconds(self.session.seats[player], seconds))

    def set_adviser(self, spec: str) -> None:
        """Another agent gives advice from now on; what the old one said of what is looked at is forgotten."""
        if spec != self.adviser:
            self.adviser = spec
            for place in self.places:
                self.session.thoughts.pop(place.ply, None)
            self.session.private.clear()
            self.changed()

    def _drop_job(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _forget_unused(self) -> None:
        """Let go of agents that nobody plays with any more."""
        used = {(f"move of {player}", seat) for player, seat in enumerate(self.session.seats) if seat != PERSON}
        for key in [key for key in self._thinkers if not key[0].startswith("advice") and key not in used]:
            self.runner.forget(self._thinkers.pop(key))

    def close(self) -> None:
        """The game is left: stop its search and free its trees."""
        self._drop_job()
        for thinker in self._thinkers.values():
            self.runner.forget(thinker)
        self._thinkers.clear()

    def end(self) -> None:
        """The game is closed for good."""
        self.ended = True
        self.close()


def _tell_all(players: list[Thinker], last: State, limits: Limits) -> None:
    for thinker in players:
        thinker.finish(last, limits)
