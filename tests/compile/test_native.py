"""Rules as machine code: what cannot be compiled is explained, and what is kept on disk is never stale or fatal."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import types

import ponderosa
from ponderosa import Search, check_game, rule
from ponderosa.compile import native
from ponderosa.errors import RuleError
from tests.compile import small_functions
from tests.compile.small_functions import answers_apart
from tests.helpers import PATIENCE, Nim, run_python

NIM = '''
"""Nim in a file of its own."""
import numpy as np
from ponderosa import Game, rule
{imports}
LIMIT = {limit}

def most(stones):
    return min(stones, LIMIT)

class Nim(Game):
    dtype = np.dtype([("stones", "i4"), ("player", "i1")])
    def setup(self, s):
        s.stones = 6
    @rule
    def current_player(s):
        return s.player
    @rule
    def legal_actions(s):
        for take in range(1, most(s.stones) + 1):
            yield take
    @rule
    def apply_action(s, a):
        s.stones -= a
        s.player = 1 - s.player
    @rule
    def is_terminal(s):
        return s.stones == 0
    @rule
    def returns(s):
        return {returns} if s.player == 0 else {returns}[::-1]
'''

SEARCH = """
    import json
    from ponderosa import Search, load_game
    reports = [Search(load_game(spec)).run(iterations=500) for spec in {specs!r}]
    print(json.dumps([[report.proven, [entry.visits for entry in report.actions]] for report in reports]))
"""

RULES = """
    import json
    from tests.compile.test_native import facts
    print(json.dumps(facts({spec!r})))
"""


def facts(spec: str) -> list:
    """What the compiled rules of the Nim in a file say: the first actions, and the scores at the end."""
    game, scores = ponderosa.load_game(spec), np.zeros(2)
    state = game.new_initial_state()
    actions = state.legal_actions()
    while not state.is_terminal():
        state.apply_action(1)
    game.rules.scores(state.data, scores)
    return [actions, scores.tolist()]


def write(path: Path, limit: int = 3, returns: str = "(-1.0, 1.0)", imports: str = "") -> str:
    path.write_text(NIM.format(limit=limit, returns=returns, imports=imports))
    return f"{path}:Nim"


def search_apart(cache: Path, *specs: str) -> list:
    """What a new process finds out about games, with this folder for machine code."""
    return run_python(SEARCH.format(specs=specs), PONDEROSA_CACHE_DIR=str(cache))


def facts_apart(cache: Path, spec: str, prefix: str = "", **environment: str) -> list:
    """The facts of a game in a new process, with this folder for machine code."""
    code = prefix + textwrap.dedent(RULES.format(spec=spec))
    return run_python(code, PONDEROSA_CACHE_DIR=str(cache), **environment)


def files(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


EXPECTED = [[1, 2, 3], [0.0, 1.0]]


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A game file, and a folder with the machine code of its rules."""
    folder = tmp_path_factory.mktemp("warm")
    spec = write(folder / "nim.py")
    assert facts_apart(folder / "cache", spec) == EXPECTED
    return spec, folder / "cache"


@pytest.fixture
def cache(warm, tmp_path):
    """A copy of that folder, to spoil."""
    return Path(shutil.copytree(warm[1], tmp_path / "cache"))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with the machine code of a few small functions."""
    folder = tmp_path_factory.mktemp("small")
    assert answers_apart(folder) == small_functions.EXPECTED
    return folder


@pytest.fixture
def spoiled(small, tmp_path):
    """A copy of that folder, to spoil."""
    return Path(shutil.copytree(small, tmp_path / "cache"))


def test_a_second_process_compiles_no_rules(warm, cache):
    before = files(cache)
    assert before
    assert facts_apart(cache, warm[0]) == EXPECTED
    assert files(cache) == before


@pytest.mark.slow
def test_a_second_process_compiles_no_search(warm, cache):
    found = search_apart(cache, warm[0])
    before = files(cache)
    assert len(before) > len(files(warm[1]))
    assert search_apart(cache, warm[0]) == found
    assert files(cache) == before


COMPILED = """
    import json
    from ponderosa import load_game
    from ponderosa.compile import native
    load_game({spec!r}).new_initial_state().legal_actions()
    missed = [sum(function.stats.cache_misses.values()) for function in native._compiled.values()]
    print(json.dumps([sum(missed), len(missed)]))
