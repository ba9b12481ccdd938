"""What is said in our threads without naming us: to the bot, or between people?"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.reply import Reply
    from bot.thread import Thread


def is_for_us(text: str, reply: "Reply", thread: "Thread") -> bool:
    """Return whether overheard words ask for the reply.

    Where one person speaks in the thread, all is said to the bot. Between people only what is
    understood whole and changes something is: the rest can be said again with a mention, and an
    answer that nobody asked for cannot be taken back.
    """
    if "<@" in text:
        return False
    if len(thread.speakers) < 2:
        return True
    if reply.error is not None:
        return reply.error.code != "not_understood"
    if reply.unread or reply.intent == "help":
        return False
    return reply.intent != "pick" or reply.workload != thread.now
