"""What newcomers ask in words of their own: each row is a phrase that was once read wrongly."""

import pytest

from bot.conversation import answer
from bot.language.parse import parse
from bot.world import load_world
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
]
CLAIMS = [
    ("what are the four key insights?", ["line 51", "line 52", "line 53", "line 54"]),
    ("/ec2-pick key insights guide=000", ["line 51", "line 52", "line 53", "line 54"]),
    ("is inf2 up to 4x higher throughput?", ["No longer.", "Up to 4x over Inf1"]),
    ("p4d is 32.77 an hour, no?", ["No longer.", "$21.96/h on demand"]),
    ("are there insights in guide 000 and do they hold?", ["line 51", "line 54"]),
]
DOUBTS = [
    ("why shouldn't I take p5.48xlarge for an 8B?", ["p5.48xlarge: meets the limits at", "g6."]),
    ("why should I avoid g5.xlarge for an 8B?", ["g5.xlarge", "g6.xlarge does at"]),
    ("why not an h100 for 8B", ["p5.4xlarge: meets the limits at", "The pick is 1x g6.xlarge"]),
    ("what is the problem with p3 for 13B training?", ["not offered in us-east-1"]),
    ("what's wrong with AMD GPUs for 8B?", ["no serving or training stack"]),
    ("/ec2-pick why_not=amd 8B", ["no serving or training stack"]),
]
COMPARED = [
    ("g6.xlarge or g5.xlarge for 8B?", ["g6.xlarge: 1x", "g5.xlarge: 1x"]),
    ("A100 or H100 for a 70B?", ["A100-80: 1x", "H100-80: 1x"]),
    ("8B: g6 against inf2 against g6e", ["g6: 1x", "inf2: 1x", "g6e: 1x"]),
    ("/ec2-pick compare trn1 p4d train 7B", ["trn1: ", "p4d: ", "in total"]),
]
COMPUTED = [
    ("how much cheaper must inf2 get to win for 8B?", ["inf2.8xlarge wins below"]),
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
        ["inf2.8xlarge wins below"],
    ),
    ("at which traffic does another instance get cheapest for 8B?", ["users at once"]),
    ("would a mixture of instances be cheaper for 8B at 150 rps?", ["one type"]),
    ("how clean is training a 7B with 10B tokens in Ohio?", ["kWh for the job"]),
    ("scale llama-3.1-8b from 2 to 50 rps", ["Karpenter"]),
    ("good habits for running an 8B on kubernetes", ["Best practices"]),
    ("how can I see how busy the GPUs are for llama-3.1-8b", ["DCGM"]),
    ("steps to go from GPU to Inferentia with llama-3.1-8b", ["Inferentia"]),
]
OPTIONS = [
    ("command-r+ for 10 users", ["command-r+, ", "g7e.24xlarge"]),
    ("/ec2-pick inference model=command-r+", ["command-r+, ", "g7e.24xlarge"]),
    ("llama-3.1-8b with speculative decoding", ["Figures are without speculative decoding"]),
    ("llama-3.1-70b prefix caching 80% hit", ["Figures are without prefix caching 80% hit"]),
    ("8B with prompt caching, 20 users", ["Figures are without prompt caching"]),
]
READINGS = [
    ("llama 4 scout 10M context", ["p5en.48xlarge", "one sequence of 17M tokens"]),
    (
        "fine-tune mistral 7B qlora on 3B tokens in osaka, finish over a weekend",
        ["`over a weekend` is read as 48 hours", "9 × g6e.xlarge"],
    ),
    (
        "whisper large v3 for 300 hours of audio per day",
        ["is read as 0.417 requests/s, windows of 30 s", "0.42 requests/s"],
    ),
]
ROWS = [*READINGS, *OPTIONS, *GUIDES, *CLAIMS, *DOUBTS, *COMPARED, *COMPUTED]


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
