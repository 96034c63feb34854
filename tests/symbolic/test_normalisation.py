"""Rules of layers that norm their input, of distances and of attention, against autograd."""

import pytest
import torch

from autograd_cli.symbolic.derive import differentiate

CASES = """
F.layer_norm(x, (4,))                                           | 2,3,4
F.layer_norm(x, (3, 4), w, b)                                   | 2,3,4 | 3,4 | 3,4
F.layer_norm(x, [4], w)                                         | 2,3,4 | 4
F.layer_norm(x, (4,), w, b, 0.1)                                | 4 | 4 | 4
F.layer_norm(x, (4,), bias=b, eps=0.1)                          | 3,4 | 4 | 4
F.rms_norm(x, (4,))                                             | 2,3,4
F.rms_norm(x, (3, 4), w, eps=0.1)                               | 2,3,4 | 3,4
F.rms_norm(x, (4,), w)                                          | 4 | 4
F.batch_norm(x, None, None, w, b, training=True)                | 5,3 | 3 | 3
F.batch_norm(x, None, None, training=True, eps=0.1)             | 5,3
F.batch_norm(x, None, None, w, b, True)                         | 5,3,2 | 3 | 3
F.batch_norm(x, None, None, w, training=True)                   | 2,3,4,2 | 3
F.batch_norm(x, zeros(3), ones(3)*2, w, b)                      | 5,3 | 3 | 3
F.batch_norm(x, zeros(3), ones(3)*2, w, b, eps=0.1)             | 2,3,4,2 | 3 | 3
F.group_norm(x, 2, w, b)                                        | 2,4,3 | 4 | 4
F.group_norm(x, 4, w, b)                                        | 2,4,3 | 4 | 4
F.group_norm(x, 1)                                              | 2,4,3,2
F.group_norm(x, 2, w, b, 0.1)                                   | 2,4 | 4 | 4
F.instance_norm(x, weight=w, bias=b)                            | 2,3,4 | 3 | 3
F.instance_norm(x, eps=0.1)                                     | 2,3,4,2
F.normalize(x)                                                  | 3,4
F.normalize(x, dim=0)                                           | 4
F.normalize(x, dim=(0, 2))                                      | 2,3,4
F.cosine_similarity(x, w)                                       | 3,4 | 3,4
F.cosine_similarity(x, w, dim=0)                                | 4 | 4
F.cosine_similarity(x, w, dim=-1)                               | 2,3,4 | 4
F.cosine_similarity(x, w, dim=-2)                               | 1,2,3 | 2,1,3
F.cosine_similarity(x, w, dim=0)                                | 2,3 | 3
F.pairwise_distance(x, w)                                       | 3,4 | 3,4
F.pairwise_distance(x, w, 1, keepdim=True)                      | 3,4 | 4
F.pairwise_distance(x, w, 3, 0.1)                               | 4 | 4
cdist(x, w)                                                     | 3,4 | 5,4
cdist(x, w)                                                     | 2,3,4 | 2,5,4
cdist(x, w)                                                     | 2,3,4 | 5,4
cdist(x, x)                                                     | 3,4
cdist(x, w, 1)                                                  | 3,4 | 5,4
cdist(x, w, p=1.)                                               | 2,3,4 | 2,5,4
F.scaled_dot_product_attention(x, w, b)                         | 3,4 | 5,4 | 5,2
F.scaled_dot_product_attention(x, w, b)                         | 2,3,4 | 2,5,4 | 2,5,2
F.scaled_dot_product_attention(x, w, b, scale=0.3)              | 2,2,3,3 | 2,2,5,3 | 2,2,5,2
F.scaled_dot_product_attention(x, w, b, attn_mask=c)            | 3,4 | 5,4 | 5,2 | 3,5
F.scaled_dot_product_attention(x, w, b, (c > -1).detach())      | 3,4 | 5,4 | 5,2 | 3,5
F.scaled_dot_product_attention(x, w, b, is_causal=True)         | 3,4 | 3,4 | 3,2
F.embedding(tensor([[0, 2], [2, 1]]), x)                        | 3,4
F.embedding(tensor(1), x)                                       | 3,4
F.embedding(tensor([0, 1, 1]), x, padding_idx=1)                | 3,4
""".strip().splitlines()


def values(shapes: str) -> dict[str, torch.Tensor]:
    """Random x, w, b and c."""
    torch.manual_seed(3)
    sizes = [tuple(map(int, shape.split(","))) for shape in shapes.split(" | ")]
    return {name: torch.randn(size) for name, size in zip("xwbc", sizes, strict=False)}


