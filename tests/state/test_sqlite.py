"""What is SQLite's own: the queue, the file, its clean-up; the store is in test_store.py."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.store.location import StateLocationError, state_path
from bot.store.sqlite import DEAD_LETTER_KEPT_S, Database, SqliteQueue, SqliteStore
from bot.store.store import THREAD_KEPT_S, Job, ThreadKey
from tests.state.racing import race

THREAD = ThreadKey("T1", "C1", "1.1")


@pytest.fixture
def store(database, clock):
    return SqliteStore(database, clock)


@pytest.fixture
def queue(database, clock):
    return SqliteQueue(database, clock)


def job(key, group=None, **body):
    return Job(key=key, group=group or key, body=body)


@pytest.mark.parametrize("connections", [1, 4])
def test_one_of_many_racing_claims_wins(tmp_path, clock, connections):
    databases = [Database(tmp_path / "race.db") for _ in range(connections)]
    stores = [SqliteStore(databases[n % connections], clock) for n in range(32)]
    claims = race([lambda s=s, n=n: s.claim("k", str(n), 10) for n, s in enumerate(stores)])
    for database in databases:
        database.close()

    assert sorted(claim.name for claim in claims) == ["BUSY"] * 31 + ["WON"]


def test_racing_workers_share_the_jobs_and_double_none(queue):
    for n in range(16):
        queue.send(job(f"k{n}"))
    leases = race([lambda: queue.receive(60) for _ in range(20)])

    assert sorted(lease.job.key for lease in leases if lease) == sorted(f"k{n}" for n in range(16))


def test_what_expired_is_cleared_away(store, database, clock):
    store.claim("k", "a", 10)
    store.put_thread(THREAD, "x")
    clock.now += THREAD_KEPT_S
    store.claim("new", "a", 10)
    store.put_thread(ThreadKey("T1", "C1", "2.2"), "y")

    with database.read() as rows:
        assert rows.execute("SELECT key FROM claims").fetchall() == [("new",)]
        assert rows.execute("SELECT ts FROM threads").fetchall() == [("2.2",)]


def test_jobs_come_oldest_first_and_once(queue):
    for key in ("a", "b"):
        queue.send(job(key, text="naïve ✓"))
    queue.send(job("a", text="again"))
    first, second = queue.receive(60), queue.receive(60)

    assert [first.job, second.job] == [job("a", text="naïve ✓"), job("b", text="naïve ✓")]
    assert (first.attempts, queue.receive(60)) == (1, None)


def test_a_lease_that_ends_gives_the_job_to_another_and_the_late_one_changes_nothing(queue, clock):
    queue.send(job("a"))
    late = queue.receive(60)
    assert queue.idle_s() == 60
    clock.now += 60
    assert queue.idle_s() == 0
    second = queue.receive(60)
    queue.finish(late)
    queue.retry(late, 0)
    queue.bury(late, "late")

    assert second.attempts == 2
    assert queue.receive(60) is None
    queue.finish(second)
    assert queue.idle_s() is None


@pytest.mark.parametrize(("counted", "attempts"), [(True, 2), (False, 1)])
def test_a_retry_waits_and_counts_or_does_not(queue, clock, counted, attempts):
    queue.send(job("a"))
    queue.retry(queue.receive(60), 5, counted=counted)
    assert (queue.idle_s(), queue.receive(60)) == (5, None)
    clock.now += 5

    assert queue.receive(60).attempts == attempts


def test_a_group_runs_in_order_even_past_a_retry(queue, clock):
    queue.send(job("a", "thread"))
    queue.send(job("b", "thread"))
    queue.send(job("c", "another"))
    first = queue.receive(60)
    queue.retry(first, 30)

    assert [queue.receive(60).job.key, queue.receive(60)] == ["c", None]
    clock.now += 30
    again = queue.receive(60)
    queue.bury(again, "no use")
    assert (again.job.key, queue.receive(60).job.key) == ("a", "b")


def test_dead_letters_keep_the_reason_for_two_weeks(queue, database, clock):
    def letters():
        with database.read() as rows:
            return rows.execute("SELECT key, reason, attempts FROM dead_letters").fetchall()

    for key in ("a", "b"):
        queue.send(job(key))
        queue.bury(queue.receive(60), f"why {key}")
        if key == "a":
            assert letters() == [("a", "why a", 1)]
        clock.now += DEAD_LETTER_KEPT_S
    assert letters() == [("b", "why b", 1)]


def test_jobs_and_threads_survive_a_restart(tmp_path, clock):
    path = tmp_path / "state.db"
    script = f"""
import os
from pathlib import Path
from bot.store.sqlite import Database
from bot.store.sqlite import SqliteQueue
from bot.store.sqlite import SqliteStore
from bot.store.store import Job, ThreadKey
database = Database(Path({str(path)!r}))
SqliteQueue(database).send(Job(key="k", group="g", body={{"n": 1}}))
SqliteStore(database).put_thread(ThreadKey("T1", "C1", "1.1"), "context")
os._exit(9)  # no close, no goodbye
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    database = Database(path)
    clock.now = 9e9 / 3  # later than the process that died
    lease = SqliteQueue(database, clock).receive(60)
    database.close()

    assert lease.job == Job(key="k", group="g", body={"n": 1})


def test_the_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "new" / "state.db"
    path.parent.parent.chmod(0o755)
    database = Database(path)
    database.close()
    path.chmod(0o644)  # as an earlier umask may have left it
    database = Database(path)
    SqliteStore(database).put_thread(THREAD, "x")
    files = sorted(path.parent.iterdir())

    assert [file.name for file in files] == ["state.db", "state.db-shm", "state.db-wal"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    database.close()


def test_a_failed_write_leaves_nothing_behind_and_the_database_usable(database, store):
    def write_the_same_twice():
        with database.write() as rows:
            for _ in range(2):
                rows.execute("INSERT INTO threads VALUES ('T', 'C', '1', 'x', 1e12)")

    with pytest.raises(sqlite3.IntegrityError):
        write_the_same_twice()

    assert store.get_thread(ThreadKey("T", "C", "1")) is None
    store.put_thread(THREAD, "fine")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "state.db"
    path.write_text("dear diary, " * 100)
    with pytest.raises(sqlite3.DatabaseError):
        Database(path)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("sqlite:///state.db", Path("state.db")),
        ("sqlite:////var/lib/x/state.db", Path("/var/lib/x/state.db")),
        ("sqlite:///~/x.db", Path.home() / "x.db"),
        (" sqlite:///state.db ", Path("state.db")),
    ],
)
def test_the_state_is_where_the_variable_says(value, path):
    assert state_path({"EC2_PICK_STATE": value}) == path


def test_the_state_is_in_the_users_data_folder_by_default(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert state_path({}).name == "state.db"
    assert state_path({}).parent.name == "ec2-pick"


@pytest.mark.parametrize(
    "value", ["/var/x.db", "dynamodb://table", "sqlite://x.db", "sqlite:///", "sqlite:///:memory:"]
)
def test_a_place_that_is_not_understood_is_refused_with_an_example(value):
    with pytest.raises(StateLocationError, match=r"write sqlite:///path/to/state\.db"):
        state_path({"EC2_PICK_STATE": value})
