"""What the answers to the fresh cases are held to, a line of checks a row."""

import re

from bot.answers.world import load_world
from tests.benchmarks.fresh_answers import (
    FreshAnswer,
    figure,
    holds_it,
    leads_with,
    never_says,
    says,
    understood,
)

GIB = 2**30


def weights_needed(told):
    """Weights a GPU of what was named, where they are told of as an own figure or as the pick's."""
    return (told.numbers("weights per accelerator") or [told.memory["weights"]])[0]


def memory_needed(told):
    """Memory a GPU of what was named, by the answer's own figure."""
    return told.numbers("memory needed")[0]


def per_user(told):
    """Tokens a second of one user of the first pick."""
    return 1000 / told.speed["tpot_ms"]


def delivered(told):
    """Tokens a second of one request from its start to its end."""
    return told.speed["output_tokens_per_s"]


def kv_of_a_sequence(told):
    """Cache of one sequence a GPU in GiB: what a token takes of both, at the length asked for."""
    return told.memory["kv_cache"]


def total_params(told):
    """Billions of parameters: as said, or of the model that the name is."""
    said = told.workload.get("params_b")
    return said or load_world().catalog.models[told.workload["model"]].total_params_b


def plan_is(**degrees):
    """The degrees of the first pick's plan."""

    def check(told):
        for name, value in degrees.items():
            assert told.pick["plan"][name] == value, f"{name}: {told.pick['plan'][name]}"

    return check


def picks_first(*types):
    """One of the types is the first pick."""

    def check(told):
        assert told.pick["instance_type"] in types, told.pick["instance_type"]

    return check


def counts(instances):
    """So many instances are the first pick."""

    def check(told):
        assert told.pick["instances"] == instances

    return check


def never_picks(*types):
    """None of the types is among the picks."""

    def check(told):
        picked = {pick["instance_type"] for pick in told.json["picks"]}
        assert not picked & set(types), picked

    return check


def requires_no(*fields):
    """What was tried or named as a fact is no wish of the next machine."""

    def check(told):
        held = {name: told.workload.get(name) for name in fields}
        assert not any(held.values()), held

    return check


def has_no_workload(told):
    """A question of fact is answered without a model, a context or a speed."""
    assert not told.json.get("picks"), "picks for a question of fact"
    for word in ("Typical", "tok/s", "per token", "replica", "context of"):
        assert word not in told.text, word


def prices_every_way(told):
    """On demand, reserved for one year and for three: each figure, or that none is known."""
    for wanted in told.expect["usd_h"].values():
        value = wanted["value"] if isinstance(wanted, dict) else wanted
        near = [n for n in _dollars(told.text) if abs(n - value) <= 0.06 * value]
        assert near, f"no ${value}"


def _dollars(text):
    return [float(found.replace(",", "")) for found in re.findall(r"\$([\d,]+(?:\.\d+)?)", text)]


def kv_is_told_once(told):
    """One figure of the cache is told: sequences of the length that was asked for."""
    room = re.findall(r"KV cache room for (?:about )?([\d.]+) sequences of 200k tokens", told.text)
    assert len(set(room)) == 1, room
    assert abs(float(room[0]) / told.memory["sequences_of_context"] - 1) < 0.05, room
    assert len(re.findall("KV cache", told.text)) <= 4


def steps_of_a_distilled_model(told):
    """4 of the full model's 50 steps: about 4/50 of its time on the same card, and within 5 s."""
    full = FreshAnswer(
        {
            "kind": "ask",
            "expect": {},
            "input": "FLUX.1-dev, 50 steps, 1024x1024, one image at a time on g7e.2xlarge: "
            "seconds per image?",
        }
    )
    share = told.speed["e2e_ms"] / full.speed["e2e_ms"]
    assert 0.04 <= share <= 0.12, share


