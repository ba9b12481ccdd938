import pytest

from bot.cards.slack_limits import check_blocks, clamp_blocks, clamped, clamped_message_text


def plain(text):
    return {"type": "plain_text", "text": text}


def mrkdwn(text):
    return {"type": "mrkdwn", "text": text}


def section(text="x"):
    return {"type": "section", "text": mrkdwn(text)}


def button(action_id="a", text="t", value="v"):
    return {"type": "button", "text": plain(text), "action_id": action_id, "value": value}


GOOD = [
    {"type": "header", "text": plain("x" * 150)},
    section("x" * 3000),
    {"type": "section", "fields": [mrkdwn("x" * 2000)] * 10},
    {"type": "context", "elements": [mrkdwn("x")] * 10},
    {"type": "divider"},
    {"type": "actions", "elements": [button(str(i)) for i in range(25)]},
]


def test_blocks_at_their_limits_are_fine():
    assert check_blocks(GOOD) == []
    assert clamp_blocks(GOOD) == GOOD


@pytest.mark.parametrize(
    ("blocks", "says"),
    [
        ([], "0 blocks"),
        ([section()] * 51, "51 blocks"),
        ([{"type": "header", "text": plain("x" * 151)}], "151 characters"),
        ([{"type": "header", "text": mrkdwn("x")}], "text of type mrkdwn"),
        ([section("")], "0 characters"),
        ([section("x" * 3001)], "3001 characters"),
        ([{"type": "section"}], "neither text nor fields"),
        ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "11 fields"),
        ([{"type": "section", "fields": [mrkdwn("x" * 2001)]}], "2001 characters"),
        ([{"type": "context", "elements": [mrkdwn("x")] * 11}], "11 elements"),
        ([{"type": "actions", "elements": []}], "0 elements"),
        ([{"type": "actions", "elements": [button(str(i)) for i in range(26)]}], "26 elements"),
        ([{"type": "actions", "elements": [button(), button()]}], "occurs twice"),
        ([{"type": "actions", "elements": [button(text="x" * 76)]}], "76 characters"),
        ([{"type": "actions", "elements": [button(value="x" * 2001)]}], "value too long"),
        ([{"type": "actions", "elements": [button(action_id="x" * 256)]}], "action_id too long"),
        ([{"type": "actions", "elements": [{"type": "image"}]}], "element of type image"),
        ([{"type": "marquee"}], "unknown type"),
        ([section() | {"block_id": "x" * 256}], "block_id too long"),
        ([{"type": "section", "text": {"type": "html", "text": "x"}}], "text of type html"),
    ],
)
def test_what_slack_would_refuse_is_found(blocks, says):
    assert any(says in problem for problem in check_blocks(blocks))


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("short", 10, "short"),
        ("0123456789", 6, "01234…"),
        ("abc&lt;def", 6, "abc…"),
        ("abc&lt;def", 8, "abc&lt;…"),
        ("`code that is long`", 10, "`code tha`…"),
    ],
)
def test_clamp_never_cuts_an_entity(text, limit, cut):
    assert clamped(text, limit) == cut


def test_message_text_is_counted_in_bytes():
    assert clamped_message_text("x" * 4000) == "x" * 4000
    assert len(clamped_message_text("é" * 4000).encode()) <= 4000
