"""Names that several rooms agree on: in what Slack sends, and in what is said of a default."""

from typing import Final

COMMAND_WORD: Final = "form"  # `/ec2-pick form`
SHORTCUT: Final = "size_a_model"  # the global shortcut's callback_id
CHANGE: Final = "pick.change"  # a card's button
CALLBACK: Final = "ec2_pick_form"  # the modal's callback_id
MODEL_ACTION: Final = "form.model"  # the field with type-ahead
DELIVERY: Final = "delivery"  # in a job at work: its key, and when it was sent
OPENED: Final = "opened_form"  # in a job: the view that the ingress has opened for it

YOURS: Final = "your default"
WORKSPACES: Final = "workspace default"
LAID_DOWN: Final = frozenset({YOURS, WORKSPACES})
