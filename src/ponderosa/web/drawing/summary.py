"""A game in a few words of HTML: whose turn it is, its moves, its worst moves. Start at status_line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ponderosa.core.game import Game
from ponderosa.core.turns import CHANCE
from ponderosa.pictures.swatch import player_swatch
from ponderosa.web.drawing.waiting import bar, compiling_words
from ponderosa.web.model.director import Director
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import PREPARING, WAITING, Job
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.sight import Entry, Sight

BLIND = "Others play here, and something is hidden: it can be seen when the game is over."
BRANCHES = "to move; a move here begins a game of your own, and this one stays as it is"
MOST_DICE = 4
"""More of what chance has shown since somebody moved is not told one after the other."""
DIE = '<span class="die" title="chance" aria-label="chance">⚄</span>'


def status_line(sight: Sight) -> str:
    """What the dice show, and whose turn it is, or how it ended."""
    shown = sight.dice()
    if len(shown) > MOST_DICE:  # stones are laid out, or cards are dealt: the board shows them
        shown = shown[-1:]
    dice = f"{DIE} {escape(', '.join(shown))} · " if shown else ""
    return dice + _whose_turn(sight)


def page_title(sight: Sight) -> str:
    """What a browser's tab says: the game, and whether it is one's turn in it."""
    name = sight.session.game.people_call_it()
    return f"Your turn: {name}" if sight.alone() and sight.acts() and not sight.branches() else name


def _whose_turn(sight: Sight) -> str:
    director, session, place = sight.director, sight.session, sight.place
    if sight.blind:
        return f'<span class="what">{BLIND}</span>'
    if place.over:
        return _end(sight)
    if place.mover is None:
        return f'{DIE} <span class="what">chance decides here</span>'
    player = sight.player if sight.player is not None and (sight.acts() or sight.waits()) else place.mover
    name = escape(session.player_names()[player])
    swatch = player_swatch(session.game, player)
    job = director.job
    if sight.waits():
        others = " and ".join(escape(session.player_names()[other]) for other in sorted(session.waiting_for()))
        return f'{swatch}{name} <span class="what">has chosen; waiting for {others}</span>'
    if sight.acts():
        what = "your turn" if sight.alone() else "to move"
        what = "choose; so do the others, unseen" if place.state.is_simultaneous_node() else what
        what = BRANCHES if sight.branches() else what + _where(sight)
        if director.hints(place) and job is not None:
            return f"{swatch}{name} {_waits(job, 'the adviser thinks of a hint …')}"
        if sight.hint:
            what = f"hint: {escape(sight.hint)}"
        elif session.game.players == 1 and what.startswith("your turn"):
            return what.capitalize()
        return f'{swatch}{name} <span class="what">{what}</span>'
    if job is not None and director.purpose == "move" and place.at_end:
        phases = {WAITING: "waits for a free place …", PREPARING: "is preparing …"}
        return f"{swatch}{name} {_waits(job, phases.get(job.phase, 'is thinking …'))}"
    what = "to move" + _where(sight)
    if place.person_moves():
        what += "; you watch" if sight.watches else ""
    elif place.at_end and director.paused:
        what += "; the machine waits"
    return f'{swatch}{name} <span class="what">{what}</span>'


def _where(sight: Sight) -> str:
    """Which position it is, if it is not the last one; while something is hidden, so is the number of moves."""
    place, session = sight.place, sight.session
    return "" if place.at_end or session.secret else f", after {place.ply} of {session.plies} moves"


def _waits(job: Job, what: str) -> str:
    """What an agent does, or what is compiled before it can."""
    if (made := job.compiled) is None:
        return f'<span class="what">{what}</span>'
    return f'<span class="what">waits: {escape(compiling_words(made, job.thinker.game))}</span>{bar(made)}'


OUTCOMES = {"won": "You won", "lost": "You lost", "drawn": "A draw"}


def _end(sight: Sight) -> str:
    """How the game ended: for whoever plays it here alone, in the first place; and what decided it."""
    session = sight.session
    result, why = escape(session.result()), escape(session.decided_by())
    people = [sight.player] if sight.player is not None else sight.guest.people if sight.guest is not None else []
    outcome = session.outcome_for(people[0]) if len(people) == 1 and sight.alone() else ""
    if not outcome:
        return f'{result} <span class="what">{why}</span>' if why else result
    words = f"{OUTCOMES[outcome]}{': ' if why else '.'}{why}"
    return f'<span class="{outcome}">{words}</span> <span class="what">{result if outcome != "drawn" else ""}</span>'


def curve_words(session: GameSession) -> str:
    """What the curve of a game shows, and whose opinion it is."""
    name = session.player_names()[0]
    what = f"expected score of {name}, 100 is the most" if scored(session.game) else f"win probability of {name}"
    return what + (f", as {session.opinion()[0]} sees it" if session.thoughts or session.own else "")


def scored(game: Game) -> bool:
    """Whether a game is about how much one gets, and not about who wins."""
    return game.players == 1 or (game.min_utility, game.max_utility) != (-1.0, 1.0)


def worst_moves(director: Director) -> str:
    """Each side's worst moves, after the game."""
    session = director.session
    if not session.finished:
        return ""
    left = len(director.unreviewed())
    words = f'<span class="quiet">Looking through the game: {left} positions left …</span>' if left else ""
    lines, turns = [], turns_of(session.game.players, [state.to_move() for state in session.states[:-1]])
    for player, moves in session.mistakes().items():
        listed = " ".join(
            f'<button data-go="{move.ply}">{turns[move.ply][0]}. {escape(move.played)} '
            f'<span class="loss">-{100 * move.loss:.0f} %</span> (better {escape(move.best)})</button>'
            for move in moves
        )
        name = escape(session.player_names()[player])
        lines.append(f"<div>{player_swatch(session.game, player)} {name}: {listed or 'no bad move found'}</div>")
    return words + ("" if left else "<div>Worst moves</div>" + "".join(lines))


