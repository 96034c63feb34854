"""Two mistakes that one repair mends: the repair and its figures stand with the first alone."""

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

TEXT = """import torch
rows = torch.tensor([[1., 2.], [0.5, -1.], [2., 0.]])
k = torch.tensor([[0.3], [-0.2]], requires_grad=True)
want = torch.tensor([1., 0., 1.])
q = torch.sigmoid(rows @ k)
cost = -(want * q.log() + (1 - want) * (1 - q).log()).mean()
cost.backward()
"""


def test_the_second_of_two_products_of_all_pairs_points_to_the_first():
    first, second = [each for each in explore(Source(TEXT), ()).findings if each.code == "AGX407"]
    assert first.fix[0].passed
    assert any(line.startswith("the loss is ") for line in first.cause)
    assert [fix.text for fix in second.fix] == ["as on line 6, above: it mends both"]
    assert not [line for line in second.cause if "with the fix" in line]
    assert any(line.startswith("(1 - q).log()") for line in second.cause)
