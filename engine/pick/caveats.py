"""What a reader must know before acting on a pick: topic codes and their sentences."""

from catalog.facts.schema import Accelerator, Instance
from catalog.facts.units import BYTES_PER_GB
from engine.core.estimate import Memory
from engine.core.option import Option
from engine.core.question import Question, training_job
from engine.memory.training import LONG_SEQUENCE
from engine.pick.standing import known_of, standing

MANY_REPLICAS = 8
FULL_LOGIT_BYTES = 4  # the loss is computed in 32 bit
# Memory and dtype codes raised by the estimates, in the words of the card.
SENTENCES = {
    "bf16_unsupported": "no bf16 on this GPU: runs in fp16",
    "fp8_weight_only_on_ampere": "fp8 saves memory only on this GPU: arithmetic stays 16-bit",
    "weight_only": "this dtype saves memory only here: arithmetic stays 16-bit",
    "reduce_max_model_len": "set --max-model-len: the model's full context does not fit",
    "little_kv_headroom": "little room for the KV cache: few sequences at once",
    "raised_utilisation": "give the server 95 % of the GPU's memory: at its usual 90 % it is short",
    "cuda_graph_overhead": "CUDA graphs may not fit beside the weights: try --enforce-eager",
    "restricted_batch_and_sequence": "room for a small batch and short sequences only",
    "host_memory": "compile on a larger instance: Neuron compilation needs more host memory",
    "compile_on_larger_instance": "compile on a larger instance of the family, then run it here",
    "neuron_dtype_unsupported": "this weight format does not run on Neuron",
    "architecture_not_supported": "Neuron has no code for this architecture",
    "padded_heads": "attention heads do not divide by the cores: filled up with zeros",
    "cpu_offload": "counts on off-loading to host memory, which is slow",
    "pipeline_parallel_slower": "split over pipeline stages: each request waits for every stage",
    "tensor_parallel_over_hosts": "tensor parallel over several hosts: each layer waits for EFA",
    "needs_low_memory_optimizer": "fits with a low-memory optimiser only",
    "fragile": "fits on paper with little to spare: try it before relying on it",
}


