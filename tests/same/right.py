"""Programs that are right, put together at random: models trained and evaluated as people write it.

Each part is written in the ways in which tutorials and repositories write it; any may stand with any.
"""

from collections.abc import Callable
from random import Random

Part = tuple[str, ...]
"""Lines of a program."""

HEAD = ("import torch", "import torch.nn.functional as F")


def program(random: Random) -> str:
    """The text of a program without a mistake."""
    kind = random.choice(KINDS)
    return "\n".join([*HEAD, f"torch.manual_seed({random.randrange(100)})", *kind(random)]) + "\n"


def indented(lines: Part, depth: int = 1) -> Part:
    """Lines as a block."""
    return tuple("    " * depth + line for line in lines)


# A model, its loss, its data


def model(random: Random) -> tuple[Part, str, str, list[str]]:
    """The lines that make data and weights, the prediction, the loss and the names of the weights."""
    n, d = random.choice((6, 8, 12)), random.choice((2, 3))
    data = (f"X = torch.randn({n}, {d})",)
    wide, hidden = (
        random.choice((3, 4)),
        random.choice(("torch.tanh", "torch.relu", "torch.sigmoid", "F.softplus")),
    )
    two = (
        f"w1 = (0.5 * torch.randn({d}, {wide})).requires_grad_()",
        f"b1 = torch.zeros({wide}, requires_grad=True)",
        f"w2 = torch.randn({wide}, 1, requires_grad=True)",
    )
    targets = random.choice(
        (
            f"y = X @ torch.ones({d}, 1) + 0.1 * torch.randn({n}, 1)",
            f"y = torch.randn({n}).unsqueeze(1)",
            "y = X.sum(1, keepdim=True) ** 2",
        )
    )
    square = random.choice(
        ("((pred - y) ** 2).mean()", "F.mse_loss(pred, y)", "(pred - y).pow(2).sum() / len(X)",
         "F.smooth_l1_loss(pred, y)", "torch.mean(torch.square(y - pred))", "(pred - y).abs().mean()")
    )  # fmt: skip
    line = (f"w = torch.randn({d}, 1, requires_grad=True)", "b = torch.zeros(1, requires_grad=True)")
    classes = (f"w = torch.zeros({d}, 3, requires_grad=True)", f"t = torch.randint(0, 3, ({n},))")
    truth = (f"w = torch.zeros({d}, requires_grad=True)", "t = (X[:, 0] > 0).float()")
    return random.choice(
        (
            ((*data, targets, *line), "X @ w + b", square, ["w", "b"]),
            ((*data, targets, *two), f"{hidden}(X @ w1 + b1) @ w2", square, ["w1", "b1", "w2"]),
            ((*data, *classes), "X @ w", random.choice(
                ("F.cross_entropy(pred, t)", "F.nll_loss(F.log_softmax(pred, dim=1), t)",
                 "-F.log_softmax(pred, 1)[torch.arange(len(t)), t].mean()")), ["w"]),
            ((*data, *truth), "X @ w", random.choice(
                ("F.binary_cross_entropy_with_logits(pred, t)",
                 "F.binary_cross_entropy(torch.sigmoid(pred), t)")), ["w"]),
        )
    )  # fmt: skip


def training(random: Random) -> Part:
    """A loop with an optimizer, and what goes with it."""
    make, pred, loss, weights = model(random)
    optimizer = random.choice(
        ("SGD([{}], lr=0.05)", "SGD([{}], lr=0.05, momentum=0.9)", "Adam([{}], lr=0.01)",
         "SGD([{}], lr=0.1, weight_decay=0.01)")
    ).format(", ".join(weights))  # fmt: skip
    body, before, after = steps(random, pred, loss)
    return (
        *make,
        f"opt = torch.optim.{optimizer}",
        *before,
        f"for epoch in range({random.choice((2, 3, 5))}):",
        *indented(body),
        *after,
        *evaluation(random, pred, loss),
    )


def steps(random: Random, pred: str, loss: str) -> tuple[Part, Part, Part]:
    """The body of a training loop, and what stands before and behind the loop."""
    forward = (f"pred = {pred}", f"loss = {loss}")
    log, before, after = logged(random)
    ways: tuple[Part, ...] = (
        ("opt.zero_grad()", *forward, "loss.backward()", "opt.step()", *log),
        (*forward, "opt.zero_grad()", "loss.backward()", "opt.step()", *log),
        (*forward, "loss.backward()", "opt.step()", "opt.zero_grad()", *log),
        ("opt.zero_grad(set_to_none=False)", *forward, *log, "loss.backward()", "opt.step()"),
        ("opt.zero_grad()", *forward, "penalty = 0.01 * sum_of_squares()", "(loss + penalty).backward()",
         "opt.step()", *log),
        ("opt.zero_grad()", *forward, "loss.backward(retain_graph=True)",
         "(0.1 * pred.pow(2).mean()).backward()", "opt.step()", *log),
        (*forward, "(loss / 2).backward()", "if (epoch + 1) % 2 == 0:", "    opt.step()",
         "    opt.zero_grad()", *log),
        ("opt.zero_grad()", "for part in range(2):", f"    pred = {pred}", f"    loss = {loss} / 2",
         "    loss.backward()", "opt.step()", *log),
    )  # fmt: skip
    body = random.choice(ways)
    if any("sum_of_squares" in line for line in body):
        name = "w1" if "w1" in pred else "w"
        before = (*before, "def sum_of_squares():", f"    return ({name} ** 2).sum()")
    return body, before, after


