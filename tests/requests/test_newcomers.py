"""What newcomers ask in words of their own: each row is a phrase that was once read wrongly."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.language.parse import parse
from engine.ask import ask

# A phrase -> parts of the answer. A found misreading becomes a row.
GUIDES = [
    ("decision guide: pretraining 400B, money is no issue", ["100B to 1T", "→ p6-b200"]),
    ("guide: pretrain a 40B, needs the fastest interconnect there is", ["→ p5en"]),
    ("guide: pretraining a 40B from scratch on an ordinary network", ["→ p5e."]),
    ("guide 000 train a 3B spending as little as possible", ["maximum savings → trn2"]),
    ("guide 000 chat service with replies in under 80 ms", ["real-time < 100 ms", "→ inf2"]),
    ("which instance should I develop on, per the decision tree?", ["Development → c7i or c7g"]),
    ("compute guide: training a 30B, small budget, we use pytorch", ["with PyTorch → trn1"]),
    (
        "what does HardwareRecommender recommend for training 15B cheaply?",
        ["cost-optimised → trn1"],
    ),
    ("HardwareRecommender training 15B", ["Sample recommender, training → above 10B → p4d"]),
    ("/ec2-pick HardwareRecommender train 15B", ["above 10B → p4d"]),
    ("train 3B, answer like the python recommender", ["anything else → g4dn"]),
    ("HardwareRecommender class", ["Three rules on model size and budget"]),
    ("GPU vs Trainium vs Inferentia decision matrix", ["Training Workload Decision Matrix"]),
    ("when should I use Trainium instead of a GPU?", ["guide 004, When to Use"]),
    ("when GPU and when Trainium?", ["guide 004, When to Use"]),
    ("map of cost against complexity", ["Cost vs. Performance Mapping"]),
    ("cost vs complexity map", ["Cost vs. Performance Mapping"]),
    ("what hardware options are there on EKS for AI?", ["guide 001, Options Available"]),
    ("how many stars does trainium get?", ["guide 004, Comparison of Hardware Options"]),
    ("rate the options with stars", ["guide 004, Comparison of Hardware Options"]),
    ("what are memory optimised instances good for?", ["Memory optimised:"]),
    ("G5 or Inf2?", ["A10G", "AWS Inferentia2"]),
    ("decision tree: offline jobs with mixtral", ["mixture of experts → inf2"]),
    ("guide 000: 700B training where only speed counts", ["performance first → p6-b200"]),
    ("guide 000 interactive bot, extreme traffic, 50 ms", ["ultra-high throughput → p6-b200"]),
    ("guide 001: 50B training, middle way between price and speed", ["balanced → p4d"]),
    ("guide 001: quick try of training a 2B", ["quick experiments → g4dn"]),
    (
        "what does guide 001 say about costs of training on gpu vs trainium",
        ["Training Cost Comparison"],
    ),
    ("cost tables of guide 001", ["Training Cost Comparison", "Inference Cost Comparison"]),
    ("compare GPU, Trainium and CPU for training", ["Training Workload Decision Matrix"]),
    ("gpu vs inferentia", ["Inference Workload Decision Matrix"]),
    ("which GPU families does guide 003 list?", ["GPU-based EC2 Instances, line 40"]),
    ("environmental impact of trainium", ["Greener AI, line 110"]),
    ("complexity of each family against cost", ["Cost vs. Performance Mapping"]),
    ("which families are complex and which are cheap?", ["Cost vs. Performance Mapping"]),
    ("how complex is each instance family and what does it cost?", ["Performance Mapping"]),
    ("plot cost against complexity", ["Cost vs. Performance Mapping"]),
    ("cost against workload complexity per family", ["Cost vs. Performance Mapping"]),
    ("guide 000: training 40B with 3.2 terabit networking", ["3.2 Tbps network → p5en"]),
    ("guide 000 train 40B, 3.2 terabits per second", ["3.2 Tbps network → p5en"]),
    ("guide 000, train 40B, network of 3200 gigabit", ["3.2 Tbps network → p5en"]),
    ("guide 000 training 40B needs ultra-high network", ["3.2 Tbps network → p5en"]),
    ("guide 001: low latency inference", ["line 68", "under 10 ms → g5, cost → inf2"]),
    ("guide 001: lowest latency for serving a 7B", ["it depends", "edge → cpu"]),
    ("/ec2-pick inference objective=latency guide=001", ["it depends", "batch → gpu"]),
    ("guide 004 training a large model", ["large model → p4d or p5", "Not said: the size"]),
    ("guide 004: we train a big model", ["large model → p4d or p5"]),
    ("guide 004 large-scale training", ["large model → p4d or p5"]),
    ("guide 001: train a large model, best performance", ["Training above 7B", "→ p5."]),
    ("guide 001: a medium-sized model, training at the lowest cost", ["→ trn1"]),
    ("guide 000: train a large model where cost matters", ["100B to 1T", "→ trn2u"]),
    ("the tree: 5B training, want to save as much as we can", ["maximum savings → trn2"]),
    ("according to the tree, 200B training and we have money to burn", ["performance first"]),
    ("000: 20B training, plain networking is fine", ["standard network → p5e"]),
    ("tree: real time inference under 100 ms, ordinary throughput", ["standard throughput"]),
    ("compute guide: 30B training, balanced", ["Training above 7B → balanced → p4d", "times that"]),
    ("guide 001: train a 30B on a shoestring with PyTorch", ["with PyTorch → trn1"]),
    ("compute guide: just experimenting with a 30B", ["experimentation → p3"]),
    ("guide 001: high throughput inference of transformers, cost focus", ["→ inf2"]),
    ("guide 001: low latency but cheap", ["Low-latency inference → cost → inf2"]),
    ("guide 001: low latency batch processing", ["Low-latency inference → batch → gpu"]),
    ("guide 001: answer in under 10ms", ["nothing meets every limit: 1 × p6-b200"]),
    ("which GPU families does the AWS AI hardware guide list?", ["GPU-based EC2 Instances"]),
    ("general purpose vs memory optimised?", ["General purpose:", "Memory optimised:"]),
    ('what does "inference instance" mean?', ["Inference optimised:", "inf2"]),
    ("the BERT worked example", ["Guide 002, line 55", "$2.83 per 1M inferences"]),
    ("work through the BERT example of guide 002", ["line 55", "m5.large", "inf1.xlarge"]),
    ("what does guide 001 say about trn1.2xlarge?", ["line 143", "line 144", "line 146"]),
    ("what does guide 004 say about inf2?", ["line 117", "line 194"]),
    ("is P3 still a good choice?", ["line 45", "withdrawn"]),
    ("is g5 outdated?", ["line 63", "previous generation"]),
    ("guide 001: experiments with a 5B", ["quick experiments → g4dn"]),
    ("cost table trainium vs gpu with today's savings", ["Training Cost Comparison"]),
    ("debugging on trainium vs gpu?", ["Training Workload Decision Matrix", "easy"]),
    ("how good is framework support on Inferentia per guide 001?", ["Decision Matrix"]),
    ("cost against complexity chart of the catalog", ["Cost vs. Performance Mapping"]),
]
CLAIMS = [
    ("what are the four key insights?", ["line 51", "line 52", "line 53", "line 54"]),
    ("/ec2-pick key insights guide=000", ["line 51", "line 52", "line 53", "line 54"]),
    ("is inf2 up to 4x higher throughput?", ["No longer.", "Up to 4x over Inf1"]),
    ("p4d is 32.77 an hour, no?", ["No longer.", "$21.96/h on demand"]),
    ("are there insights in guide 000 and do they hold?", ["line 51", "line 54"]),
    ("does inf2 handle llama 405B three times faster?", ["No.", "Guide 000, line 39"]),
    ("can inf2 run llama 405B at triple throughput?", ["No.", "Guide 000, line 39"]),
    ("does inf2 make llama 405B three times as fast?", ["No.", "Guide 000, line 39"]),
    ("do trillion-parameter models require p6e-gb200?", ["No.", "Guide 000, line 51"]),
    ("must I use p6e-gb200 for a frontier model?", ["No.", "Guide 000, line 51"]),
    ("do 1T models need p6e-gb200?", ["No.", "Guide 000, line 51"]),
    ("are p6e-gb200 required for trillion-parameter models?", ["No.", "Guide 000, line 51"]),
    ("choice changes cost by 40-90 %?", ["cannot be confirmed", "Guide 000, line 54"]),
    ("does the instance choice really change cost by 40-90 %?", ["Guide 000, line 54"]),
    ("instance selection affects TCO by 40-90%, true?", ["Guide 000, line 54"]),
    ("choosing the right instance saves 40 to 90 percent?", ["Guide 000, line 54"]),
    ("can choosing the instance change the total cost by 90%?", ["Guide 000, line 54"]),
    ("p5e has 10x lower latency?", ["No.", "Guide 000, line 36"]),
    ("trainium saves up to 50 percent?", ["cannot be confirmed", "up to 50 %"]),
    ("70% cheaper serving with inferentia?", ["No longer.", "Guide 003, line 128"]),
    ("is trn1 really half the price of GPU training?", ["cannot be confirmed", "50 % cheaper"]),
    ("is GPT-3.5 69% more expensive on inferentia?", ["No.", "Guide 001, line 253"]),
    ("is it a fact that inferentia has hardware sparsity?", ["No.", "Guide 000, line 39"]),
    ("does MIG work on every NVIDIA GPU?", ["Guide 004, line 33"]),
    ("is trainium the greenest?", ["Guide 003, line 67"]),
    ("are savings of 70% with Inferentia realistic?", ["No longer.", "line 183"]),
    ("is trn1 eco friendly?", ["Guide 003, line 67"]),
    ("what insights does guide 000 end with, and are they right?", ["line 51", "line 54"]),
    ("how much does trainium save over gpu for 70B training per guide 001?", ["line 246"]),
    ("inference cost: g5.2xlarge vs inf2.8xlarge in the guide", ["Guide 001, line 253"]),
]
DOUBTS = [
    ("why shouldn't I take p5.48xlarge for an 8B?", ["p5.48xlarge: meets the limits at", "g6."]),
    ("why should I avoid g5.xlarge for an 8B?", ["g5.xlarge is the pick"]),
    ("why not an h100 for 8B", ["p5.4xlarge: meets the limits at", "The pick is 1x g5.xlarge"]),
    ("what is the problem with p3 for 13B training?", ["not offered in us-east-1"]),
    ("what's wrong with AMD GPUs for 8B?", ["no serving or training stack"]),
    ("/ec2-pick why_not=amd 8B", ["no serving or training stack"]),
    ("8B: what speaks against trn1?", ["trn1.32xlarge: meets the limits at", "1x g5.xlarge"]),
    ("what speaks against g5.xlarge for 8B?", ["g5.xlarge is the pick"]),
    ("any reasons against inf2 for llama-3.1-8b?", ["inf2.8xlarge: meets", "1x g5.xlarge"]),
    ("disadvantages of p5 for an 8B?", ["p5.4xlarge: meets", "1x g5.xlarge"]),
    ("what are the arguments against CPUs for 8B?", ["The pick is 1x g5.xlarge"]),
    ("is g4dn the cheapest for 8B?", ["g4dn.12xlarge: meets", "1x g5.xlarge"]),
    (
        "is g6.xlarge the best choice for 8B?",
        ["g6.xlarge may miss, at $0.805/h: time per token", "g5.xlarge does not"],
    ),
    ("does a 405B need trn2 ultraservers?", ["trn2.3xlarge: not offered", "The pick is"]),
    ("do I need a p5 for an 8B?", ["p5.4xlarge: meets", "1x g5.xlarge"]),
    ("does G4dn beat everything for real-time?", ["g4dn.12xlarge: meets", "1x g5.xlarge"]),
    ("does P5 have the best price-performance for 70B?", ["but 1M tokens cost"]),
    ("is the H100 the right GPU for 8B?", ["The pick is 1x g5.xlarge"]),
    ("why isn't Google TPU recommended?", ["nothing that is known here as Google TPU"]),
    ("why not Gaudi3 for 8B?", ["nothing that is known here as Gaudi3"]),
    ("why not intel CPUs for an 8B", ["c7i-flex.8xlarge: time per token", "limit of 100 ms"]),
    ("why not AMD CPUs for a 1B", ["c8a.2xlarge: meets"]),
    ("our model has custom CUDA kernels, can I use Inferentia?", ["needs an NVIDIA GPU"]),
]
COMPARED = [
    ("g6.xlarge or g5.xlarge for 8B?", ["g6.xlarge: 1x", "g5.xlarge: 1x"]),
    ("A100 or H100 for a 70B?", ["A100-80: 1x", "H100-80: 1x"]),
    ("8B: g6 against inf2 against g6e", ["g6: 1x", "inf2: 1x", "g6e: 1x"]),
    ("/ec2-pick compare trn1 p4d train 7B", ["trn1: ", "p4d: ", "in total"]),
    ("does inf2 always beat GPUs on cost?", ["No longer.", "Worked out", "Cheapest an hour: gpu"]),
    ("is inferentia always cheaper than a GPU?", ["line 183", "Cheapest an hour: gpu"]),
    ("does inf2 beat GPUs on cost for 8B?", ["inf2: 1x", "Cheapest an hour: gpu"]),
    ("does trn1 beat p4d for training a 7B?", ["trn1: ", "Cheapest in total: p4d"]),
    ("inf2 vs gpu for 8B", ["inf2: 1x", "gpu: 1x"]),
    ("GPU or inferentia for an 8B?", ["gpu: 1x", "inferentia: 1x"]),
    ("are CPUs cheaper than GPUs for a 1B?", ["cpu: 1x", "Cheapest an hour: cpu"]),
    ("isn't g5.xlarge cheaper than g6.xlarge for 8B?", ["Cheapest an hour: g6.xlarge"]),
    ("is g5.xlarge cheaper than inf2 for 8B?", ["g5.xlarge: 1x", "Cheapest an hour: g5.xlarge"]),
]
COMPUTED = [
    ("how much cheaper must inf2 get to win for 8B?", ["inf2.8xlarge costs as much"]),
    ("when does p5 pay off for 8B?", ["p5.4xlarge wins below"]),
    ("from which load is p5 the better choice for llama-3.1-8b?", ["users at once"]),
    ("chart of cheapest instance by traffic for 8B", ["users at once", "g6.xlarge"]),
    ("which is cheapest as traffic grows, for 8B?", ["users at once", "g6.xlarge"]),
    ("mix instance types to serve 8B at 150 rps cheaply", ["one type"]),
    ("can I mix g6 and inf2 for 8B at 100 rps?", ["one type"]),
    ("the four numbers I should look at for llama-3.1-8b", ["Throughput", "MFU"]),
    ("what does one inference cost with bert at 1000 requests per minute?", ["1M inferences"]),
    ("how do I scale an 8B on kubernetes with traffic?", ["Karpenter"]),
    ("tips for running an 8B on EKS well", ["Best practices"]),
    ("which exporter shows GPU utilisation on the nodes?", ["DCGM"]),
    ("I want to train a 7B on one kind of chip and serve it on another", ["Train", "Serve"]),
    (
        "how low must the price of inf2.8xlarge go to be the best for 8B?",
        ["inf2.8xlarge costs as much"],
    ),
    ("at which traffic does another instance get cheapest for 8B?", ["users at once"]),
    ("would a mixture of instances be cheaper for 8B at 150 rps?", ["one type"]),
    ("how clean is training a 7B with 10B tokens in Ohio?", ["kWh for the job"]),
    ("scale llama-3.1-8b from 2 to 50 rps", ["Karpenter"]),
    ("good habits for running an 8B on kubernetes", ["Best practices"]),
    ("how can I see how busy the GPUs are for llama-3.1-8b", ["DCGM"]),
    ("steps to go from GPU to Inferentia with llama-3.1-8b", ["Inferentia"]),
    (
        "latency, throughput, utilization and cost for 8B on inf2.8xlarge",
        ["1x inf2.8xlarge", "MFU"],
    ),
    ("what are utilisation and throughput of llama-3.1-8b on g6e.xlarge?", ["MFU"]),
    ("8B on g5.xlarge: cost per inference, latency, throughput", ["1x g5.xlarge", "MFU"]),
    ("bert at 1000 req per min: what does one prediction cost?", ["$2.83 per 1M inferences"]),
    ("what does a single BERT prediction cost at 1000 requests per minute?", ["$2.83 per 1M"]),
    ("BERT with 1000 calls a minute, price of each inference?", ["$2.83 per 1M"]),
    ("/ec2-pick energy 8B", ["kWh for 1M tokens", "kg CO2e"]),
    ("/ec2-pick energy train 7B tokens=10B", ["kWh for the job"]),
    ("energy of 8B", ["kWh for 1M tokens"]),
    ("which is greener for 8B, inf2 or g6?", ["kWh for 1M tokens", "inf2.8xlarge"]),
    ("can I mix CPUs, GPUs and Trainium in one cluster?", ["side by side", "line 260", "line 180"]),
    ("can one EKS cluster have GPU, Trainium and CPU nodes?", ["side by side", "Edge: c"]),
    ("mix GPU and Inferentia nodes in a cluster", ["side by side", "Multi-Hardware Strategy"]),
    (
        "I want to train a 7B on trainium and serve it on inferentia",
        ["Train: 3 × trn1.32xlarge", "Serve: inf2.8xlarge"],
    ),
    ("kWh per million tokens for 8B in Frankfurt vs Ohio", ["eu-central-1", "us-east-2", "kWh"]),
    (
        "carbon footprint of training a 7B with 100B tokens in Stockholm",
        ["kWh for the job", "Sweden"],
    ),
    ("plan for moving mistral-7b from g5.2xlarge to inferentia", ["Assessment", "Rollout"]),
    ("phase plan GPU to trainium for fine-tuning 8B lora", ["Break-even", "Assessment"]),
    ("what does neuron-monitor export?", ["neuron-monitor, port 8000"]),
    ("how well is a g6.xlarge utilised with 8B at 10 users?", ["Utilisation", "MFU"]),
    ("compute optimizer: how to call it for bert", ["Compute Optimizer:"]),
    ("GPU sharing for bert on g5.xlarge", ["Share the GPU", "time-slicing"]),
    ("which load makes p5 worthwhile for 8B?", ["p5.4xlarge wins below", "users at once"]),
    ("when would inf2 be cheaper than g6 for 8B?", ["inf2.8xlarge costs as much"]),
    ("grid factor of us-west-2", ["g/kWh", "WECC Northwest"]),
    ("how should llama-3.1-8b scale between 5 and 80 rps?", ["Peak 80 requests/s"]),
    ("quantise 70B: is it worth it?", ["int4: 40 GB of weights instead of 140"]),
    ("does a 1B need a whole GPU? can I share it with MIG?", ["time-slicing holds"]),
    ("would mixing g6 and p5 help for 8B at 300 rps?", ["Fleet for", "one type"]),
    ("7B or 13B, which is cheaper to serve?", ["7B: 1x g5.xlarge", "Cheapest an hour: 7B."]),
    ("BERT, 1,000 req/min, under 200 ms: cost per inference of all candidates", ["$2.83 per 1M"]),
    ("/ec2-pick migrate llama-3.1-8b from=p4d to=trn1 train", ["Break-even", "if you move all"]),
    ("what quotas do I need for 8B on p5?", ["needs 16 vCPUs of quota L-417A185B"]),
    ("train llama-3.1-8b on trainium, run it on g6", ["Train: 3 × trn1", "Serve: g6.xlarge"]),
]
OPTIONS = [
    ("command-r+ for 10 users", ["command-r+, ", "g7e.24xlarge"]),
    ("/ec2-pick inference model=command-r+", ["command-r+, ", "g7e.24xlarge"]),
    ("llama-3.1-8b with speculative decoding", ["Figures are without speculative decoding"]),
    ("llama-3.1-70b prefix caching 80% hit", ["Figures are without prefix caching 80% hit"]),
    ("8B with prompt caching, 20 users", ["Figures are without prompt caching"]),
]
READINGS = [
    (
        "train 7B capacity block for 2 weeks from Monday",
        ["done within 336 h (the capacity block ends then)", "5 × p4d.24xlarge"],
    ),
    ("llama 4 scout 10M context", ["p5en.48xlarge", "one sequence of"]),
    (
        "fine-tune mistral 7B qlora on 3B tokens in osaka, finish over a weekend",
        ["`over a weekend` is read as 48 hours", "9 × g6e.xlarge"],
    ),
    (
        "whisper large v3 for 300 hours of audio per day",
        ["is read as 0.417 requests/s, windows of 30 s", "0.42 requests/s"],
    ),
]
LOADS = [
    ("low, medium and high traffic for 8B", ["users at once: 1 – ", "g6e.xlarge"]),
    ("8B: costs for small, medium and large load", ["users at once: 1 – "]),
    (
        "what is cheapest for llama-3.1-8b at 1, 10, 100 and 1000 requests per second",
        ["1 requests/s: 1x g6.xlarge", "100 requests/s: ", "1,000 requests/s: "],
    ),
    ("at 1, 10, 100 and 1000 requests per second: which instance for 8B?", ["10 requests/s: "]),
    ("llama-3.1-8b at 5/50/500 rps", ["5 requests/s: ", "500 requests/s: "]),
    ("8B at 10 rps and at 100 rps", ["10 requests/s: ", "100 requests/s: "]),
    ("/ec2-pick 8B rps=1,10,100", ["1 requests/s: ", "100 requests/s: "]),
    ("8B for 1, 10 and 100 users", ["10 users at once: 1x g6.xlarge", "100 users at once: "]),
    ("inference 8B 10 or 100 concurrent users", ["10 users at once: ", "100 users at once: "]),
    ("who is cheapest at each load for 70B at 50 ms per token?", ["users at once: 1;"]),
    ("show me $/hour against users for 8B", ["users at once: 1 – "]),
    ("crossover for bert up to 5000 rps", ["0.1 to 5,000 requests/s"]),
    ("8B at 1,000 and 10,000 rps", ["1,000 requests/s: ", "10,000 requests/s: "]),
    ("8B at 1 and 100000 rps", ["100,000 requests/s: no single type"]),
    ("8B 10 rps average, 50 rps peak", ["Sized for the peak, 50", "50 requests/s"]),
    ("8B for 2 or 3 users", ["3 users ≈ 0.008 requests/s"]),
    ("8B between 1 and 10 rps", ["10 requests/s."]),
    ("llama 3, 10 users", ["llama-3-8b, ", "10 users ≈ 0.027 requests/s"]),
    ("8B rps=1,000", ["1,000 requests/s."]),
]
LEADERS = [
    ("isn't g4dn the cheapest GPU?", ["No.", "g6f.large", "g4dn.xlarge is number 3 of"]),
    ("is the T4 the cheapest GPU on AWS?", ["No.", "g6f.large", "Tesla T4"]),
    ("g4dn is the cheapest GPU instance, right?", ["No.", "$0.526/h"]),
    ("is p5 the fastest GPU?", ["No.", "B200", "p5.48xlarge is number"]),
    ("is p6-b300 the biggest GPU?", ["Yes.", "2,142 GiB"]),
    ("is p4d the biggest GPU in Frankfurt?", ["No.", "p4d.24xlarge is number"]),
    ("is p3 the fastest GPU?", ["No.", "p3 is not among"]),
]
KINDS = [
    ("inference sentiment model 50 rps", ["bert-base, ", "g6f.large"]),
    ("embeddings at 200 requests per second", ["bge-base-en-v1.5, "]),
    ("object detection in videos", ["resnet-50, "]),
    ("/ec2-pick inference model_kind=speech", ["whisper-large-v3, "]),
    ("image generation for 10 users", ["sdxl-base-1.0, "]),
    ("inference xgboost", ["c6g.xlarge", "No model named"]),
    ("train an xgboost model", ["c6g.xlarge", "vCPU"]),
    ("7B chat model with embeddings", ["Typical 7B model"]),
]
ROWS = [
    *KINDS,
    *LOADS,
    *LEADERS,
    *READINGS,
    *OPTIONS,
    *GUIDES,
    *CLAIMS,
    *DOUBTS,
    *COMPARED,
    *COMPUTED,
]


@pytest.mark.parametrize(("text", "parts"), ROWS, ids=[row[0] for row in ROWS])
def test_a_newcomers_words_reach_the_answer(text: str, parts: list[str]):
    reply = answer(text, load_world())
    assert reply.error is None
    for part in parts:
        assert part in reply.text


@pytest.mark.parametrize(
    "text",
    [
        "serve an 8B with the least electricity",
        "serve 8B as green as possible",
        "most environmentally friendly instance for a 13B",
    ],
)
def test_the_least_energy_is_an_objective(text: str):
    assert answer(text, load_world()).workload.objective == "energy"


def test_a_type_that_a_guide_names_and_that_cannot_hold_it_is_warned_of():
    reply = answer("does the guide's p3.2xlarge hold full training of a 7B?", load_world())
    assert "guide_conflicts_with_memory_model" in reply.recommendation.codes


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (
            "fine-tune llama-3-70b qlora on 3B tokens in osaka",
            "smallest that meets every limit; no price is known to compare",
        ),
        (
            "gpt-oss-120b 50 tok/s per user 100 users ohio 3-year savings plan",
            "cheapest on demand that meets every limit; no savings plan price is known",
        ),
    ],
)
def test_a_pick_without_a_price_is_never_called_the_cheapest(text: str, label: str):
    world = load_world()
    said = parse(text, world.catalog).workload
    best = ask(said, world.catalog, world.coefficients, world.guides).picks[0]
    assert best.quote.usd_per_hour is None
    assert best.label == label


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("qwen3-next-80b-a3b for 30 chatty users in NoVA", {"users": 30}),
        ("gemma-3-27b int4 for 12 devs", {"users": 12}),
        ("8B for 40 internal developers", {"users": 40}),
        ("phi-4 at 1209600 requests per fortnight", {"rps": 1.0}),
        ("llama 4 maverick fp8 600 kiloTokens per minute", {"avg_tokens_per_s": 10_000.0}),
    ],
)
def test_loads_in_people_and_odd_periods(text: str, fields: dict[str, float]):
    workload = parse(text, load_world().catalog).workload
    assert {name: getattr(workload, name) for name in fields} == fields


def test_a_figure_that_was_not_understood_heads_the_answer():
    """It may be the load: an engineer reads the first line, not the last."""
    reply = answer("llama 4 maverick fp8 500 flurbs per minute", load_world())
    assert reply.text.startswith("This answer leaves out “500 flurbs”: not understood.")
    assert "leaves out" in str(reply.blocks[1])
    assert answer("8B frobnicated", load_world()).view.left_out == ""


def test_three_times_as_many_of_nothing_is_said():
    previous = parse("gemma-3-27b int4", load_world().catalog).workload
    reply = answer("what if we get three times as many and move to Bombay", load_world(), previous)
    assert "changes nothing: no figure for the load" in reply.text
