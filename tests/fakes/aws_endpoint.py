"""AWS's pricing, EC2, Savings Plans and quota endpoints as one local HTTP server.

It speaks the real wire protocols (JSON 1.1 by X-Amz-Target, EC2's query form and XML, REST JSON),
so that boto3 itself is under test. It filters and pages as AWS does, and misbehaves on request.
"""

import json
import random
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

from tests.fakes.price_list import fixture_rows, product

JSON_11 = "application/x-amz-json-1.1"
XML_NS = "http://ec2.amazonaws.com/doc/2016-11-15/"
VARIABLES = ("PRICING", "EC2", "SAVINGSPLANS", "SERVICE_QUOTAS")


@dataclass(frozen=True)
class Fault:
    """How one call goes wrong: an error answer, an answer held back, a connection dropped."""

    code: str = ""
    status: int = 400
    message: str = "no"
    held: threading.Event | None = None
    dropped: bool = False


@dataclass(frozen=True)
class Body:
    """An answer given as it is, whatever was asked."""

    text: str
    is_xml: bool = False
    status: int = 200


@dataclass
class FakeAws:
    """What the server holds; tests change it at will."""

    products: list = field(default_factory=fixture_rows)
    raw_elements: list = field(default_factory=list)  # put into PriceList as they are
    honours_filters: bool = True
    page_size: int = 100
    empty_pages: int = 0  # pages without products, but with a token, after the first
    seed: int = 7
    spot: list = field(default_factory=list)
    blocks: list = field(default_factory=list)
    offerings: dict = field(default_factory=dict)  # type -> zone ids
    scores: list = field(default_factory=list)
    plan_rates: list = field(default_factory=list)
    quotas: dict = field(default_factory=dict)  # code -> value
    faults: dict = field(default_factory=dict)  # operation -> faults or bodies to come, in order
    calls: list = field(default_factory=list)  # (operation, what was asked)
    port: int = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def count(self, operation):
        """Return how often an operation was called."""
        return sum(name == operation for name, _ in self.calls)

    def fails(self, operation, *faults):
        """Let the next calls of an operation fail, in this order."""
        self.faults.setdefault(operation, []).extend(faults)

    def price(self, instance_type, usd, region="us-east-1"):
        """Change the price of the plain SKU of a type in a region."""
        for short in self.products:
            attributes = short.get("attributes", {})
            plain = not set(attributes) - {"regionCode", "location", "usagetype"}
            here = attributes.get("regionCode", "us-east-1") == region
            if short["type"] == instance_type and plain and here:
                short["usd"] = usd

    def next_fault(self, operation):
        waiting = self.faults.get(operation) or self.faults.get("*") or []
        return waiting.pop(0) if waiting else None


def get_products(aws, asked):
    """Answer GetProducts: all filters must hold, pages end with the absence of a token."""
    token = asked.get("NextToken")
    if token is not None and not token.startswith("page:"):
        return Fault("InvalidNextTokenException")
    found = [product(short) for short in aws.products]
    if aws.honours_filters:
        found = [one for one in found if _matches(one, asked["Filters"])]
    random.Random(aws.seed).shuffle(found)  # noqa: S311 - order means nothing, as with AWS
    elements = [json.dumps(one) for one in found] + list(aws.raw_elements)
    page = int(token.split(":")[1]) if token else 0
    pages = [elements[i : i + aws.page_size] for i in range(0, len(elements), aws.page_size)] or [
        []
    ]
    pages[1:1] = [[] for _ in range(aws.empty_pages)]
    answer = {"FormatVersion": "aws_v1", "PriceList": pages[page]}
    if page + 1 < len(pages):
        answer["NextToken"] = f"page:{page + 1}"
    return answer


def _matches(one, filters):
    attributes = {**one["product"]["attributes"], "productFamily": one["product"]["productFamily"]}
    for wanted in filters:
        value = attributes.get(wanted["Field"])
        if value is None:
            return False
        values = wanted["Value"].split(",") if wanted["Type"] == "ANY_OF" else [wanted["Value"]]
        if value.lower() not in {one.lower() for one in values}:
            return False
    return True


def get_service_quota(aws, asked):
    """Answer GetServiceQuota; a quota that was never set is no such resource."""
    code = asked["QuotaCode"]
    if code not in aws.quotas:
        return Fault("NoSuchResourceException")
    return {"Quota": {"QuotaCode": code, "QuotaName": f"Running {code}", "Value": aws.quotas[code]}}


def plan_rates(aws, asked):
    """Answer DescribeSavingsPlansOfferingRates, a page a rate."""
    start = int(asked.get("nextToken") or 0)
    rows = aws.plan_rates
    if aws.honours_filters:
        rows = [one for one in rows if _covered(one, asked.get("filters", []))]
    more = start + 1 < len(rows)
    return {"searchResults": rows[start : start + 1], "nextToken": str(start + 1) if more else ""}


def _covered(one, filters):
    properties = {row["name"]: row["value"] for row in one["properties"]}
    return all(properties.get(wanted["name"]) in wanted["values"] for wanted in filters)