def logged(random: Random) -> tuple[Part, Part, Part]:
    """What a loop writes down of its losses, with what stands before and behind the loop."""
    return random.choice(
        (
            ((), (), ()),
            (("print(epoch, loss.item())",), (), ()),
            (("losses.append(loss.item())",), ("losses = []",), ("print(losses[-1])",)),
            (("total += loss.item()",), ("total = 0.0",), ("print(f'{total:.3f}')",)),
            (("losses.append(loss.detach())",), ("losses = []",), ("print(torch.stack(losses).mean())",)),
            (("best = min(best, float(loss))",), ("best = float('inf')",), ("print(best)",)),
            (("seen.append((epoch, loss.item()))",), ("seen = []",), ("print(len(seen))",)),
            (("with torch.no_grad():", "    error = pred - pred.mean()", "    print(error.max().item())"),
             (), ()),
        )
    )  # fmt: skip


def evaluation(random: Random, pred: str, loss: str) -> Part:
    """What is asked of the model when it is trained."""
    return random.choice(
        (
            (),
            ("with torch.no_grad():", f"    pred = {pred}", f"    print(({loss}).item())"),
            ("with torch.inference_mode():", f"    print(({pred}).mean())"),
            ("outputs = []", "with torch.no_grad():", "    for part in range(3):", f"        pred = {pred}",
             "        outputs.append(pred.mean().item())", "print(sum(outputs) / len(outputs))"),
            (f"pred = ({pred}).detach()", "print((pred > 0).float().mean())"),
            ("total = 0.0", "for part in range(3):", "    with torch.no_grad():", f"        pred = {pred}",
             "        total += pred.sum().item()", "print(total)"),
            (f"pred = {pred}", "print(pred.argmax().item(), pred.shape)"),
        )
    )  # fmt: skip


# Other ways to train


def by_hand(random: Random) -> Part:
    """Steps that are written out."""
    make, pred, loss, weights = model(random)
    rate = random.choice(("0.1", "0.05"))
    ways: tuple[Part, ...] = (
        ("with torch.no_grad():", *(f"    {w} -= {rate} * {w}.grad" for w in weights),
         *(f"{w}.grad = None" for w in weights)),
        ("with torch.no_grad():", *(f"    {w} -= {rate} * {w}.grad" for w in weights),
         *(f"    {w}.grad.zero_()" for w in weights)),
        (*(f"{w}.data -= {rate} * {w}.grad.data" for w in weights),
         *(f"{w}.grad.data.zero_()" for w in weights)),
        (*(f"{w}.data = {w}.data - {rate} * {w}.grad" for w in weights),
         *(f"{w}.grad = None" for w in weights)),
        ("with torch.no_grad():", *(f"    {w}.copy_({w} - {rate} * {w}.grad)" for w in weights),
         *(f"{w}.grad = None" for w in weights)),
    )  # fmt: skip
    log, before, after = logged(random)
    body = (f"pred = {pred}", f"loss = {loss}", "loss.backward()", *random.choice(ways), *log)
    if random.random() < 0.3:
        names = ", ".join(weights)
        grads = f"grads = torch.autograd.grad(loss, [{names}])"
        update = tuple(f"    {w} -= {rate} * grads[{i}]" for i, w in enumerate(weights))
        body = (f"pred = {pred}", f"loss = {loss}", grads, "with torch.no_grad():", *update, *log)
    return (
        *make,
        *before,
        "for epoch in range(4):",
        *indented(body),
        *after,
        *evaluation(random, pred, loss),
    )


def recurrent(random: Random) -> Part:
    """A state that is carried on, with a backward through all of it or cut off on purpose."""
    make: Part = (
        "W = (0.3 * torch.randn(3, 3)).requires_grad_()",
        "U = torch.randn(2, 3, requires_grad=True)",
        "xs = torch.randn(6, 1, 2)",
        "h = torch.zeros(1, 3)",
    )
    whole: Part = (
        "losses = []",
        "for x in xs:",
        "    h = torch.tanh(x @ U + h @ W)",
        "    losses.append((h ** 2).mean())",
        "loss = torch.stack(losses).sum()",
        "loss.backward()",
        "print(W.grad.norm(), loss.item())",
    )
    cut: Part = (
        "opt = torch.optim.SGD([W, U], lr=0.1)",
        "for x in xs:",
        "    h = torch.tanh(x @ U + h @ W)",
        "    loss = (h - 0.5).pow(2).sum()",
        "    opt.zero_grad()",
        "    loss.backward()",
        "    opt.step()",
        "    h = h.detach()",
    )
    summed: Part = (
        "total = 0",
        "for x in xs:",
        "    h = torch.tanh(x @ U + h @ W)",
        "    total = total + h.sum()",
        "total.backward()",
        "print(U.grad)",
    )
    return (*make, *random.choice((whole, cut, summed)))


