"""What is pasted is read by its places: a command, a manifest, an event, an error, a table."""

import pytest

DOCKER = (
    "docker run --runtime nvidia --gpus 2 -p 8000:8000 --ipc=host --shm-size 16g"
    " -v ~/.cache:/root/.cache vllm/vllm-openai:v0.8.5 --model Qwen/Qwen3-32B"
    " --tensor-parallel-size 2 --max-model-len 32768 --gpu-memory-utilization 0.92"
)
TGI = (
    "docker run --gpus all ghcr.io/huggingface/text-generation-inference:2.0.4"
    " --model-id mistralai/Mixtral-8x7B-Instruct-v0.1 --num-shard 4 --quantize awq"
)
POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: llm
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.6.3
        args: ["--model","Qwen/Qwen2.5-14B-Instruct","--max-model-len","16384"]
        ports:
        - containerPort: 8000
        resources:
          limits:
            nvidia.com/gpu: 2
            memory: 64Gi
            cpu: "8"
          requests:
            nvidia.com/gpu: 2
            cpu: "4"
---
kind: HorizontalPodAutoscaler
spec:
  minReplicas: 2
  maxReplicas: 10
"""
KSERVE = """apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      args: [--model_id=google/gemma-3-27b-it, --max-model-len=16384]
      resources: {limits: {nvidia.com/gpu: 2}}"""
POD_IN_A_LINE = (
    "limits: nvidia.com/gpu: 1, memory: 14Gi, cpu: 3500m; args --model Qwen/Qwen2.5-7B-Instruct"
    " --max-model-len 8192"
)
EVENT = (
    "pod cannot be scheduled: no instance type satisfied cpu 17185m, memory 33008Mi,"
    " nvidia.com/gpu 2 in g4dn.2xlarge, g4dn.4xlarge"
)
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total"
    " capacity of 21.99 GiB of which 5.38 MiB is free. llama-2-13b on g5.2xlarge"
)
ENVIRONMENT = """containers:
- image: vllm/vllm-openai:v0.6.3
  env:
  - name: MODEL_ID
    value: google/gemma-2-27b-it
  - name: MAX_MODEL_LEN
    value: "8192"
"""
LISTED = (
    'containers:\n- args: ["--model", "Qwen/Qwen2.5-72B", "--tensor-parallel-size", "4",'
    ' "--quantization", "awq", "--max-model-len", "16384"]'
)
RUNTIME = """apiVersion: serving.kserve.io/v1beta1
predictor:
  model:
    modelFormat:
      name: huggingface
    args:
    - --model_id=meta-llama/Meta-Llama-3-8B-Instruct
"""
TERRAFORM = """resource "aws_instance" "llm" {
  ami = "ami-0abcd1234"
  instance_type = "g5.xlarge"
  count = 3
  root_block_device { volume_size = 200 }
}
is it enough for llama-3-8b?"""
CONFIG = (
    '{"hidden_size":4096,"num_hidden_layers":32,"max_position_embeddings":131072,'
    '"torch_dtype":"bfloat16","_name_or_path":"meta-llama/Llama-3.1-8B"} cheapest?'
)
ROW = "Instance type: g5.xlarge | vCPU 4 | Mem 16 GiB | A10G 24 GB | $1.006 - run phi-4?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            DOCKER,
            {"model": "qwen3-32b", "context": 32768, "gpu_count": 2, "tensor_parallel": 2,
             "framework": "vllm", "memory_utilisation": 0.92},
        ),
        (
            TGI,
            {"model": "mixtral-8x7b-instruct-v0.1", "quant": "awq", "tensor_parallel": 4,
             "framework": "tgi", "gpu": None, "gpu_count": None},
        ),
        (
            "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --port 8000 on g6e.12xlarge",
            {"model": "qwen3-32b", "tensor_parallel": 4, "instance": "g6e.12xlarge"},
        ),
        (
            POD,
            {"model": "qwen2.5-14b", "context": 16384, "gpu_count": 2, "nodes": 2, "name": "llm",
             "framework": "vllm", "params_b": None, "allow": None},
        ),
        (
            POD_IN_A_LINE,
            {"gpu_count": 1, "params_b": None, "allow": None, "context": 8192},
        ),
        (EVENT, {"gpu_count": 2, "allow": ("g4dn",), "instance": None, "params_b": None}),
        (
            "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. llama-3-8b",
            {"nodes": None, "allow": None, "model": "llama-3-8b", "input_tokens": None},
        ),
        (OOM, {"instance": "g5.2xlarge", "needs_cuda": None, "framework": None}),
        (ENVIRONMENT, {"model": "gemma-2-27b", "context": 8192, "framework": "vllm", "name": None}),
        ('MAX_MODEL_LEN: "8192" MODEL_ID: google/gemma-2-27b-it',
         {"model": "gemma-2-27b", "context": 8192}),
        ('{"model": "Qwen/Qwen3-8B", "concurrency": 24, "max_model_len": 16384}',
         {"model": "qwen3-8b", "concurrency": 24, "context": 16384}),
        (ENVIRONMENT.replace("MAX_MODEL_LEN", "MAX_CONCURRENT_REQUESTS").replace("8192", "64"),
         {"model": "gemma-2-27b", "concurrency": 64, "context": None}),
        (LISTED, {"model": "qwen2.5-72b", "tensor_parallel": 4, "quant": "awq", "context": 16384}),
        (LISTED.replace('"', "'"), {"model": "qwen2.5-72b", "tensor_parallel": 4, "quant": "awq"}),
        (RUNTIME, {"model": "llama-3-8b", "name": None}),
        ("llama-server -m qwen2.5-7b-instruct-q5_k_m.gguf -c 16384 -np 8 -ngl 99",
         {"model": "qwen2.5-7b", "quant": "q5_k_m", "context": 16384, "concurrency": 8,
          "framework": "llama.cpp"}),
        ("deploy llama-3-8b on ml.g5.2xlarge", {"instance": "g5.2xlarge"}),
        (TERRAFORM, {"instance": "g5.xlarge", "nodes": 3, "model": "llama-3-8b"}),
        (CONFIG, {"model": "llama-3.1-8b", "quant": None, "context": None, "model_kind": None}),
        (ROW, {"instance": "g5.xlarge", "model": "phi-4", "budget_usd_per_hour": None}),
    ],
)  # fmt: skip
def test_a_form_says_what_stands_in_its_places(text, said, understood):
    understanding = understood(text)
    workload = understanding.workload
    assert {name: getattr(workload, name) for name in said} == said
    assert understanding.not_understood == ()


def test_a_form_whose_lines_are_folded_says_the_same(understood):
    folded, as_typed = understood(" ".join(POD.split())), understood(POD)
    assert folded.workload == as_typed.workload
    assert folded.not_understood == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("llama-3-8b on ml.g5.2xlarge", "sagemaker_type"),
        ('{"hidden_size": 4096, "num_hidden_layers": 32} which instance?', "config_pasted"),
    ],
)
def test_what_a_form_leaves_open_is_said(text, code, understood):
    assert code in understood(text).codes


def test_a_block_that_opens_names_nothing(understood):
    workload = understood(KSERVE).workload
    assert (workload.model, workload.context, workload.gpu_count) == ("gemma-3-27b", 16384, 2)
