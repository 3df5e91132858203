"""`ponderosa learn` in the terminal."""

from __future__ import annotations

import pytest

pytest.importorskip("optax", reason='learning needs the extra "learn"')

QUICK = ("tables=4", "simulations=4", "batch=8", "window=64", "network=tiny", "gates=0")
LEARN = ("learn", "tictactoe", "--games", "3", *(word for pair in QUICK for word in ("--set", pair)))


@pytest.mark.slow
def test_a_run_begins_with_the_weights_of_another_and_without_gates_there_is_no_table_of_them(ponderosa, tmp_path):
    first = ponderosa(*LEARN, "--out", str(tmp_path / "first"))
    assert first.code == 0 and "Play with it: --agent net:file=" in first.out and "Rival" not in first.out
    second = ponderosa(*LEARN, "--out", str(tmp_path / "second"), "--weights", str(tmp_path / "first"))
    assert second.code == 0 and (tmp_path / "second" / "network.onnx").exists()
    nothing = ponderosa(*LEARN, "--out", str(tmp_path / "third"), "--weights", str(tmp_path / "nowhere"))
    assert nothing.code != 0 and "no folder of a run" in nothing.err
