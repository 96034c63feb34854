"""The waist: plain records of everything a run showed.

Takes: nothing but numbers, strings, spans and tuples.
Gives: frozen, JSON-ready records and their way to and from JSON.
May import errors and lang. Must not import torch, rich, typer or graphviz.
"""

from autograd_cli.report.records import (
    Backward as Backward,
    Binding as Binding,
    Change as Change,
    Concern as Concern,
    Edge as Edge,
    Examination as Examination,
    Finding as Finding,
    Fix as Fix,
    Gradient as Gradient,
    Graph as Graph,
    Inspection as Inspection,
    Local as Local,
    Made as Made,
    Node as Node,
    Output as Output,
    Path as Path,
    Report as Report,
    Round as Round,
    Saved as Saved,
    Second as Second,
    SecondBlock as SecondBlock,
    Severity as Severity,
    Slot as Slot,
    Statement as Statement,
    Stretch as Stretch,
    Summary as Summary,
    Target as Target,
    Values as Values,
    Verdict as Verdict,
    Witness as Witness,
)
from autograd_cli.report.steps import Ref as Ref, Step as Step, below as below, refs as refs, under as under