def caveats(option: Option, question: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (codes, sentences) for one option, in the order they matter."""
    found: dict[str, str] = {}
    _buying(option, question, found)
    _silicon_caveats(option, question, found)
    _software_caveats(option, question, found)
    _estimates(option, found)
    _long_sequences(question, found)
    return tuple(found), tuple(found.values())


def _buying(option: Option, question: Question, found: dict[str, str]) -> None:
    instance, quote = option.instance, option.quote
    if not instance.on_demand_sold:
        found["capacity_block_only"] = "sold as EC2 Capacity Blocks only: reserve one ahead"
    if quote.usd_per_hour is None:
        found["unpriced"] = f"no price: {quote.why_unpriced or 'none published'}"
    if question.market == "spot":
        kept = ": write checkpoints to a bucket" if question.trains else ""
        found["spot_can_be_interrupted"] = f"spot can be reclaimed with two minutes' notice{kept}"
    if instance.lifecycle:
        found["end_of_life" if instance.eol else "lifecycle"] = instance.lifecycle
    reserved = question.market == "capacity_block"  # with its own quota of instances
    code = instance.quota_code_spot if question.market == "spot" else instance.quota_code_on_demand
    if code and instance.accelerators and not reserved:
        vcpus = instance.vcpus * option.instances
        needs = f"needs {vcpus} vCPUs of quota {code}; new accounts start at 0"
        tight = question.catalog.families[instance.family].capacity_tight
        decides = tight or option.instances > 1  # more than a new account is given unasked
        ask = _quota_request(code, vcpus, question.region)
        found["quota"] = f"{needs}. Ask: {ask}" if decides else needs
    family = question.catalog.families[instance.family]
    if family.capacity_tight and instance.on_demand_sold and not reserved:
        found["capacity_not_guaranteed"] = (
            "on-demand capacity is often short: try another zone, or a capacity block"
        )
    if option.spans_hosts:
        found["spans_hosts"] = (
            f"one {instance.instance_type} does not hold it: each replica spans several machines"
        )
    if instance.family.endswith("-flex"):
        found["flex"] = "flex size: full CPU speed 95 % of the time, 40 % guaranteed"
    if option.instances >= MANY_REPLICAS:
        found["needs_many_replicas"] = (
            f"{option.instances} instances: plan load balancing and quota"
        )


def _quota_request(code: str, vcpus: int, region: str) -> str:
    """Return the command that asks AWS for so many vCPUs of a quota."""
    return (
        "aws service-quotas request-service-quota-increase --service-code ec2"
        f" --quota-code {code} --desired-value {vcpus} --region {region}"
    )


def _silicon_caveats(option: Option, question: Question, found: dict[str, str]) -> None:
    if option.instance.arch == "arm64":
        found["arm64_images"] = "arm64 host: images must be built for arm64"
    accelerator = _accelerator_of(option.instance, question)
    if accelerator is None:
        return
    if accelerator.vendor == "aws":
        found["neuron_compile"] = "the model is compiled for Neuron first: minutes, once per shape"
        if question.model is not None and question.model.neuron_archived:
            found["neuron_archived"] = (
                "only the archived transformers-neuronx (to Neuron 2.25) has code for this model"
            )
        found["static_shapes"] = "Neuron runs static shapes: batch and sequence length are fixed"
    if accelerator.min_driver is not None:
        made = accelerator.architecture.partition(" ")[0]
        needed = f"needs NVIDIA driver {accelerator.min_driver} or newer in the AMI"
        found["driver_floor"] = f"{made}: {needed}"
    if question.model is not None and question.model.gated:
        found["gated_model"] = "gated model: accept its licence and set a Hugging Face token"


def _software_caveats(option: Option, question: Question, found: dict[str, str]) -> None:
    """Say where no image is public, where only an older release runs it, where nobody did."""
    known = standing(option.instance, question)
    if known is None:
        return
    chip, reserve = option.instance.accelerator_id or "CPUs", known.reserve
    if not known.runs:
        why = known.stacks[0].artefact if known.stacks else "no public image or wheel is known"
        found["no_public_image"] = f"{why}: you build it yourself"
    elif reserve is not None and reserve.status == "pinned":
        release = reserve.artefact
        found["pinned_release"] = f"current releases no longer serve it on {chip}: pin {release}"
    if known.runs and known_of(option, question) == "nothing":
        kind = known.kind.replace("_", " ")
        found["unproven"] = f"unproven: no published run of this kind of model ({kind}) on {chip}"


def _estimates(option: Option, found: dict[str, str]) -> None:
    estimate = option.estimate
    for code in (*estimate.memory.notes, *estimate.notes):
        found.setdefault(code, SENTENCES.get(code, code))
    memory = estimate.memory
    if "cpu_offload" in memory.notes:
        found["host_memory"] = f"keeps {memory.host_gib:,.0f} GiB in the memory of each host"
    if memory.at_worst_gib is not None:
        found["may_not_fit" if memory.unsure else "experts_16bit"] = _experts_words(memory)
    elif memory.unsure:
        found["may_not_fit"] = "may not fit: its cache layout is not checked, and little is left"
    elif memory.tight:
        found.setdefault("tight_memory", "memory is tight: little room beside the weights")
    if memory.approximate:
        found["kv_approximate"] = "KV cache is approximate: this model's layout is not checked"
    timed = estimate.performance or estimate.training
    if timed is not None and timed.basis == "not_measured":
        found["not_measured"] = "speed not measured on this hardware: carried over from its class"


def _long_sequences(question: Question, found: dict[str, str]) -> None:
    """Say what a loss that holds all logits of a long sequence takes beside the plan."""
    job, model = training_job(question.workload), question.model
    if not question.trains or model is None or not model.vocab_size:
        return
    if job.seq_len >= LONG_SEQUENCE:
        whole = FULL_LOGIT_BYTES * model.vocab_size * job.seq_len * job.micro_batch
        found["full_logits"] = (
            f"a loss that holds full logits takes {whole / BYTES_PER_GB:.0f} GB more per GPU "
            f"({model.vocab_size:,} entries × {job.seq_len * job.micro_batch:,} tokens × "
            f"{FULL_LOGIT_BYTES} bytes): use one in chunks, or fused"
        )


def _experts_words(memory: Memory) -> str:
    """Say what QLoRA of a mixture of experts takes with a library that leaves experts alone."""
    figures = (
        f"{memory.total:.1f} GiB with experts in 4 bit, up to {memory.at_worst_gib:.0f} where they "
        "stay in 16"
    )
    if not memory.unsure:
        return figures
    return f"may not fit: {figures}; take a recipe that quantises fused experts"


def _accelerator_of(instance: Instance, question: Question) -> Accelerator | None:
    if instance.accelerator_id is None:
        return None
    return question.catalog.accelerators[instance.accelerator_id]
