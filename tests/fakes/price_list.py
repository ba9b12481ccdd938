"""Price-list products in the API's form, from the short rows of tests/fixtures/pricing."""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fixtures" / "pricing"
PLAIN = {
    "capacitystatus": "Used",
    "currentGeneration": "Yes",
    "licenseModel": "No License required",
    "location": "US East (N. Virginia)",
    "locationType": "AWS Region",
    "marketoption": "OnDemand",
    "operatingSystem": "Linux",
    "operation": "RunInstances",
    "preInstalledSw": "NA",
    "regionCode": "us-east-1",
    "servicecode": "AmazonEC2",
    "tenancy": "Shared",
}
HOURLY, UPFRONT, ON_DEMAND = "6YS6EN2CT7", "2TG2D8R56U", "JRTCKXETXF"


def fixture_rows():
    """Return the committed rows, each a new dict."""
    return json.loads((FOLDER / "products.json").read_text())


def row(instance_type, usd, sku="TESTPRODUCT00001", **attributes):
    """Return one short row: a plain SKU with some attributes changed (None: left out)."""
    return {"sku": sku, "type": instance_type, "usd": usd, "attributes": attributes}


def product(short):
    """Return a short row as the object that a PriceList element holds as text."""
    sku, name = short["sku"], short["type"]
    attributes = {**PLAIN, "instanceType": name, "usagetype": f"BoxUsage:{name}"}
    attributes |= short.get("attributes", {})
    terms = {"OnDemand": _on_demand(short, sku)}
    if "reserved" in short:
        terms["Reserved"] = dict(_reserved(sku, *pair) for pair in enumerate(short["reserved"]))
    return {
        "product": {
            "productFamily": short.get("family", "Compute Instance"),
            "attributes": {k: v for k, v in attributes.items() if v is not None},
            "sku": sku,
        },
        "serviceCode": "AmazonEC2",
        "terms": terms,
        "version": "20260910195514",
        "publicationDate": "2026-09-10T19:55:14Z",
    }


def _on_demand(short, sku):
    term, rate = short.get("term", ON_DEMAND), short.get("rate", HOURLY)
    prices = short.get("prices") or {"USD": short["usd"]}
    key = f"{sku}.{term}"
    dimension = {
        "unit": "Hrs",
        "beginRange": "0",
        "endRange": short.get("end", "Inf"),
        "appliesTo": [],
        "rateCode": f"{key}.{rate}",
        "description": f"{prices} per On Demand Linux {short['type']} Instance Hour",
        "pricePerUnit": prices,
    }
    return {
        key: {
            "sku": sku,
            "offerTermCode": term,
            "effectiveDate": "2026-09-01T00:00:00Z",
            "termAttributes": {},
            "priceDimensions": {f"{key}.{rate}": dimension},
        }
    }


def _reserved(sku, number, offer):
    key = f"{sku}.RES{number}"
    dimensions = {
        f"{key}.{HOURLY}": {
            "unit": "Hrs",
            "endRange": "Inf",
            "pricePerUnit": {"USD": offer["hourly"]},
        }
    }
    if "upfront" in offer:
        dimensions[f"{key}.{UPFRONT}"] = {
            "unit": "Quantity",
            "pricePerUnit": {"USD": offer["upfront"]},
        }
    return key, {
        "sku": sku,
        "termAttributes": {
            "LeaseContractLength": offer["lease"],
            "OfferingClass": offer["class"],
            "PurchaseOption": offer["option"],
        },
        "priceDimensions": dimensions,
    }
