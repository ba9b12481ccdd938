"""Questions about one type or one figure: why not X, does it fit, how much memory, how fast."""

from dataclasses import replace

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.picks.own_figure import by_own_figure
from bot.answers.picks.sizes import sizes_turn
from bot.answers.planning import about
from bot.answers.question_asked import question_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.runner_ups import runner_ups
from bot.cards.verdict_words import verdict_words
from bot.language.text.tables import words
from engine.core.result import Recommendation, Verdict
from engine.pick.explain import Explanation, sizing, why_not

NEURON_GROUPS = frozenset({"neuron", *words("neuron")})
NAME_THE_MODEL = "Name the model for what else would do; the pick below is for an 8B."
NEURON_NEEDS = "Neuron runs supported architectures only, compiled ahead for static shapes."


def explain_turn(turn: Turn) -> Reply:
    """Return the card, headed by the explanation that was asked for.

    A use without a model ("cheapest GPU for a support chatbot?") asks for no reasons yet.
    """
    asks_why = turn.understanding.asked.why or turn.understanding.asked.doubts
    sizes = None if turn.previous is not None or asks_why else sizes_turn(turn)
    if sizes is not None:
        return sizes
    if turn.understanding.asked.doubts:
        turn = _types_held_against(turn)
    result = recommendation_of(turn, others=turn.understanding.readings)
    return card_reply(turn, result, _explanation_asked(turn, result))


def _types_held_against(turn: Turn) -> Turn:
    """Return the turn with the hardware a text doubts held against the pick, not asked for."""
    workload = turn.workload
    doubted = workload.instance or workload.gpu
    if turn.understanding.intent != "explain" or doubted is None or workload.compare_family:
        return turn
    return about(turn, instance=None, gpu=None, compare_family=doubted)


def _explanation_asked(turn: Turn, result: Recommendation) -> Explanation:
    workload = turn.workload
    subject = workload.compare_family or workload.instance or workload.gpu
    if result.verdict is not None and _judges(turn, result.verdict):
        return _judged(turn, result, result.verdict)
    if turn.understanding.intent == "explain" and subject is not None:
        return _with_silicon(why_not(result, subject, question_of(turn, result)), turn)
    if turn.understanding.asked.doubts and turn.understanding.not_understood:
        return _not_on_ec2(turn, result)
    if workload.needs_cuda and turn.understanding.intent == "explain":
        return _cuda_explanation(result)
    if turn.understanding.asked.why and turn.understanding.topic is None and result.picks:
        return _pick_explanation(turn, result)
    return sizing(result)


def _judges(turn: Turn, verdict: Verdict) -> bool:
    """Return whether a verdict is the answer: it was asked whether it does, or it runs today."""
    asked = turn.understanding.asked
    if asked.why or asked.doubts or turn.understanding.topic not in {None, "fit"}:
        return False
    return verdict.named == "owned" or asked.whether is not None


def _judged(turn: Turn, result: Recommendation, verdict: Verdict) -> Explanation:
    """Return the verdict on what was named as the explanation, with the numbers that decide.

    What its owner measured goes before; without a model it is all that can be said.
    """
    words = verdict_words(result, turn.understanding.asked.whether)
    if measured := by_own_figure(turn, result, verdict):
        named = turn.workload.model or turn.workload.params_b
        words = f"{measured} {f'Estimated: {words}' if named else NAME_THE_MODEL}"
    return Explanation(verdict.subject, verdict.answer, verdict.numbers, words)


def _pick_explanation(turn: Turn, result: Recommendation) -> Explanation:
    """Return why the pick is the pick, and how the next one stands to it."""
    pick = result.asked or result.picks[0]
    told = why_not(result, pick.instance.instance_type, question_of(turn, result))
    reasons = [reason for reason in pick.why if reason not in told.text]
    others = runner_ups(result, pick)[:1]
    after = (f"Next: {one.machines} at {one.price}, {one.difference}." for one in others)
    text = " ".join((told.text, *(f"{reason.rstrip('.')}." for reason in reasons), *after))
    return replace(told, text=text)


def _with_silicon(told: Explanation, turn: Turn) -> Explanation:
    """Return the explanation with what AWS's own chips ask of a model, where it is about them."""
    instances, chips = turn.world.catalog.instances.values(), turn.world.catalog.accelerators
    makers = {
        chips[one.accelerator_id].vendor
        for one in instances
        if one.accelerator_id and told.subject in {one.family, one.instance_type}
    }
    if makers != {"aws"} and told.subject not in NEURON_GROUPS:
        return told
    return replace(told, text=f"{told.text} {NEURON_NEEDS}")


def _cuda_explanation(result: Recommendation) -> Explanation:
    """Return why own CUDA code stays on NVIDIA GPUs, and which of them it is today."""
    chips = ", ".join(word.capitalize() for word in words("neuron"))
    text = f"Custom CUDA kernels run on NVIDIA GPUs alone: not on {chips} or a CPU."
    families = dict.fromkeys(pick.instance.family for pick in result.picks)
    if families:
        text += f" Of those, for this workload: {', '.join(families)}."
    return Explanation("custom CUDA kernels", "NVIDIA only", (), text)


def _not_on_ec2(turn: Turn, result: Recommendation) -> Explanation:
    """Return that EC2 has nothing by the name that a text doubts, and the pick."""
    words = turn.understanding.not_understood[0].text
    text = f"EC2 sells nothing that is known here as {words}."
    if result.picks:
        text += f" The pick is {result.picks[0].instance.instance_type}."
    return Explanation(words, "unknown", (), text)
