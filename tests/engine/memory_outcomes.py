"""The outcomes of a memory or plan case of the shared set, checked against the engine.

A case gives conditions (`given`) and outcomes; each outcome that memory or planning decides is
checked, and the ones that belong to other layers (words on the card, guides, prices) are not.
"""

from dataclasses import replace

from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.dtypes import model_support, support
from engine.memory.host_cpu import fits_offloaded
from engine.memory.kv_cache import kv_bytes_per_token, sequence_kv_gib
from engine.memory.training import training_host_memory_gib
from engine.memory.weights import total_weights_gb, weights_gib
from engine.placement.degrees import why_invalid_tp
from engine.placement.parallel import minimal_accelerators
from tests.engine.memory_cases import GPU_IDS, Conditions

NOT_OURS = {
    "parse",
    "tree_leaf",
    "accept",
    "tolerance",
    "given",
    "must_mention",
    "must_not",
    "must_not_use_active_params_for_memory",
    "naive_wrong_gb",
    "prefer",
    "effect",
    "memory_saving",
    "supported_training_archs",
    "bytes_per_param_range",
}
# Topic codes that other layers raise: the guides, the reading of words.
CODES_OF_OTHERS = {
    "guide_conflicts_with_memory_model",
    "guide_lists_host_memory",
    "ambiguous_latency",
}


