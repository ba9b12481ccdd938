"""How many vCPUs of a family this account may run. Unknown is not zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from catalog.prices.live.aws import Clients, aws_errors, why
from catalog.prices.live.source import MINUTE_S, Findings

ACTION: Final = "servicequotas:GetServiceQuota"


@dataclass(frozen=True, slots=True)
class QuotaAsked:
    """One quota of one region, by its code (`L-417A185B`)."""

    region: str
    code: str


@dataclass(frozen=True, slots=True)
class Quota:
    """The account's quota: a number of vCPUs at once, running ones included."""

    name: str
    vcpus: float

    def short_by(self, vcpus: float) -> float:
        """Return how many vCPUs are missing for a plan alone; 0 where the quota is enough."""
        return max(0.0, vcpus - self.vcpus)


@dataclass(frozen=True, slots=True)
class Quotas:
    """Service quotas in force. A throttled or denied question is a failure, never a quota of 0."""

    clients: Clients
    name: str = "service quotas"
    ttl_s: float = 15 * MINUTE_S
    found_type: type[Quota] = Quota
    batch: int = 2

    def place(self, asked: QuotaAsked) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[QuotaAsked]) -> Findings[QuotaAsked, Quota]:
        """See `Source.find`."""
        found: dict[QuotaAsked, Quota] = {}
        failed: dict[QuotaAsked, str] = {}
        for ask in asked:
            try:
                client = self.clients.client("service-quotas", ask.region)
                quota = client.get_service_quota(ServiceCode="ec2", QuotaCode=ask.code)["Quota"]
                value = float(quota["Value"])
            except aws_errors() as error:
                failed[ask] = why(error, ACTION)
            except (KeyError, TypeError, ValueError):
                failed[ask] = "the answer holds no value"
            else:
                name = str(quota.get("QuotaName", ask.code))
                if isfinite(value) and value >= 0:
                    found[ask] = Quota(name, value)
                else:
                    failed[ask] = "the answer holds no sensible value"
        return Findings(found, failed)
