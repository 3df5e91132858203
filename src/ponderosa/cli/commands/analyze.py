"""`ponderosa analyze`: what the search thinks of a position. Start at analyze."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import GAME, INTERRUPTED, AsJson, Device, Moves, names_of_agents
from ponderosa.cli.console import patience, preparing, remark, say, show_json
from ponderosa.cli.pictures import Drawing, check_folder, trace_to
from ponderosa.cli.played_games import position_in
from ponderosa.cli.rolls import analyze_rolls
from ponderosa.cli.thinking import chosen, show_report, told
from ponderosa.core.notation import in_a_row, move_names, position
from ponderosa.core.turns import CHANCE, TERMINAL
from ponderosa.errors import SettingError, listed
from ponderosa.mcts.report.table import closing

if TYPE_CHECKING:
    from ponderosa.agents.mcts import MctsAgent
    from ponderosa.core.budget import Budget
    from ponderosa.core.game import Game
    from ponderosa.core.state import State
    from ponderosa.mcts.report.report import Report
    from ponderosa.mcts.report.trace import Tell
    from ponderosa.mcts.search import Search


def analyze(
    ctx: typer.Context,
    game: Annotated[str | None, GAME] = None,
    moves: Moves = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A position of a game in a file: SGF, PGN, JSON or plain text."),
    ] = None,
    number: Annotated[int | None, typer.Option(min=1, metavar="N", help="With --from: which game of the file.")] = None,
    after: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="With --from: after how many moves. [default: all]")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long to search; 1 second when nothing says otherwise.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="How many iterations; with --seconds, whichever ends first.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Policies and budget; other options win over its own.", autocompletion=names_of_agents
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed and iterations give the same answer.")] = None,
    device: Device = None,
    as_json: AsJson = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tree to this file.")] = None,
    tree: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with a saved tree, from its own position.")
    ] = None,
    player: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Who searches, where moves are simultaneous: 1 is the first. [default: the one to move]",
        ),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the tree: FILE.svg, or FILE.dot for Graphviz.")
    ] = None,
    depth: Annotated[int, typer.Option(min=1, help="How many moves deep the tree is drawn.")] = 3,
    min_visits: Annotated[
        int | None, typer.Option(min=0, help="Nodes with fewer visits are not drawn; else a fiftieth of all.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what every iteration did, a line of JSON each.")
    ] = None,
) -> None:
    """Search a position and show what was found for every move."""
    from ponderosa.registry import load_game

    with preparing(game):
        given = _given(source, number, after, {"GAME": game, "--moves": moves, "--tree": tree})
        if game is None and given is None:
            raise SettingError("say which game, as in ponderosa analyze connect4, or --from FILE")
        rules = load_game(game or "") if given is None else given.game
        _check_target(save, rules)
        drawing = None if graph is None else Drawing(graph, depth, min_visits)
        if drawing is not None:
            drawing.check()
        whole = position(rules, moves) if given is None else given
        rolled = tree is None and whole.to_move() == CHANCE
        view = _view(whole, player) if tree is None and not rolled else None
        asked = {"seconds": seconds, "iterations": iterations, "seed": seed, "device": device}
        thinker = _thinker(
            rules, "mcts" if agent is None else agent, {key: value for key, value in asked.items() if value is not None}
        )
        ctx.call_on_close(thinker.close)  # others may use its memory
        files = {"--save": save, "--tree": tree, "--graph": graph, "--trace": trace}
        treeless = not _is_one_tree(agent, rules)
        if treeless or rolled:
            _refuse("there is a tree for each roll" if rolled else f"{agent} has no tree", files, ", or take mcts")
    if rolled:
        analyze_rolls(thinker, whole, as_json)
        return
    if treeless:
        _analyze_without_a_tree(thinker, whole, view, as_json)
        return
    with preparing(rules.spec):
        if tree is None:
            search, state = thinker.search, thinker.seen(view)
        else:
            search, state = _loaded(tree, rules, moves, None if agent is None else thinker, seed), None
            whole = search.root_state
        if save is not None and not hasattr(search.game, "dtype"):
            raise SettingError("the tree of an agent that searches Python objects cannot be saved")
        several = thinker.search.threads > 1
        if (several or thinker.search.settings.many) and (save or tree):
            raise SettingError(
                "a tree in a file is searched by one thread: leave threads, trees and device out, or --save and --tree"
            )
        if several and (graph or trace):
            raise SettingError("what several threads grow cannot be shown: leave threads out, or --graph and --trace")
        _check_trace(trace, thinker.budget)
    with trace_to(trace) as tell:
        report = _run(search, state, thinker.budget, tell)
    report = _with_judgement(report, thinker, search.root_state)
    _show(search.root_state, whole, report, as_json)
    if drawing is not None:
        drawing.draw(report)
    if save is not None:
        search.save(save)
        remark(f"the tree is in {save}")
    if report.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _given(source: Path | None, number: int | None, after: int | None, others: dict[str, Any]) -> State | None:
    """The position that a file of games gives, if one is named."""
    if source is None:
        _refuse("there is no --from FILE", {"--number": number, "--after": after})
        return None
    _refuse("--from FILE says game and moves", others)
    return position_in(source, number or 1, after)


def _view(state: State, player: int | None) -> State:
    """The position as the player who searches it may see it."""
    mover = state.to_move()
    if player is None or mover == TERMINAL:
        return state.observation(mover) if mover >= 0 else state
    if player > state.game.players:
        raise SettingError(f"{state.game.title()} has {state.game.players} players; there is no player {player}")
    if player - 1 != mover and not state.is_simultaneous_node():
        raise SettingError(f"player {player} is not to move here; it is the turn of player {mover + 1}")
    return state.observation(player - 1)


def _check_target(save: Path | None, game: Game) -> None:
    """Say before the search, not after it, that its tree cannot be saved."""
    if save is not None and game.dtype is None:
        raise SettingError(f"the tree of {game.title()} cannot be saved: the game has no dtype")
    if save is not None:
        check_folder(save)


def _with_judgement(report: Report, thinker: MctsAgent, state: State) -> Report:
    """The report, with what the agent's network says by itself, if it has one."""
    from ponderosa.agents.says_its_value import SaysItsValue

    return thinker.told(report, state) if isinstance(thinker, SaysItsValue) else report


