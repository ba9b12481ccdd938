"""Laws of memory that hold for every model, card and plan, whatever the constants."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.facts.typical import typical_model
from catalog.load import load_catalog
from engine.core.plan import TrainingJob
from engine.memory.kv_cache import cache_layout, kv_bytes_per_token, sequence_kv_gib
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.memory.weights import total_weights_gb, weights_gib
from engine.placement.degrees import why_invalid_tp
from engine.placement.parallel import serving_plans, training_plans, valid_tensor_parallel
from engine.shape.shape import shape_of
from tests.engine.plans import host_with, plan_of

CATALOG = load_catalog()
GENERATORS = sorted(
    name
    for name, model in CATALOG.models.items()
    if model.task in {"decoder", "vision_language"} and model.layers
)
CARDS = ["T4", "A10G", "L4", "L40S", "A100-40", "A100-80", "H100-80", "H200-141", "B200"]
ENGINES = ["vllm", "sglang", "tensorrt-llm", "tgi", "transformers", "llama.cpp"]

models = st.sampled_from(GENERATORS).map(CATALOG.models.__getitem__)
cards = st.sampled_from(CARDS)
degrees = st.sampled_from([1, 2, 4, 8, 16])
contexts = st.integers(1, 200_000)
sizes = st.floats(0.2, 1500)

laws = settings(max_examples=60, deadline=None)


def memory(model, card, context=4096, sequences=1.0, **more):
    return serving_memory(
        model,
        host_with(card, 8) if isinstance(card, str) else card,
        plan_of(**more),
        context_tokens=context,
        sequences=sequences,
    )


# ---- weights ---------------------------------------------------------------------------


@laws
@given(models, degrees, degrees)
def test_weights_fall_with_parallelism_and_ranks_hold_the_whole(model, tp, pp):
    total_gib = total_weights_gb(model, "bf16") * 1e9 / 2**30
    one = weights_gib(model, "bf16", tp, pp)
    assert one >= total_gib / (tp * pp)
    assert weights_gib(model, "bf16", 2 * tp, pp) < one
    assert weights_gib(model, "bf16", tp, 2 * pp) <= one


@laws
@given(models, degrees)
def test_fewer_bits_never_weigh_more(model, tp):
    sizes_gib = [weights_gib(model, dtype, tp) for dtype in ("fp32", "bf16", "fp8", "awq")]
    assert sizes_gib == sorted(sizes_gib, reverse=True)
    assert total_weights_gb(model, "awq") > model.total_params_b / 2


@laws
@given(models)
def test_all_experts_are_resident(model):
    assert total_weights_gb(model, "bf16") >= 2 * model.active_params_b * 0.999


# ---- cache -----------------------------------------------------------------------------


@laws
@given(models, degrees)
def test_a_head_or_a_latent_is_never_split(model, tp):
    shape = shape_of(model)
    whole, split = kv_bytes_per_token(model), kv_bytes_per_token(model, "bf16", tp)
    assert split * tp >= whole
    if shape.mla_width:
        assert split == whole
    else:
        assert split >= 2 * shape.head_dim * 2 * shape.caching_layers
        assert kv_bytes_per_token(model, "fp8", tp) * 2 == split


@laws
@given(models, contexts, contexts)
def test_a_longer_sequence_never_keeps_less(model, one, other):
    short, long = sorted((one, other))
    assert sequence_kv_gib(model, short) <= sequence_kv_gib(model, long)


@laws
@given(models, contexts)
def test_windows_keep_no_more_than_full_layers(model, context):
    shape = shape_of(model)
    everything = replace(model, attention="full" if shape.window_layers else model.attention)
    everything = replace(everything, full_attention_layers=shape.caching_layers)
    assert sequence_kv_gib(model, context) <= sequence_kv_gib(everything, context) * (1 + 1e-12)


@laws
@given(models, contexts, st.sampled_from([0.5, 3.0, 20.0, 100.0]), degrees)
def test_a_pool_never_promises_more_than_its_room(model, context, room_gib, tp):
    shape = shape_of(model)
    for manager in ("grouped", "per_layer", "in_full", "llama.cpp"):
        layout = cache_layout(shape, 2.0, tp, 1, manager)
        blocks = layout.blocks(room_gib * 2**30)
        tokens = layout.printed_tokens(blocks, context)
        assert layout.state_blocks or tokens % layout.block_tokens == 0
        assert tokens * kv_bytes_per_token(model, "bf16", tp) <= room_gib * 2**30 * (1 + 1e-9)
        pinned = layout.sequence_blocks(context)
        state = shape.linear_layers * shape.state_bytes / tp
        assert pinned * layout.block_bytes >= state
        assert layout.sequence_blocks(context + 1) >= pinned


# ---- room and verdict ------------------------------------------------------------------


@laws
@given(models, cards, st.sampled_from(ENGINES), st.floats(1, 64), st.floats(0.5, 1.0))
def test_terms_add_up_and_a_verdict_speaks(model, card, engine, sequences, utilisation):
    settings_of = {"serving_engine": engine, "memory_utilisation": utilisation}
    found = memory(model, card, 4096, sequences, tp=2, **settings_of)
    longest = found.context_max
    if found.fits and longest is not None:  # a cache that fills all the room
        found = memory(
            model, card, max(4096, int(longest / sequences)), sequences, tp=2, **settings_of
        )
    parts = found.weights + found.kv_cache + found.activations + found.overhead
    assert abs(found.total - parts) < 1e-9
    assert found.fits is (found.why_not is None)
    assert found.fits or not found.tight
    if found.fits:
        assert found.total <= found.available + 1e-9
        assert found.needed_gib <= found.limit_gib + 1e-9
        assert found.sequences_max >= 1
    else:
        assert found.needed_gib > found.limit_gib or found.room_gib == 0


@laws
@given(models, cards, contexts, contexts)
def test_a_shorter_context_still_fits(model, card, one, other):
    short, long = sorted((one, other))
    assert memory(model, card, short).fits or not memory(model, card, long).fits


@laws
@given(models, cards, st.floats(1, 100), st.floats(1, 100))
def test_fewer_sequences_still_fit(model, card, one, other):
    few, many = sorted((one, other))
    assert memory(model, card, 2048, few).fits or not memory(model, card, 2048, many).fits


@laws
@given(models, cards, st.floats(0.5, 0.98), st.floats(0.5, 0.98))
def test_more_utilisation_gives_no_less_room(model, card, one, other):
    low, high = sorted((one, other))
    rooms = [memory(model, card, memory_utilisation=u).room_gib for u in (low, high)]
    assert rooms == sorted(rooms)


@laws
@given(models, st.floats(75, 300), st.floats(75, 300), st.sampled_from(ENGINES))
def test_a_larger_card_of_a_class_gives_no_less_room(model, one, other, engine):
    host = host_with("H100-80", 8)
    rooms = [
        memory(
            model,
            replace(host, accelerator=replace(host.accelerator, mem_gib_usable=size)),
            serving_engine=engine,
        ).room_gib
        for size in sorted((one, other))
    ]
    assert rooms == sorted(rooms)


@laws
@given(models, cards, contexts)
def test_context_does_not_change_the_room_of_chunked_prefill(model, card, context):
    assert memory(model, card, context).room_gib == memory(model, card).room_gib


@laws
@given(models, cards, st.sampled_from([2, 4, 8]))
def test_more_tensor_parallelism_gives_no_less_room(model, card, tp):
    """From two cards on; the second brings communication buffers, the sampler is not divided."""
    found, more = (memory(model, card, tp=n).room_gib for n in (tp, 2 * tp))
    assert more >= found


@laws
@given(models, cards)
def test_the_longest_context_fits_and_a_block_more_does_not(model, card):
    found = memory(model, card)
    if not found.fits or found.context_max is None:
        return
    assert memory(model, card, found.context_max).fits
    assert not memory(model, card, found.context_max + 4096).fits


# ---- bigger models ---------------------------------------------------------------------


@laws
@given(sizes, sizes, cards, contexts)
def test_a_bigger_model_never_needs_less(one, other, card, context):
    small, large = (typical_model(size) for size in sorted((one, other)))
    assert weights_gib(small, "bf16") <= weights_gib(large, "bf16") + 1e-9
    found, more = memory(small, card, context), memory(large, card, context)
    assert found.needed_gib <= more.needed_gib + 1e-9
    assert found.total <= more.total + 1e-9
    assert found.fits or not more.fits


@laws
@given(sizes, sizes, st.sampled_from(["full", "lora", "qlora"]), st.integers(64, 32_768))
def test_training_a_bigger_model_never_needs_less(one, other, method, seq_len):
    small, large = (typical_model(size) for size in sorted((one, other)))
    job = TrainingJob(method=method, seq_len=seq_len, tokens_total=None, sharding="zero3")
    found, more = (
        training_memory(model, host_with("H100-80", 8), plan_of(dp=8), job).total
        for model in (small, large)
    )
    assert found <= more + 1e-9


# ---- plans -----------------------------------------------------------------------------


@laws
@given(models, cards, st.sampled_from([1, 2, 4, 8]))
def test_valid_degrees_divide_the_heads(model, card, count):
    found = valid_tensor_parallel(model, host_with(card, count))
    assert found[0] == 1
    assert max(found) <= count
    assert all(model.heads % tp == 0 for tp in found)
    assert why_invalid_tp(model, 1) is None


@laws
@given(models, cards, st.sampled_from([1, 2, 4, 8]), st.integers(128, 65_536))
def test_plans_stay_inside_their_host(model, card, count, context):
    host = host_with(card, count)
    found = list(serving_plans(model, None, host, dtype="bf16", context_tokens=context))
    assert found
    for plan in found:
        group = plan.tensor_parallel * plan.pipeline_parallel
        assert plan.accelerators == group * plan.data_parallel
        assert plan.accelerators <= count * plan.instances
        assert plan.tensor_parallel <= count
    fitting = [
        plan for plan in found if serving_memory(model, host, plan, context_tokens=context).fits
    ]
    assert fitting == found or len(found) == 1


# ---- training --------------------------------------------------------------------------

SMALL = sorted(n for n in GENERATORS if CATALOG.models[n].total_params_b < 80)
small_models = st.sampled_from(SMALL).map(CATALOG.models.__getitem__)
jobs = st.builds(
    TrainingJob,
    method=st.sampled_from(["full", "lora", "qlora"]),
    seq_len=st.integers(64, 16_384),
    tokens_total=st.none(),
    micro_batch=st.integers(1, 8),
    sharding=st.sampled_from(["ddp", "zero1", "zero2", "zero3"]),
    checkpointing=st.sampled_from(["none", "selective", "full"]),
    lora_rank=st.integers(4, 128),
    logits=st.sampled_from(["plain", "in_place", "chunked"]),
    host_checkpoints=st.booleans(),
)


def needed(model, job, cards_at_work=8):
    host = host_with("H100-80", 8)
    return training_memory(model, host, plan_of(dp=cards_at_work), job).total


@laws
@given(small_models, jobs)
def test_training_memory_grows_with_the_work(model, job):
    size = needed(model, job)
    assert needed(model, replace(job, seq_len=job.seq_len + 100)) > size
    assert needed(model, replace(job, micro_batch=job.micro_batch + 1)) > size
    larger = replace(model, vocab_size=model.vocab_size + 1000)
    same_body = replace(larger, total_params_b=larger.total_params_b + 2e-6 * model.hidden_size)
    assert needed(same_body, job) > size
    higher_rank = needed(model, replace(job, lora_rank=job.lora_rank + 1))
    assert higher_rank == size if job.method == "full" else higher_rank > size


@laws
@given(small_models, jobs)
def test_methods_and_settings_are_ordered(model, job):
    full, lora, qlora = (needed(model, replace(job, method=m)) for m in ("full", "lora", "qlora"))
    assert qlora < lora < full
    plain, in_place, chunked = (
        needed(model, replace(job, logits=kind)) for kind in ("plain", "in_place", "chunked")
    )
    assert chunked < in_place < plain
    none, selective, whole = (
        needed(model, replace(job, checkpointing=kind)) for kind in ("none", "selective", "full")
    )
    assert whole <= selective <= none


@laws
@given(small_models, jobs, st.sampled_from([2, 4, 8]))
def test_sharding_over_more_never_needs_more(model, job, ways):
    size = needed(model, job, ways)
    assert needed(model, job, 2 * ways) <= size
    states = [
        training_memory(
            model, host_with("H100-80", 8), plan_of(dp=ways), replace(job, sharding=sharding)
        )
        for sharding in ("ddp", "zero1", "zero2", "zero3")
    ]
    held = [found.weights + found.gradients + found.optimizer for found in states]
    assert held == sorted(held, reverse=True)


@laws
@given(small_models, cards, st.sampled_from([1, 4, 8]), jobs)
def test_a_training_plan_fits_or_is_the_only_one(model, card, count, job):
    host = host_with(card, count)
    (plan,) = training_plans(model, None, host, job)
    assert plan.accelerators == count * plan.instances
    ranks = plan.tensor_parallel * plan.pipeline_parallel * plan.data_parallel
    assert ranks == plan.accelerators
