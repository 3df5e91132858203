"""The terminal plays every class of games: dice, hidden things, choices at once, one player."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ponderosa.core.dice import roll_on
from ponderosa.core.notation import position
from tests.cli.conftest import Run
from tests.helpers import EVERY_GAME, loaded
from tests.small_games import SMALL_GAMES, BlindRow, Doubling, HighCard, Pennies, Race, spec


@pytest.mark.parametrize("kind", SMALL_GAMES)
def test_every_class_can_be_watched_to_its_end(ponderosa: Run, kind: type) -> None:
    agents = [f"random:seed={seat}" for seat in range(kind.players)]
    ran = ponderosa("watch", spec(kind), *agents, "--seed", "3")
    assert ran.code == 0
    assert position(kind(), ran.moves).is_terminal()
    assert ran.moves == ponderosa("watch", spec(kind), *agents, "--seed", "3").moves
    assert ("You see everything" in ran.err) == kind().viewed
    assert ("--seed 3" in ran.err) == kind.chance


@pytest.mark.parametrize(
    "name", [name for name in EVERY_GAME if loaded(EVERY_GAME[name]).chance or loaded(EVERY_GAME[name]).viewed]
)
def test_every_registered_game_of_a_special_class_can_be_watched_and_played(ponderosa: Run, name: str) -> None:
    game = loaded(EVERY_GAME[name])
    ran = ponderosa("watch", EVERY_GAME[name], *["random"] * game.players, "--seed", "1")
    assert ran.code == 0 and position(game, ran.moves).is_terminal()
    first = game.new_initial_state()
    roll_on(first, random.Random(1))
    choice = first.action_to_string(first.legal_actions()[0])
    typed = f"{choice}\nundo\nmoves\n{choice}\nquit\n"
    played = ponderosa("play", EVERY_GAME[name], "--agent", "random", "--seed", "1", typed=typed)
    assert played.code == 0 and " to " in played.out


def test_watching_shows_what_is_hidden_and_announces_dice(ponderosa: Run) -> None:
    out = ponderosa("watch", spec(HighCard), "random", "random", "--seed", "1").out
    assert "Chance: card" in out and "hidden" not in out.partition("plays")[2]


def test_as_many_agents_as_players(ponderosa: Run) -> None:
    ran = ponderosa("watch", spec(Race), "random", "random")
    assert ran.code == 2 and "3 players: name one agent for each, not 2" in ran.err


def test_a_player_alone_sees_the_dice_and_the_score(ponderosa: Run) -> None:
    ran = ponderosa(
        "play", spec(Doubling), "--agent", "random", "--moves", "flip heads", typed="undo\nflip\nstop\nstop\n"
    )
    assert "2 points" in ran.out
    assert "Chance: heads" in ran.out or "Chance: tails" in ran.out
    assert "The game is over: " in ran.out and " got " in ran.out


def test_the_same_seed_gives_the_same_dice(ponderosa: Run) -> None:
    typed = "flip\n" * 5 + "stop\n"
    games = [
        ponderosa("play", spec(Doubling), "--agent", "random", "--seed", str(seed), typed=typed) for seed in (4, 4)
    ]
    assert games[0].out == games[1].out


def test_only_the_persons_own_card_is_shown_while_the_game_runs(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(HighCard), "--agent", "random", "--moves", "card3 card8", typed="moves\npass\n")
    before, _, end = ran.out.partition("plays pass")
    assert "card3 hidden" in before and "card8" not in before
    assert "card3 card8" in end  # it is over, and all is shown
    assert "pass bet" in ran.out.replace("\n", " ") or "bet" in ran.out


def test_a_machines_hidden_move_is_announced_without_its_name(ponderosa: Run) -> None:
    ran = ponderosa(
        "play",
        spec(BlindRow),
        "--agent",
        "random:seed=1",
        typed="a\n",
    )
    assert "machine) moves unseen" in ran.out
    running = ran.out.partition("Moves")[0]
    assert "machine) plays" not in running and " O" not in running.replace("O (machine)", "")


def test_a_try_that_failed_in_secret_is_not_announced(ponderosa: Run, tmp_path: Path) -> None:
    """The machine tries the person's square, and then another: the person hears of one move."""
    agent = tmp_path / "insistent.py"
    agent.write_text(
        "class A:\n last_report = None\n def __init__(s, g): pass\n def step(s, t): return t.legal_actions()[0]\n"
    )
    ran = ponderosa("play", "blind_tictactoe", "--agent", f"{agent}:A", typed="a1\nquit\n")
    assert len(ran.moves.split()) == 3  # mine, the one that was refused, and another
    assert ran.out.count("moves unseen") == 1


