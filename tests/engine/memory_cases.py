"""The conditions of a memory or plan case of the shared set, as the engine takes them."""

from dataclasses import replace

from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from catalog.load import load_catalog
from engine.core.dtypes import native_weights_dtype
from engine.core.plan import Host, TrainingJob
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.placement.hosts import host_of
from engine.placement.parallel import serving_plans, training_plans

GPU_IDS = {
    "A100-80GB": "A100-80",
    "A100-40GB": "A100-40",
    "H100-80GB": "H100-80",
    "V100-32GB": "V100-32",
    "H100": "H100-80",
    "H200": "H200-141",
    "A100": "A100-80",
    "V100": "V100-16",
}
GPU_OF_MARKETED_GB = {24: "A10G", 80: "A100-80", 40: "A100-40", 16: "T4", 48: "L40S"}
QUANT_NAMES = {"gptq-int4": "gptq"}


class Conditions:
    """One line of the shared set, with its conditions turned into engine inputs."""

    def __init__(self, line):
        self.line = line
        self.expected = line["expected"]
        self.given = self.expected.get("given", {})
        self.catalog = load_catalog()

    @property
    def model(self):
        name = self.given.get("model")
        if name is None and "params_b" in self.given:
            from catalog.facts.typical import typical_model

            return typical_model(float(self.given["params_b"]))
        return None if name is None else self.catalog.models[self.catalog.model_names[name]]

    @property
    def trains(self):
        return "method" in self.given or self.given.get("task") == "finetune"

    def host(self, instance=None, gpu=None, count=None):
        given = self.given
        instance = instance or given.get("instance")
        if instance is not None:
            return self._adjusted(host_of(self.catalog.instances[instance], self.catalog))
        name = gpu or given.get("gpu")
        if name is None:
            default = "H100-80" if not self.trains else "A100-80"
            name = GPU_OF_MARKETED_GB.get(given.get("gpu_memory_gb"), default)
            if "gpu_visible_gib" in given:
                name = "A10G"
        accelerator = self.catalog.accelerators[GPU_IDS.get(name, name)]
        if "gpu_visible_gib" in given:
            accelerator = replace(accelerator, mem_gib_usable=given["gpu_visible_gib"])
        devices = count or given.get("gpu_count") or max(given.get("tp", 1), 1)
        host_gb = given.get("host_ram_gb", 2000)
        return Host(
            accelerator=accelerator,
            accelerators=devices,
            cpu=None,
            cores=96,
            host_mem_gib=host_gb * BYTES_PER_GB / BYTES_PER_GIB,
            network_gb_s=50.0,
            efa=True,
        )

    def _adjusted(self, host):
        ram = self.given.get("host_ram_gib")
        return host if ram is None else replace(host, host_mem_gib=ram)

    def dtype(self, quant=None):
        quant = quant or self.given.get("quant")
        if quant is None:
            return native_weights_dtype(self.model)
        return QUANT_NAMES.get(quant, quant)

    def plan_memory(self, host, dtype=None, **overrides):
        """Return (plan, memory) of the recommended plan on one such host."""
        given, model = self.given, self.model
        context = given.get("context") or given.get("max_model_len") or 4096
        sequences = float(given.get("batch", 1))
        settings = {
            "dtype": dtype or self.dtype(),
            "kv_dtype": given.get("kv_dtype", "auto"),
            "context_tokens": context,
            "sequences": sequences,
            "memory_utilisation": given.get("util", 0.9),
            "tensor_parallel": given.get("tp"),
        }
        settings.update(overrides)
        plan = next(p for p in serving_plans(model, None, host, **settings))
        if plan.instances > 1:  # the case asks about one host
            settings["pipeline_parallel"] = 1
            plan = next(p for p in serving_plans(model, None, host, **settings))
        memory = serving_memory(
            model,
            host,
            plan,
            context_tokens=context,
            sequences=sequences,
            chunked_prefill="no chunked prefill" not in given.get("engine_assumption", ""),
            compile_on_host="host_ram_gib" in given,
        )
        return plan, memory

    def job(self, **overrides):
        given = self.given
        settings = {
            "method": given.get("method", "full"),
            "seq_len": given.get("seq_len", 2048),
            "tokens_total": None,
            "micro_batch": given.get("batch") or given.get("batch_per_gpu") or 1,
            "cpu_offload": "offload" in given or "offload" in given.get("strategy", ""),
            "sharding": "zero3" if "fsdp" in given.get("strategy", "") else None,
            "logits": "in_place" if given.get("framework") == "unsloth" else None,
        }
        if given.get("quant") == "int4" and "int4" in self.line["question"]:
            settings["precision"] = "gptq"  # a checkpoint quantised beforehand
        if given.get("recipe") == "low_memory_single_device":
            settings["optimizer"] = "paged_adamw_8bit"
        settings.update(overrides)
        return TrainingJob(**settings)

    def training(self, host, job=None):
        job = job or self.job()
        plan = next(
            p
            for p in training_plans(
                self.model, None, replace(host, efa=False, network_gb_s=None), job
            )
        )
        return plan, training_memory(self.model, host, plan, job)
