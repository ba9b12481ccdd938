"""Laws over requests at random: whatever is asked, Slack accepts the answer and it reads whole."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.answers.world import load_world
from bot.cards.slack_limits import check_blocks
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from tests.cards.workload_words import FOLLOW_UPS, REQUESTS
from tests.slack.block_limits import refusal

WORLD = load_world()


@given(REQUESTS, st.lists(FOLLOW_UPS, max_size=3))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_slack_accepts_every_answer_of_a_thread(text, follow_ups):
    thread = Thread()
    for said in (text, *follow_ups):
        before = thread.before(said)
        reply = answer(said, WORLD, None if before is None else before.now)
        thread = (before or thread).after(reply)
        assert refusal(reply.blocks) is None
        assert check_blocks(reply.blocks) == []
        assert reply.text.strip()


@given(REQUESTS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_fallback_names_the_pick_and_its_price(text):
    reply = answer(text, WORLD)
    if reply.intent != "pick" or reply.recommendation is None or not reply.recommendation.picks:
        return
    pick = reply.recommendation.picks[0]
    assert pick.instance.instance_type in reply.text
    if pick.quote.usd_per_hour is not None:
        assert "/h" in reply.text
