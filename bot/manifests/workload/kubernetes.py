"""The workload of a pick as Kubernetes documents: rendered, parsed back and checked."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.core.manifest import Manifest, ManifestError, ManifestKind
from bot.core.render import manifest_environment
from bot.core.wording import MARKET_WORDS, assumed_view, workload_words
from bot.manifests.legal_names import renamed_note
from bot.manifests.pool import MIB_PER_GIB
from bot.manifests.rule import parsed, refuse_broken
from bot.manifests.tools import address_of
from bot.manifests.workload.recipe import PLACEHOLDER_DATA
from bot.manifests.workload.server import OMNI
from bot.manifests.workload.serving import ServingView, serving_view
from bot.manifests.workload.storage import storage_notes
from bot.manifests.workload.training import Runner, TrainingView, training_view
from bot.manifests.workload.workload_rule import Bundle
from bot.manifests.workload.workload_rules import broken_workload_rules
from catalog.catalog import Catalog
from catalog.facts.schema import Model
from engine.core.result import Pick, Recommendation

WorkloadView = ServingView | TrainingView
TRAINING_TEMPLATES: Final[dict[Runner, str]] = {
    "Job": "kubernetes/training.yaml.j2",
    "JobSet": "kubernetes/jobset.yaml.j2",
    "PyTorchJob": "kubernetes/pytorchjob.yaml.j2",
}
# What has to be installed first, by releases whose definitions the files are written for.
NEEDS: Final[dict[Runner, str]] = {
    "Job": "",
    "JobSet": f"Needs JobSet: kubectl apply --server-side -f {address_of('jobset')}",
    "PyTorchJob": "Needs Kubeflow's Training Operator: kubectl apply --server-side -k "
    f'"{address_of("training-operator")}"',
}
CHINA: Final = "aws-cn"
APPLIED_AFTER = (
    "Nodes first: --manifest eksctl or karpenter. Then kubectl apply -f FILE",
    "Beside it: --manifest autoscaling, hpa, monitoring, quota, sharing",
)


def kubernetes_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the Deployment, StatefulSet or Job that runs the pick, with what belongs to it.

    Raises:
        ManifestError: no valid workload can be written for this pick; says why and what to do.
    """
    view = workload_view(result, pick, catalog)
    if isinstance(view, TrainingView):
        return _training(result, pick, view, "kubernetes", catalog)
    plan = pick.estimate.plan
    return written(
        "kubernetes",
        "kubernetes/serving.yaml.j2",
        Bundle(pool=view.pool, ways=plan.tensor_parallel * plan.pipeline_parallel),
        comments=(*comments_of(result, pick), *APPLIED_AFTER),
        notes=(
            *_name_notes(result, view),
            *_place_notes(pick, catalog),
            *_workload_notes(pick, view),
        ),
        view=view,
        pod=view.pod,
        server=view.server,
    )


def jobset_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the JobSet of a training pick: all pods start again together when one ends.

    Raises:
        ManifestError: the pick does not train, or its nodes cannot be used.
    """
    return _training(result, pick, _job_view(result, pick, catalog, "JobSet"), "jobset", catalog)


def pytorchjob_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the PyTorchJob of a training pick, for Kubeflow's Training Operator.

    Raises:
        ManifestError: the pick does not train, or its nodes cannot be used.
    """
    view = _job_view(result, pick, catalog, "PyTorchJob")
    return _training(result, pick, view, "pytorchjob", catalog)


def workload_view(result: Recommendation, pick: Pick, catalog: Catalog) -> WorkloadView:
    """Return the typed view of the workload: a serving one or a training job.

    Raises:
        ManifestError: there is no model to run, or the nodes cannot be used.
    """
    if pick.estimate.training is not None:
        return training_view(_model_to_run(result), result, pick, catalog, "Job")
    return serving_view(_model_to_run(result), result, pick, catalog)


def written(
    kind: ManifestKind,
    template: str,
    bundle: Bundle,
    *,
    comments: tuple[str, ...],
    notes: tuple[str, ...],
    extras: tuple[tuple[str, str], ...] = (),
    **values: object,
) -> Manifest:
    """Return the file of a kind: a template filled with `values`, read back and held to the rules.

    Raises:
        ManifestError: it does not parse, or breaks a rule.
    """
    filled = manifest_environment().get_template(template)
    text = filled.render(comments=comments, notes=notes, **values)
    made = replace(bundle, documents=parsed(text, "the workload"))
    refuse_broken("the workload", broken_workload_rules(made))
    return Manifest(kind=kind, yaml_text=text, notes=notes, extras=extras)


