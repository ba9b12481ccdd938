"""Requests and the workloads made for them, for every test over Kubernetes documents."""

import functools

import yaml

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.manifests.made import made_manifest
from engine.plans.sides import chosen

KUBERNETES_VERSIONS = ("1.33", "1.34", "1.36")
REQUESTS = {
    "realtime_7b": "inference 7B latency<100ms",
    "gated_70b_two_gpus": "inference llama-3.1-70b",
    "quantised_70b": "inference llama-3.1-70b quant=awq kv_dtype=fp8 instance=g6e.2xlarge",
    "moe_fp8": "deepseek-v3 inference instance=p5en.48xlarge",
    "multi_node": "inference llama-3.1-405b instance=p4d.24xlarge",
    "batch_spot_replicas": "llama-3.1-8b batch 2B tokens per day on spot instance=g6.48xlarge",
    "inf2_vllm": "inference llama-3.1-8b instance=inf2.8xlarge",
    "trn1_vllm": "inference llama-3.1-8b instance=trn1.32xlarge",
    "inf2_chips_of_several": "inference llama-3.1-8b context 4096 instance=inf2.24xlarge",
    "encoder_tei": "bge-large embeddings inference rps=100 instance=g6.xlarge",
    "encoder_inf2_own_server": "bge-base inference instance=inf2.xlarge",
    "cpu_vllm": "8B int4 instance=c8i.8xlarge",
    "graviton_llama_cpp": "8B q4_k_m framework=llama.cpp instance=c8g.8xlarge",
    "diffusion": "sdxl inference instance=g6.xlarge",
    "sglang": "inference llama-3.1-8b framework=sglang instance=g6e.xlarge",
    "arm_gpu": "inference llama-3.2-1b instance=g5g.xlarge",
    "lora_single": "finetune llama-3.1-8b lora instance=g6e.xlarge",
    "train_multi_node_efa": "train llama-3.1-8b instance=p5.48xlarge deadline 7 days",
    "train_spot": "finetune 7B lora on spot instance=g6e.12xlarge",
    "train_trn1": "train 8b instance=trn1.32xlarge",
    "model_in_s3": "inference llama-3.1-8b from s3://my-models/llama-3.1-8b instance=g6e.xlarge",
    "model_on_pvc": "inference llama-3.1-8b instance=g6e.xlarge, model on a PVC",
    "model_on_fsx": "inference llama-3.1-405b instance=p4d.24xlarge, model on FSx",
    "gguf_in_s3": "8B q4_k_m framework=llama.cpp instance=c8g.8xlarge from s3://my-models/gguf",
    "train_to_s3": "finetune llama-3.1-8b lora on spot instance=g6e.12xlarge from "
    "s3://my-models/base, checkpoints to s3://my-checkpoints/run-1",
}


@functools.cache
def world():
    return load_world()


@functools.cache
def answered(text):
    """Return the recommendation to a request and the pick its manifest is for."""
    reply = answer(text, world())
    assert reply.recommendation is not None, reply.text
    return reply.recommendation, chosen(reply.recommendation)


@functools.cache
def made(name, kind="kubernetes"):
    """Return the manifest of a named request."""
    result, _ = answered(REQUESTS[name])
    return made_manifest(kind, result, world().catalog)


def documents_of(text):
    loaded = yaml.load_all(text, yaml.CSafeLoader)
    return [document for document in loaded if document is not None]
