"""The networks that a person can choose on the page: those that fit the game, and no file besides."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ponderosa import load_agent
from ponderosa.core.spec import join_spec
from ponderosa.errors import SettingError
from ponderosa.learning.watching import NETWORK
from ponderosa.web.model.catalogue import Catalogue, with_seconds
from ponderosa.web.views.thinking_view import effort, table
from tests.helpers import loaded
from tests.learning.folders import run_folder
from tests.networks.small import SAMPLE

pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(SAMPLE, run_folder(tmp_path / "runs" / "mine") / NETWORK)
    run_folder(tmp_path / "runs" / "unfinished")
    return tmp_path / "runs"


def text_of(path: Path) -> str:
    return join_spec("net", {"file": str(path)})


def test_the_networks_of_a_game_are_its_own_those_that_were_named_and_those_that_learned_here(folder: Path) -> None:
    catalogue = Catalogue(own_agents=[text_of(SAMPLE), "mcts:c=1"], learned=folder)
    assert catalogue.networks(loaded("tictactoe")) == {
        "net": "Network",
        text_of(SAMPLE): "Network: network_tictactoe",
        text_of(folder / "mine" / NETWORK): "Network: mine",
    }


@pytest.mark.parametrize("game", ["breakthrough", "kuhn_poker", "connect:m=3,n=3,k=3,p=1,q=1"])
def test_networks_of_other_games_are_not_offered(folder: Path, game: str) -> None:
    assert Catalogue(own_agents=[text_of(SAMPLE)], learned=folder).networks(loaded(game)) == {}


def test_a_network_that_learned_here_sits_down_and_no_other_file_is_opened(folder: Path) -> None:
    catalogue, game = Catalogue(learned=folder), loaded("tictactoe")
    seat = catalogue.seat(text_of(folder / "mine" / NETWORK), game, 0.5)
    assert load_agent(seat, game).budget.seconds == 0.5 and catalogue.check_agent(with_seconds(seat, 2.0))
    for other in (SAMPLE, folder / "unfinished" / NETWORK, folder / ".." / "runs" / "mine" / NETWORK):
        with pytest.raises(SettingError, match="names a file"):
            catalogue.check_agent(text_of(other))
    with pytest.raises(SettingError, match="names a file"):
        Catalogue().check_agent(seat)


def test_the_table_has_the_priors_of_a_network_and_the_line_below_its_value() -> None:
    game = loaded("tictactoe")
    agent = load_agent(f"{text_of(SAMPLE)},iterations=200", game)
    agent.think(game.new_initial_state())
    report = agent.last_report
    assert "Prior" in table(report) and f"{100 * report.actions[0].prior:.1f} %" in table(report)
    assert table(report).count("<tr") == 9 == table(None).count("<tr") and "Prior" not in table(None)
    assert effort(report, None).startswith(f"network alone {100 * report.judged:.1f} %")
    assert "Prior" not in table(replace(report, judged=None))
