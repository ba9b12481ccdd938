"""Slices of an accelerator that NVIDIA's Multi-Instance GPU makes, smallest first."""

from typing import NamedTuple

from catalog.facts.schema import Accelerator


class MigSlice(NamedTuple):
    """One profile: its name, the GB in its name, and how many of it one GPU holds."""

    profile: str
    gb: int
    copies: int

    @property
    def memory_share(self) -> float:
        """Share of the GPU's memory: slices are halves of halves, so that seven take eighths."""
        return 1 / (1 << (self.copies - 1).bit_length())


def mig_slices(accelerator: Accelerator) -> tuple[MigSlice, ...]:
    """Return the profiles of an accelerator (`1g.5gb x7` in its row); none without MIG."""
    cells = (cell.split(" x") for cell in accelerator.mig_profiles)
    return tuple(
        MigSlice(name, int(name.partition(".")[2].removesuffix("gb")), int(copies))
        for name, copies in cells
    )