ASKS = {
    "F01": [
        holds_it,
        plan_is(tensor_parallel=4),
        figure("weights_gib_per_gpu", weights_needed),
        figure("tok_s_one_user", per_user),
        understood(context=1024),
        never_says("1024.{0,20}not understood", "It is also the first choice"),
    ],
    "F03": [
        leads_with("^No on one g5.12xlarge"),
        leads_with(r"21\.[6-9] GiB|22\.[0-4] GiB"),
        says(r"4 bits?.{0,60}g5\.12xlarge|g5\.12xlarge.{0,60}4 bits?", r"g6e\.xlarge"),
        requires_no("gpu_memory_gb", "gpu_count"),
    ],
    "F06": [
        understood(model="llama-3.1-405b"),
        figure("weights_gib_per_gpu", lambda told: told.pick["memory"]["weights"]),
        figure("tok_s_at_load", lambda told: told.speed["output_tokens_per_s"]),
    ],
    "F09": [
        figure("kv_tokens", lambda told: told.memory["kv_tokens_max"]),
        figure("kv_room_gib", lambda told: told.memory["room_gib"]),
    ],
    "F11": [
        says("No on one g6e.4xlarge", "it fits in fp8|Yes on one g6e.4xlarge"),
        figure("sequences", lambda told: told.numbers("sequences of 65,536 tokens")[0]),
        figure("sequences_fp8_kv", lambda told: told.numbers("sequences with an fp8 cache")[0]),
    ],
    "F13": [
        figure("kv_tokens", lambda told: told.memory["kv_tokens_max"]),
        figure("sequences", lambda told: told.memory["sequences_max"]),
        figure("weights_gib", lambda told: told.memory["weights"]),
    ],
    "F15": [figure("tok_s_one_user", delivered)],
    "F17": [has_no_workload, prices_every_way, says("no .{0,90}upfront", "reserved, 3 years")],
    "F19": [
        holds_it,
        counts(2),
        says("TP 8 × PP 2|TP 16"),
        never_says("first token [0-9.]+ min"),
    ],
    "F21": [
        leads_with("^No on one g7e.24xlarge"),
        leads_with(r"(39[0-9]|40[0-9]) GB of weights.*38[0-9] GB"),
        leads_with("g7e.48xlarge"),
    ],
    "F23": [
        holds_it,
        plan_is(tensor_parallel=2),
        figure("tpot_ms", lambda told: told.speed["tpot_ms"]),
    ],
    "F25": [
        understood(method="qlora"),
        requires_no("deadline_h"),
        never_picks("g5.4xlarge"),
        says("bf16", "no g5.4xlarge|without g5.4xlarge"),
        never_says("not understood"),
    ],
    "F27": [
        leads_with("^No on one g5.24xlarge"),
        says("off-?load.{0,80}host|host.{0,80}off-?load", "384 GiB", "slow"),
        requires_no("gpu"),
    ],
    "F29": [
        leads_with("^No on eight A100"),
        # 16 bytes x 69B / 8, as the row's reason has it, are GB
        figure("gib_per_gpu", lambda told: memory_needed(told) * GIB / 1e9),
        says("16 (GPUs|would)", "8-bit optimi[sz]er|off-?load"),
    ],
    "F31": [
        understood(task="finetune", method="lora", gpu_count=2),
        leads_with("two L4|two A10G|24 GB"),
        says("QLoRA"),
    ],
    "F33": [says("logits", r"2[456](\.\d)? G(i)?B")],
    "F35": [
        figure("gb_total", lambda told: told.numbers("memory in total")[0] * GIB / 1e9),
        never_says(r"\btok/s", r"\d tokens"),
        requires_no("gpu_memory_gb"),
    ],
    "F37": [
        understood(task="inference", rps=20, gpu_count=2),
        leads_with("two A10G"),
        never_says("contradict"),
    ],
    "F39": [figure("tpot_ms", lambda told: told.speed["tpot_ms"])],
    "F41": [
        leads_with("^No on one p5.48xlarge"),
        leads_with(r"81[0-9] GB of weights.*6[34][0-9] GB"),
        says(r"\$55\.04", r"\$98\.32"),
    ],
    "F43": [figure("tok_s_one_user", lambda told: 1000 / told.named["performance"]["tpot_ms"])],
    "F45": [
        picks_first("g4dn.12xlarge"),
        says("g4dn.2xlarge has one GPU", "g4dn.4xlarge has one GPU"),
    ],
    "F47": [leads_with(r"^Where|^Yes"), says(r"Yes: g5\.xlarge at \$1\.459"), has_no_workload],
    "F49": [
        picks_first("p5.4xlarge", "g7e.2xlarge"),
        never_says("g6e.xlarge .{0,60}fastest"),
    ],
    "F51": [
        holds_it,
        counts(4),
        picks_first("g5.xlarge"),
        figure("sequences", lambda told: told.pick["memory"]["sequences_of_context"]),
    ],
    "F53": [
        understood(quant="mxfp8"),
        figure("tok_s", lambda told: told.speed["output_tokens_per_s"]),
    ],
    "F55": [
        holds_it,
        figure("params_b", total_params),
        figure("weights_gib_per_gpu", lambda told: told.pick["memory"]["weights"]),
    ],
    "F57": [holds_it, understood(context=200000), kv_is_told_once],
    "F59": [figure("gib_per_gpu_per_sequence", kv_of_a_sequence)],
    "F61": [
        figure("seconds", lambda told: told.speed["e2e_ms"] / 1000),
        steps_of_a_distilled_model,
    ],
    "K02": [figure("params_b", lambda told: told.params_b)],
    "K04": [figure("params_b", lambda told: told.params_b)],
    "K06": [figure("params_b", lambda told: told.params_b)],
    "K08": [
        figure("params_b", lambda told: told.params_b),
        figure("kv_bytes_per_token", lambda told: told.memory["kv_bytes_per_token"]),
    ],
    "K10": [
        figure("params_b", lambda told: told.params_b),
        figure("kv_bytes_per_token", lambda told: told.memory["kv_bytes_per_token"]),
    ],
}
