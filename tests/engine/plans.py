"""Plans and hosts for memory tests, with everything a row does not care about filled in."""

from catalog.load import load_catalog
from engine.core.plan import Host, Plan
from engine.placement.hosts import host_of


def model_named(name):
    catalog = load_catalog()
    return catalog.models[catalog.model_names[name]]


def host_named(instance_type):
    catalog = load_catalog()
    return host_of(catalog.instances[instance_type], catalog)


def host_with(accelerator_id, count=1, host_mem_gib=512.0, **more):
    settings = {"cpu": None, "cores": 96, "network_gb_s": None, "efa": False, **more}
    return Host(
        accelerator=load_catalog().accelerators[accelerator_id],
        accelerators=count,
        host_mem_gib=host_mem_gib,
        **settings,
    )


def plan_of(tp=1, pp=1, dp=1, **more):
    settings = {
        "instance_type": None,
        "instances": 1,
        "accelerators": tp * pp * dp,
        "tensor_parallel": tp,
        "pipeline_parallel": pp,
        "data_parallel": dp,
        "expert_parallel": 1,
        "weights_dtype": "bf16",
        "kv_dtype": "auto",
        "serving_engine": "vllm",
        "memory_utilisation": 0.9,
        **more,
    }
    return Plan(**settings)
