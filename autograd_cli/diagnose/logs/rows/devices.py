"""Tensors on several devices, NumPy, and what a device cannot hold."""

import re

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.called import on
from autograd_cli.diagnose.logs.rows.words import (
    both,
    either,
    of_two_devices,
    say,
    says,
    two_devices,
    written,
)

_APART = (
    "tensors to be on the same device",
    "expected object of backend",
    "expected object of device type",
    "located on different gpus",
    "tensors are on different gpus",
    "but got device type",
    "must be on the current device",
    "tensors must be on the same device",
    "to be on the same device, but found",
    "to have the same device type, but got",
    "inputs to be on same device",
    "tensors are not at the same device",
    "to have the same device as tensor for",
    "buffers on device cuda",
    "found two different devices",
    "but got device ",
    "devicetype, but got tensor with",
    "expected it to be on gpu",
    "expected them to be on gpu",
    "is not on the expected device",
    "expected cuda tensor (got cpu",
    "expected cpu tensor (got cuda",
    "expected object of type torch.",
    "expected type torch.",
)
_SENTENCE = say(
    "`{text}` takes {placed}",
    "`{text}` takes tensors on {device0} and on {device1}",
    "one operation takes tensors on {device0} and on {device1}",
    "one operation takes tensors on two devices",
)
_FAMILY = (
    "device-mismatch-input-not-moved",
    "device-mismatch-unregistered-tensor",
    "device-mismatch-replica",
    "model-not-on-input-device",
    "index-device-mismatch",
    "mps-input-not-moved",
)
_CONVERSION = ("can't convert cuda", "can't convert mps", "can't convert xpu", "device type tensor to numpy")
_IN_NUMPY = (
    r"\b(?:np|numpy)\.(?:sum|mean|max|min|abs|exp|log|sqrt|square|"
    r"dot|stack|prod|average|std|var|concatenate)\("
)


_OTHER_NUMBER = re.compile(r"but device \d+ does not equal \d+")
_ONE_DTYPE = re.compile(r"expected (?:object of )?type torch\.")


def _others(name: str) -> tuple[str, ...]:
    return tuple(other for other in _FAMILY if other != name)


def _two_gpus(raised: Raised, facts: Facts) -> bool:
    gpus = {device for device in facts.devices if device.startswith("cuda:")}
    words = raised.message.lower()
    return len(gpus) > 1 or "different gpus" in words or _OTHER_NUMBER.search(words) is not None


def _weights_elsewhere(raised: Raised, facts: Facts) -> bool:
    return two_devices(raised, facts) and "weight type" in raised.message


def _apart(raised: Raised, facts: Facts) -> bool:
    """Whether devices differ; of types as torch once wrote them, that they do."""
    return not _ONE_DTYPE.search(raised.message.lower()) or two_devices(raised, facts)


def _layer_apart(raised: Raised, facts: Facts) -> str:
    if "device_ids" in raised.message:
        return say("a part of the model is on {device1}, where all of it belongs on {device0}")(raised, facts)
    return say(
        "the input is on {device0} and the layer's weight on {device1}",
        "the input of a layer is on another device than its weight",
    )(raised, facts)


def _input_not_on_mps(raised: Raised, facts: Facts) -> bool:
    return "mps" in facts.devices[1:2] and facts.devices[0] == "cpu"


_COMPUTES = written(r"[\w\])] *(?:[-+*/@%]|\*\*)=? *[\w(]")
_ON_META = says("is not on the expected device")


def _moved_before(raised: Raised, facts: Facts) -> str:
    """Which of the tensors at hand is apart from the others, to be moved before the forward."""
    leaves = [one for one in raised.tensors if one.frame == own(raised) and one.grad_fn is None]
    wanted = next((one for one in leaves if one.requires_grad and one.device == facts.devices[0]), None)
    if wanted is None:
        return "before the forward move all that it takes to one device, with .to(device)"
    return f"before the forward move all that it takes to one device: `{wanted.name}` is on {wanted.device}"