"""


def test_two_processes_at_once_compile_everything_once(warm, tmp_path):
    def compiled(_):
        return run_python(COMPILED.format(spec=warm[0]), PONDEROSA_CACHE_DIR=str(tmp_path / "cache"))

    with ThreadPoolExecutor(2) as pool:
        (one, functions), (other, _) = pool.map(compiled, range(2))
    assert one + other == functions
    assert not list(tmp_path.rglob("*.lock"))


EDITS = [
    ({}, EXPECTED),
    ({"limit": 5, "returns": "(1.0, -1.0)"}, [[1, 2, 3, 4, 5], [1.0, 0.0]]),
    ({}, EXPECTED),
]


@pytest.mark.slow
def test_an_edit_is_never_answered_by_stale_code_in_a_new_process(cache, tmp_path):
    for settings, expected in EDITS:
        assert facts_apart(cache, write(tmp_path / "nim.py", **settings)) == expected


def test_an_edit_is_never_answered_by_stale_code_in_the_same_process(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for settings, expected in EDITS:
        assert facts(write(tmp_path / "nim.py", **settings)) == expected


@pytest.mark.slow
def test_an_edit_of_another_file_is_never_answered_by_stale_code(cache, tmp_path):
    """The helper is in a module of its own, and takes its constant from a third."""
    (tmp_path / "helpers_of_nim.py").write_text(
        "import numba\nfrom numbers_of_nim import N\n@numba.njit\ndef most(stones):\n    return min(stones, N)\n"
    )
    text = NIM.format(limit=0, returns="(-1.0, 1.0)", imports="import helpers_of_nim")
    (tmp_path / "nim.py").write_text(text.replace("most(s.stones)", "helpers_of_nim.most(s.stones)"))
    for limit in (3, 5, 3):
        (tmp_path / "numbers_of_nim.py").write_text(f"N = {limit}\n")
        prefix = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        found = facts_apart(cache, f"{tmp_path}/nim.py:Nim", prefix, PYTHONDONTWRITEBYTECODE="1")
        assert found == [list(range(1, limit + 1)), [0.0, 1.0]]


@pytest.mark.slow
def test_rules_that_were_compiled_apart_do_not_mix(tmp_path):
    """The same rules on states of different sizes, each compiled by a process of its own, then loaded together."""
    file = tmp_path / "nim.py"
    text = NIM.format(limit=3, returns="(-1.0, 1.0)", imports="").replace("s.stones = 6", "s.stones = 6 + len(s.room)")
    made = "def __init__(self, size: int):\n        self.dtype = np.dtype(["
    file.write_text(text.replace("dtype = np.dtype([", f'{made}("room", "i1", size), '))
    specs = [f"{file}:Nim:size={size}" for size in (2, 3)]
    expected = [EXPECTED, [[1, 2, 3], [1.0, 0.0]]]
    assert [facts_apart(tmp_path / "cache", spec) for spec in specs] == expected
    together = f"from tests.compile.test_native import facts; print(json.dumps([facts(s) for s in {specs}]))"
    assert run_python(f"import json; {together}", PONDEROSA_CACHE_DIR=str(tmp_path / "cache")) == expected


@pytest.mark.slow
def test_searches_that_were_compiled_apart_do_not_mix(cache):
    """The same on boards of different sizes."""
    specs = ["connect:m=4,n=4,k=3", "connect:m=5,n=4,k=3"]
    apart = [search_apart(cache, spec)[0] for spec in specs]
    assert search_apart(cache, *specs) == apart


@pytest.mark.slow
def test_rules_that_call_each_other_in_a_circle_work_in_every_process(cache, tmp_path):
    circle = (
        "\ndef even(n):\n    return True if n == 0 else odd(n - 1)\n"
        "def odd(n):\n    return False if n == 0 else even(n - 1)\n"
    )
    file = write(tmp_path / "nim.py", imports=circle, returns="((1.0, -1.0) if odd(s.stones) else (-1.0, 1.0))")
    assert facts_apart(cache, file) == facts_apart(cache, file) == EXPECTED


def test_a_damaged_file_is_as_good_as_none(spoiled):
    damaged = [path for path in sorted(spoiled.rglob("*")) if path.is_file()]
    assert len(damaged) > 5
    for number, path in enumerate(damaged):
        content = path.read_bytes()
        path.write_bytes([b"", b"nonsense", content[: len(content) // 2], bytes(len(content)), content * 2][number % 5])
    assert answers_apart(spoiled) == small_functions.EXPECTED
    healed = files(spoiled)
    assert answers_apart(spoiled) == small_functions.EXPECTED
    assert files(spoiled) == healed


def test_machine_code_with_a_flipped_bit_is_not_run(spoiled):
    for number, path in enumerate(sorted(spoiled.rglob("*.nbc"))):
        content = bytearray(path.read_bytes())
        content[len(content) * number // 6] ^= 1 << number % 8
        path.write_bytes(content)
    assert answers_apart(spoiled) == small_functions.EXPECTED


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    (tmp_path / "file").write_text("")
    assert answers_apart(tmp_path / "file" / "cache") == small_functions.EXPECTED
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.slow
def test_a_read_only_folder_only_costs_time(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    try:
        assert answers_apart(folder) == small_functions.EXPECTED
        assert not files(folder) or os.geteuid() == 0  # root writes anywhere
    finally:
        folder.chmod(0o700)


def test_a_full_disk_only_costs_time(tmp_path):
    prefix = """import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
    assert answers_apart(tmp_path / "cache", prefix) == small_functions.EXPECTED
    assert not any(files(tmp_path / "cache").values())


