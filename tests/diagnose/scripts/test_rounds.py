"""A backward that comes too late, in a script: whether a round, a step or the forward itself is why."""

import pytest

from autograd_cli.diagnose.scripts import inside

HEAD = """\
import torch
from torch import nn

"""

MEMORY = """\
def train(cell, rounds):
    memory = torch.zeros(2, 4)
    for number in range(rounds):
        memory = cell(torch.ones(2, 3), memory)
        loss = memory.mean()
        loss.backward()


train(nn.GRUCell(3, 4), 3)
"""

CONTEXT = """\
layer = nn.Linear(3, 3)
context, number = torch.zeros(1, 3), 0
while number < 3:
    mixed = torch.tanh(layer(context))
    mixed.sum().backward()
    context = mixed
    number += 1
"""

TOTAL = """\
w = torch.ones(2, requires_grad=True)
total = torch.zeros(())
for number in range(3):
    total += (w**2).sum()
    total.backward()
"""

KEPT = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(4, 4)
        self.past = torch.zeros(2, 4)

    def forward(self, x):
        self.past = torch.tanh(self.cell(x + self.past))
        return self.past


net = Net()
for number in range(3):
    net(torch.ones(2, 4)).sum().backward()
"""

SHOWN = """\
class Net(nn.Module):
    def forward(self, x):
        self.last = torch.tanh(layer(x))
        return self.last


layer, net = nn.Linear(4, 4), Net()
result = net(torch.ones(2, 4))
result.sum().backward()
result.mean().backward()
"""

ONCE = """\
layer = nn.Linear(3, 3)
shared = torch.sigmoid(layer(torch.ones(1, 3)))
for number in range(3):
    loss = (shared * number).sum()
    loss.backward()
"""

TWO_LOSSES = """\
layer = nn.Linear(3, 3)
for number in range(3):
    shared = torch.sigmoid(layer(torch.ones(1, 3)))
    shared.sum().backward()
    shared.mean().backward()
"""

LET_GO = """\
layer = nn.Linear(3, 3)
state = torch.zeros(1, 3)
for number in range(3):
    state = torch.tanh(layer(state.detach()))
    loss = state.sum()
    loss.backward()
    loss.backward()
"""

CRITIC = """\
def play(maker, critic, steps):
    score = critic(maker)
    score.mean().backward(retain_graph=True)
    steps.step()
    loss = -score.mean()
    loss.backward()


maker = torch.ones(4, 2, requires_grad=True)
critic = nn.Sequential(nn.Conv1d(4, 3, 1), nn.Flatten())
steps = torch.optim.SGD(critic.parameters(), lr=0.1)
play(maker, critic, steps)
"""

FRESH = """\
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
opt = torch.optim.Adam([w])
h = torch.ones(1, 2) @ w
second = (h @ w).sum()
h.sum().backward(retain_graph=True)
opt.step()
second.backward()
"""

IN_FORWARD = """\
scale = torch.ones(2)
w = torch.ones(2, requires_grad=True)
opt = torch.optim.Adam([w])
for number in range(2):
    loss = (w * scale).sum()
    if number:
        scale += 1
    loss.backward()
    opt.step()
"""

SCHEDULED = """\
scale = torch.ones(2)
w = torch.ones(2, requires_grad=True)
schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([w], lr=0.1), 10)
loss = (w * scale).sum()
schedule.step()
scale += 1
loss.backward()
"""

NOTED = """\
cell, state, noted = nn.GRUCell(3, 4), torch.zeros(2, 4), 0.0
for number in range(3):
    state, noted = cell(torch.ones(2, 3), state), float(state.detach().mean())
    detached = state.mean()
    detached.backward()
"""

HELPED = """\
def let_go(state):
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(let_go(one) for one in state)


