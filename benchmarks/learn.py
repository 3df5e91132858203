"""What networks learn, in how long, and how fast they play against themselves. Start at main.

    pip install "ponderosa[learn,net,bench]"
    python benchmarks/learn.py tictactoe               # two cores, 3 minutes: the policy alone in all states
    python benchmarks/learn.py small --minutes 15      # Connect Four 5 x 4 against 20 times the iterations
    python benchmarks/learn.py own                     # the games of the documentation, nothing set
    python benchmarks/learn.py connect4 --device cuda --minutes 20 --out runs/connect4
    python benchmarks/learn.py speed --device cuda     # moves a second, and the share of the network's own speed
    python benchmarks/learn.py run --device cuda       # half a minute of learning, and what its parts take
    pip install flax orbax-checkpoint chex
    python benchmarks/learn.py openspiel               # games a second beside OpenSpiel's Python AlphaZero

Every run keeps its network, log and report in --out, and goes on there; measured is what the file network.onnx plays.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from learn_speed import SECONDS, run, speed

from ponderosa import load_agent, load_game, match
from ponderosa.core.dice import roll_on
from ponderosa.core.observation import observed
from ponderosa.forest.cores import core_count
from ponderosa.learning.learn import learn
from ponderosa.networks.file import load

DOCS = Path(__file__).parent.parent / "docs"
OWN = {"Nim": "add-a-game.md", "DoubleOrNothing": "classes-of-games.md"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(BENCHMARKS))
    parser.add_argument("--minutes", type=float, help="how long to learn, together with earlier runs")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--out", default="runs/{what}", help="the folder of the run")
    parser.add_argument("--games", type=int, default=200, help="games of each match")
    parser.add_argument("--positions", type=int, default=500, help="positions of each stage of Connect Four")
    parser.add_argument("--game", default="connect4", help="whose self-play is timed")
    parser.add_argument("--tables", type=int, nargs="+", help="games at once; several are timed one after the other")
    parser.add_argument("--network", help="tiny, small or medium")
    parser.add_argument("--gates", type=int, help="how often the network is measured")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long self-play is timed")
    parser.add_argument("--kernels", action="store_true", help="print what a card's kernels take (needs PyTorch)")
    parser.add_argument("--profile", action="store_true", help="print what the functions of Python take")
    parser.add_argument("--blocks", type=int, nargs="+", help="time a card's kernels with so many threads in a block")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out = options.out.format(what=options.what)
    BENCHMARKS[options.what](options)


def learned(options: argparse.Namespace, game: Any, minutes: float, out: str | None = None) -> Path:
    """Learn a game, and return the network's file."""
    last = 0.0

    def tell(now: Any) -> None:
        nonlocal last
        if now.seconds > last + 20:
            last = now.seconds
            losses = now.losses and f"losses {now.losses.policy:.3f} {now.losses.value:.3f}"
            print(f"{now.seconds:5.0f} s: {now.games:,} games, {now.games_a_second:,.0f}/s, {losses}", file=sys.stderr)

    given = {name: getattr(options, name) for name in ("network", "gates") if getattr(options, name) is not None}
    given |= {"tables": options.tables[0]} if options.tables else {}
    found = learn(
        game, options.minutes or minutes, device=options.device, out=out or options.out, watch=tell, seed=options.seed,
        **given,
    )  # fmt: skip
    print(f"{game}: {found.games:,} games, {found.positions:,} positions, {found.seconds / 60:.1f} min", flush=True)
    return found.network


def tictactoe(options: argparse.Namespace) -> None:
    """The bare policy in every state, and games against a perfect player from drawn openings."""
    game = load_game("tictactoe")
    file = learned(options, "tictactoe", 3)
    values = solved(game)
    open_states = [state for state, _ in values.values() if not state.is_terminal()]
    moves = policy_moves(file, game, open_states)
    right = [after(state, move, values) == worth(state, values) for state, move in zip(open_states, moves, strict=True)]
    print(f"bare policy keeps the value in {share(right)} of all states that are not over")
    for iterations in (1, 32):
        outcomes = against_perfect(options, game, file, values, iterations)
        print(f"{iterations} iterations against perfect: {outcomes[1]} won, {outcomes[0]} drawn, {outcomes[-1]} lost")