def test_what_knows_nothing_of_a_game_is_compiled_once_for_all_games():
    one, other = ponderosa.load_game("tictactoe").rules, Nim().rules
    assert one.copy is other.copy
    assert one.chance_outcomes is other.chance_outcomes
    assert one.scores is not other.scores


def test_what_only_compiled_code_calls_has_no_machine_code_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path))  # compiled now, not before

    def seven(x):
        return x + 7

    def twice(x):
        return 2 * seven(x)

    compiled = native.compiled(twice, types.int64(types.int64), scope="of this test")
    assert compiled(1) == 16
    [result] = native._helper(seven, False, "of this test").overloads.values()
    assert result.library.get_pointer_to_function(result.fndesc.llvm_func_name) == 0
    assert native.address(compiled, types.int64(types.int64)) > 0


def product(a, b):
    return (a @ b).sum()


@pytest.mark.slow
def test_scipy_is_loaded_when_a_rule_multiplies_matrices_and_not_before(warm, cache):
    pytest.importorskip("scipy")
    code = f"""
    import json, sys
    import numpy as np
    from numba import types
    from tests.compile.test_native import facts, product
    from ponderosa.compile.native import compiled
    facts({warm[0]!r})
    loaded = ["scipy.linalg" in sys.modules]
    matrix = types.float64[:, ::1]
    found = compiled(product, types.float64(matrix, matrix))(np.eye(3), np.ones((3, 3)))
    print(json.dumps([*loaded, "scipy.linalg" in sys.modules, found]))
    """
    assert run_python(code, PONDEROSA_CACHE_DIR=str(cache)) == [False, True, 9.0]


def takes_from_nowhere(x):
    return nowhere(x)  # noqa: F821


class NoSuchField(Nim):
    @rule
    def is_terminal(s):
        total = 0
        return s.stones == total


class Dictionary(Nim):
    @rule
    def apply_action(s, a):
        names = {"one": 1, "two": "2"}
        s.heaps[0] -= names[a]


class Text(Nim):
    @rule
    def legal_actions(s):
        for word in ("one", f"{s.player:03}"):
            yield word + 1


class Undefined(Nim):
    @rule
    def returns(s):
        return forgotten(s)  # noqa: F821


class UndefinedInHelper(Nim):
    @rule
    def returns(s):
        return takes_from_nowhere(s), 0.0


class WrongOperands(Nim):
    @rule
    def current_player(s):
        return s.player + "one"


class TooFewReturns(Nim):
    @rule
    def returns(s):
        return (1.0,)


