"""A small catalog for laws over whole recommendations: every accelerated type and some CPUs."""

from dataclasses import replace
from functools import cache

from catalog.catalog import Catalog
from catalog.facts.coefficients import load_coefficients
from catalog.load import load_catalog
from engine.ask import model_of
from engine.core.assumptions import fill
from engine.core.question import Question
from engine.core.workload import Workload

CPU_FAMILIES = frozenset({"c7i", "m7g", "r8g"})


@cache
def small_catalog() -> Catalog:
    """Return the catalog cut to accelerated types and three CPU families."""
    catalog = load_catalog()
    kept = {
        name: instance
        for name, instance in catalog.instances.items()
        if instance.accelerator_id is not None or instance.family in CPU_FAMILIES
    }
    return replace(catalog, instances=kept)


def question(said: Workload, catalog: Catalog | None = None) -> Question:
    """Return the question behind a workload over the small catalog."""
    facts = catalog if catalog is not None else small_catalog()
    model, _ = model_of(said, facts)
    workload, _ = fill(said, model, facts.use_cases, default_region=facts.default_region)
    return Question(
        workload=workload,
        said=said,
        model=model,
        catalog=facts,
        coefficients=load_coefficients(),
    )
