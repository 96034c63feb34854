"""Gradients of matrices as a textbook writes them: each formula is read, run and equal to autograd."""

import pytest
import torch

GOLDEN = """
quadratic forms
x@A@x                                    | x | A@x + A.T@x
x@A@x                                    | A | outer(x, x)
b@A@x                                    | x | A.T @ b
x@S@x/2 - b@x                            | x | 1/2*S@x + 1/2*S.T@x - b
x@A.T@A@x                                | x | 2 * A.T @ (A@x)
x@A.T@A@x                                | A | 2*outer(A@x, x)
sqrt(x@S@x)                              | S | outer(x, x)/(2*sqrt(x@S@x))
x@linalg.inv(S)@x                        | S | -linalg.inv(S).T @ outer(x, x) @ linalg.inv(S).T
least squares and ridge regression
sum((X@w - y)**2)                        | w | 2 * X.T @ (X@w - y)
mean((X@w + c - y)**2)                   | w | 2/10 * X.T @ (X@w + c - y)
mean((X@w + c - y)**2)                   | c | 2/10 * (X@w + c - y).sum()
sum((X@w - y)**2) + c*sum(w**2)          | w | 2*X.T@(X@w - y) + 2*c*w
norm(X@w - y)**2 + c*norm(w)**2          | w | 2*X.T@(X@w - y) + 2*c*w
(X@w - y)@(X@w - y)/2 + c/2*w@w          | w | X.T@(X@w - y) + c*w
F.mse_loss(X@W, T)                       | W | 2/20 * X.T @ (X@W - T)
sum((X.T@(X@w - y))**2)                  | w | 2 * X.T @ (X@(X.T@(X@w - y)))
logistic regression
F.binary_cross_entropy_with_logits(X@w, t) | w | 1/10 * X.T @ (sigmoid(X@w) - t)
F.binary_cross_entropy_with_logits(X@w, t) | X | 1/10 * outer(sigmoid(X@w) - t, w)
sum(log(1 + exp(-t*(X@w))))              | w | -X.T @ (t*exp(-t*(X@w))/(1 + exp(-t*(X@w))))
-F.logsigmoid(t*(X@w)).sum()             | w | -X.T @ (t*sigmoid(-t*(X@w)))
softmax regression
F.cross_entropy(X@W, k)                  | W | 1/10 * X.T @ (softmax(X@W, 1) - F.one_hot(k, 2))
F.cross_entropy(X@W, k)                  | X | 1/10 * (softmax(X@W, 1) - F.one_hot(k, 2)) @ W.T
logsumexp(X@W, 1).sum() - (T*(X@W)).sum() | W | X.T @ (softmax(X@W, 1) - T)
-(T*log_softmax(X@W, 1)).sum()           | T | -log_softmax(X@W, 1)
determinants
det(A)                                   | A | det(A)*linalg.inv(A).T
logdet(S)                                | S | linalg.inv(S).T
slogdet(A)[1]                            | A | linalg.inv(A).T
logdet(X.T@X)                            | X | 2 * X @ linalg.inv(X.T@X)
logdet(X.T@X + c*eye(3))                 | X | 2 * X @ linalg.inv(X.T@X + c*eye(3))
trace(B@S) - logdet(S)                   | S | B.T - linalg.inv(S).T
traces of products
trace(A)                                 | A | eye(3)
trace(A@B)                               | A | B.T
trace(A.T@B)                             | A | B
trace(A@B@S)                             | B | A.T @ S.T
trace(A@B@A.T)                           | A | A@B.T + A@B
trace(A@B@A.T)                           | B | A.T @ A
trace(A@S@A.T@B)                         | A | B.T@A@S.T + B@A@S
trace(A@A)                               | A | 2*A.T
trace(A@A@A)                             | A | 3 * A.T @ A.T
trace(X.T@X)                             | X | 2*X
trace(linalg.inv(A)@B)                   | A | -linalg.inv(A).T @ B.T @ linalg.inv(A).T
trace(matrix_power(A, 4))                | A | 4*matrix_power(A.T, 3)
norms
norm(x)                                  | x | x/norm(x)
norm(x)**2                               | x | 2*x
norm(x - b)                              | x | (x - b)/norm(x - b)
norm(A@x - b)                            | x | A.T @ (A@x - b) / norm(A@x - b)
norm(A@x - b)                            | A | outer(A@x - b, x)/norm(A@x - b)
norm(A)                                  | A | A/norm(A)
norm(A@B - S)**2                         | A | 2 * (A@B - S) @ B.T
norm(A@B - S)**2                         | B | 2 * A.T @ (A@B - S)
maps with a curve
A.T@softmax(A@x, 0)               | x | A.T @ (softmax(A@x, 0)*(A.sum(1) - (softmax(A@x, 0)*A.sum(1)).sum()))
b@A.T@softmax(A@x, 0)                    | b | A.T @ softmax(A@x, 0)
logsumexp(A@x, 0)                        | x | A.T @ softmax(A@x, 0)
b@tanh(A@x)                              | x | A.T @ (b*(1 - tanh(A@x)**2))
b@tanh(A@x)                              | A | outer(b*(1 - tanh(A@x)**2), x)
sum(sin(A.T@B))                          | A | B @ cos(A.T@B).T
b@linalg.solve(A, x)                     | x | linalg.solve(A.T, b)
b@linalg.solve(A, x)                     | A | -outer(linalg.solve(A.T, b), linalg.solve(A, x))
""".strip().splitlines()
"""Lines without a bar are headings."""


def given() -> dict[str, torch.Tensor]:
    """Vectors x and b, matrices A, B and S, S positive; the data X, their weights w, W, and targets."""
    torch.manual_seed(5)
    made = {"x": torch.randn(3), "b": torch.randn(3), "A": torch.randn(3, 3), "B": torch.randn(3, 3)}
    made["S"] = made["A"] @ made["A"].T + torch.eye(3)
    made |= {"X": torch.randn(10, 3), "w": torch.randn(3), "W": torch.randn(3, 2), "y": torch.randn(10)}
    made |= {"T": torch.softmax(torch.randn(10, 2), 1), "t": torch.randn(10).sign(), "c": torch.tensor(0.3)}
    return made | {"k": torch.tensor([0, 1, 1, 0, 1, 0, 0, 1, 0, 1])}


@pytest.mark.parametrize("line", [line for line in GOLDEN if " | " in line])
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    found = derive(source, **given())
    assert found[name].text == text
    assert all(one.agrees for one in found.values()), {
        n: (o.text, o.value, o.gradient) for n, o in found.items()
    }


@pytest.mark.parametrize("line", [line for line in GOLDEN if " | " in line])
def test_a_cotangent_is_taken_in(derive, line):
    """Each gradient again where the scalar is weighed, or each element by another number."""
    source = line.split(" | ")[0].strip()
    for name, found in derive(f"sin({source})", **given()).items():
        assert found.agrees, (name, found.text, found.value, found.gradient)


def test_the_shapes_that_meet_are_said(derive):
    found = derive("F.cross_entropy(X@W, k)", **given())
    assert found["W"].derivative.shapes == "(3,2) = (3,10) @ (10,2)"
    assert found["X"].derivative.shapes == "(10,3) = (10,2) @ (2,3)"
    assert found["W"].derivative.notes == ("10 is the number of elements that cross_entropy() averages",)


def test_a_square_of_a_norm_has_its_gradient_at_0(derive):
    found = derive("norm(x)**2", x=[0.0, 0.0])["x"]
    assert found.text == "2*x"
    assert found.agrees