class Case(Conditions):
    """A case that knows what comes out otherwise than expected."""

    def failures(self):
        """Return what comes out otherwise than expected, as short sentences."""
        found = []
        for key, value in self.expected.items():
            if key in NOT_OURS:
                continue
            check = getattr(self, f"check_{key}", None)
            if check is None:
                found.append(f"no check for {key}")
                continue
            found += check(value) or []
        return found

    # ---- outcomes -------------------------------------------------------------------------

    def fits_on(self, host, **overrides):
        if self.trains or "method" in overrides:
            return self.training(host, self.job(**overrides))[1].fits
        if self.given.get("offload") == "cpu":
            return fits_offloaded(self.model, self.dtype(), host)
        return self.plan_memory(host, **overrides)[1].fits

    def check_fits(self, value):
        return _differs("fits", self.fits_on(self.host()), value)

    def check_fits_by_instance(self, table):
        return [
            f
            for name, value in table.items()
            for f in _differs(f"fits {name}", self.fits_on(self.host(instance=name)), value)
        ]

    def check_fits_by_quant(self, table):
        return [
            f
            for name, value in table.items()
            for f in _differs(f"fits {name}", self.fits_on(self.host(), dtype=name), value)
        ]

    def check_fits_by_count(self, table):
        return [
            f
            for n, value in table.items()
            for f in _differs(f"fits {n}", self.fits_on(self.host(count=int(n))), value)
        ]

    def check_fits_by_method(self, table):
        return [
            f
            for m, value in table.items()
            for f in _differs(f"fits {m}", self.fits_on(self.host(), method=m), value)
        ]

    def check_fits_by_strategy(self, table):
        sharding = {"ddp": "ddp", "zero2": "zero2", "fsdp": "zero3"}
        return [
            f
            for s, value in table.items()
            for f in _differs(f"fits {s}", self.fits_on(self.host(), sharding=sharding[s]), value)
        ]

    def check_tight(self, value):
        return _differs("tight", self.plan_memory(self.host())[1].tight, value)

    def check_min_gpus(self, value):
        return _differs("min_gpus", self._least(), value)

    def check_min_tp(self, value):
        return _differs("min_tp", self._least(), value)

    def _least(self):
        gpu = GPU_IDS.get(self.given.get("gpu"), self.given.get("gpu"))
        if gpu is None:
            gpu = self.catalog.instances["g5.48xlarge"].accelerator_id
        return minimal_accelerators(
            self.model, self.catalog.accelerators[gpu], self.dtype(), most=8
        )

    def check_valid_tp(self, degrees):
        units = 8 if self.given.get("family") is None else None
        wrong = [d for d in degrees if why_invalid_tp(self.model, d, devices=_most(self, units))]
        return [f"refused {wrong}"] if wrong else []

    def check_invalid_tp(self, degrees):
        right = [d for d in degrees if not why_invalid_tp(self.model, d, devices=_most(self, 8))]
        return [f"accepted {right}"] if right else []

    def check_recommend_tp(self, value):
        return _differs("recommend", self.plan_memory(self.host())[0].tensor_parallel, value)

    def check_recommend_tp_at_most(self, value):
        plan, _ = self.plan_memory(self.host())
        return [] if plan.tensor_parallel <= value else [f"recommends {plan.tensor_parallel}"]

    def check_must_warn(self, codes):
        codes = [code for code in codes if code not in CODES_OF_OTHERS]
        missing = [code for code in codes if code not in self._codes()]
        return [f"does not warn {missing}"] if missing else []

    def _codes(self):
        if self.model is None and "instance" not in self.given:
            return set()
        host = self.host()
        dtype = (
            support(host.accelerator, self.dtype())
            if self.model or self.given.get("quant")
            else None
        )
        codes = {dtype.code} if dtype is not None else set()
        if self.model is None or (dtype is not None and dtype.kind == "unsupported"):
            return codes
        if self.trains:
            return codes | set(self.training(host)[1].notes)
        if "heads" in self.given:  # asked for an invalid degree: the way out is stages
            host = replace(host, accelerators=8)
            staged = self.plan_memory(host, tensor_parallel=1, pipeline_parallel=8)
            return codes | set(staged[1].notes)
        return codes | set(self.plan_memory(host)[1].notes)

    def check_supported(self, value):
        host = self.host()
        if self.given.get("kv_dtype"):
            return _differs("kv works", self.plan_memory(host)[1].fits, value)
        engine = "optimum-neuron" if "optimum" in self.given.get("engine", "") else None
        if self.model is not None:
            task = self.given.get("task", "inference")
            found = model_support(host.accelerator, self.model, task, None, engine)
            if found.kind == "unsupported":
                return _differs("supported", found=False, wanted=value)
        if self.given.get("quant") is None:
            return _differs("supported", found=True, wanted=value)
        kind = support(host.accelerator, self.dtype()).kind
        answer = {"native": True, "unsupported": False}.get(kind, kind)
        return _differs("supported", answer, value)

    def check_alternative(self, value):
        found = support(self.host().accelerator, self.dtype())
        return _differs("alternative", found.alternative, value)

    def check_native_fp8_compute(self, value):
        found = support(self.host().accelerator, "fp8").kind == "native"
        return _differs("native fp8", found, value)

    def check_native_by_gpu(self, table):
        return [
            f
            for gpu, value in table.items()
            for f in _differs(
                gpu, support(self.host(gpu=gpu).accelerator, "fp8").kind == "native", value
            )
        ]

    def check_hardware(self, facts):
        instance = self.catalog.instances[self.given["instance"]]
        chip = self.catalog.accelerators[instance.accelerator_id]
        found = {
            "accelerator_memory_gb_total": chip.mem_gb_marketed * instance.accelerators,
            "accelerator_memory_gb_each": chip.mem_gb_marketed,
            "gpu_memory_gb_each": chip.mem_gb_marketed,
            "chips": instance.accelerators,
            "gpu_count": instance.accelerators,
        }
        return [
            f"{k}: {found[k]} for {v}" for k, v in facts.items() if k in found and found[k] != v
        ]

    def check_accelerator_memory_gb_by_instance(self, table):
        instances, chips = self.catalog.instances, self.catalog.accelerators
        found = {
            n: instances[n].accelerators * chips[instances[n].accelerator_id].mem_gb_marketed
            for n in table
        }
        return [f"{n}: {found[n]} for {v}" for n, v in table.items() if found[n] != v]

    def check_total_gb_by_quant(self, table):
        return [f for q, v in table.items() for f in self._near(q, self._alone_gb(q), v)]

    def check_total_gb_by_method(self, table):
        jobs = {
            "full_mixed": {"method": "full"},
            "full_pure_bf16": {"method": "full", "optimizer": "adamw_bf16"},
            "lora": {"method": "lora"},
            "qlora8": {"method": "qlora", "precision": "int8"},
            "qlora4": {"method": "qlora"},
        }
        return [f for m, v in table.items() for f in self._near(m, self._peak(**jobs[m]), v)]

    def check_total_gb_range(self, bounds):
        return _between(self._peak(), bounds)

    def check_peak_gb_range(self, bounds):
        return _between(self._peak(), bounds)

    def _near(self, name, found, wanted):
        tolerance = self.expected.get("tolerance", 0.1)
        close = abs(found - wanted) <= tolerance * wanted
        return [] if close else [f"{name}: {found:.2f} for {wanted}"]

    def _alone_gb(self, quant=None):
        """Memory of plain transformers on one card large enough, GB."""
        host = self.host(gpu="B300", count=1)
        _, memory = self.plan_memory(host, dtype=self.dtype(quant), engine="transformers")
        context = memory.total - 0.5  # without the CUDA context, which the sources do not count
        return context * BYTES_PER_GIB / BYTES_PER_GB

    def _peak(self, unit="GB", scope="total", **overrides):
        """Training memory: of one card that holds it all, or of each card in the plan."""
        job = self.job(**overrides)
        if scope == "per_gpu" and (self.given.get("gpu_count") or "instance" in self.given):
            memory = self.training(self.host(), job)[1]
        else:
            one = self.host(gpu="B300", count=1)
            memory = self.training(replace(one, accelerators=1), job)[1]
        gib = memory.total
        return gib if unit == "GiB" else gib * BYTES_PER_GIB / BYTES_PER_GB

    def check_numbers(self, numbers):
        found = []
        for number in numbers:
            value = getattr(self, f"number_{number['name']}")(number)
            low = number["value"] * (1 - number.get("rel_tol", 0))
            high = number["value"] * (1 + number.get("rel_tol", 0))
            right = value >= number["value"] if number["op"] == ">=" else low <= value <= high
            if not right:
                found.append(f"{number['name']}: {value:.4g} for {number['value']}")
        return found

    def number_kv_tokens_max(self, _number):
        given = self.given
        room = given.get("kv_gib") or given.get("kv_gib_per_gpu")
        if room is not None:
            per_token = kv_bytes_per_token(self.model, "bf16", given.get("tp", 1))
            return room * BYTES_PER_GIB / per_token
        return self.plan_memory(self.host())[1].kv_tokens_max

    def number_kv_bytes_per_token(self, number):
        tp = self.given.get("tp", 1) if number["scope"] == "per_gpu" else 1
        return kv_bytes_per_token(self.model, "bf16", tp)

    def number_weights(self, number):
        if number["scope"] == "per_gpu":
            capability = self.host().accelerator.compute_capability
            return weights_gib(
                self.model, self.dtype(), self.given.get("tp", 1), capability=capability
            )
        total = total_weights_gb(self.model, self.dtype())
        return total if number["unit"] == "GB" else total * BYTES_PER_GB / BYTES_PER_GIB

    def number_max_concurrent_sequences(self, _number):
        return self.plan_memory(self.host())[1].sequences_max

    def number_usable_gpu_memory(self, _number):
        return self.host().accelerator.mem_gib_usable

    def number_kv_memory_available(self, _number):
        return self.plan_memory(self.host())[1].room_gib

    def number_kv_memory_needed(self, number):
        model, tp = self.model, self.given.get("tp", 1)
        if "every layer cached as full" in self.given.get("engine_assumption", ""):
            model = replace(model, attention="full", full_attention_layers=model.layers)
        gib = sequence_kv_gib(model, self.given["context"], "bf16", tp)
        return gib if number["unit"] == "GiB" else gib * BYTES_PER_GIB / BYTES_PER_GB

    def number_resident_params(self, _number):
        return self.model.total_params_b

    def number_total_memory(self, number):
        if self.trains:
            return self._peak(unit=number["unit"])
        if "instance" in self.given:
            plan, memory = self.plan_memory(self.host())
            return plan.tensor_parallel * memory.total * BYTES_PER_GIB / BYTES_PER_GB
        return self._alone_gb()

    def number_peak_memory(self, number):
        return self._peak(unit=number["unit"], scope=number["scope"])

    def number_peak_memory_with_cpu_offload(self, number):
        return self._peak(unit=number["unit"], cpu_offload=True)

    def number_host_memory(self, number):
        gib = training_host_memory_gib(self.model, self.job(cpu_offload=True))
        return gib if number["unit"] == "GiB" else gib * BYTES_PER_GIB / BYTES_PER_GB

    def number_optimizer_memory(self, _number):
        host = self.host(gpu="B300", count=1)
        return self.training(host)[1].optimizer * BYTES_PER_GIB / BYTES_PER_GB

    def number_total_memory_full_finetune(self, _number):
        return self._peak(method="full")


def _most(case, units):
    if "instance" not in case.given:
        return units
    host = case.host()
    return host.accelerators * (host.accelerator.cores_per_chip or 1)


def _differs(name, found, wanted):
    return [] if found == wanted else [f"{name}: {found} for {wanted}"]


def _between(found, bounds):
    low, high = bounds
    return [] if low <= found <= high else [f"{found:.1f} outside {low}-{high}"]
