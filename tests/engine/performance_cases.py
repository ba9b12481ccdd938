"""Short ways to write the plans and loads that performance tests are about."""

from dataclasses import replace
from functools import cache

from catalog.facts.coefficients import load_coefficients
from catalog.load import load_catalog
from engine.core.plan import Host, Load, Plan
from engine.performance.machine import Layout, Machine
from engine.performance.replica import replica_of
from engine.performance.serving import serving_performance
from engine.placement.hosts import host_of


@cache
def catalog():
    return load_catalog()


def model(name):
    return catalog().models[catalog().model_names.get(name, name)]


def chip(name, **changes):
    return replace(catalog().accelerators[name], **changes)


def host(instance_type):
    return host_of(catalog().instances[instance_type], catalog())


def gpu_host(accelerator, count):
    """Return a host of that many accelerators, whatever EC2 sells."""
    return Host(
        accelerator=accelerator,
        accelerators=count,
        cpu=None,
        cores=96,
        host_mem_gib=1024.0,
        network_gb_s=50.0,
        efa=True,
    )


def plan(tp=1, pp=1, dp=1, ep=1, weights="bf16", kv="auto", engine="vllm", instances=1, **more):
    return Plan(
        instance_type=None,
        instances=instances,
        accelerators=tp * pp * dp,
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp,
        expert_parallel=ep,
        weights_dtype=weights,
        kv_dtype=kv,
        serving_engine=engine,
        memory_utilisation=0.9,
        **more,
    )


def load(kind="single", tokens=1024, output=256, **more):
    return Load(kind=kind, input_tokens=tokens, output_tokens=output, **more)


def estimate(model_name, machine, the_plan, the_load, held=None, percentile=None):
    """Return the figures on an instance type (a name) or on a host."""
    return serving_performance(
        model(model_name),
        host(machine) if isinstance(machine, str) else machine,
        the_plan,
        the_load,
        sequences_max=held,
        coefficients=load_coefficients(),
        percentile=percentile,
    )


def replica(model_name, accelerator, ways, weights="bf16", kv="bf16", engine="vllm", expert_ways=1):
    """Return one replica on `ways` accelerators of one host of eight."""
    layout = Layout(accelerators=ways, expert_ways=expert_ways)
    return replica_of(
        model(model_name),
        Machine(accelerator=accelerator, layout=layout, network_gb_s=None),
        weights_dtype=weights,
        kv_dtype=kv,
        engine_name=engine,
        coefficients=load_coefficients(),
    )