def _thinker(game: Game, spec: str, asked: dict[str, Any]) -> Any:
    """The agent of a text, with the settings that the options ask for in the place of its own."""
    from ponderosa.registry import make_agent, split_spec, written_out

    kind, settings = split_spec(written_out(spec, game))
    if asked.keys() & {"seconds", "iterations"}:  # else the agent's limit would cut short what the options ask for
        settings.pop("seconds", None)
        settings.pop("iterations", None)
    settings |= {key: str(value) for key, value in asked.items()}
    return make_agent(kind, settings, game)


def _is_one_tree(spec: str | None, game: Game) -> bool:
    """Whether what the agent of a text thinks is in the tree of its search, and nowhere else."""
    from ponderosa.agents.mcts import MctsAgent
    from ponderosa.registry import agent_class, split_spec, written_out

    return spec is None or issubclass(agent_class(split_spec(written_out(spec, game))[0]), MctsAgent)


def _refuse(why: str, options: dict[str, Any], hint: str = "") -> None:
    """Say that options do not go with others, or with the agent, if they are there."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise SettingError(f"{why}: leave {listed(given)} out{hint}")


def _analyze_without_a_tree(agent: Any, whole: State, view: State | None, as_json: bool) -> None:
    """What an agent says that searches in another way."""
    state = whole if view is None else view
    action = chosen(agent, state)
    report = agent.last_report
    if report is None:
        raise SettingError(f"this agent plays {state.action_to_string(action)} and does not say why; take mcts")
    _show(state, whole, report, as_json)
    if report.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _loaded(tree: Path, game: Game, moves: str | None, thinker: MctsAgent | None, seed: int | None) -> Search:
    """The search of a file, with another agent's policies and another seed when they were asked for."""
    from ponderosa.mcts.search import Search

    solve = None if thinker is None else thinker.search.settings.solve
    phases: dict[str, Any] = {} if thinker is None else thinker.search.policies.by_phase()
    search = Search.load(tree, game, solve=solve, seed=seed, **phases)
    if moves is not None and position(game, moves) != search.root_state:
        its_own = in_a_row(move_names(search.root_state))
        raise SettingError(f"--moves says {moves!r}, and {tree} is of the position after {its_own!r}: leave one out")
    return search


def _check_trace(path: Path | None, budget: Budget) -> None:
    """Say before the search that it cannot be told."""
    from ponderosa.mcts.report.trace import MOST_ITERATIONS

    if path is not None:
        check_folder(path)
        if budget.iterations is None or budget.iterations > MOST_ITERATIONS:
            raise SettingError(f"--trace writes a line an iteration: say --iterations, at most {MOST_ITERATIONS}")


def _run(search: Search, state: State | None, budget: Budget, tell: Tell | None) -> Report:
    with patience("thinking") as update:
        return search.run(
            state,
            iterations=budget.iterations,
            seconds=budget.seconds,
            max_nodes=budget.max_nodes,
            progress=None if update is None else told(update),
            trace=tell,
        )


def _show(state: State, whole: State, report: Report, as_json: bool) -> None:
    """`state` is what was searched; in a game with hidden things, less than the whole position."""
    if as_json:
        plain = report.to_dict()
        show_json({"game": plain.pop("game"), "moves": move_names(whole), "best": plain.pop("best_name"), **plain})
        return
    seen = ", who sees this" if state.game.hidden else ""
    say(f"{state}\n{state.game.player_name(report.player)} to move{seen}\n")
    show_report(report)
    for line in closing(report):
        say(line)
