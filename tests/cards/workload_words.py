"""Requests at random in the words of the grammar, so that a law can be held over all of them."""

from hypothesis import strategies as st

MODELS = (
    "7B", "70B", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "bert-base", "bge-base-en-v1.5",
    "whisper-large-v3", "sdxl-base-1.0", "resnet-50", "qwen2.5-0.5b", "gemma-2-27b", "405B",
)  # fmt: skip
ASKED = ("", "", "", "why ", "compare ", "eksctl manifest ", "kubernetes yaml ", "karpenter ",
         "price of ", "energy ", "migrate ", "alert ", "explain ")  # fmt: skip
FIELDS = {
    "task": ("inference", "batch inference", "train", "finetune", "finetune method=qlora", "edge"),
    "latency": ("", "latency<100ms", "ttft<300ms", "tpot<20ms", "e2e<2s", "p95 latency<1s"),
    "load": ("", "users=100", "rps=5", "rps=2000", "1000 req/min", "users=100000"),
    "length": ("", "context=32k", "context=1M", "input=8000 output=1000"),
    "place": ("", "region=eu-central-1", "region=us-west-1", "in Osaka", "region=us-gov-west-1"),
    "market": ("", "spot", "savings_plan 3 years", "capacity block for 2 weeks", "reserved"),
    "limits": ("", "budget<10/h", "budget<0.05/h", "no neuron", "allow=graviton", "quant=fp8",
               "quant=int4", "instance=p5.48xlarge", "instance=inf2.48xlarge", "gpu=T4"),
    "objective": ("", "objective=performance", "objective=balanced", "objective=max_savings"),
    "words": ("", "please", "<!channel> & <b>", "zorblax", "for our CFO"),
}  # fmt: skip

REQUESTS = st.builds(
    lambda asked, model, parts: " ".join(filter(None, [f"{asked}{parts[0]}", model, *parts[1:]])),
    st.sampled_from(ASKED),
    st.sampled_from(MODELS),
    st.tuples(*(st.sampled_from(values) for values in FIELDS.values())),
)

FOLLOW_UPS = st.sampled_from((
    "in Frankfurt on spot", "70B instead", "32k context", "double the traffic", "under $10/h",
    "no Neuron", "fp8", "why not inf2?", "why this one?", "what if prices drop 20 %?",
    "how did you get the TTFT?", "how many users can it take?", "what breaks first?",
    "compare g5 and inf2", "eksctl yaml", "karpenter", "kubernetes yaml", "terraform",
    "monitoring", "migrate to trainium", "watch this thread", "cheapest region", "energy",
    "greenest region", "what would make inf2 best", "has p5 got cheaper?", "undo", "quota",
    "is spot worth it?", "should I buy a savings plan?", "N+1?", "which AMI?", "specs?",
    "cold start?", "cheapest per month?", "how much do we save?",
))  # fmt: skip
