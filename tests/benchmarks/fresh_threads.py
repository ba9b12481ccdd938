"""What the hurried asks and the conversations are held to, a line of checks a row."""

from tests.benchmarks.fresh_answers import bounds, figure, leads_with, never_says, says, understood


def leaves_out(*chips):
    """Every chip or family is left out, and no pick has it."""

    def check(told):
        left = " ".join(told.workload["exclude"])
        for chip in chips:
            assert chip in left, told.workload["exclude"]

    return check


def compares(*names):
    """Every name stands in a side of the comparison."""

    def check(told):
        sides = " ".join(row["name"] for row in told.json["comparison"]["rows"])
        for name in names:
            assert name in sides, sides

    return check


def turn(number, **fields):
    """The fields of the workload at a turn of a conversation."""

    def check(told):
        workload = told.turns[number - 1]["workload"]
        for name, value in fields.items():
            assert workload.get(name) == value, f"{name}: {workload.get(name)!r}"

    return check


def turn_says(number, *words):
    """A turn says every one of these words somewhere."""

    def check(told):
        for word in words:
            assert word in str(told.turns[number - 1]), word

    return check


def machines(told):
    """How many machines the first pick has."""
    return told.pick["instances"]


def block_costs(told):
    """The last turn's block costs what the row says, in all."""
    low, high = bounds(told.expect["turns"]["6"]["usd_total"])
    assert low <= told.pick["cost"]["usd_total"] <= high, told.pick["cost"]


THREADS = {
    "P01": [understood(concurrency=50, model="llama-3.1-8b", quant="int4")],
    "P03": [understood(task="inference", rps=20)],
    "P05": [figure("instances", machines), leads_with("g6e.xlarge")],
    "P07": [leads_with("^No on one g5.2xlarge")],
    "P09": [understood(quant="awq", tensor_parallel=4), says("mixtral-8x7b")],
    "P11": [understood(gpu="A10G", gpu_count=4), never_says("No on four")],
    "P13": [understood(rps=10, latency_ms=3000, region="eu-west-3")],
    "P15": [understood(concurrency=10, context=32768, region="ap-northeast-1")],
    "P17": [understood(quant="int4", concurrency=5)],
    "P19": [compares("p5.48xlarge", "p5en.48xlarge", "p6-b200")],
    "P21": [compares("trn2", "H100"), never_says("Nothing fits")],
    "P23": [says(r"\$800")],
    "P25": [leads_with("^No on one g5.xlarge"), understood(budget_usd_per_hour=None)],
    "P27": [says("p5.4xlarge", "p5.48xlarge", "us-east-2", "spot")],
    "P29": [understood(gpu_count=1), never_says("CPU instance")],
    "P31": [says("room for 1,048,576 tokens", "prompts of 512")],
    "P33": [compares("r7i.48xlarge", "r8g"), never_says("meets every limit")],
    "T01": [
        turn(
            6,
            model="qwen3-32b",
            quant="fp8",
            market="reserved",
            concurrency=60,
            region="eu-central-1",
        ),
        turn(7, model="qwen3-32b", concurrency=20),
    ],
    "T03": [turn(6, task="inference", quant="bf16"), turn_says(6, "Kept from the thread: spot")],
    "T05": [
        turn(1, deadline_h=6.0),
        turn(2, deadline_h=6.0, items=240_000.0),
        turn(3, model="whisper-large-v3-turbo"),
        turn_says(6, "a run on"),
    ],
    "T07": [turn(3, deadline_h=24.0), turn(4, rps=20.0, items=None)],
    "T09": [turn(4, vcpus_max=16), turn(5, vcpus_max=64)],
    "T11": [
        turn(2, rps=10.0),
        turn(3, duty_h_per_day=40 / 7),
        turn(4, rps=10.0),
        turn(5, rps=20.0),
    ],
    "T13": [
        turn(3, exclude=["p5"]),
        block_costs,
    ],
    "Q01": [leads_with("^No on one g6.xlarge"), says("Ten would do", "g7e.2xlarge would")],
    "Q03": [leaves_out("H100")],
    "Q05": [leaves_out("p5en")],
    "Q07": [leaves_out("H100")],
    "Q09": [leaves_out("g6")],
    "Q13": [figure("instances", machines)],
    "Q15": [leaves_out("H100", "A100")],
}