@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("form", ["{}", "sin({})"], ids=["ones", "varied"])
def test_rule_agrees_with_autograd(derive, line, form):
    source, shapes = (part.strip() for part in line.split(" | ", 1))
    given = {
        n: v for n, v in values(shapes).items() if n in source.replace("tensor", "").replace("bias=", "=")
    }
    for name, found in derive(form.format(source), **given).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


GOLDEN = """
F.layer_norm(x, (4,))@w          | w | F.layer_norm(x, (4,)).sum(0)
F.normalize(w, dim=0)@b          | b | F.normalize(w, dim=0)
F.rms_norm(x, (4,))@w            | w | F.rms_norm(x, (4,), eps=2.220446049250313e-16).sum(0)
F.pairwise_distance(w, b)        | w | (w - b + 1e-06)/F.pairwise_distance(w, b)
F.scaled_dot_product_attention(c, x, x)@b | b | F.scaled_dot_product_attention(c, x, x).sum(0)
cdist(x, c, 1)                   | x | sign(x.unsqueeze(-2) - c.unsqueeze(-3)).sum(-2)
F.embedding(tensor(2), x)@w      | x | zeros_like(x).index_put((tensor(2),), w, accumulate=True)
""".strip().splitlines()

LONGER = {
    "F.layer_norm(w, (4,))@b": (
        "(b - b.mean() - (b*F.layer_norm(w, (4,))).mean()*F.layer_norm(w, (4,)))"
        "/sqrt(var(w, 0, correction=0, keepdim=True) + 1e-05)"
    ),
    "F.cosine_similarity(w, b, dim=0)": (
        "(F.normalize(b, dim=-1, eps=1e-08)"
        " - F.cosine_similarity(w, b, dim=0)*F.normalize(w, dim=-1, eps=1e-38))"
        "/clamp_min(linalg.vector_norm(w, dim=-1, keepdim=True), 1e-08)"
    ),
    "F.batch_norm(x, None, None, w, training=True)@b": (
        "(b*F.batch_norm(x, None, None, training=True)).sum(0)"
    ),
}

GOLDEN += [f"{source} | w | {text}" for source, text in LONGER.items()]


@pytest.mark.parametrize("line", GOLDEN)
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    given = values("3,4 | 4 | 4 | 3,4")
    found = derive(source, **{n: given[n] for n in "xwbc" if n == name or n in source})[name]
    assert found.text == text
    assert found.agrees, (found.value, found.gradient)


BOUNDED = [
    ("F.cosine_similarity(x, w, dim=0)", [0.0, 0.0, 0.0]),
    ("F.cosine_similarity(w, x, dim=0)", [1e-13, 0.0, -2e-13]),
    ("F.cosine_similarity(x, w, dim=0)", [1e-9, 2e-9, 0.0]),
    ("F.cosine_similarity(x, x, dim=0)", [0.0, 0.0, 0.0]),
    ("F.cosine_similarity(x, w, dim=0, eps=2.)", [1.0, 0.5, 0.0]),
    ("F.normalize(x, dim=0)", [0.0, 0.0, 0.0]),
    ("F.normalize(x, dim=0, eps=4.)", [1.0, 2.0, 3.0]),
    ("F.normalize(x, dim=0, eps=3.)", [1.0, 2.0, 3.0]),
    ("F.normalize(x, dim=1, eps=3.)", [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]),
]


@pytest.mark.parametrize(("source", "x"), BOUNDED)
def test_a_length_below_the_bound_is_divided_by_that_as_torch_does(derive, source, x):
    given = {"x": x, "w": [1.0, -2.0, 0.3]} if "w" in source else {"x": x}
    double = {name: torch.tensor(value, dtype=torch.float64) for name, value in given.items()}
    for one in derive(source, **double).values():
        torch.testing.assert_close(one.value, one.gradient, rtol=1e-12, atol=0)


REASONS = {
    "F.normalize(x, p=1)": "normalize with p = 1 has no short formula",
    "F.normalize(x[0, 0], dim=0)": "normalize of a single number has no short formula",
    "F.instance_norm(x[None], zeros(3), ones(3), use_input_stats=False)": (
        "instance_norm by what was noted before has no short formula"
    ),
    "F.cosine_similarity(x[0, 0], x[1, 1], dim=0)": "cosine_similarity of two numbers has no short formula",
    "cdist(x, x, p=3)": "cdist with p = 3 has no short formula",
    "F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)": (
        "scaled_dot_product_attention with dropout or shared heads has no short formula"
    ),
    "F.embedding(tensor([1, 1]), x, scale_grad_by_freq=True)": (
        "embedding that changes the rows or counts them has no short formula"
    ),
}


@pytest.mark.parametrize("source", REASONS)
def test_reasons(tape, source):
    steps, root = tape(source, {"x": torch.randn(3, 4)})
    assert differentiate(steps, root, [0])[0].reason == REASONS[source]