def _to_one(raised: Raised, facts: Facts) -> str:
    if "meta" in facts.devices:
        return "make all of them on one device with memory: device='cpu' where the one on meta is made"
    return say(
        "move what the line takes: {input} = {input}.to(device), for the parameters' device",
        "move what the line takes, with .to(device), for the parameters' device",
    )(raised, facts)


def _has_no_values(raised: Raised, facts: Facts) -> bool:
    """Whether a model has no values, and the line does not just compute with operands on two devices."""
    if not _ON_META(raised, facts):
        return True
    devices = {one.device for one in raised.tensors if one.frame == own(raised)}
    return len(devices) < 2 if devices else not _COMPUTES(raised, facts)


def _why_apart(raised: Raised, facts: Facts) -> str:
    if "meta" in facts.devices:
        return "a tensor on meta has a shape and no values, and computes with others on meta alone"
    return "the model was moved and an input, a target or a state was not"


ROWS = (
    Row(
        "AGX303",
        "device-mismatch-input-not-moved",
        ("returned an invalid gradient at index",),
        say(
            "the gradient that {op} gives is on {device1}, and what it belongs to is on {device0}",
            "a gradient is on another device than what it belongs to",
        ),
        ("the forward took tensors on two devices and did not say so: the backward does",),
        (_moved_before,),
        also=(*_others("device-mismatch-input-not-moved"), "custom-function-grad-shape"),
        when=of_two_devices,
    ),
    Row(
        "AGX310",
        "meta-tensor-no-data",
        (
            "on device meta is not on the expected device",
            "is not on the expected device meta",
            "out of meta tensor",
            "tensor.item() cannot be called on meta",
            "meta tensor; no data",
            "cannot be called on meta tensors",
        ),
        say(
            "`{text}` needs the values of a tensor on meta, which has none",
            "values are needed of a tensor on meta, which has none",
        ),
        ("the model was made on meta, by low_cpu_mem_usage or a device_map, and never filled",),
        ("model.to_empty(device=device), then load_state_dict; or load with assign=True",),
        when=_has_no_values,
    ),
    Row(
        "AGX335",
        "index-device-mismatch",
        ("indices should be either on",),
        say(
            "`{text}` indexes a tensor on {device1} with an index elsewhere",
            "a tensor is indexed with an index on another device",
        ),
        ("an index may be on the CPU or beside its tensor, and nowhere else",),
        (
            say(
                "move the index in {text} to the device of what it indexes: .to(….device)",
                "move the index to the device of what it indexes, or to the CPU",
            ),
        ),
        also=_others("index-device-mismatch"),
    ),
    Row(
        "AGX342",
        "mps-input-not-moved",
        (
            "placeholder storage has not been allocated on mps",
            "expected on mps",
            "passed cpu tensor to mps op",
            "must be on the same device",
            "should be the same",
        ),
        say(
            "`{text}` gives the model on mps a tensor that is not there",
            "the model is on mps and its input is not",
        ),
        ("nn.Module.to moves the model alone; each input is moved on its own",),
        (
            say(
                "move each input first: {input} = {input}.to('mps')",
                "move each input first, with .to('mps')",
            ),
        ),
        also=_others("mps-input-not-moved"),
        when=either(
            says("allocated on mps|expected on mps|to mps op|_mps: input"),
            both(says("weight type"), _input_not_on_mps),
        ),
    ),
    Row(
        "AGX337",
        "model-not-on-input-device",
        (
            "should be the same",
            "parameter tensors are not at the same device",
            "but found one of them on device",
        ),
        _layer_apart,
        ("the model was not moved, or the input was not; nn.Module.to moves in place, Tensor.to does not",),
        (
            say(
                "move the model to '{device0}' before the loop, or {input} = {input}.to('{device1}')",
                "move the model to '{device0}' before the loop, or the input to '{device1}'",
                "move model and input to one device",
            ),
        ),
        also=_others("model-not-on-input-device"),
        when=either(
            both(_weights_elsewhere, says("input type")),
            both(two_devices, says("parameter tensors? (?:are not )?at|on device: cpu")),
        ),
    ),
    Row(
        "AGX339",
        "device-mismatch-replica",
        _APART,
        _SENTENCE,
        (
            (
                "a replica or a part of the model on one GPU meets a tensor that was sent to "
                "another by a fixed index"
            ),
        ),
        ("take the device from the data, as its .device, in place of a fixed cuda:0",),
        also=_others("device-mismatch-replica"),
        when=both(_apart, _two_gpus),
    ),
    Row(
        "AGX338",
        "device-mismatch-unregistered-tensor",
        _APART,
        _SENTENCE,
        (
            "a tensor made in __init__ or in forward is no parameter and no buffer, so model.to() leaves it",
            "if all of them come from outside, an input was not moved",
        ),
        (
            "self.register_buffer('name', tensor) in __init__",
            say(
                "what forward makes, make with device={input}.device",
                "what forward makes, make with the device of its input",
            ),
        ),
        also=_others("device-mismatch-unregistered-tensor"),
        when=both(
            _apart,
            either(
                both(
                    written(r"[-+*/@,(\[=] *self\.\w+(?![\w.(])|self\.\w+ *[-+*/@\[]"),
                    written(r"^(?!.*= self\.\w+\([^()]*\)$)"),
                ),
                written(r"torch\.(?:arange|zeros|ones|tensor|eye|rand|randn|linspace|full)\("),
            ),
        ),
    ),
    Row(
        "AGX303",
        "device-mismatch-input-not-moved",
        _APART,
        _SENTENCE,
        (
            _why_apart,
            "a tensor of the model that is no parameter and no buffer is not moved by model.to()",
        ),
        (_to_one,),
        also=_others("device-mismatch-input-not-moved"),
        when=_apart,
    ),
    Row(
        "AGX442",
        "numpy-reduction-on-graph-tensors",
        (*_CONVERSION, "can't call numpy() on"),
        say(
            "`{text}` lets NumPy compute with tensors that have a graph",
            "NumPy computes with tensors that have a graph",
        ),
        ("NumPy asks each tensor for its numbers; the detach that torch suggests would cut the gradient",),
        ("use torch in its place: torch.stack(list).sum(0), sum(list), torch.mean",),
        also=("numpy-on-cuda", "numpy-on-requires-grad"),
        when=written(_IN_NUMPY),
    ),
    Row(
        "AGX413",
        "numpy-on-requires-grad",
        ("can't call numpy() on",),
        say(
            "`{text}` asks NumPy for values that have a graph", "NumPy is asked for values that have a graph"
        ),
        ("NumPy records nothing, so torch wants the cut to be written",),
        (
            on(
                r"(?:numpy|__array__)\(",
                "write {it}.detach().cpu().numpy() where the values are only looked at",
                "write .detach().cpu().numpy() where the values are only looked at",
            ),
            "compute the loss in torch",
        ),
        also=("numpy-reduction-on-graph-tensors",),
    ),
    Row(
        "AGX340",
        "numpy-on-cuda",
        _CONVERSION,
        say("`{text}` asks NumPy for values on {device0}", "NumPy is asked for values on a GPU"),
        ("NumPy reads memory of the CPU alone",),
        (on(r"numpy\(", "write {it}.detach().cpu().numpy()", "write .detach().cpu().numpy()"),),
        also=("numpy-reduction-on-graph-tensors",),
    ),
    Row(
        "AGX341",
        "mps-float64",
        ("mps framework doesn't support float64", "mps tensor to float64", "double to the mps backend"),
        say(
            "`{text}` moves float64 numbers to mps, which has none",
            "float64 numbers are moved to mps, which has none",
        ),
        ("NumPy arrays and Python lists of arrays give float64",),
        (
            on(
                r"to\(",
                "convert first: {it}.float().to('mps')",
                "convert first, with .float() or dtype=torch.float32",
            ),
        ),
    ),
)
