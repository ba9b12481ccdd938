"""When AWS is asked at all."""

import pytest

from bot.answers.live.live_at_start import live_of
from catalog.prices.live.credentials import credentials_likely

KEYS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}


@pytest.fixture
def folder(tmp_path):
    def written(text):
        path = tmp_path / "credentials"
        path.write_text(text)
        return {"AWS_SHARED_CREDENTIALS_FILE": str(path), "AWS_CONFIG_FILE": "/dev/null"}

    return written


NOBODY = {"AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_CONFIG_FILE": "/nowhere"}
LIKELY = [
    ({}, False),
    (KEYS, True),
    ({"AWS_PROFILE": "work"}, True),
    ({"AWS_PROFILE": ""}, False),
    ({"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials"}, True),
    ({"AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/token"}, True),
    ({"AWS_REGION": "eu-west-1"}, False),
]


@pytest.mark.parametrize(("environ", "likely"), LIKELY)
def test_signs_of_credentials(environ, likely):
    assert credentials_likely(NOBODY | environ) == likely


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("[default]\naws_access_key_id = x\n", True),
        ("[profile work]\nsso_session = corp\n", True),
        ("[profile work]\nrole_arn = arn:aws:iam::1:role/x\n", True),
        ("[default]\nregion = eu-west-1\noutput = json\n", False),
        ("", False),
    ],
)
def test_signs_in_files(folder, text, likely):
    assert credentials_likely(folder(text)) == likely


MODES = [
    ("auto", {}, False),
    ("auto", KEYS, True),
    ("offline", KEYS, False),
    ("live", {}, True),
]


@pytest.mark.parametrize(("mode", "environ", "asks"), MODES)
def test_modes(catalog, tmp_path, mode, environ, asks):
    state = {"EC2_PICK_STATE": f"sqlite:///{tmp_path}/state.db"}
    live = live_of(NOBODY | state | environ, catalog, mode)
    assert (live is not None) == asks
    if live is not None:
        assert live.fresh == (mode == "live")


def test_without_a_place_to_remember_prices_are_asked_all_the_same(catalog, caplog):
    live = live_of(NOBODY | KEYS | {"EC2_PICK_STATE": "nowhere"}, catalog)
    assert live is not None
    assert "not remembered" in caplog.text


def test_a_profile_that_does_not_exist_is_no_credential(monkeypatch, catalog):
    environ = NOBODY | {"AWS_PROFILE": "gone"}
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert live_of(environ, catalog) is None
