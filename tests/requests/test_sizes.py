"""A use without a model is answered with what each size of model costs, and a question back."""

import pytest

from tests.requests.test_followups import thread_of

SIZES = ("8B", "32B", "70B", "120B MoE")
OPEN = [
    "cheapest GPU for a support chatbot with 300 users",
    "coding assistant for 50 developers",
    "llm for 200 employees",
    "summarise 1 million tickets overnight",
]


@pytest.mark.parametrize("text", OPEN)
def test_a_use_without_a_model_is_told_by_size(text):
    reply, _ = thread_of(text)
    assert tuple(row[0] for row in reply.view.rows) == SIZES
    assert all(row[3].startswith("$") for row in reply.view.rows)
    assert any("Which one shall it be?" in note for note in reply.view.notes)
    assert reply.recommendation.picks  # scripts go on reading picks
    assert [row["name"] for row in reply.comparison["rows"]] == list(SIZES)


def test_each_size_and_each_other_reading_is_a_button():
    reply, _ = thread_of("chatbot for 2000 employees")
    labels = [choice.label for choice in reply.view.choices]
    assert labels == [*SIZES, "I meant 2,000 users at once"]
    assert dict(reply.view.choices[1].change) == {"params_b": 32.0}
    actions = [block for block in reply.blocks if block["type"] == "actions"]
    assert [one["text"]["text"] for one in actions[0]["elements"]] == labels


SETTLED = [
    "a 7B chatbot for 300 users",
    "llama 3.1 8b for 300 users",
    "chatbot on a g5.xlarge",
    "transcribe 1000 hours of audio nightly",
    "embeddings for search for 300 users",
    "image generation service",
    "fine-tune a chatbot",
]


@pytest.mark.parametrize("text", SETTLED)
def test_a_model_its_kind_or_the_hardware_settle_the_size(text):
    assert not hasattr(thread_of(text)[0].view, "rows")


def test_the_thread_goes_on_with_the_size_that_was_chosen():
    turns = ("support chatbot with 300 users", "make it 900 users", "70B")
    asked, more, chosen = (thread_of(*turns[:count])[0] for count in (1, 2, 3))
    assert more.view.rows[0][0] == "8B"
    assert more.view.rows != asked.view.rows
    assert (chosen.workload.params_b, chosen.workload.users) == (70.0, 900)
    assert not chosen.view.since


def test_speech_without_a_model_is_not_served_by_one_that_writes():
    reply, _ = thread_of("transcribe 1000 hours of audio nightly")
    assert reply.recommendation.model.task == "speech"
