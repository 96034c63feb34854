"""Functions that read one triangle of a matrix, judged as functions of symmetric matrices."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.check import check
from autograd_cli.gradients.replay import Replay
from autograd_cli.report import Verdict

SYMMETRIC, OTHER = "[[2.,0.3],[0.3,1.]]", "[[2.,0.3],[0.1,1.]]"
SOURCES = [
    "linalg.cholesky(A).sum()",
    "sin(linalg.cholesky(A, upper=True)).sum()",
    "linalg.cholesky(input=A)[1,0]",
    "linalg.cholesky_ex(A)[0].sum(0)[0]",
    "A.cholesky(True)[0,1]",
    "linalg.eigvalsh(A)[0]",
    "linalg.eigvalsh(A, 'U')[1]",
    "linalg.eigvalsh(A, 'u')[1]",
    "linalg.eigh(A, UPLO='l')[0][0]",
    "linalg.eigh(A, UPLO='U')[0].sin().sum()",
    "linalg.eigh(A).eigenvectors.abs()[0,1]",
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("A", [SYMMETRIC, OTHER])
@pytest.mark.parametrize("source", SOURCES)
def test_a_leaf_of_which_one_triangle_is_read(judged, source, A, dtype):  # noqa: N803
    found = judged(source, dtype=dtype, A=A).gradients["A"]
    assert found.verdict is Verdict.OK, (found.autograd, found.numeric, found.sentence)
    ((upper, lower), note) = (found.numeric[0][1], found.numeric[1][0]), found.notes[-1]
    assert upper == pytest.approx(lower, rel=1e-6)
    assert "reads one triangle of its matrix" in note


@pytest.mark.parametrize("A", ["eye(2)", "[[2.,0.],[0.,1.]]", "[[0.,0.],[0.,0.]]"])
def test_what_is_read_is_said_of_elements_that_are_0(judged, A):  # noqa: N803
    found = judged("linalg.eigvalsh(A + tensor([[3.,1.],[1.,2.]]))[0]", A=A).gradients["A"]
    assert found.verdict is Verdict.OK
    assert "eigvalsh reads one triangle of its matrix" in found.notes[-1]


def test_a_stack_of_matrices(judged):
    found = judged("linalg.cholesky(A).sum()", A=f"[{SYMMETRIC},{OTHER}]").gradients["A"]
    assert found.verdict is Verdict.OK


@pytest.mark.parametrize("source", ["linalg.cholesky(A@A.T).sum()", "linalg.eigvalsh(A + A.T)[0]", "det(A)"])
def test_nothing_is_said_where_the_matrix_stays_symmetric(judged, source):
    found = judged(source, A=OTHER).gradients["A"]
    assert found.verdict is Verdict.OK
    assert found.notes == ()


@pytest.mark.parametrize("source", SOURCES)
def test_a_lie_is_caught(traced, source):
    run = traced(source, A=SYMMETRIC)
    made = backward(run, None)
    told = {name: leaf * torch.tensor([[1, 1.0005], [1, 1]]) for name, leaf in made.leaves.items()}
    (found,) = check(run, replace(made, leaves=told), None)
    assert found.verdict is Verdict.WRONG


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("A", [SYMMETRIC, OTHER])
def test_the_value_is_the_recorded_one(traced, source, A):  # noqa: N803
    run = traced(source, A=A)
    replay = Replay(run)
    with replay.session():
        torch.testing.assert_close(replay({}), run.output.detach())


@pytest.mark.parametrize("source", ["linalg.cholesky(A).sum()", "linalg.eigvalsh(A, UPLO='U').sum()"])
def test_a_matrix_of_no_elements(judged, source):
    assert judged(source, A="zeros(2, 0, 0)").gradients["A"].verdict is Verdict.OK
