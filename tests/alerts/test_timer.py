"""The local scheduler: sweeps one after the other until it is stopped."""

import threading

from bot.alerts.sweep import EVERY_S, SweepTimer

WAIT_S = 10  # only ever waited out by a test that fails


def test_it_sweeps_at_once_and_then_waits_for_its_hour():
    swept = threading.Event()

    def sweep(_):
        swept.set()
        return {"told": 1}

    timer = SweepTimer(sweep)
    timer.start()
    assert swept.wait(WAIT_S)
    assert timer.stop(WAIT_S)  # the hour is not waited out
    assert EVERY_S == 3600


def test_a_sweep_that_fails_is_followed_by_the_next(caplog):
    sweeps, third = [], threading.Event()

    def sweep(_):
        sweeps.append(1)
        if len(sweeps) >= 3:
            third.set()
        raise ValueError("boom")

    timer = SweepTimer(sweep, every_s=0)
    timer.start()
    assert third.wait(WAIT_S)
    assert timer.stop(WAIT_S)
    assert "a sweep failed" in caplog.text


def test_a_sweep_under_way_is_told_that_there_is_no_time_left():
    began, seen = threading.Event(), []

    def sweep(has_time):
        seen.append(has_time())
        began.set()
        while has_time():
            threading.Event().wait(0)
        seen.append(has_time())
        return {}

    timer = SweepTimer(sweep)
    timer.start()
    assert began.wait(WAIT_S)
    assert timer.stop(WAIT_S)
    assert seen == [True, False]


def test_a_sweep_that_hangs_is_left_behind():
    release = threading.Event()
    timer = SweepTimer(lambda _: {"told": int(release.wait(WAIT_S))})
    timer.start()
    assert not timer.stop(0)
    release.set()
    assert timer.stop(WAIT_S)
