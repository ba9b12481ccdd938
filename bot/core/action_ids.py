"""The names by which Slack tells that a payload is about the form."""

from typing import Final

COMMAND_WORD: Final = "form"  # `/ec2-pick form`
SHORTCUT: Final = "size_a_model"  # the global shortcut's callback_id
CHANGE: Final = "pick.change"  # a card's button
CALLBACK: Final = "ec2_pick_form"  # the modal's callback_id
MODEL_ACTION: Final = "form.model"  # the field with type-ahead
OPENED: Final = "opened_form"  # in a job: the view that the ingress has opened for it
