"""What a program does beside making values: backwards, grad modes, seeds, optimizers, prints; and asks.

Rows of Kind.EFFECT change something that is there, those of Kind.MODE stand after `with`, or
alone where they say so. Rows of `torch.optim.Optimizer.…`, `builtins.list.…` and
`torch.autograd.graph.Node.…` are methods and attributes of what is no tensor.
"""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_effect = partial(row, kind=Kind.EFFECT, method=False, differentiable=False, domain="any")
_mode = partial(row, kind=Kind.MODE, method=False, differentiable=False, domain="any")
_ask = partial(
    row, kind=Kind.PYTHON, method=False, differentiable=False, domain="any; a Python value comes out"
)
_method = partial(_effect, method=True)

SEED = "(seed: count)"
DEVICE = "(device: device = None)"
SGD = (
    "(params: tensors, lr: number = 0.001, momentum: number = 0, dampening: number = 0,"
    " weight_decay: number = 0, nesterov: flag = False, *, maximize: flag = False)"
)
ADAM = (
    "(params: tensors, lr: number = 0.001, betas: number = (0.9, 0.999), eps: number = 1e-08,"
    " weight_decay: number = 0, amsgrad: flag = False, *, maximize: flag = False)"
)
GRAD = (
    "(outputs: tensors, inputs: tensors, grad_outputs: tensors = None, retain_graph: flag = None,"
    " create_graph: flag = False, *, allow_unused: flag = None, materialize_grads: flag = False)"
)
BACKWARD = (
    "(tensors: tensors, grad_tensors: tensors = None, retain_graph: flag = None,"
    " create_graph: flag = False, *, inputs: tensors = None)"
)
AUTOCAST = "(device_type: text, dtype: dtype = None, enabled: flag = True, cache_enabled: flag = None)"
CLIP = "(parameters: tensors, max_norm: number, norm_type: number = 2.0, error_if_nonfinite: flag = False)"
CUDA = " if torch.cuda.is_available() else None"
LEAVES = "tensors that require grad"
A, W = "[1.5,-0.25]", "[1.5,-0.3]"


def _there(path: str, meaning: str, signature: str = "()", where: str = "") -> Function:
    """A row for a question about a device: its path, its meaning; the call is its example."""
    domain = "where CUDA is usable" if where else "any machine"
    return _ask(path, meaning, f"{path}(){where}", signature=signature, domain=domain)


_KINDS = (
    ("Float", "float32"), ("Double", "float64"), ("Half", "float16"), ("Long", "int64"), ("Int", "int32"),
    ("Short", "int16"), ("Byte", "uint8"), ("Bool", "bool"),
)  # fmt: skip


def _typed(name: str, dtype: str) -> Function:
    """A row for a constructor that is named after what it makes."""
    return _effect(f"torch.{name}", f"a tensor of these numbers in {dtype}; of whole numbers alone, one of"
                   " that shape, not set", f"torch.{name}([1, 2])", kind=Kind.CREATION,
                   signature="(*data: size)", domain="a new constant")  # fmt: skip


# fmt: off
BACKWARDS = (
    _method("torch.Tensor.backward", "the gradients of input, added to the .grad of its leaves",
            "(x**2).sum().backward(); x.grad",
            signature="(input, gradient = None, retain_graph: flag = None, create_graph: flag = False,"
                      " inputs: tensors = None)",
            domain="one element, or a gradient of the same shape", x=A),
    _effect("torch.autograd.backward", "the gradients of several tensors, added to the .grad of their leaves",
            "torch.autograd.backward([x.sum(), (x**2).sum()]); x.grad", signature=BACKWARD,
            domain="one element each, or a gradient of the same shape", key="autograd_backward", x=A),
    _effect("torch.autograd.grad", "(gradients): of outputs by each of inputs; no .grad is changed",
            "torch.autograd.grad((x**2).sum(), x)[0]", signature=GRAD,
            domain="one element each, or a gradient of the same shape", key="autograd_grad", x=A),
    _method("torch.Tensor.retain_grad", "from here on a backward leaves a .grad here too, leaf or not",
            "y = x**2; y.retain_grad(); y.sum().backward(); y.grad", domain="tensors that require grad", x=A),
)

MODES = (
    _mode("torch.no_grad", "nothing is recorded", "with torch.no_grad(): y = x*2", signature="()", x=A),
    _mode("torch.enable_grad", "recorded again, inside no_grad",
          "with torch.no_grad():\n    with torch.enable_grad(): y = x*2", signature="()", x=A),
    _mode("torch.set_grad_enabled", "recorded or not; alone, from here on",
          "torch.set_grad_enabled(False); y = x*2", signature="(mode: flag)", x=A),
    _mode("torch.inference_mode", "nothing is recorded, and what is made can never take part in a graph",
          "with torch.inference_mode(): y = x*2", signature="(mode: flag = True)", x=A),
    _mode("torch.autocast", "products in fewer bits, sums and losses in float32",
          "with torch.autocast('cpu', dtype=torch.bfloat16): y = w @ x",
          signature=AUTOCAST, aliases=("torch.amp.autocast",), x=A, w="[[1.5,-0.3],[0.2,2.5]]"),
    _ask("torch.is_grad_enabled", "whether operations are recorded here", "torch.is_grad_enabled()",
         signature="()"),
    _ask("torch.is_inference_mode_enabled", "whether this is inside inference_mode",
         "torch.is_inference_mode_enabled()", signature="()"),
    _ask("torch.is_inference", "whether it was made in inference_mode", "torch.is_inference(x)", method=True,
         x=A),
)

