"""Modules whose own class leaves out what nn.Module needs, and what is put in a parameter's place."""

from autograd_cli.diagnose.logs.records import Row
from autograd_cli.diagnose.logs.rows.words import either, raised_by, say, says

ROWS = (
    Row(
        "AGX347",
        "module-not-initialized",
        (
            "before module.__init__() call",
            "has no attribute '_modules'",
            "has no attribute '_parameters'",
            "has no attribute '_buffers'",
            "has no attribute '_forward_hooks'",
            "has no attribute '_backward_hooks'",
        ),
        say(
            "`{text}` comes before the __init__ of nn.Module ran",
            "a module is used before the __init__ of nn.Module ran",
        ),
        ("`super().__init__()` is missing in the __init__ of the class, or stands below this line",),
        ("make super().__init__() the first line of __init__",),
        kinds=("AttributeError",),
        when=either(says(r"before Module\.__init__"), raised_by("torch/nn/")),
    ),
    Row(
        "AGX347",
        "module-without-forward",
        ('is missing the required "forward" function',),
        say("`{text}` calls a module that has no forward", "a module that has no forward is called"),
        ("its forward has another name, or stands inside of __init__; a list of layers has none",),
        (
            "define forward(self, x) in the class, as far in as __init__",
            "call the layers of an nn.ModuleList one by one, or put them in an nn.Sequential",
        ),
        kinds=("NotImplementedError",),
    ),
    Row(
        "AGX348",
        "parameter-set-to-tensor",
        (
            "torch.nn.parameter or none expected",
            "torch.nn.parameter or none required",
            "cannot assign non-leaf tensor",
        ),
        say(
            "`{text}` puts what is no parameter in the place of one",
            "what is no parameter is put in the place of one",
        ),
        ("the optimizer holds the parameter itself: another tensor under its name would not be stepped",),
        (
            "change its values: with torch.no_grad(): layer.weight.copy_(tensor)",
            "or make it one, nn.Parameter(tensor), before the optimizer is made",
            "a weight that is computed from others goes by torch.func.functional_call",
        ),
        kinds=("TypeError", "ValueError"),
    ),
)
