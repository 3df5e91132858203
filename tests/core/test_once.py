"""What is worked out once: by one thread, and nobody waits for another's."""

from __future__ import annotations

import threading

from ponderosa.core.once import once
from tests.helpers import PATIENCE, Nim, wait_until


def in_thread(work) -> tuple[threading.Thread, list]:
    found: list = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    return thread, found


def test_while_one_game_is_compiled_others_are_played():
    begun, go = threading.Event(), threading.Event()

    class Slow(Nim):
        def build_rules(self, compiled):
            begun.set()
            assert go.wait(PATIENCE)
            return super().build_rules(compiled)

    slow, other = Slow(), Nim()
    compiling, rules = in_thread(lambda: slow.rules)
    assert begun.wait(PATIENCE)
    try:
        playing, ended = in_thread(lambda: other.new_initial_state().is_terminal())
        playing.join(PATIENCE)
        assert ended == [False] and rules == []
    finally:
        go.set()
    compiling.join(PATIENCE)
    assert rules == [slow.rules]


class Counted:
    def __init__(self) -> None:
        self.asked, self.go = 0, threading.Event()

    @once
    def value(self) -> object:
        """What it is."""
        self.asked += 1
        assert self.go.wait(PATIENCE)
        return object()


def test_several_threads_make_one_value_of_one_object():
    thing = Counted()
    threads = [in_thread(lambda: thing.value) for _ in range(4)]
    wait_until(lambda: thing.asked)
    thing.go.set()
    for thread, _ in threads:
        thread.join(PATIENCE)
    assert thing.asked == 1 and all(found == [thing.value] for _, found in threads)


def test_it_is_an_attribute_that_can_be_set_and_taken_away():
    thing = Counted()
    thing.go.set()
    assert thing.value is thing.value
    thing.value = "another"
    assert thing.value == "another"
    del thing.value
    assert thing.value != "another" and thing.asked == 2
    assert Counted.value.__doc__ == "What it is."


def test_what_could_not_be_made_is_tried_again():
    class Reluctant:
        tries = 0

        @once
        def value(self) -> int:
            self.tries += 1
            return 1 // (self.tries - 1)

    thing = Reluctant()
    for _ in range(2):
        try:
            assert thing.value == 1
        except ZeroDivisionError:
            assert thing.tries == 1
    assert thing.tries == 2
