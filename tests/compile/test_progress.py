"""What is compiled is told, to whoever listens and to the log."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from ponderosa.compile import native
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.progress import compiling, listening


def test_whoever_listens_hears_of_every_part_and_only_meanwhile():
    heard = []
    with listening(heard.append):
        with compiling("rule"):
            heard.append("at work")
        with compiling("phase"):
            pass
    with compiling("later"):
        pass
    assert heard == ["rule", "at work", "phase"]


def test_the_log_says_how_long_it_took(caplog):
    ticks = iter((10.0, 12.5))
    with caplog.at_level(logging.INFO, "ponderosa.compile"), compiling("rule", lambda: next(ticks)):
        pass
    assert caplog.messages == ["compiled rule in 2.50 s"]


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_what_is_compiled_is_told_and_what_is_on_disk_is_not(monkeypatch, tmp_path):
    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path / "cache"))
    heard = []

    def doubled(numbers):
        numbers[0] *= 2

    with listening(heard.append):
        native.compiled(doubled, native.VOID(native.RNG))(np.ones(1, np.uint64))
        monkeypatch.setattr(native, "_compiled", {})
        native.compiled(doubled, native.VOID(native.RNG))
    assert heard == ["doubled"]