def test_cards_are_dealt_without_a_word_too_much(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(HighCard), "--agent", "random", "--first", "me", "--seed", "5", typed="quit\n")
    running, _, left = ran.out.partition("All that was hidden is in these moves.\nMoves: ")
    mine, other = left.split()
    assert f"Chance: {mine}" in running and "you do not see" in running
    assert other not in running


def test_two_people_pass_the_keyboard_and_neither_sees_the_others_card(ponderosa: Run) -> None:
    typed = "\nbet\n\npass\n"
    ran = ponderosa("play", spec(HighCard), "--two-players", "--agent", "random", "--moves", "card3 card8", typed=typed)
    assert ran.err.count("take the keyboard") == 2
    first, _, rest = ran.out.partition("hidden card8")
    assert "card3 hidden" in first and "card8" not in first
    second, _, end = rest.partition("card3 card8")
    assert "card3" not in second and end
    assert ran.code == 0


def test_the_second_person_hears_what_was_done_in_the_open(ponderosa: Run) -> None:
    ran = ponderosa(
        "play", spec(HighCard), "--two-players", "--agent", "random", "--moves", "card3 card8", typed="\nbet\n\nquit\n"
    )
    assert "plays bet" in ran.out.partition("hidden card8")[0]


def test_choices_at_once_are_asked_before_any_is_shown(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(Pennies), "--two-players", "--agent", "random", typed="\nheads\n\ntails\n\nquit\n")
    shown = ran.out.partition("Moves")[0]
    assert shown.index("plays heads") < shown.index("plays tails")
    before = shown.partition("plays heads")[0]
    assert before.count("to choose") == 2  # both were asked
    assert "round 1" in shown.partition("plays tails")[2]
    assert ran.out.endswith("heads tails\n")


def test_against_a_machine_the_choices_are_announced_together(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(Pennies), "--agent", "random:seed=1", "--first", "ai", typed="heads\nquit\n")
    lines = ran.out.splitlines()
    place = next(number for number, line in enumerate(lines) if "machine) plays" in line)
    assert "you) plays heads" in lines[place + 1]
    assert not any("plays" in line for line in lines[:place])


def test_undo_goes_back_to_the_beginning_of_a_turn_of_all(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(Pennies), "--agent", "random", "--first", "ai", typed="heads\nundo\nundo\nquit\n")
    assert "no move of yours" in ran.err
    assert ran.out.count("round 0") == 2 and "No move was played." in ran.out


def test_undo_in_a_hidden_game(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(BlindRow), "--agent", "random:seed=1", typed="a\nundo\nb\nquit\n")
    assert ran.moves.split()[0] == "b"


def test_a_hint_is_from_what_the_person_sees(ponderosa: Run) -> None:
    assert "Hint: " in ponderosa("play", spec(HighCard), "--agent", "random", "--seed", "1", typed="hint\nquit\n").out


