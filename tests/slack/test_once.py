"""However often Slack delivers something, it is answered once, and never lost."""

import threading

import pytest

from tests.slack.sender import BOT, direct, mention, message

MENTIONED = f"<@{BOT}> inference 7B"
UNKNOWN_US = {"authorizations": []}


@pytest.mark.parametrize("envelope", [{}, UNKNOWN_US], ids=["we are named", "we are not"])
@pytest.mark.parametrize("first", ["mention", "message"])
@pytest.mark.parametrize("thread", [None, "known"])
def test_a_mention_and_its_message_double_are_answered_once(
    sender, work, conversation, envelope, first, thread
):
    fields = {}
    if thread:
        sender.event(mention(ts="1600000000.000001"))
        work()
        fields = {"thread_ts": "1600000000.000001"}
    pair = [mention(MENTIONED, **fields), message(MENTIONED, **fields)]
    before = len(conversation.asked)
    for event in pair if first == "mention" else reversed(pair):
        assert sender.event(event, **envelope).status == 200
    work()

    assert conversation.texts[before:] == ["inference 7B"]


def test_the_double_does_not_get_in_the_way_of_a_mention_being_handed_on(sender, work, service):
    """Both arrive at the same instant; neither may be told to come again."""
    sender.event(mention(ts="1600000000.000001"))
    work()
    key = "message|T1|C1|1700000000.000100"
    service.ingress.store.claim(key, "the mention's delivery", lease_s=10)

    double = message(MENTIONED, thread_ts="1600000000.000001")
    assert sender.event(double).status == 200


@pytest.mark.parametrize("event", [mention(), direct()], ids=["mention", "direct"])
@pytest.mark.parametrize("meanwhile", ["still waiting", "answered"])
def test_retries_of_an_event_are_answered_once(sender, work, slack, event, meanwhile):
    for retry in (None, 1, 2, 3):
        assert sender.event(event, retry, event_id="Ev7").status == 200
        if meanwhile == "answered":
            work()
    work()

    assert len(slack.posts) == 1


def test_one_message_with_many_event_ids_is_answered_once(sender, work, slack):
    for _ in range(11):
        sender.event(mention())
    work()

    assert len(slack.posts) == 1


def test_a_retry_is_answered_where_the_first_delivery_never_came(sender, work, slack):
    sender.event(mention(), retry=2)
    work()

    assert len(slack.posts) == 1


def test_a_replayed_command_is_answered_once_and_two_commands_twice(sender, work, slack):
    request = sender.command_request("7B")
    assert [sender.post(*request).status for _ in range(2)] == [200, 200]
    sender.command("7B")
    work()

    assert len(slack.posts) == 2


def test_the_same_words_in_two_workspaces_are_two_messages(sender, work, slack):
    for team in ("T1", "T2"):
        sender.event(mention(), team_id=team)
    work()

    assert len(slack.posts) == 2


def test_deliveries_that_race_are_answered_once(sender, work, slack):
    request = sender.event_request(mention())
    statuses = []
    racers = [
        threading.Thread(target=lambda: statuses.append(sender.post(*request).status))
        for _ in range(8)
    ]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    work()

    assert set(statuses) <= {200, 503}  # 503: another is being handed on, Slack may ask again
    assert 200 in statuses
    assert len(slack.posts) == 1


def test_a_worker_that_dies_between_claim_and_answer_is_followed_by_another(
    sender, service, work, slack, clock
):
    sender.event(mention())
    service.worker.queue.receive(lease_s=60)  # and never heard of again

    assert sender.event(mention(), retry=1).status == 200  # Slack's retry changes nothing
    clock.now += 59
    assert work() == 0
    clock.now += 1
    assert work() == 1
    assert len(slack.posts) == 1


def test_an_ingress_that_dies_between_claim_and_hand_over_leaves_it_to_the_next_delivery(
    sender, service, work, slack, clock
):
    key = "message|T1|C1|1700000000.000100"
    service.ingress.store.claim(key, "somebody who died", lease_s=10)

    assert sender.event(mention(), retry=1).status == 503  # might still be handed on
    clock.now += 60
    assert sender.event(mention(), retry=2).status == 200
    work()
    assert len(slack.posts) == 1


def test_a_hand_over_that_fails_is_not_acknowledged(sender, database, work, slack, clock):
    with database.write() as rows:
        rows.execute("ALTER TABLE jobs RENAME TO gone")
    assert sender.event(mention()).status == 500
    with database.write() as rows:
        rows.execute("ALTER TABLE gone RENAME TO jobs")
    clock.now += 60
    assert sender.event(mention(), retry=1).status == 200
    work()

    assert len(slack.posts) == 1