def adversarial(random: Random) -> Part:
    """Two models, of which one is held on purpose while the other learns."""
    players: Part = (
        "g = torch.randn(2, 2, requires_grad=True)",
        "d = torch.randn(2, 1, requires_grad=True)",
        "og = torch.optim.SGD([g], lr=0.1)",
        "od = torch.optim.SGD([d], lr=0.1)",
        "for step in range(3):",
        "    fake = torch.randn(4, 2) @ g",
        "    od.zero_grad()",
        "    real = torch.sigmoid(torch.ones(4, 2) @ d)",
        "    (torch.sigmoid(fake.detach() @ d).mean() - real.mean()).backward()",
        "    od.step()",
        "    og.zero_grad()",
        "    (-torch.sigmoid(fake @ d).mean()).backward()",
        "    og.step()",
    )
    teacher: Part = (
        "teacher = torch.randn(2, 1)",
        "student = torch.zeros(2, 1, requires_grad=True)",
        "x = torch.randn(5, 2)",
        "for step in range(3):",
        "    with torch.no_grad():",
        "        target = x @ teacher",
        "    loss = F.mse_loss(x @ student, target)",
        "    loss.backward()",
        "    student.data -= 0.1 * student.grad",
        "    student.grad = None",
        "    teacher.mul_(0.9).add_(student.detach(), alpha=0.1)",
    )
    values: Part = (
        "v = torch.randn(3, 1, requires_grad=True)",
        "s, s2 = torch.randn(4, 3), torch.randn(4, 3)",
        "r = torch.ones(4, 1)",
        "target = r + 0.9 * (s2 @ v).detach()",
        "loss = ((s @ v - target) ** 2).mean()",
        "loss.backward()",
        "print(v.grad)",
    )
    frozen: Part = (
        "body = torch.randn(3, 2)",
        "head = torch.randn(2, 1, requires_grad=True)",
        "out = torch.tanh(torch.randn(4, 3) @ body) @ head",
        "out.sum().backward()",
        "print(body.grad, head.grad.shape)",
    )
    return random.choice((players, teacher, values, frozen))


def geometry(random: Random) -> Part:
    """Tensors put against each other on purpose, cut up, masked, written in place where nothing is kept."""
    n = random.choice((3, 4, 5))
    x = f"x = torch.randn({n}, requires_grad=True)"
    points = f"p = torch.randn({n}, 2, requires_grad=True)"
    parts: tuple[tuple[str, ...], ...] = (
        (x, "d = (x[:, None] - x[None, :]).abs()", "d.sum().backward()"),
        (x, "d = x.unsqueeze(1) - x.unsqueeze(0)", "(d ** 2).mean().backward()"),
        (x, f"column = x.view({n}, 1)", "d = (column - x) ** 2", "d.mean().backward()"),
        (points, "d = ((p[:, None] - p[None]) ** 2).sum(-1)", "d.mean().backward()"),
        (points, "norm = p.norm(dim=1, keepdim=True)", "(p / norm).sum().backward()"),
        (points, "q = p - p.mean(0, keepdim=True)", "(q.T @ q).diagonal().sum().backward()"),
        (x, "y = x * 2", "y += 1", "y.mul_(3)", "y.sum().backward()"),
        (x, "y = x + 1", "y[0] = 0.0", "y.sum().backward()"),
        (x, "y = torch.zeros_like(x)", "y.copy_(x)", "(y * 2).sum().backward()"),
        (x, "mask = (x > 0).float()", "(x * mask).sum().backward()"),
        (x, "y = torch.where(x > 0, x, 0.1 * x)", "y.sum().backward()"),
        (x, "top = x.argmax()", "x[top].backward()"),
        (x, "order = x.argsort()", "(x[order] * torch.arange(len(x))).sum().backward()"),
        (x, "y = x + (x.round() - x).detach()", "y.sum().backward()"),
        (x, "m = x.max().detach()", "(torch.log(torch.exp(x - m).sum()) + m).backward()"),
        (x, "x2 = x.detach().clone().requires_grad_()", "(x2 ** 2).sum().backward()"),
        (
            x,
            "y = x ** 2",
            "y.backward(torch.ones_like(y), retain_graph=True)",
            "x.grad = None",
            "y.sum().backward()",
        ),
        (x, "g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)", "g.sum().backward()"),
        (x, "half = len(x) // 2", "x[:half].sum().backward()"),
        (x, "n = x.detach().numpy().copy()", "n[0] = 5.0", "(x ** 2).sum().backward()"),
        (x, "x.data.clamp_(-1, 1)", "(x ** 2).sum().backward()"),
        (x, "y = (x ** 2).sum()", "y.backward()", "x.data.zero_()"),
    )
    return (*random.choice(parts), "print('done')")


KINDS: tuple[Callable[[Random], Part], ...] = (training, training, by_hand, recurrent, adversarial, geometry)
"""What programs are of."""
