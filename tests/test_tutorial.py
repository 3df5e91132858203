"""The tutorial notebook: it was run before it was stored, and it runs again."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for package in ("ipykernel", "matplotlib", "optuna", "polars"):
    pytest.importorskip(package)

NOTEBOOK = Path(__file__).parent.parent / "docs" / "tutorial.ipynb"


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(notebook):
    """What the outputs are, cell by cell."""
    return [
        [sorted(output.get("data", {})) or output.output_type for output in cell.outputs]
        for cell in code_cells(notebook)
    ]


def test_every_cell_was_run_before_it_was_stored_and_is_python():
    stored = nbformat.read(NOTEBOOK, as_version=4)
    assert all(cell.execution_count for cell in code_cells(stored)), "a cell was not run"
    assert sum("image/svg+xml" in str(kind) for kind in kinds(stored)) == 2
    for cell in code_cells(stored):
        compile(cell.source, str(NOTEBOOK), "exec")


@pytest.mark.slow
def test_the_tutorial_runs_and_shows_what_it_is_stored_with(tmp_path):
    stored = nbformat.read(NOTEBOOK, as_version=4)
    again = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        again, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert kinds(again) == kinds(stored)
    said = "".join(output.get("text", "") for cell in code_cells(again) for output in cell.outputs)
    assert "Ready to paste: mcts:iterations=30,c=" in said and "fresh games" in said


def test_no_path_of_a_machine_is_stored():
    text = NOTEBOOK.read_text()
    assert not any(word in text for word in ("site-packages", "/home/", "/tmp/", "/root/", "Traceback"))
