"""The notebooks: they were run before they were stored, and they run again."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for package in ("ipykernel", "matplotlib", "optuna", "polars"):
    pytest.importorskip(package)

DOCS = Path(__file__).parent.parent / "docs"
NOTEBOOKS = {
    "tutorial.ipynb": (2, ["Ready to paste: mcts:iterations=30,c=", "fresh games"]),
    "learning.ipynb": (3, ["the rules keep their word", "109 of them won", "policy alone: 18 % before learning"]),
}
"""Each with how many figures it has, and with what it says."""


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(notebook):
    """What the outputs are, cell by cell."""
    return [
        [sorted(output.get("data", {})) or output.output_type for output in cell.outputs]
        for cell in code_cells(notebook)
    ]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_was_run_before_it_was_stored_and_is_python(name):
    stored = nbformat.read(DOCS / name, as_version=4)
    assert all(cell.execution_count for cell in code_cells(stored)), "a cell was not run"
    assert sum("image/svg+xml" in str(kind) for kind in kinds(stored)) == NOTEBOOKS[name][0]
    for cell in code_cells(stored):
        compile(cell.source, name, "exec")


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_shows_what_it_is_stored_with(name, tmp_path):
    if name == "learning.ipynb":
        pytest.importorskip("optax", reason='learning needs the extra "learn"')
    stored = nbformat.read(DOCS / name, as_version=4)
    again = nbformat.read(DOCS / name, as_version=4)
    client = nbclient.NotebookClient(
        again, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert kinds(again) == kinds(stored)
    said = "".join(output.get("text", "") for cell in code_cells(again) for output in cell.outputs)
    assert all(words in said for words in NOTEBOOKS[name][1])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_path_of_a_machine_is_stored(name):
    text = (DOCS / name).read_text()
    assert not any(word in text for word in ("site-packages", "/home/", "/tmp/", "/root/", "Traceback"))