def spot_history(aws, form):
    """Answer DescribeSpotPriceHistory with the rows in force between two times."""
    types, start, end = _many(form, "InstanceType"), form["StartTime"], form["EndTime"]
    rows = [row for row in aws.spot if row["instanceType"] in types and row["timestamp"] <= end]
    if start == end:  # the price in force: the newest row of each zone
        newest = {}
        for row in sorted(rows, key=lambda row: row["timestamp"]):
            newest[row["instanceType"], row["availabilityZoneId"]] = row
        rows = list(newest.values())
    return _xml("DescribeSpotPriceHistory", "spotPriceHistorySet", rows)


def capacity_blocks(aws, form):
    """Answer DescribeCapacityBlockOfferings."""
    wanted = form.get("InstanceType") or form.get("UltraserverType")
    rows = [b for b in aws.blocks if wanted in {b.get("instanceType"), b.get("ultraserverType")}]
    return _xml("DescribeCapacityBlockOfferings", "capacityBlockOfferingSet", rows)


def type_offerings(aws, form):
    """Answer DescribeInstanceTypeOfferings by zone id."""
    rows = [
        {"instanceType": name, "locationType": form["LocationType"], "location": zone}
        for name in _many(form, "Filter.1.Value")
        for zone in aws.offerings.get(name, ())
    ]
    return _xml("DescribeInstanceTypeOfferings", "instanceTypeOfferingSet", rows)


def placement_scores(aws, form):
    """Answer GetSpotPlacementScores."""
    del form
    return _xml("GetSpotPlacementScores", "spotPlacementScoreSet", aws.scores)


def _many(form, name):
    return [value for key, value in form.items() if key.rsplit(".", 1)[0] == name]


def _xml(action, name, rows):
    items = "".join(
        "<item>" + "".join(f"<{k}>{escape(str(v))}</{k}>" for k, v in row.items()) + "</item>"
        for row in rows
    )
    body = f"<{name}>{items}</{name}><nextToken></nextToken><requestId>test</requestId>"
    return f'<{action}Response xmlns="{XML_NS}">{body}</{action}Response>'


JSON_OPERATIONS = {
    "AWSPriceListService.GetProducts": get_products,
    "ServiceQuotasV20190624.GetServiceQuota": get_service_quota,
}
QUERY_ACTIONS = {
    "DescribeSpotPriceHistory": spot_history,
    "DescribeCapacityBlockOfferings": capacity_blocks,
    "DescribeInstanceTypeOfferings": type_offerings,
    "GetSpotPlacementScores": placement_scores,
}
RATES_PATH = "/DescribeSavingsPlansOfferingRates"


class Handler(BaseHTTPRequestHandler):
    """One request: read, counted, made to fail if a fault waits, answered."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        aws = self.server.fake
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        operation, asked, answer, is_xml = self._read(body)
        aws.calls.append((operation, asked))
        fault = aws.next_fault(operation)
        if isinstance(fault, Body):
            return self._send(fault.status, fault.text, is_xml=fault.is_xml)
        if fault is not None and fault.held is not None:
            fault.held.wait(10)
        elif fault is not None:
            return self._fail(fault, is_xml=is_xml)
        found = answer(aws, asked)
        if isinstance(found, Fault):
            return self._fail(found, is_xml=is_xml)
        return self._send(200, found if is_xml else json.dumps(found), is_xml=is_xml)

    def _read(self, body):
        target = self.headers.get("X-Amz-Target")
        if target:
            name = target.rpartition(".")[2]
            return name, json.loads(body), JSON_OPERATIONS[target], False
        if self.path == RATES_PATH:
            return RATES_PATH.strip("/"), json.loads(body), plan_rates, False
        form = dict(parse_qsl(body.decode()))
        return form["Action"], form, QUERY_ACTIONS[form["Action"]], True

    def _fail(self, fault, *, is_xml):
        if fault.dropped:
            self.close_connection = True
            return
        if is_xml:
            error = f"<Code>{fault.code}</Code><Message>{fault.message}</Message>"
            text = f"<Response><Errors><Error>{error}</Error></Errors></Response>"
        else:
            text = json.dumps({"__type": fault.code, "message": fault.message})
        self._send(fault.status, text, is_xml=is_xml)

    def _send(self, status, text, *, is_xml):
        body = text.encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "text/xml" if is_xml else JSON_11)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the caller has stopped waiting


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a caller that hung up is part of the tests


def send_json(handler, status, text, headers=()):
    """Answer with JSON, unless the caller has stopped waiting."""
    body = text.encode()
    try:
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **dict(headers)}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
    except (BrokenPipeError, ConnectionResetError):
        handler.close_connection = True


@contextmanager
def serving(aws):
    """Serve while the block runs."""
    with serving_at(Handler, aws) as url:
        aws.port = urlsplit(url).port
        yield aws


@contextmanager
def serving_at(handler, fake):
    """Let a handler answer for what its `server.fake` holds; gives the URL."""
    server = Server(("127.0.0.1", 0), handler)
    server.fake = fake
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def environment(url):
    """Return the variables that send boto3 to the server, with credentials of nobody."""
    return {
        **{f"AWS_ENDPOINT_URL_{name}": url for name in VARIABLES},
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
