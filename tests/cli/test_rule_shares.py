"""Which rule takes the time."""

from __future__ import annotations

import json

import pytest

from ponderosa.cli.rule_shares import RuleShare, RuleShares, advice, counted, counted_elsewhere
from ponderosa.core.checks.rule_times import COPY, compiled_times
from ponderosa.core.rules import jit_enabled
from ponderosa.registry import load_game
from tests.cli.conftest import Run


def test_rules_are_counted_as_a_search_calls_them() -> None:
    calls = counted(load_game("tictactoe"), 100)["calls"]
    assert calls["returns"] == 1.0  # an iteration sees one end
    assert calls[COPY] == 1.0
    assert 5 < calls["apply_action"] <= 9
    assert calls["random_action"] < calls["apply_action"]  # the way down is not drawn


def test_the_twin_that_counts_leaves_the_game_alone() -> None:
    game = load_game("tictactoe")
    counted(game, 10)
    assert type(game).own_rules() == game.own_rules()
    assert not any(hasattr(function, "__wrapped__") for function in game.own_rules().values())


def test_shares_of_a_game_in_a_file_are_a_table_with_advice(ponderosa: Run, nim: str) -> None:
    ran = ponderosa("bench", "--rules", f"{nim}:Nim", "--iterations", "200")
    assert ran.code == 0
    assert all(text in ran.out for text in ("legal_actions", "(the search itself)", "Calls an iteration", "\n- "))


def test_shares_as_json_add_up_to_the_whole(ponderosa: Run) -> None:
    ran = ponderosa("bench", "--rules", "kuhn_poker", "tictactoe", "--iterations", "100", "--json")
    for found in json.loads(ran.out):
        assert sum(each["share"] for each in found["rules"]) + found["search"] == pytest.approx(1.0)


@pytest.mark.parametrize("more", [(), ("pig", "--device", "cpu")])
def test_rules_are_those_of_named_games_on_the_processor(ponderosa: Run, more: tuple[str, ...]) -> None:
    ran = ponderosa("bench", "--rules", *more)
    assert ran.code == 2
    assert "bench --rules GAME" in ran.err


@pytest.mark.parametrize(
    ("game", "rule", "said"),
    [
        ("connect4", "apply_action", "touch only what the move changes"),
        ("connect4", "returns", "keep the winner"),
        ("einstein", "legal_actions", "random_action(s, rng)"),
        ("gomoku", COPY, "bytes"),
    ],
)
def test_a_large_share_has_its_advice(game: str, rule: str, said: str) -> None:
    large = RuleShares(game, 1000.0, True, (RuleShare(rule, 10.0, 5e-5, 0.5),), 0.5)
    small = RuleShares(game, 1000.0, True, (RuleShare(rule, 10.0, 5e-6, 0.05),), 0.95)
    assert any(said in line for line in advice(load_game(game), large))
    assert not any(said in line for line in advice(load_game(game), small))


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", ["connect4", "pig", "kuhn_poker", "goofspiel"])
def test_every_rule_that_a_search_calls_is_timed(name: str) -> None:
    game = load_game(name)
    times = compiled_times(game)
    assert counted_elsewhere(name)["calls"].keys() <= times.keys() | {"conceal"}
    assert all(seconds >= 0 for seconds in times.values())
