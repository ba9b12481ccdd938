"""Savings Plan rates for one or three years: looked up, never derived from another discount."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from catalog.facts.schema import Quote
from catalog.prices.live.aws import pages
from catalog.prices.live.products import Rate
from catalog.prices.live.source import (
    HOUR_S,
    AwsSource,
    Findings,
    PriceQuery,
    live_quote,
    types_of,
    unpriced_quote,
)

QUOTE_SOURCE: Final = "savings_plan"
SECONDS_PER_YEAR: Final = 31_536_000
PLAN_WORDS: Final = {"Compute": "Compute Savings Plan", "EC2Instance": "EC2 Instance Savings Plan"}
# What a rate's properties must say, whether or not the filters were followed.
WANTED: Final[Mapping[str, str]] = {"productDescription": "Linux/UNIX", "tenancy": "shared"}


@dataclass(frozen=True, slots=True)
class PlanRate:
    """One rate without upfront payment: of which plan, for how long, how much an hour."""

    instance_type: str
    region: str
    plan: str
    years: float
    rate: Rate


@dataclass(frozen=True, slots=True)
class SavingsPlans(AwsSource[PriceQuery, Quote]):
    """The lowest rate without upfront payment; the note names its kind of plan."""

    action = "savingsplans:DescribeSavingsPlansOfferingRates"
    name = "Savings Plans"
    ttl_s = 24 * HOUR_S
    found_type = Quote
    now: Callable[[], datetime]

    def _found(self, asked: Sequence[PriceQuery]) -> Findings[PriceQuery, Quote]:
        rates = list(self._rates(asked[0].region, types_of(asked)))
        return Findings({ask: self._quote(ask, rates) for ask in asked})

    def _rates(self, region: str, types: Sequence[str]) -> Iterable[PlanRate]:
        client = self.clients.savings_plans()
        filters = {**WANTED, "region": region}
        asked: dict[str, Any] = {
            "savingsPlanTypes": list(PLAN_WORDS),
            "savingsPlanPaymentOptions": ["No Upfront"],
            "products": ["EC2"],
            "serviceCodes": ["AmazonEC2"],
            "operations": ["RunInstances"],
            "filters": [
                {"name": "instanceType", "values": list(types)},
                *({"name": name, "values": [value]} for name, value in filters.items()),
            ],
        }
        call = client.describe_savings_plans_offering_rates
        for answer in pages(call, asked, marker="nextToken"):
            read = map(plan_rate, answer.get("searchResults") or ())
            yield from (rate for rate in read if rate is not None)

    def _quote(self, ask: PriceQuery, rates: Iterable[PlanRate]) -> Quote:
        fitting = [
            rate
            for rate in rates
            if rate.instance_type == ask.instance_type
            and rate.region == ask.region
            and rate.years == ask.term_years
        ]
        if not fitting:
            reason = f"no {ask.term_years}-year savings plan covers it in {ask.region}"
            return unpriced_quote(ask, reason, QUOTE_SOURCE, self.now())
        lowest = min(fitting, key=lambda rate: (rate.rate.amount, rate.plan))
        note = f"{PLAN_WORDS[lowest.plan]}, no upfront"
        return live_quote(ask, lowest.rate, QUOTE_SOURCE, self.now(), note=note)


def plan_rate(item: Mapping[str, Any]) -> PlanRate | None:
    """Return one search result; None for dedicated tenancy, upfront payment, or nonsense."""
    try:
        offering = item["savingsPlanOffering"]
        properties = {row["name"]: row["value"] for row in item["properties"]}
        amount = Decimal(str(item["rate"]))
        wanted = all(properties[name].lower() == value.lower() for name, value in WANTED.items())
        plain = item.get("operation") == "RunInstances" and item.get("unit") == "Hrs"
        if not (wanted and plain and offering["paymentOption"] == "No Upfront"):
            return None
        if offering["planType"] not in PLAN_WORDS or not amount.is_finite() or amount <= 0:
            return None
        return PlanRate(
            instance_type=properties["instanceType"],
            region=properties["region"],
            plan=offering["planType"],
            years=offering["durationSeconds"] / SECONDS_PER_YEAR,
            rate=Rate(amount, str(offering["currency"])),
        )
    except (AttributeError, InvalidOperation, KeyError, TypeError):
        return None
