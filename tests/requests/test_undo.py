"""Taking the last change of a thread back, and starting over."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.conversation.thread import KEPT, Thread, recall, remember
from bot.language.turns import going_back
from bot.store.store import ThreadKey


def conversation(*turns: str):
    """Return the last reply of a thread and what the thread is then about."""
    thread, reply = Thread(), None
    for text in turns:
        said_in = thread.before(text)
        reply = answer(text, load_world(), None if said_in is None else said_in.now)
        thread = (said_in or thread).after(reply)
    return reply, thread


@pytest.mark.parametrize(
    "text",
    ["undo", "Undo.", "please undo that", "go back", "take that back", "revert the last change"],
)
def test_words_that_undo(text):
    assert going_back(text) == ("undo", "")
    reply, thread = conversation("inference 7B", "70B fp8", text)
    assert reply.workload == thread.now
    assert thread.now.params_b == 7
    assert "taken back" in reply.text


@pytest.mark.parametrize("text", ["undo the training of a 7B", "8B go back to g5?", "back in Ohio"])
def test_words_that_do_not(text):
    assert going_back(text) == ("", text)


def test_each_undo_goes_one_step_further_and_stops_at_the_first_answer():
    turns = ["inference 7B", "in Frankfurt", "70B fp8"]
    assert conversation(*turns, "undo")[1].now.params_b == 7
    assert conversation(*turns, "undo", "undo")[1].now.region is None
    reply, thread = conversation(*turns, "undo", "undo", "undo")
    assert "left to take back" in reply.text
    assert thread.now.params_b == 7  # a later turn still has something to amend
    assert conversation("undo")[1] == Thread()


def test_after_an_undo_the_thread_goes_on_from_there():
    reply, thread = conversation("inference 7B", "70B fp8", "undo", "on spot")
    assert (thread.now.params_b, thread.now.market) == (7, "spot")
    assert conversation("inference 7B", "70B fp8", "undo", "on spot", "undo")[1].now.market is None
    assert reply.error is None


def test_questions_and_faults_are_no_steps():
    _, thread = conversation("inference 7B", "in Ohio", "why not inf2?", "qwertz", "undo")
    assert thread.now.region is None


def test_starting_over_forgets_every_step():
    assert conversation("inference 7B", "in Ohio", "start over")[1] == Thread()


def test_a_thread_is_kept_as_it_was(store):
    _, thread = conversation("inference 7B nvidia only", "in Ohio")
    key = ThreadKey("T1", "C1", "1.0")
    remember(store, key, thread)
    assert recall(store, key) == thread
    remember(store, key, Thread())
    assert recall(store, key) == Thread()
    assert recall(store, ThreadKey("T1", "C1", "2.0")) == Thread()


def test_a_thread_of_an_older_release_is_read(store):
    key = ThreadKey("T1", "C1", "3.0")
    store.put_thread(key, '{"workload": {"params_b": 7.0, "gone": 1, "allow": ["g5"]}}')
    (workload,) = recall(store, key).workloads
    assert (workload.params_b, workload.allow) == (7.0, ("g5",))


def test_only_the_last_steps_are_kept():
    _, thread = conversation("inference 7B", *(f"{n} users" for n in range(2, KEPT + 4)))
    assert len(thread.workloads) == KEPT


@pytest.fixture
def store(tmp_path):
    from bot.aws.opened_state import opened_state

    state = opened_state({"EC2_PICK_STATE": f"sqlite:///{tmp_path}/state.db"})
    yield state.store
    state.close()