class Opens(Nim):
    @rule
    def is_terminal(s):
        with open("file") as file:
            return file.read() == ""


class ValueByWords(Nim):
    @rule
    def evaluate(s):
        return float(repr(0.0)), 0.0


def test_a_rule_that_few_searches_need_is_compiled_for_them_alone():
    game = ValueByWords()
    assert Search(game, seed=1).run(game.new_initial_state(), iterations=5).iterations == 5
    with pytest.raises(RuleError, match=r"ValueByWords\.evaluate' cannot be compiled"):
        Search(game, playout="static")
    assert any("cannot be compiled" in problem for problem in check_game(game))


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")
@pytest.mark.parametrize(
    ("game", "name", "told"),
    [
        (NoSuchField, "is_terminal", "stones"),
        (Dictionary, "apply_action", ""),
        (Text, "legal_actions", ""),
        (Undefined, "returns", "forgotten"),
        (UndefinedInHelper, "returns", "nowhere"),
        (WrongOperands, "current_player", ""),
        (TooFewReturns, "returns", ""),
        (Opens, "is_terminal", "No such file"),
    ],
)
def test_a_rule_that_cannot_be_compiled_is_explained_in_one_sentence(game, name, told):
    with pytest.raises(RuleError) as error:
        Search(game())
    message = str(error.value)
    assert message.startswith(f"{game.title()}.{name} ")
    found = re.search(r"test_native\.py, line (\d+)", message)
    assert found, message
    source = Path(__file__).read_text().splitlines()
    begin = source.index(f"class {game.__name__}(Nim):") + 1
    lines = range(begin, begin + 8)
    if game is UndefinedInHelper:
        lines = [*lines, source.index("def takes_from_nowhere(x):") + 2]
    assert int(found[1]) in lines
    assert told in message
    assert len(message.splitlines()) == 1
    assert len(message) < 500
    assert error.value.__cause__ is None


def test_the_line_of_the_mistake_is_named_not_that_of_the_rule():
    with pytest.raises(RuleError) as error:
        Search(NoSuchField())
    source = Path(__file__).read_text().splitlines()
    assert f"line {source.index('        return s.stones == total') + 1}, in is_terminal" in str(error.value)


def test_a_rule_that_cannot_be_compiled_runs_as_plain_python():
    class Plain(Nim):
        dtype = None

        def setup(self, s):
            s.heaps, s.player = np.array(self.heaps), 0

        @rule
        def legal_actions(s):
            names = {heap: [heap * 100 + take for take in range(1, s.heaps[heap] + 1)] for heap in range(2)}
            return [action for heap in sorted(names) for action in names[heap]]

    assert ponderosa.search(Plain((1, 2)).new_initial_state(), iterations=500).proven == "win"


def test_a_phase_that_cannot_be_compiled_is_explained():
    def confused(nodes, parent, params, rng):
        return nodes[parent]["nonsense"]

    with pytest.raises(RuleError, match=r"confused' cannot be compiled: test_native\.py, line \d+"):
        Search(Nim(), select=confused)


def test_a_function_that_another_thread_is_linking_is_waited_for(monkeypatch, tmp_path):
    """One thread has the helper of a function half linked, while another one compiles what calls the same helper."""
    copied, reached, over = native._copied, threading.Event(), threading.Event()

    def slowly(function, mark):
        if function is _innermost and not reached.is_set():
            reached.set()
            over.wait(2.0)  # enough to fail in; who waits for the first thread is not over by then
        return copied(function, mark)

    def second():
        assert reached.wait(PATIENCE)
        try:
            return native.compiled(_also_outer, types.int64(types.int64))(1)
        finally:
            over.set()

    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(native, "_copied", slowly)
    with ThreadPoolExecutor(2) as pool:
        answers = [
            pool.submit(lambda: native.compiled(_outer, types.int64(types.int64))(1)),
            pool.submit(second),
        ]
        assert [answer.result() for answer in answers] == [13, 14]


def _innermost(number):
    return number + 2


def _between(number):
    return _innermost(number) + 10


def _outer(number):
    return _between(number)


def _also_outer(number):
    return _between(number) + 1