def solved(game: Any) -> dict[bytes, tuple[Any, float]]:
    """Every state that can be reached, with what it is worth to the first player."""
    values: dict[bytes, tuple[Any, float]] = {}

    def solve(state: Any) -> float:
        key = board_of(state)
        if key not in values:
            if state.is_terminal():
                value = state.returns()[0]
            else:
                results = []
                for action in state.legal_actions():
                    next_state = state.clone()
                    next_state.apply_action(action)
                    results.append(solve(next_state))
                value = max(results) if state.to_move() == 0 else min(results)
            values[key] = (state.clone(), value)
        return values[key][1]

    solve(game.new_initial_state())
    return values


def board_of(state: Any) -> bytes:
    return str(state.game.cells(state.record)).encode()


def worth(state: Any, values: Any) -> float:
    return float(values[board_of(state)][1])


def after(state: Any, move: int, values: Any) -> float:
    """What a state is worth after a move."""
    following = state.clone()
    following.apply_action(move)
    return worth(following, values)


def policy_moves(file: Path, game: Any, states: list[Any]) -> list[int]:
    """What the policy alone plays in each state."""
    records = np.array([np.array(state.data, np.uint8) for state in states]).view(game.dtype).reshape(-1)
    logits, _ = load(file, game, threads=2).judge(observed(game, records))
    return [max(state.legal_actions(), key=row.__getitem__) for state, row in zip(states, logits, strict=True)]


def against_perfect(options: Any, game: Any, file: Path, values: Any, iterations: int) -> dict[int, int]:
    """Won, drawn and lost games against a player who never errs, from random openings that are draws."""
    draw, counts = random.Random(options.seed), {1: 0, 0: 0, -1: 0}
    agent = load_agent(f"net:file={file},iterations={iterations}", game)
    for number in range(options.games):
        state, seat = drawn_opening(game, values, draw), number % 2
        while not state.is_terminal():
            if state.to_move() == seat:
                move = agent.step(state)
            else:
                sign = 1 if state.to_move() == 0 else -1
                results = {action: sign * after(state, action, values) for action in state.legal_actions()}
                move = draw.choice([action for action, value in results.items() if value == max(results.values())])
            state.apply_action(move)
        counts[int(state.returns()[seat])] += 1
    return counts


def drawn_opening(game: Any, values: Any, draw: random.Random) -> Any:
    """The state after up to four random moves, if it is a draw."""
    while True:
        state = game.new_initial_state()
        for _ in range(draw.randint(0, 4)):
            state.apply_action(draw.choice(state.legal_actions()))
        if worth(state, values) == 0:
            return state


def small(options: argparse.Namespace) -> None:
    """Connect Four on 5 x 4 against a plain tree search with 20 times the iterations."""
    game = "connect4:rows=4,cols=5"
    file = learned(options, game, 15)
    for iterations in (32, 128):
        against(options, game, f"net:file={file},iterations={iterations}", f"mcts:iterations={20 * iterations}")


def against(options: Any, game: Any, first: str, second: str, openings: str = "random:2") -> None:
    found = match(game, first, second, options.games, openings=openings, seed=options.seed, count_repeats=True).elo
    assert found is not None
    print(
        f"{first} against {second}: {100 * found.score:.1f} % of {found.games}, Elo {found.elo:+.0f} "
        f"({found.low:+.0f} to {found.high:+.0f})",
        flush=True,
    )


def own(options: argparse.Namespace) -> None:
    """Games of the documentation, with nothing set, against a plain tree search with as many iterations."""
    for name, page in OWN.items():
        blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
        block = next(block for block in blocks if f"class {name}(" in block)
        folder = Path(options.out) / name.lower()
        folder.mkdir(parents=True, exist_ok=True)
        imports = "import numpy as np\nfrom ponderosa import CHANCE, Game, below, rule\n\n\n"
        (folder / "game.py").write_text(imports + block[block.index(f"class {name}") :].split("\nassert ")[0])
        game = f"{folder / 'game.py'}:{name}"
        file = learned(options, game, 3, str(folder))
        for iterations in (32, 128):
            agents = f"net:file={file},iterations={iterations}", f"mcts:iterations={iterations}"
            if load_game(game).players == 1:
                print(" against ".join(f"{agent}: {mean_return(options, game, agent)}" for agent in agents), flush=True)
            else:
                against(options, game, *agents, "random:1")


