"""A small report with every kind of record in it."""

from autograd_cli.report.chain import Chain, Departure, Handing, Keeping, Link, Way as Passed, Ways
from autograd_cli.report.records import (
    Backward,
    Binding,
    Change,
    Concern,
    Edge,
    Examination,
    Finding,
    Fix,
    Gradient,
    Graph,
    Inspection,
    Local,
    Made,
    Node,
    Output,
    Path as Way,
    Report,
    Round,
    Second,
    SecondBlock,
    Severity,
    Slot,
    Statement,
    Stretch,
    Target,
    Verdict,
    Witness,
)


def build(**changes):
    """A small report with one of everything; `changes` replace its fields."""
    node = Node(0, "SinBackward0", (0, 6), "sin(x)", 1, (), "float32", "cpu", 0.5, 1.0, Local("cos(x)", 0.9))
    leaf = Node(1, "AccumulateGrad", (4, 5), "x", 1, (), "float32", "cpu", 2.0, 0.9, leaf="x")
    gradient = Gradient(
        "x", (), "cos(x)", "", "", 0.9, 0.9, 0.9, 1e-11, 1e-9, 1e-7, (), Verdict.OK, Witness.NUMERIC
    )
    parts = {
        "source": "sin(x)",
        "device": "cpu",
        "dtype": "float32",
        "seed": 0,
        "kept_bytes": 4,
        "versions": {"torch": "2.13.0"},
        "bindings": (Binding("x", "2", (), "float32", "cpu", True, 2.0, "leaf"),),
        "output": Output("sin(x)", 0.5, (), "float32", "cpu", "SinBackward0", True, 1.0),
        "graph": Graph(
            0,
            (node, leaf),
            (Edge(0, 1, 0, Local("cos(x)", 0.9)),),
            (Stretch(0, "b", (1,), (10, 1)),),
            (Way("x", (0, 1), (1.0, 0.9), 0.9),),
        ),
        "gradients": (gradient,),
        "findings": (
            Finding("AGX503", "kink", Severity.NOTE, "x is at a kink.", (0, 3), fix=(Fix("move x"),)),
        ),
        "status": 0,
        "statements": (
            Statement(
                1,
                (0, 6),
                "sin(x)",
                count=2,
                made=(Made("y", (), "float32", "cpu", True, False, "SinBackward0", 0.5),),
                changed=(Change("x.grad", "backward", None, (4.0, 1.0), (4.0, 1.0), ("z",)),),
                printed=("tensor(4.)\n",),
                last=Round(2, (Made("k", None, "int", text="3"),)),
                claim="tensor(5.)",
                findings=("AGX503",),
            ),
        ),
        "printed": ("tensor(4.)\n",),
        "backwards": (Backward(3, "y1", (gradient,), {"x": None}, {"x": 4.0}, (0, 6), value=0.5),),
        "inspected": Inspection("y", (("shape", "()"),), (("grad", "None"),), (("grad", "4"),)),
        "root": "y1",
        "chain": Chain(
            (
                Ways(
                    "x",
                    1,
                    (),
                    1,
                    0.0,
                    (Passed((0, 1), (Link(0, 0, (), "cos(x)", 0.9, 0.9, True, 0.9),), 0.9),),
                    total=0.9,
                    autograd=0.9,
                    difference=0.0,
                    tolerance=1e-7,
                    cut=(1,),
                ),
            ),
            2,
            (Departure(1, 0.9, 0.8, 0.1, 1e-7),),
            1,
            calls=(Handing((0,), 1, (), "g*cos(x)", True),),
        ),
        "saved": Keeping(4, (4,)),
        "second": Second(
            "hessian",
            "the sum of its elements",
            (
                SecondBlock(
                    ("x", "x"),
                    (),
                    "-sin(x)",
                    "",
                    "",
                    -0.9,
                    -0.9,
                    -0.9,
                    1e-10,
                    -0.9,
                    1e-12,
                    None,
                    0.0,
                    1e-9,
                    1e-7,
                    (),
                    Verdict.OK,
                ),
            ),
        ),
        "targets": (Target("swish", "my_ops.py", "Swish.apply", "autograd.Function", 4),),
        "examined": (
            Examination(
                "Swish",
                "swish(x)",
                "my_ops.py:4",
                (
                    Slot(
                        "x",
                        0,
                        1,
                        (3,),
                        Verdict.WRONG,
                        2,
                        (1,),
                        0.5,
                        1.0,
                        -1.0,
                        1e-9,
                        "my_ops.py:8",
                        ("a sign",),
                    ),
                ),
                (Concern("saves-intermediate", "it saves `s`", "my_ops.py:5"),),
                Verdict.OK,
            ),
        ),
    }
    return Report(**{**parts, **changes})
