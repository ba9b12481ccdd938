"""A server that ends in order, wants a key and is no root: what its row of `servers.csv` allows."""

from dataclasses import replace

from bot.manifests.pool import Pool
from bot.manifests.workload.pod import PodView
from bot.manifests.workload.server import ServerContainer
from catalog.reference import ServerFacts, server_facts

# Volumes whose driver lets a user beside root write: FSx and buckets belong to root.
WRITABLE_BY_USERS = frozenset({"ebs", "efs"})
UNSEEN = "its image has no other user, as far as was seen"


def draining(server: ServerContainer, seconds: int) -> ServerContainer:
    """Return the server told to finish the answers under way, where its release can be told."""
    facts = _row_of(server)
    if facts is None or not facts.drain_flag or not facts.drain_from:
        return server
    if _release(server.image.name.rpartition(":")[2]) < _release(facts.drain_from):
        return server
    return replace(server, args=(*server.args, facts.drain_flag, str(seconds)))


def guarded(server: ServerContainer, pod: PodView) -> ServerContainer:
    """Return the server with a key from a Secret, and the home that its user needs."""
    facts = _row_of(server)
    if facts is None:
        return server
    # The user may be in no list of the image's: its name and home are said instead.
    home = (("USER", server.engine), ("HOME", pod.cache_path)) if pod.user else ()
    made = replace(server, env=(*server.env, *home))
    if not facts.key_variable:
        return made
    flag = (facts.key_flag, f"$({facts.key_variable})") if facts.key_flag else ()
    return replace(made, args=(*made.args, *flag), key_variable=facts.key_variable)


def with_user(pod: PodView, server: ServerContainer, pool: Pool, *, spans: bool) -> PodView:
    """Return the pod run by the image's own user; as root, with the reason, where it has none."""
    facts = _row_of(server)
    backings = {claim.backing for claim in pod.claims}
    if server.image.fill_in:
        why = "say so, and runAsUser, once your image has a user of its own"
    elif facts is None or facts.user is None:
        why = (facts and facts.why_root) or UNSEEN
    elif spans:
        why = "machines that work together lock memory for EFA, which only root may here"
    elif pool.accelerator_class != "nvidia":
        why = UNSEEN
    elif backings - WRITABLE_BY_USERS:
        why = "the volume belongs to root"
    else:
        return replace(pod, user=facts.user)
    return replace(pod, why_root=why)


def _row_of(server: ServerContainer) -> ServerFacts | None:
    return server_facts().get(server.engine) if server.metrics else None


def _release(tag: str) -> tuple[int, ...]:
    """Return the numbers that a tag begins with: v0.24.0-arm64 is 0, 24, 0."""
    numbers = tag.removeprefix("v").partition("-")[0].split(".")
    return tuple(int(number) for number in numbers if number.isdecimal())