cell, past = nn.LSTMCell(3, 4), (torch.zeros(2, 4), torch.zeros(2, 4))
for number in range(3):
    past = let_go(past)
    past = cell(torch.ones(2, 3), past)
    loss = past[0].sum()
    loss.backward()
    loss.backward()
"""

NOT_HELPED = """\
def shown(state):
    print(state[0].detach().sum())
    return state


cell, past = nn.Linear(4, 4), torch.zeros(2, 4)
for number in range(3):
    past = shown(torch.tanh(cell(past)))
    past.sum().backward()
"""

OWN_CLASS = """\
class Descent(torch.optim.SGD):
    pass


def made(weights):
    return Descent(weights, lr=0.1)


class Fit:
    def __init__(self):
        self.w = torch.ones(2, requires_grad=True)
        self.ways = {"one": made([self.w])}

    def __call__(self):
        loss = (self.w**2).sum()
        loss.backward(retain_graph=True)
        self.ways["one"].step()
        loss.backward()


Fit()()
"""

NO_OPTIMIZER = """\
class SGD:
    def step(self):
        scale.add_(1)


scale, w, opt = torch.ones(2), torch.ones(2, requires_grad=True), SGD()
loss = (w * scale).sum()
opt.step()
loss.backward()
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (NOTED, "recurrent-state-not-detached"),
        (HELPED, "backward-twice-freed-graph"),
        (NOT_HELPED, "recurrent-state-not-detached"),
        (OWN_CLASS, "optimizer-step-before-backward"),
        (MEMORY, "recurrent-state-not-detached"),
        (CONTEXT, "recurrent-state-not-detached"),
        (KEPT, "recurrent-state-not-detached"),
        (SHOWN, "backward-twice-freed-graph"),
        (TOTAL, "recurrent-state-not-detached"),
        (ONCE, "backward-twice-freed-graph"),
        (TWO_LOSSES, "backward-twice-freed-graph"),
        (LET_GO, "backward-twice-freed-graph"),
        (CRITIC, "optimizer-step-before-backward"),
        (FRESH, "optimizer-step-before-backward"),
        (IN_FORWARD, "inplace-modified-saved-tensor"),
        (SCHEDULED, "inplace-modified-saved-tensor"),
    ],
)
def test_the_mistake_is_named_by_what_is_written_around_the_backward(tmp_path, text, name):
    path = tmp_path / "fit.py"
    path.write_text(HEAD + text)
    (told,) = inside.run(str(path)).findings
    assert told.finding.name == name


@pytest.mark.parametrize(("text", "name"), [(MEMORY, "memory"), (KEPT, "self.past")])
def test_what_is_carried_is_named(tmp_path, text, name):
    path = tmp_path / "fit.py"
    path.write_text(HEAD + text)
    (told,) = inside.run(str(path)).findings
    assert told.finding.cause[0].startswith(f"`{name}` is carried from round to round")


PAIR = """layer = torch.nn.LSTM(3, 4)
state = None
for _ in range(3):
    out, state = layer(torch.randn(2, 5, 3), state)
    out.pow(2).mean().backward()
"""


def test_a_state_of_several_tensors_is_detached_part_by_part(tmp_path):
    path = tmp_path / "fit.py"
    path.write_text("import torch\n" + PAIR)
    (told,) = inside.run(str(path)).findings
    statement = "state = type(state)(part.detach() for part in state)"
    assert told.finding.fix[0].text == f"detach the state between rounds: {statement}"
    path.write_text("import torch\n" + PAIR + f"    {statement}\n")
    assert inside.run(str(path)).findings == ()


@pytest.mark.parametrize(("text", "steps"), [(NO_OPTIMIZER, False), (OWN_CLASS, True)])
def test_what_only_has_the_name_of_an_optimizer_is_not_said_to_step(tmp_path, text, steps):
    path = tmp_path / "fit.py"
    path.write_text(HEAD + text)
    (told,) = inside.run(str(path)).findings
    assert any("an optimizer steps between" in line for line in told.finding.cause) is steps
