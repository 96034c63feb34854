import contextlib
import io
import sys
import types
import warnings
from functools import cache
from pathlib import Path

import pytest
import torch

from autograd_cli.diagnose.watching.watch import Watch


class Ended:
    """How a script ended: what it printed, the error, and every number that it left behind."""

    def __init__(self, path, watch=None):
        self.path = Path(path)
        self.watch = watch
        self.error = None
        self.printed = ""
        self.state = {}

    def run(self):
        torch.manual_seed(0)
        out, module = io.StringIO(), types.ModuleType("__main__")
        code = compile(self.path.read_text(), str(self.path), "exec")
        before = sys.modules["__main__"]
        sys.modules["__main__"] = module
        try:
            with _quiet(out), self.watch or contextlib.nullcontext():
                try:
                    exec(code, module.__dict__)
                except Exception as error:
                    self.error = f"{type(error).__name__}: {error}"
                    if self.watch:
                        self.watch.cleaned(error)
                    self.traceback = error.__traceback__
                self.findings = self.watch.findings() if self.watch else ()
        finally:
            sys.modules["__main__"] = before
        self.printed = out.getvalue()
        self.state = dict(_numbers(module.__dict__))
        return self


@contextlib.contextmanager
def _quiet(out):
    """What is printed goes to `out`; warnings are none of a test's errors here."""
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _numbers(names):
    yield "rng", torch.get_rng_state().numpy().tobytes()
    for name, value in names.items():
        if isinstance(value, torch.nn.Module):
            for path, tensor in value.state_dict().items():
                yield f"{name}.{path}", repr(tensor.tolist())
            for path, parameter in value.named_parameters():
                if parameter.grad is not None:
                    yield f"{name}.{path}.grad", repr(parameter.grad.tolist())
        elif isinstance(value, torch.Tensor):
            yield name, repr(value.tolist())
        elif isinstance(value, float | int | str) or name in ("seen", "losses"):
            yield name, repr(value)


@cache
def _ended(path, text, watched):
    done = Ended(path, Watch() if watched else None).run()
    assert not watched or done.watch.trouble == ""
    return done


@pytest.fixture
def ended(tmp_path):
    """How a script ends, given as a path or its text, watched or not; each is run once."""

    def run(script, watched=True):
        path = script if isinstance(script, Path) else tmp_path / "script.py"
        if path is not script:
            path.write_text(script)
        return _ended(path, path.read_text(), watched)

    return run


@pytest.fixture
def found(ended):
    """The findings of a script that is watched."""

    def run(script):
        return [one.finding for one in ended(script).findings]

    return run