SEEDS = (
    _effect("torch.manual_seed", "random numbers that repeat from here on", "torch.manual_seed(0); rand(2)",
            signature=SEED),
    _effect("torch.cuda.manual_seed", "random numbers on this CUDA device that repeat from here on",
            "torch.cuda.manual_seed(0)", signature=SEED),
    _effect("torch.cuda.manual_seed_all", "random numbers on every CUDA device that repeat from here on",
            "torch.cuda.manual_seed_all(0)", signature=SEED),
)

OPTIMIZERS = (
    _effect("torch.optim.SGD", "an optimizer that takes steps against the gradient",
            "opt = optim.SGD([w], lr=0.1); (w**2).sum().backward(); opt.step(); w", signature=SGD,
            domain=LEAVES, w=W),
    _effect("torch.optim.Adam", "an optimizer that scales its steps by running means of gradients",
            "opt = optim.Adam([w], lr=0.1); (w**2).sum().backward(); opt.step(); w", signature=ADAM,
            domain=LEAVES, w=W),
    _effect("torch.optim.Optimizer.zero_grad", "the .grad of every tensor of the optimizer removed",
            "opt = optim.SGD([w], lr=0.1); (w**2).sum().backward(); opt.zero_grad(); w.grad",
            signature="(optimizer, set_to_none: flag = True)", w=W),
    _effect("torch.optim.Optimizer.step", "one step: every tensor of the optimizer changed by its .grad",
            "opt = optim.SGD([w], lr=0.1); (w**2).sum().backward(); opt.step(); w",
            signature="(optimizer)", w=W),
    _effect("torch.nn.Parameter", "a leaf of the same memory, that requires grad",
            "w = nn.Parameter(zeros(2)); w.requires_grad", kind=Kind.CUT,
            signature="(data = None, requires_grad: flag = True)", aliases=("torch.nn.parameter.Parameter",)),
    _effect("torch.nn.utils.clip_grad_norm_", "the .grad of all scaled down to a common norm of max_norm;"
            " gives the norm before", "(w**2).sum().backward(); nn.utils.clip_grad_norm_([w], 1.); w.grad",
            signature=CLIP, domain="tensors with a .grad", w=W),
)

SAID = (
    _effect("builtins.print", "the values, written out", "print(x, 'and', 2)", key="python_print",
            signature="(*values, sep: text = ' ', end: text = '\\n', flush: flag = False)", x=A),
    _effect("builtins.list.append", "object put at the end of the list",
            "kept = []; kept.append(x.sum()); len(kept)", key="list_append",
            signature="(list: tensors, object, /)", x=A),
)

NODES = (
    _ask("torch.autograd.graph.Node.name", "the name of what made the tensor", "(x*2).grad_fn.name()", x=A,
         key="node_name"),
    _ask("torch.autograd.graph.Node.next_functions",
         "the nodes that a gradient goes to next, each with its number",
         "(x*2).grad_fn.next_functions[0][0]", attribute=True, x=A, key="node_next_functions"),
    _ask("torch.autograd.graph.Node.variable", "of AccumulateGrad: the leaf", attribute=True,
         example="(x*2).grad_fn.next_functions[0][0].variable", x=A, key="node_variable"),
)

QUERIES = (
    _there("torch.cuda.is_available", "whether CUDA is usable"),
    _there("torch.cuda.device_count", "how many CUDA devices there are"),
    _there("torch.cuda.current_device", "the number of the CUDA device that is chosen", where=CUDA),
    _there("torch.cuda.get_device_name", "the name of a CUDA device", DEVICE, CUDA),
    _there("torch.backends.mps.is_available", "whether MPS is usable"),
    _there("torch.backends.mps.is_built", "whether torch was built with MPS"),
    _there("torch.backends.cuda.is_built", "whether torch was built with CUDA"),
    _there("torch.xpu.is_available", "whether XPU is usable"),
    _there("torch.xpu.device_count", "how many XPU devices there are"),
    _there("torch.get_default_dtype", "the dtype that floats get"),
    _ask("torch.get_device", "the number of the device that it is on; -1 for the CPU", "get_device(x)",
         method=True, x=A),
    _ask("torch.Tensor.data_ptr", "where its memory begins, to compare with another's",
         "x.data_ptr() == x.detach().data_ptr()", method=True, x=A),
    _ask("torch.device", "a device, by its name or by its kind and number", "torch.device('cpu')",
         signature="(type: device, index: count = None)", domain="devices of torch"),
    _typed("Tensor", "the default dtype"),
    *(_typed(f"{kind}Tensor", dtype) for kind, dtype in _KINDS),
    _ask("torch.Size", "a shape", "torch.Size((2, 3))", signature="(sizes: size = (), /)",
         domain="whole numbers"),
)
# fmt: on

ROWS = (*BACKWARDS, *MODES, *SEEDS, *OPTIMIZERS, *SAID, *NODES, *QUERIES)
