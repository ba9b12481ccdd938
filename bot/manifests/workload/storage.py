"""Volumes of a workload that outlive its pods: the model's files, checkpoints, compiled artefacts.

What backs them is said in words ("from s3://…", "model on FSx", "on a PVC"). Without a word the
model is downloaded from Hugging Face to the node's own disk, and checkpoints go to FSx or EBS.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final, Literal

from bot.core.manifest import ManifestError

Backing = Literal["ebs", "efs", "fsx", "fsx_existing", "s3"]
MODEL_PATH, CACHE_PATH, CHECKPOINT_PATH = "/models", "/cache", "/checkpoints"
# Legal and never anybody's: a person has to replace it.
BUCKET_PLACEHOLDER: Final = "fill-in-your-bucket"
WRITING_TO_A_BUCKET = (
    "A mounted bucket takes whole new files only, no renaming: write each checkpoint under its "
    "final name. The driver's role needs s3:ListBucket, GetObject, PutObject, DeleteObject and "
    "AbortMultipartUpload."
)
SPARE_GI = 10
MODEL_SHARE = 1.2  # a download is written beside what it replaces
SHARED: Final = frozenset({"efs", "fsx", "fsx_existing", "s3"})
# FSx for Lustre on SSD comes in 1.2 TiB, 2.4 TiB and steps of 2.4 TiB.
FSX_LEAST_GI, FSX_STEP_GI = 1200, 2400
DRIVERS: Final[dict[Backing, str]] = {
    "ebs": "aws-ebs-csi-driver",
    "efs": "aws-efs-csi-driver",
    "fsx": "aws-fsx-csi-driver",
    "fsx_existing": "aws-fsx-csi-driver",
    "s3": "aws-mountpoint-s3-csi-driver",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeClaim:
    """A PersistentVolumeClaim, what backs it, and where the pod mounts it."""

    name: str
    volume: str  # its name in the pod
    mount_path: str
    backing: Backing
    size_gi: int
    region: str
    read_only: bool = False
    bucket: str = ""
    prefix: str = ""

    @property
    def static(self) -> bool:
        """Whether a PersistentVolume names storage that exists already."""
        return self.backing in {"fsx_existing", "s3"}

    @property
    def access_mode(self) -> str:
        """One node at a time, or many."""
        if self.read_only:
            return "ReadOnlyMany"
        return "ReadWriteMany" if self.backing in SHARED else "ReadWriteOnce"

    @property
    def class_name(self) -> str:
        """The StorageClass that makes the volume; none for storage that exists."""
        return "" if self.static else f"ec2-pick-{self.backing}"

    @property
    def bucket_fill_in(self) -> bool:
        """Whether no bucket was named."""
        return self.bucket == BUCKET_PLACEHOLDER


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStore:
    """Where the model's files are. `path` replaces the repository's name where they are mounted."""

    claims: tuple[VolumeClaim, ...] = ()
    hf_home: str = MODEL_PATH
    scratch_path: str = MODEL_PATH  # an emptyDir on the node
    path: str = ""
    scratch_gb: float = 0.0  # of the model, on the node


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeUser:
    """The workload whose volumes these are: its name, and the nodes that have to reach them."""

    name: str
    nodes: int
    region: str


def model_store(source: str | None, place: VolumeUser, weights_gb: float) -> ModelStore:
    """Return where the model of a workload comes from.

    Raises:
        ManifestError: the volume that was asked for cannot be on all the nodes.
    """
    if source is None:
        return ModelStore(scratch_gb=weights_gb)
    if source.startswith("s3"):
        claim = _bucket(source, place, "models", MODEL_PATH, read_only=True)
        return ModelStore(
            claims=(claim,), hf_home=CACHE_PATH, scratch_path=CACHE_PATH, path=MODEL_PATH
        )
    claim = VolumeClaim(
        name=f"{place.name}-models",
        volume="models",
        mount_path=MODEL_PATH,
        backing=_backing(source, place.nodes),
        size_gi=ceil(MODEL_SHARE * weights_gb) + SPARE_GI,
        region=place.region,
    )
    return ModelStore(claims=(claim,), scratch_path=CACHE_PATH)


def checkpoint_claim(
    store: str | None, place: VolumeUser, size_gi: int, *, large: bool
) -> VolumeClaim:
    """Return the claim that holds a training job's checkpoints, whole states where `large`.

    Raises:
        ManifestError: the volume that was asked for cannot be on all the nodes.
    """
    if store is not None and store.startswith("s3"):
        return _bucket(store, place, "checkpoints", CHECKPOINT_PATH, read_only=False)
    if store is None:
        backing: Backing = "fsx" if large or place.nodes > 1 else "ebs"
    else:
        backing = _backing(store, place.nodes)
    return VolumeClaim(
        name=f"{place.name}-checkpoints",
        volume="checkpoints",
        mount_path=CHECKPOINT_PATH,
        backing=backing,
        size_gi=fsx_gi(size_gi) if backing.startswith("fsx") else size_gi,
        region=place.region,
    )


def artefact_claim(name: str, mount_path: str, size_gi: int, region: str) -> VolumeClaim:
    """Return the claim of compiled artefacts, which every replica and the compile job share."""
    return VolumeClaim(
        name=f"{name}-artefacts",
        volume="artefacts",
        mount_path=mount_path,
        backing="efs",
        size_gi=size_gi,
        region=region,
    )


def _bucket(
    address: str, place: VolumeUser, volume: str, path: str, *, read_only: bool
) -> VolumeClaim:
    """Return the claim of a bucket, mounted at its prefix; `s3` alone leaves the bucket open."""
    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    return VolumeClaim(
        name=f"{place.name}-{volume}",
        volume=volume,
        mount_path=path,
        backing="s3",
        size_gi=FSX_LEAST_GI,  # required by Kubernetes, ignored by the driver
        region=place.region,
        read_only=read_only,
        bucket=BUCKET_PLACEHOLDER if address == "s3" else bucket,
        prefix=f"{prefix}/" if prefix else "",
    )


def fsx_gi(needed_gi: float) -> int:
    """Return the smallest FSx for Lustre file system that holds `needed_gi`."""
    if needed_gi <= FSX_LEAST_GI:
        return FSX_LEAST_GI
    return ceil(needed_gi / FSX_STEP_GI) * FSX_STEP_GI


def storage_notes(claims: tuple[VolumeClaim, ...], held: str) -> list[str]:
    """Return what has to be there before the claims bind; `held` is what the bucket must hold."""
    drivers = sorted({DRIVERS[claim.backing] for claim in claims})
    notes = [f"Volumes need {driver}: {addon_command(driver, 'CLUSTER')}" for driver in drivers]
    for claim in claims:
        notes += _notes_of(claim, held)
    return list(dict.fromkeys(notes))


def addon_command(driver: str, cluster: str) -> str:
    """Return the command that installs a storage driver with the rights it needs."""
    rights = "--auto-apply-pod-identity-associations"
    if driver == DRIVERS["s3"]:
        rights = "--service-account-role-arn YOUR_ROLE_ARN"
    return f"eksctl create addon --cluster {cluster} --name {driver} {rights}"


def _notes_of(claim: VolumeClaim, held: str) -> list[str]:
    if claim.backing == "s3" and claim.read_only:
        where = f"s3://{claim.bucket}/{claim.prefix}"
        return [
            f"{where} must hold {held}; the driver's role needs s3:ListBucket and s3:GetObject."
        ]
    if claim.backing == "s3":
        return [WRITING_TO_A_BUCKET]
    fill_in = {
        "efs": "Fill in the id of your EFS file system.",
        "fsx": "Fill in the subnet (in the nodes' zone) and security group of the FSx volume.",
        "fsx_existing": "Fill in id and mount name of your FSx for Lustre file system.",
    }
    return [fill_in[claim.backing]] if claim.backing in fill_in else []


def _backing(source: str, nodes: int) -> Backing:
    if source == "fsx":
        return "fsx_existing"
    if source == "efs" or (source == "pvc" and nodes > 1):
        return "efs"
    if nodes > 1:
        raise ManifestError(
            f"an EBS volume is attached to one node, and {nodes} need it: say EFS, FSx or S3"
        )
    return "ebs"
