"""A forest on a CUDA card beside mctx with Pgx, in one run: `python benchmarks/versus_mctx.py`. Start at main.

Connect Four from its first position, a random playout a leaf on both sides. It needs `pip install "ponderosa[cuda]"
"jax[cuda12]" mctx pgx`. Times are the best of three, without compiling.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the forest needs memory too

import jax
import jax.numpy as jnp
import mctx
import pgx

from ponderosa import Forest, load_game

LONGEST = 42
OURS = ((131_072, 500), (32_768, 1000), (16_384, 500))
THEIRS = ((32_768, 64), (16_384, 500))
"""Trees and iterations: of mctx the most that it does quickly, and as many iterations as ours have."""


def main() -> None:
    print(f"| {jax.devices()[0].device_kind} | trees x iterations | million iterations/s |\n| --- | --- | ---: |")
    ours = [told("Forest", shape, forest_run(*shape)) for shape in OURS]
    theirs = [told("mctx and Pgx", shape, mctx_run(*shape)) for shape in THEIRS]
    print(f"\n{ours[0] / max(theirs):.0f} times the fastest of mctx; {ours[2] / theirs[1]:.0f} times at {THEIRS[1]}")


def told(who: str, shape: tuple[int, int], run: Callable[[], Any]) -> float:
    """The speed, printed."""
    run()
    seconds = min(timed(run) for _ in range(3))
    speed = shape[0] * shape[1] / seconds
    print(f"| {who} | {shape[0]:,} x {shape[1]:,} | {speed / 1e6:.1f} |", flush=True)
    return speed


def timed(run: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def forest_run(trees: int, iterations: int) -> Callable[[], Any]:
    game = load_game("connect4")
    forest, state = Forest(game, trees, device="cuda", seed=1), game.new_initial_state()
    return lambda: forest.run(state, iterations=iterations).best_actions


def mctx_run(trees: int, iterations: int) -> Callable[[], Any]:
    """A search by mctx whose leaves are worth what a random game brings."""
    env = pgx.make("connect_four")
    init, step = jax.vmap(env.init), jax.vmap(env.step)
    rows = jnp.arange(trees)

    def play_out(state: Any, key: Any) -> Any:
        """Each player's rewards in a random game."""

        def move(carry: Any, key: Any) -> Any:
            state, rewards = carry
            logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
            state = step(state, jax.random.categorical(key, logits, axis=-1))
            return (state, rewards + state.rewards), None

        begin = (state, jnp.zeros_like(state.rewards))
        return jax.lax.scan(move, begin, jax.random.split(key, LONGEST))[0][1]

    def expand(params: Any, key: Any, action: Any, state: Any) -> Any:
        mover = state.current_player
        after = step(state, action)
        value = play_out(after, key)[rows, after.current_player]
        return mctx.RecurrentFnOutput(
            reward=after.rewards[rows, mover],
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=jnp.where(after.legal_action_mask, 0.0, -1e9),
            value=jnp.where(after.terminated, 0.0, value),
        ), after

    @jax.jit
    def search(key: Any) -> Any:
        state = init(jax.random.split(key, trees))
        root = mctx.RootFnOutput(prior_logits=jnp.zeros((trees, 7)), value=jnp.zeros(trees), embedding=state)
        return mctx.muzero_policy(
            params=(), rng_key=key, root=root, recurrent_fn=expand, num_simulations=iterations,
            invalid_actions=~state.legal_action_mask,
        ).action_weights  # fmt: skip

    return lambda: search(jax.random.PRNGKey(1)).block_until_ready()


if __name__ == "__main__":
    main()
