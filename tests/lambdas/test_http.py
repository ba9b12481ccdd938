"""API Gateway's two shapes of a request, and of an answer."""

import base64

import pytest

from bot.lambdas.http import Request, request_of, result_of

V2 = {
    "version": "2.0",
    "rawPath": "/a",
    "rawQueryString": "x=1&y=%20",
    "cookies": ["a=1", "b=2"],
    "headers": {"Content-Type": "text/plain"},
    "requestContext": {"http": {"method": "POST"}, "stage": "$default"},
    "body": "ü",
    "isBase64Encoded": False,
}
V1 = {
    "httpMethod": "POST",
    "path": "/a",
    "headers": {"Content-Type": "text/plain", "Cookie": "a=1; b=2"},
    "multiValueQueryStringParameters": {"x": ["1"], "y": [" "]},
    "requestContext": {"stage": "prod"},
    "body": base64.b64encode("ü".encode()).decode(),
    "isBase64Encoded": True,
}
HEADERS = {"content-type": "text/plain", "cookie": "a=1; b=2"}


@pytest.mark.parametrize(
    ("event", "changed", "expected"),
    [
        (V2, {}, Request("POST", "/a", "x=1&y=%20", HEADERS, "ü".encode())),
        (V1, {}, Request("POST", "/a", "x=1&y=+", HEADERS, "ü".encode())),
        (V2, {"rawPath": "/prod/a", "requestContext": {"http": {"method": "GET"}, "stage": "prod"}},
         Request("GET", "/a", "x=1&y=%20", HEADERS, "ü".encode())),
        (V2, {"body": None, "cookies": None, "headers": None, "rawQueryString": None},
         Request("POST", "/a", "", {}, b"")),
        (V1, {"body": None, "headers": None, "multiValueQueryStringParameters": None},
         Request("POST", "/a", "", {}, b"")),
        (V2, {"body": "AP8=", "isBase64Encoded": True},
         Request("POST", "/a", "x=1&y=%20", HEADERS, b"\x00\xff")),
        (V2, {"body": "A", "isBase64Encoded": True},
         Request("POST", "/a", "x=1&y=%20", HEADERS, None)),
    ],
)  # fmt: skip
def test_a_request_is_the_same_in_either_shape(event, changed, expected):
    assert request_of({**event, **changed}) == expected


@pytest.mark.parametrize(
    "event", [{}, {"Records": []}, {"source": "aws.scheduler"}, {"requestContext": {}}]
)
def test_what_is_no_request_is_refused(event):
    with pytest.raises(ValueError, match="not an HTTP request"):
        request_of(event)


def test_answers():
    headers = {"content-type": ["text/html"], "Set-Cookie": ["a=1", "b=2"]}
    assert result_of(V2, 200, headers, "x") == {
        "statusCode": 200, "body": "x", "isBase64Encoded": False,
        "headers": {"content-type": "text/html"}, "cookies": ["a=1", "b=2"],
    }  # fmt: skip
    assert result_of(V1, 404, headers, "") == {
        "statusCode": 404, "body": "", "isBase64Encoded": False, "multiValueHeaders": headers,
    }  # fmt: skip
    assert "cookies" not in result_of(V2, 200, {}, "")
