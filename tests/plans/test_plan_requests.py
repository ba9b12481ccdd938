"""Every plan can be asked for in plain words and as a slash command, and says what it must."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from tests.plans.plan_text import masked

# name, plain words, slash form, kind, what the text must say
REQUESTS = [
    (
        "migrate_serving",
        "migrate llama-3.1-8b from g5.xlarge to inf2.xlarge",
        "/ec2-pick migrate model=llama-3.1-8b g5.xlarge inf2.xlarge",
        "migrate",
        ("1. Assessment", "2. Pilot", "3. Rollout", "4. Rollback", "optimum-cli export neuron",
         "vllm serve", "Inf1 only", "aws.amazon.com/neuron", "Keep the GPU pool"),
    ),
    (
        "migrate_training",
        "move 7B training from p4d to trainium",
        "/ec2-pick migrate train 7B from p4d to trainium",
        "migrate",
        ("Do not move to Trainium", "Break-even", "By price"),
    ),
    (
        "migrate_training_pays",
        "move the training of llama-3.1-8b on 10B tokens from g5 to trn1",
        "/ec2-pick migrate train llama-3.1-8b tokens_total=10B from g5 to trn1",
        "migrate",
        ("neuron_parallel_compile torchrun", "optimum-neuron", "loss curve", "Saves"),
    ),
    (
        "migrate_trn2",
        "migrate llama-3.3-70b from p5.48xlarge to trn2 in Ohio on a capacity block",
        "/ec2-pick migrate llama-3.3-70b p5.48xlarge trn2 us-east-2 market=capacity_block",
        "migrate",
        ("Trainium2",),
    ),
    (
        "migrate_cuda",
        "migrate llama-3.1-8b from g5 to inf2, we have custom cuda kernels",
        "/ec2-pick migrate llama-3.1-8b g5 to inf2 needs_cuda=true",
        "migrate",
        ("Stay on NVIDIA", "CUDA code runs on NVIDIA GPUs only", "g5.xlarge"),
    ),
    (
        "migrate_unsupported",
        "migrate deepseek-v3 from p5.48xlarge to inferentia",
        "/ec2-pick migrate deepseek-v3 p5.48xlarge inf2",
        "migrate",
        ("No move to Inferentia", "architecture not supported"),
    ),
    (
        "migrate_batch",
        "migrate our offline bert-base batch jobs from g4dn to inf2",
        "/ec2-pick migrate bert-base mode=batch from g4dn to inf2",
        "migrate",
        ("for 1M tokens", "optimum-cli export neuron"),
    ),
    (
        "migrate_speech",
        "migrate whisper-large-v3 from g5.xlarge to inf2",
        "/ec2-pick migrate whisper-large-v3 g5.xlarge inf2",
        "migrate",
        ("--task automatic-speech-recognition", "word error rate"),
    ),
    (
        "migrate_images",
        "migrate stable-diffusion-xl from g5.xlarge to inf2.xlarge",
        "/ec2-pick migrate stable-diffusion-xl g5.xlarge inf2.xlarge",
        "migrate",
        ("one image size", "--height 1024"),
    ),
    (
        "scaling",
        "how should llama-3.1-8b on g6e.xlarge scale with HPA or Karpenter at 60 requests/s?",
        "/ec2-pick scaling llama-3.1-8b instance=g6e.xlarge rps=60",
        "scaling",
        ("requests in flight, not on CPU", "Karpenter", "Cluster Autoscaler", "ScaledObject",
         "Cooldown", "Peak 60", "weights (16 GB)"),
    ),
    (
        "scaling_training",
        "autoscaling for finetuning llama-3.1-8b with lora on g6e.xlarge",
        "/ec2-pick autoscale finetune llama-3.1-8b method=lora instance=g6e.xlarge",
        "scaling",
        ("fixed size", "do-not-disrupt"),
    ),
    (
        "practices",
        "best practices for serving llama-3.1-8b on g6.xlarge?",
        "/ec2-pick practices inference llama-3.1-8b instance=g6.xlarge",
        "practices",
        ("Right-size", "Quantise", "Quotas", "L-DB2E81BA", "nvidia.com/gpu:NoSchedule", "Monitor"),
    ),
    (
        "practices_mig",
        "should we share the GPU with MIG for llama-3.2-1b on p5.4xlarge?",
        "/ec2-pick practices llama-3.2-1b instance=p5.4xlarge",
        "practices",
        ("MIG profile 1g.10gb", "7 isolated slices", "nvidia.com/mig-1g.10gb: 1"),
    ),
    (
        "practices_spot",
        "best practices for training 7B on 10B tokens on p4d.24xlarge",
        "/ec2-pick practices train 7B tokens_total=10B instance=p4d.24xlarge",
        "practices",
        ("Spot", "checkpoint to S3", "nvidia.com/gpu: 8"),
    ),
    (
        "monitoring",
        "what should I monitor for llama-3.1-8b on g6e.xlarge with ttft<300ms?",
        "/ec2-pick monitoring llama-3.1-8b instance=g6e.xlarge ttft<300ms",
        "monitoring",
        ("dcgm-exporter, port 9400", "node-exporter, port 9100", "vllm, port 8000",
         "first token above 500 ms", "your limit, 300 ms, at the next bound",
         "DCGM_FI_DEV_XID_ERRORS"),
    ),
    (
        "monitoring_neuron",
        "which metrics should we watch for llama-3.1-8b on inf2.8xlarge? neuron-monitor?",
        "/ec2-pick monitoring llama-3.1-8b instance=inf2.8xlarge",
        "monitoring",
        ("neuron-monitor, port 8000", "neuroncore_utilization_ratio", "execution_errors_total"),
    ),
    (
        "handoff",
        "SageMaker Inference Recommender for llama-3.1-8b on g6e.xlarge, 16 concurrent users",
        "/ec2-pick handoff llama-3.1-8b instance=g6e.xlarge concurrency=16",
        "handoff",
        ("create-inference-recommendations-job", "--job-type Advanced",
         "get-ec2-instance-recommendations", "export-ec2-instance-recommendations", "FILL_IN"),
    ),
    (
        "handoff_training",
        "does compute optimizer help with training 7B on p4d.24xlarge?",
        "/ec2-pick handoff train 7B instance=p4d.24xlarge",
        "handoff",
        ("a training job", "30 hours of metrics"),
    ),
    (
        "strategy",
        "hardware strategy for llama-3.1-8b: train, serve, edge",
        "/ec2-pick strategy llama-3.1-8b train serve edge",
        "strategy",
        ("Train:", "Serve:", "Edge:", "CPU types only", "once, then"),
    ),
    (
        "strategy_finetune",
        "mixed hardware for mistral-7b: fine-tune with qlora, then serve it",
        "/ec2-pick strategy mistral-7b finetune qlora serve",
        "strategy",
        ("Fine-tune:", "Serve:"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "slash", "kind", "says"), [row[1:] for row in REQUESTS], ids=[r[0] for r in REQUESTS]
)
def test_both_forms_give_the_plan(plain, slash, kind, says):
    world = load_world()
    for text in (plain, slash):
        reply = answer(text, world)
        assert reply.error is None, reply.text
        assert reply.plan is not None, f"{text}: {reply.text}"
        assert reply.plan["kind"] == kind
        for words in says:
            assert words in reply.text, f"{text}: no {words!r} in\n{reply.text}"
        assert reply.exit_code == 0


@pytest.mark.parametrize(("name", "plain"), [row[:2] for row in REQUESTS], ids=lambda v: v[:20])
def test_the_words_of_each_plan(name, plain, golden):
    reply = answer(plain, load_world())
    golden(f"plans_text/{name}.txt", masked(reply.text) + "\n")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("migrate llama-3.1-8b to inferentia", "migrate"),
        ("can I move my llama-3.1-8b from A100 to trn1?", "migrate"),
        ("we run mistral-7b on g5.2xlarge, should we migrate to inf2?", "migrate"),
        ("port our 7B chatbot from g5 to inferentia2", "migrate"),
        ("gpu to trainium migration plan for finetuning llama-3.1-8b", "migrate"),
        ("karpenter or cluster autoscaler for llama-3.1-8b?", "scaling"),
        ("what metric should the hpa use for llama-3.1-8b", "scaling"),
        ("how do i autoscale bert-base at 1000 requests per minute", "scaling"),
        ("is my g5.12xlarge right sized for llama-3.1-8b?", "practices"),
        ("time slicing for phi-3-mini on g6e.xlarge?", "practices"),
        ("dcgm metrics for llama-3.1-8b", "monitoring"),
        ("set up monitoring for llama-3.1-8b on inf2", "monitoring"),
        ("when should I use compute optimizer for llama-3.1-8b", "handoff"),
        ("multi-hardware strategy for llama-3.1-8b", "strategy"),
    ],
)
def test_other_words_for_the_same_plans(text, kind):
    reply = answer(text, load_world())
    assert reply.plan is not None, reply.text
    assert reply.plan["kind"] == kind


@pytest.mark.parametrize(
    "text",
    [
        "migrate llama-3.1-8b from inf2 to g6",
        "currently on inf2.xlarge with llama-3.1-8b: anything cheaper?",
        "llama-3.1-8b on inf2.8xlarge, replace my trn1.2xlarge",
        "is llama-3.1-8b on port 8000 of g5.xlarge fine?",
        "inference 7B in production, high scaling needs, latency<100ms",
        "replacement for p3.2xlarge, llama-3.1-8b",
        "migrate llama-3.1-8b from g5 to g6e",
        "alert me when p5.48xlarge drops below $40",
        "karpenter nodepool for llama-3.1-8b",
        "deploy llama-3.1-8b with autoscaling",
    ],
)
def test_what_is_no_plan_stays_what_it_was(text):
    assert answer(text, load_world()).plan is None


def test_a_thread_asks_for_the_plan_of_its_workload():
    world = load_world()
    first = answer("inference llama-3.1-8b rps=60 instance=g6e.xlarge", world)
    for text, kind in [
        ("how should it scale?", "scaling"),
        ("best practices?", "practices"),
        ("what should I monitor?", "monitoring"),
        ("and sagemaker inference recommender?", "handoff"),
    ]:
        reply = answer(text, world, first.workload)
        assert reply.plan is not None, reply.text
        assert reply.plan["kind"] == kind
        assert "g6e.xlarge" in reply.text


def test_several_models_get_the_plan_of_the_first():
    reply = answer("best practices for llama-3.1-8b or mistral-7b", load_world())
    assert reply.plan is not None
    assert "llama-3.1-8b" in reply.text