def test_where_dice_are_to_fall_every_roll_is_searched_and_their_mean_is_told(ponderosa: Run) -> None:
    ran = ponderosa("analyze", "pig:target=10", "--moves", "roll", "--iterations", "600", "--json")
    told = json.loads(ran.out)
    assert ran.code == 0 and [roll["chance"] for roll in told["rolls"]] == pytest.approx([1 / 6] * 6)
    worth = {roll["roll"][0]: roll["value"] for roll in told["rolls"]}
    assert min(worth, key=worth.__getitem__) == "1" and worth["6"] > worth["2"]  # a one loses the turn
    assert told["value"] == pytest.approx(sum(worth.values()) / 6)
    ran = ponderosa("analyze", "pig:target=10", "--moves", "roll", "--iterations", "600")
    assert "In the mean of all rolls" in ran.out and "player 1" in ran.out
    ran = ponderosa("analyze", "pig:target=10", "--moves", "roll", "--iterations", "60", "--graph", "tree.svg")
    assert ran.code == 2 and "a tree for each roll" in ran.err


def test_dice_that_not_all_see_are_not_analyzed(ponderosa: Run) -> None:
    ran = ponderosa("analyze", spec(HighCard), "--iterations", "10")
    assert ran.code == 2 and "dice decide here" in ran.err and "card0" in ran.err


def test_the_player_who_looks_must_be_to_move(ponderosa: Run) -> None:
    ran = ponderosa("analyze", spec(HighCard), "--moves", "card1 card2", "--player", "2")
    assert ran.code == 2 and "the turn of player 1" in ran.err
    ran = ponderosa("analyze", spec(Pennies), "--player", "3")
    assert ran.code == 2 and "there is no player 3" in ran.err


def test_the_list_of_games_tells_their_class(ponderosa: Run) -> None:
    assert '"hidden": false' in ponderosa("games", "--json").out


def test_a_hidden_game_is_analyzed_from_what_the_player_sees(ponderosa: Run) -> None:
    answers = {
        ponderosa("analyze", "kuhn_poker", "--moves", f"jack {card}", "--iterations", "200").out.partition(
            " iterations"
        )[0]
        for card in ("queen", "king")
    }
    assert len(answers) == 1
    (told,) = answers
    assert (
        "player 1 to move, who sees this" in told and "queen" not in told and "king" not in told.replace("thinking", "")
    )


def test_both_players_of_a_turn_of_all_can_look(ponderosa: Run) -> None:
    for player in ("1", "2"):
        ran = ponderosa("analyze", "rps", "--player", player, "--iterations", "200", "--json")
        assert json.loads(ran.out)["player"] == int(player) - 1


def test_mixed_strategies_and_expected_results_are_shown(ponderosa: Run) -> None:
    out = ponderosa("analyze", "rps", "--iterations", "3000", "--agent", "mcts:select=regret_matching").out
    assert "Strategy" in out
    assert "Strategy" not in ponderosa("analyze", "tictactoe", "--iterations", "100").out
    out = ponderosa("analyze", spec(HighCard), "--moves", "card9 card1", "--iterations", "500").out
    assert "Expected" in out and "Strategy" not in out


def test_the_best_line_of_a_game_for_one_is_shown(ponderosa: Run) -> None:
    assert "Best score so far: " in ponderosa("analyze", "samegame", "--iterations", "50").out


@pytest.mark.parametrize("kind", SMALL_GAMES)
def test_the_search_plays_every_class_in_the_terminal(ponderosa: Run, kind: type) -> None:
    ran = ponderosa("watch", spec(kind), *["mcts:iterations=50"] * kind.players, "--show-thinking")
    assert ran.code == 0 and "ran 50 iterations" in ran.out


def test_a_machines_thoughts_are_not_shown_while_something_is_hidden(ponderosa: Run) -> None:
    ran = ponderosa("play", spec(BlindRow), "--agent", "mcts:iterations=50", "--show-thinking", typed="a\nhint\nquit\n")
    assert "machine) ran" not in ran.out and "(value" not in ran.out.partition("Hint")[0]
    assert "Hint: " in ran.out and "Visits" in ran.out