def move_list(place: Place) -> str:
    """The moves as buttons that go to the position after them."""
    session = place.session
    states = session.states
    entries = [Entry(states[ply].to_move(), name, ply + 1) for ply, name in enumerate(session.names)]
    return _listed(session, entries, lambda entry, name: _button(place, entry, name))


def known_moves(sight: Sight) -> str:
    """The moves that may be known here; while something is hidden, they lead nowhere."""
    if not sight.limited:
        return "" if sight.blind else move_list(sight.place)
    return _listed(sight.session, sight.entries(), lambda entry, name: f"<span>{name}</span>")


def turns_of(players: int, movers: Sequence[int]) -> list[tuple[int, bool]]:
    """For every move, by who made it: the number of its round, and whether a turn begins with it.

    All that a player does in a row is one turn, like the two stones in Connect6. A round ends when somebody who has had
    a turn has another. Who plays alone has a turn with every move, and dice have none.
    """
    found: list[tuple[int, bool]] = []
    number, seen, last = 0, set[int](), CHANCE
    for mover in movers:
        begins = mover != CHANCE and (mover != last or players == 1)
        if begins:
            if mover in seen or number == 0:
                number, seen = number + 1, set()
            seen.add(mover)
            last = mover
        found.append((number, begins))
    return found


def _listed(session: GameSession, entries: list[Entry], drawn: Callable[[Entry, str], str]) -> str:
    """Moves turn by turn, with a number before each round; where turns are long, with a mark of whose they are."""
    players = session.game.players
    turns = turns_of(players, [entry.mover for entry in entries])
    long = any(not begins and entry.mover != CHANCE for entry, (_, begins) in zip(entries, turns, strict=True))
    found, last = [], 0
    for entry, (number, begins) in zip(entries, turns, strict=True):
        if begins and number != last:
            found.append(f'<span class="count">{number}.</span>')
            last = number
        if begins and long:
            found.append(player_swatch(session.game, entry.mover))
        name = "…" if entry.name is None else escape(entry.name)
        found.append(drawn(entry, f"{DIE} {name}" if entry.mover == CHANCE else name))
    return "".join(found) or '<span class="quiet">No move yet.</span>'


def _button(place: Place, entry: Entry, name: str) -> str:
    here = "here" if entry.ply == place.ply else ""
    return f'<button data-go="{entry.ply}" class="{here}">{name}</button>'