def mean_return(options: Any, spec: str, text: str) -> str:
    """What an agent gets alone, with a 95 % interval: where luck decides, the mean is what it plays for."""
    game, luck, got = load_game(spec), random.Random(options.seed), []
    for number in range(10 * options.games):
        agent, state = load_agent(f"{text},seed={number}", game), game.new_initial_state()
        roll_on(state, luck)
        while not state.is_terminal():
            state.apply_action(agent.step(state))
            roll_on(state, luck)
        got.append(state.returns()[0])
    return f"{np.mean(got):.2f} ± {1.96 * np.std(got) / len(got) ** 0.5:.2f}"


def connect4(options: argparse.Namespace) -> None:
    """The bare policy in random positions that a perfect solver judges, as connect4_perfect.py has them."""
    from connect4_perfect import STAGES, position
    from connect4_perfect import share as with_interval

    game = load_game("connect4")
    file = learned(options, "connect4", 20)
    for stage, plies in STAGES.items():
        found = [position(random.Random(f"{options.seed} {stage} {at}"), *plies) for at in range(options.positions)]
        states = []
        for moves, _ in found:
            states.append(game.new_initial_state())
            for move in moves:
                states[-1].apply_action(move)
        played = policy_moves(file, game, states)
        pairs = list(zip(played, (worth for _, worth in found), strict=True))
        kept = [worth[move] == max(worth.values()) for move, worth in pairs]
        hard = [
            worth[move] == max(worth.values()) for move, worth in pairs if min(worth.values()) < max(worth.values())
        ]
        print(f"{stage}: bare policy keeps the value in {with_interval(kept)}; where it matters {with_interval(hard)}")


def openspiel(options: argparse.Namespace) -> None:
    """Games of self-play a second at Connect Four, beside OpenSpiel's Python AlphaZero with an actor for each core.

    Both have networks of 32 channels and 3 residual blocks that were never trained, and 32 simulations a move.
    """
    ours, theirs = [], []
    for turn in range(3):
        ours.append(our_games(options, SECONDS))
        with ProcessPoolExecutor(core_count(), get_context("spawn")) as pool:
            theirs.append(sum(pool.map(their_games, [SECONDS] * core_count(), range(core_count()))) / SECONDS)
        print(f"round {turn + 1}: {ours[-1]:.2f} games/s, OpenSpiel {theirs[-1]:.2f}", flush=True)
    mine, other = np.median(ours), np.median(theirs)
    print(f"{mine:.2f} against {other:.2f} games/s: {mine / other:.1f} times")


def our_games(options: argparse.Namespace, seconds: float) -> float:
    """Games a second of self-play, from the first move of each."""
    from ponderosa.learning.learn import at_device
    from ponderosa.learning.run import new_player
    from ponderosa.learning.settings import LearnSettings, settled

    game = load_game("connect4")
    with at_device(options.device):
        settings = settled(LearnSettings(network="tiny", openings=0.0), game, options.device)
        player, _ = new_player(game, settings, options.device)
        for _ in range(60):  # compiled, and games of all ages
            player.step()
        begin, games = time.perf_counter(), player.games
        while time.perf_counter() - begin < seconds:
            player.step()
        return (player.games - games) / (time.perf_counter() - begin)


def their_games(seconds: float, actor: int) -> int:
    """Games that one actor of OpenSpiel plays."""
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, utils

    game = pyspiel.load_game("connect_four")
    model = utils.api_selector("linen").Model.build_model(
        "resnet", game.observation_tensor_shape(), game.num_distinct_actions(), 32, 3, 1e-4, 1e-3, tempfile.mkdtemp()
    )
    judge = evaluator.AlphaZeroEvaluator(game, model)
    bots = [
        mcts.MCTSBot(
            game, 2.0, 32, judge, solve=False, dirichlet_noise=(0.25, 1.0), dont_return_chance_node=True,
            child_selection_fn=mcts.SearchNode.puct_value,
        )
        for _ in range(2)
    ]  # fmt: skip
    log = argparse.Namespace(print=lambda *words: None, opt_print=lambda *words: None)
    alpha_zero._play_game(log, 0, game, bots, 1.0, 10)
    begin, games = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        alpha_zero._play_game(log, games, game, bots, 1.0, 10)
        games += 1
    return games


def share(right: list[bool]) -> str:
    return f"{100 * sum(right) / len(right):.2f} % ({sum(right):,} of {len(right):,})"


BENCHMARKS = {
    "tictactoe": tictactoe,
    "small": small,
    "own": own,
    "connect4": connect4,
    "speed": speed,
    "run": run,
    "openspiel": openspiel,
}

if __name__ == "__main__":
    main()