def _job_view(result: Recommendation, pick: Pick, catalog: Catalog, runner: Runner) -> TrainingView:
    if pick.estimate.training is None:
        raise ManifestError(
            f"a {runner} trains, and this pick serves: ask for kubernetes, or say train or finetune"
        )
    return training_view(_model_to_run(result), result, pick, catalog, runner)


def _training(
    result: Recommendation,
    pick: Pick,
    view: TrainingView,
    kind: ManifestKind,
    catalog: Catalog,
) -> Manifest:
    runner = view.launch.runner
    needed = (NEEDS[runner],) if NEEDS[runner] else ()
    return written(
        kind,
        TRAINING_TEMPLATES[runner],
        Bundle(pool=view.pool, devices=pick.estimate.plan.accelerators),
        comments=(*comments_of(result, pick), *APPLIED_AFTER),
        notes=(
            *needed,
            *_name_notes(result, view),
            *_place_notes(pick, catalog),
            *_workload_notes(pick, view),
        ),
        view=view,
        pod=view.pod,
    )


def _name_notes(result: Recommendation, view: WorkloadView) -> tuple[str, ...]:
    """Return what became of the name that was asked for, where it is another in the file."""
    note = renamed_note(result.workload.name, view.name)
    return (note,) if note else ()


def _model_to_run(result: Recommendation) -> Model:
    """Return the model to run; a development machine has none."""
    if result.model is None or result.workload.task == "development":
        raise ManifestError(
            "a development machine has no workload to deploy: name a model to serve or to train"
        )
    return result.model


def comments_of(result: Recommendation, pick: Pick) -> tuple[str, ...]:
    """Return what a file beside the nodes is for and what was assumed."""
    machines = f"{pick.instances} x {pick.instance.instance_type} in {pick.region}"
    lines = [
        f"{machines}, {MARKET_WORDS[pick.quote.market]}",
        f"For: {workload_words(result.model, result.workload)}",
    ]
    if result.assumptions:
        lines.append(f"Assumed: {', '.join(assumed_view(a).value for a in result.assumptions)}")
    return tuple(lines)


def _place_notes(pick: Pick, catalog: Catalog) -> Iterator[str]:
    """Yield what a region cannot reach."""
    if catalog.regions[pick.region].partition == CHINA:
        yield (
            "From here Docker Hub, ghcr.io, nvcr.io, public.ecr.aws and huggingface.co are slow or "
            "not reached: copy images and charts into your ECR, and set HF_ENDPOINT to a mirror or "
            "take the model from a bucket here."
        )


def _workload_notes(pick: Pick, view: WorkloadView) -> Iterator[str]:
    """Yield what a person has to fill in or know before applying."""
    yield from _fill_ins(view)
    yield from storage_notes(view.pod.claims, _bucket_contents(pick, view))
    if view.gated:
        yield (
            "The model needs a token: kubectl create secret generic hf-token "
            "--from-literal=token=YOUR_TOKEN"
        )
    if view.pod.scheduler:
        yield (
            f"Install the Neuron scheduler extension (Neuron Helm chart, scheduler.enabled) as "
            f"{view.pod.scheduler}: a pod's chips must be neighbours."
        )
    if isinstance(view, TrainingView):
        yield from _training_notes(view)
    else:
        yield from _serving_notes(pick, view)
    if not view.pool.karpenter:
        yield "Karpenter does not know this type: use a node group."


def _bucket_contents(pick: Pick, view: WorkloadView) -> str:
    """Return what a bucket has to hold for the workload to start from it."""
    if isinstance(view, TrainingView):
        return "the base model: config.json, tokenizer, safetensors"
    served, dtype = view.served, pick.estimate.plan.weights_dtype
    model = served.repo or served.checkpoint.repo or served.model.id
    dtype = served.model.native_dtype if served.repo and not served.ready else dtype
    files = "config.json, tokenizer, safetensors"
    return f"{model} in {dtype}: {'its file' if view.server.engine == 'llama.cpp' else files}"


