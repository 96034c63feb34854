"""What happened in a script as JSON and back, for the way from its process to agx."""

import json
from typing import Any

from autograd_cli.diagnose.logs.records import Frame, Raised
from autograd_cli.diagnose.scripts.ended import Ended, Happened
from autograd_cli.report.diagnosis import Seen
from autograd_cli.report.json import encoded


def to_json(happened: Happened) -> str:
    """`happened` as ASCII."""
    return json.dumps(encoded(happened))


def from_json(text: str) -> Happened:
    """What `to_json` wrote; nothing happened where the process did not come to write it whole."""
    try:
        data = json.loads(text)
    except ValueError:
        return Happened()
    return Happened(tuple(map(_ended, data["errors"])), tuple(map(_raised, data["warnings"])))


def _ended(data: dict[str, Any]) -> Ended:
    return Ended(_raised(data["raised"]), tuple(map(_seen, data["tensors"])), data["is_own"])


def _raised(data: dict[str, Any]) -> Raised:
    frames = tuple(Frame(**frame) for frame in data["frames"])
    return Raised(data["kind"], data["message"], frames, is_warning=data["is_warning"], line=data["line"])


def _seen(data: dict[str, Any]) -> Seen:
    return Seen(**{**data, "frame": Frame(**data["frame"]), "shape": tuple(data["shape"])})
