"""What interruptions of spot instances add to the time of a training run."""

HOURS_PER_MONTH = 730.0
# AWS's Spot Instance Advisor puts half of all accelerated types in its last class, "more than 20 %
# a month", and most others below; the catalog holds no rate of its own by type and region.
INTERRUPTIONS_PER_INSTANCE_MONTH = 0.2
CHECKPOINT_INTERVAL_H = 1.0
RESTART_H = 0.25  # a new instance, its image, the checkpoint read back


def spot_restart_factor(
    instances: int,
    interruptions_per_instance_month: float = INTERRUPTIONS_PER_INSTANCE_MONTH,
    checkpoint_interval_h: float = CHECKPOINT_INTERVAL_H,
    restart_h: float = RESTART_H,
) -> float:
    """Return by how much interruptions stretch a run on so many spot instances.

    Any of them stops the whole run. Defaults: one in five instances is taken back a month, a
    checkpoint an hour, a quarter of an hour to go on.
    """
    per_hour = max(1, instances) * interruptions_per_instance_month / HOURS_PER_MONTH
    return restart_overhead_factor(per_hour, checkpoint_interval_h, restart_h)


def restart_overhead_factor(
    interruptions_per_hour: float, checkpoint_interval_h: float, restart_h: float
) -> float:
    """Return by how much spot interruptions stretch a run: 1.0 is none, inf is no progress.

    Each interruption loses half a checkpoint interval of work on average and the time to start
    again; what is left of each hour is progress.

    Args:
        interruptions_per_hour: Of any instance of the run: one stops them all.
        checkpoint_interval_h: Hours between checkpoints.
        restart_h: Hours from the interruption until training goes on.
    """
    lost = interruptions_per_hour * (checkpoint_interval_h / 2 + restart_h)
    return float("inf") if lost >= 1 else 1 / (1 - lost)