def _fill_ins(view: WorkloadView) -> Iterator[str]:
    image = view.image if isinstance(view, TrainingView) else view.server.image
    model = view.model_fill_in if isinstance(view, TrainingView) else view.server.model_fill_in
    if image.fill_in:
        yield f"Fill in {image.fill_in}. To build it:"
        yield from image.build
    if model:
        yield f"Fill in {model}."


def _serving_notes(pick: Pick, view: ServingView) -> Iterator[str]:
    if view.server.key_variable:
        yield f"Clients send a key: {key_command(view)}"
    if view.server.engine == OMNI:
        yield (
            "AWS's image of vLLM-Omni serves it at /v1/images/generations or /v1/videos; the "
            "repository has to be a diffusers pipeline (model_index.json)."
        )
    yield "The NetworkPolicy holds where the VPC CNI has enableNetworkPolicy."
    plan = pick.estimate.plan
    yield from _checkpoint_notes(view)
    if view.nodes_per_replica == 1 and view.replicas < plan.data_parallel:
        yield (
            f"{plan.data_parallel} replicas were estimated, {view.replicas} pods hold whole devices"
            " on these nodes: let each pod run several workers, or expect less."
        )
    if view.pod.efa and not view.server.image.build:
        yield (
            "Over EFA: this image has no NCCL plugin for it (aws-ofi-nccl), so machines would talk "
            "over TCP. Add it, or take AWS's Deep Learning Container of the server."
        )
    if plan.options.draft_tokens:
        yield "Speculative decoding was estimated: add --speculative-config with your draft model."
    if view.compiles:
        yield "The first start compiles for tens of minutes; later ones read the artefacts volume."
    if view.compile_gib > view.pod.memory_mib / MIB_PER_GIB:
        yield (
            f"Compiling needs {view.compile_gib:.0f} GiB of host memory, a pod here has "
            f"{view.pod.memory_mib / MIB_PER_GIB:.0f}: fill the artefacts volume by a Job on a "
            "larger machine first (--manifest migration has it)."
        )


def _checkpoint_notes(view: ServingView) -> Iterator[str]:
    """Yield what the checkpoint that is served lacks, needs or costs."""
    served = view.served
    checkpoint = served.checkpoint
    if checkpoint.base and served.repo:
        yield (
            f"{served.repo} is a base model without a chat template: ask /v1/completions; "
            "/v1/chat/completions answers 400."
        )
    if checkpoint.server_args:
        yield (
            f"{' '.join(checkpoint.server_args)} runs code of the publisher's repository in the "
            "server: read it, and pin the revision you read."
        )
    if checkpoint.vllm_until and checkpoint.vllm_until in view.server.image.name:
        yield (
            f"vLLM {checkpoint.vllm_until} is the last that loads this model and gets no more "
            "fixes: keep it away from the internet, or take a newer model."
        )
    if served.repo and not served.ready and "--quantization" in view.server.args:
        yield f"{served.pulled_gb:.0f} GB are downloaded and made smaller while they load."


def key_command(view: ServingView) -> str:
    """Return the command that makes the Secret with the key of a server."""
    value = '--from-literal=key="$(openssl rand -hex 24)"'
    return f"kubectl create secret generic {view.key_secret} {value}"


def _training_notes(view: TrainingView) -> Iterator[str]:
    yield from _script_notes(view)
    if view.chat_repo:
        yield f"The base model is trained; to go on from the chat model, take {view.chat_repo}."
    if view.nodes > 1:
        yield "Gang scheduling (Kueue) keeps half a job from waiting on paid nodes."
    if view.over_efa:
        yield "Needs the EFA device plugin with tolerations for the nodes' taint."
    if view.spot and not view.recipe:
        yield "Spot: the script must write a checkpoint on SIGTERM and resume from the latest."


def _script_notes(view: TrainingView) -> Iterator[str]:
    """Yield what runs: TRL, with the data to fill in, or a script of the reader's own."""
    if view.recipe:
        yield (
            f"Runs TRL's supervised fine-tuning; fill in {PLACEHOLDER_DATA}. To save downloads, "
            "build an image with the packages of its first line."
        )
        return
    yield (
        "train.py is yours, as TRL does not run this plan; the flags in the file are the numbers "
        "the estimate rests on. What it imports (transformers, peft, trl …) has to be in the "
        f"image: kubectl create configmap {view.name}-code --from-file=train.py"
    )
