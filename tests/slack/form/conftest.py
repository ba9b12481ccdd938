"""The app with the real conversation behind it."""

import pytest


@pytest.fixture
def conversation(real_conversation):
    return real_conversation
