"""What generated programs are written with: for each symbol the texts that it may stand for.

`<tensor>`, `<number>`, `<list>`, `<function>` and `<optimizer>` are names that the program has by
then; `<new tensor>` and its like are names that it has from then on. All shapes in use broadcast with
each other, so that most programs run to their end; some do not, which is as it should be.

Alternatives are kept apart by two spaces or the end of a line.
"""

import re


def _apart(text: str) -> tuple[str, ...]:
    return tuple(re.split(r"  +|\n", text.strip()))


TENSORS = _apart("""
<tensor>  <tensor>  <tensor>  <leaf>  <T> + <T>  <T> - <T>  <T> * <T>  <T> + <N>  <N> - <T>  <T> * <N>
(<T>) / <float>  <tensor>**2  <tensor>**<small>  2**<tensor>  -<tensor>  +<tensor>  torch.sin(<T>)
torch.cos(<T>)  torch.tanh(<T>)  torch.sigmoid(<T>)  F.relu(<T>)  torch.exp(-<tensor>**2)  torch.abs(<T>)
abs(<T>)  (<T>).clamp(-1, 1)  torch.atan(<T>)  torch.sqrt(<tensor>.abs() + 1)  torch.log(<tensor>**2 + 1)
F.softplus(<T>)  (<T>).square()  (<T>).sum()  (<T>).mean()  (<T>).prod()  <tensor>.sum(<dim>)
<tensor>.mean(<dim>, keepdim=True)  <tensor>.max()  <tensor>.min(<dim>).values  <tensor>.cumsum(<dim>)
<tensor>.sum(dim=<dim>)  <tensor>.softmax(<dim>)  <tensor>.norm()  <tensor>.var(<dim>, unbiased=False)
<tensor>.flip(0)  <tensor> @ <tensor>.T  <tensor>.T @ <tensor>  torch.matmul(<tensor>, <tensor>.mT)
torch.outer(<tensor>.reshape(-1), <tensor>.reshape(-1))  <tensor>.reshape(-1) @ <tensor>.reshape(-1)
torch.where(<tensor> > 0, <tensor>, <N>)  torch.maximum(<tensor>, <tensor>)  <tensor> % <float>
torch.stack([<tensor>, <tensor>])  torch.cat([<tensor>.reshape(-1), <tensor>.reshape(-1)])
<tensor> // <float>  (<tensor> > <N>).float()  <T> if <B> else <T>  <function>(<tensor>)
<function>(<tensor>, <N>)  <function>(<tensor>, scale=<N>)  <view>  <cast>  <cut>
torch.relu(<tensor>) * <tensor>  F.mse_loss(<tensor>, <tensor>)  (<T> - <T>).abs().mean()
torch.sum(<tensor>, dim=<dim>, keepdim=True)  torch.add(<tensor>, <tensor>, alpha=2)  <tensor> == <tensor>
torch.clamp(<tensor>, min=<float>)  torch.mul(input=<tensor>, other=<N>)  <tensor>.real  torch.square(<T>)
<tensor>.abs().sqrt()  (<T>).sigmoid().log()  <tensor>.pow(<small>)
torch.einsum("...i,...i->...", <tensor>, <tensor>)  <function>(t=<tensor>)  <list>[0] * <tensor>
<tensor>.any()  <tensor>.logsumexp(<dim>)  <tensor>.median()  <tensor>.sort(<dim>).values
<tensor>.repeat(2, 1)  torch.dot(<tensor>.flatten(), <tensor>.flatten())
torch.sin(<tensor>).detach() * <tensor>  <tensor>.std()  torch.sort(<tensor>)[0]
F.normalize(<tensor>, dim=<dim>)  F.dropout(<tensor>, 0.5)  torch.bernoulli(torch.full((3,), 0.5))
<tensor>.new_tensor([1.0, 2.0, 3.0])  torch.autograd.grad((<T>).sum(), <tensor>, create_graph=True)[0]
<tensor>.type_as(<tensor>)  <whole>
""")

LEAVES = _apart("""
torch.tensor([1.0, -2.0, 0.5])  torch.tensor([[0.5], [1.5]])  torch.ones(2, 3)  torch.zeros(3)
torch.randn(2, 3)  torch.rand(3)  torch.arange(3.0)  torch.linspace(0, 1, steps=3)
torch.full((2, 3), <float>)  torch.eye(3)[:2]  torch.tensor(<float>)  torch.ones_like(<tensor>)
torch.arange(6.0).reshape(2, 3)  torch.randn_like(<tensor>)  torch.zeros(1, 3, dtype=torch.float64)
torch.tensor([1, 2, 3])  torch.arange(6).reshape(2, 3)  torch.tensor([True, False, True])
torch.tensor(<list>)  torch.randint(0, 5, (2, 3))  torch.empty(3).fill_(<float>)
torch.tensor([1 + 2j, 0.5])  torch.rand(2, 1)  torch.zeros_like(<tensor>, dtype=torch.float64)
torch.tensor([float("nan"), 1.0, float("inf")])
""")

VIEWS = _apart("""
<tensor>[0]  <tensor>[-1]  <tensor>[..., 0]  <tensor>[None]  <tensor>[:, None]  <tensor>[1:]  <tensor>[::2]
<tensor>.T  <tensor>.view(-1)  <tensor>.reshape(3, -1)  <tensor>.unsqueeze(0)  <tensor>.squeeze()
<tensor>.flatten()  <tensor>.expand(2, 3)  <tensor>.transpose(0, -1)  <tensor>[<tensor> > 0]
<tensor>[torch.tensor([0, 0])]  <tensor>.contiguous()  <tensor>[[0, -1]]  <tensor>.view(7)  <tensor>[5]
<tensor>.select(0, 0)  <tensor>.t()  <tensor>.diagonal()  <tensor>[:, 0]  <tensor>[0, 1]  <tensor>[0][1]
<tensor>[None, 0]  <tensor>[..., None]  <tensor>[1, :2]  <tensor>[-1:]  <tensor>.narrow(0, 0, 1)
<tensor>.mT  <tensor>.permute(-1, 0)  <tensor>.expand_as(<tensor>)  <tensor>.chunk(2)[0]
<tensor>.unbind(0)[0]  <tensor>[True]  <tensor>.movedim(0, -1)  <tensor>.H  <tensor>[<tensor> != 0]
<tensor>[torch.arange(2)]  <tensor>.split(1)[0]  <tensor>.ravel()
""")

CASTS = _apart("""
<tensor>.double()  <tensor>.float()  <tensor>.half().float()  <tensor>.to(torch.float64)  <tensor>.long()
<tensor>.int()  <tensor>.bool()  <tensor>.to(<tensor>)  <tensor>.bfloat16()  <tensor>.round()
<tensor>.type(torch.float32)  <tensor>.argmax()  <tensor>.sign()
""")

CUTS = _apart("""
<tensor>.detach()  <tensor>.data  <tensor>.clone()  <tensor>.detach().clone()  <tensor>.cpu()
torch.tensor(<tensor>.tolist())  torch.from_numpy(<tensor>.detach().numpy())
""")

NUMBERS = _apart("""
<number>  <int>  <float>  <number> + <int>  <number> * <float>  <number> - <number>  <number> // <int>
<number> % <int>  (<number>)**2  -<number>  <number> / <small>  abs(<N>)  max(<N>, <N>)  min(<N>, <N>)
round(<N>)  float(<N>)  int(<N>)  bool(<N>)  <tensor>.sum().item()  <tensor>.numel()  <tensor>.ndim
len(<list>)  len(<tensor>)  <tensor>.mean().item()  <N> if <B> else <N>  <B>  <list>[0]  <list>[-1]
sum([<N>, <N>])  int(<N>) & <small>  int(<N>) | <small>  int(<N>) ^ <small>  <small> << <small>  ~<small>
<number> and <number>  <number> or <int>  <tensor>.size(0)  <tensor>.shape[0]  math.pi * <int>
math.sqrt(<small>)  <tensor>.dim()  float(<tensor>.sum())  <tensor>[0].item()  <number>**<small>
(<N>) % (<N>)  (<N>) // (<N>)  pow(<small>, <small>)  float("inf")  1 / 3  2**70  -7 // 2  -7 % 3  len(<S>)
<tensor>.element_size()  complex(<N>, 1)  round(<float>, 1)  sum(<list>)  max(<list>)  min([<N>, <N>])
<tensor>.max().item()  len(range(<small>))  <tensor>.nelement()  1e16 + 1  0.1 + 0.2  int(<float>)
abs(-<small>)  sum([1, 2], <small>)  <tensor>.argmax().item()  round(<tensor>.sum().item(), 2)
True + <small>
""")

TRUTHS = _apart("""
True  <number> > <int>  <number> == <number>  <small> <= <number> < <int>  not <B>  <tensor>.requires_grad
<tensor>.is_leaf  <tensor>.grad is None  <tensor>.grad_fn is not None  <tensor>.sum() > 0
(<tensor> > 0).any()  <B> and <B>  <B> or <B>  <number> in [1, 2, <int>]  <tensor>.shape == <tensor>.shape
<tensor> is <tensor>  <tensor>.dtype == torch.float32  torch.equal(<tensor>, <tensor>)
<tensor>.data_ptr() == <tensor>.data_ptr()  len(<list>) > 1  <tensor>.is_contiguous()  <number> != <float>
<tensor>.ndim not in (1, 2)  torch.is_grad_enabled()  <S> == <S>  'a' in <S>  <number> is None  <N> < <N>
bool(<list>)  bool(<tensor>)  <tensor> is not None  any([<B>, <B>])  all([<B>, <B>])
<tensor>.is_floating_point()  torch.is_tensor(<tensor>)  <tensor>.dtype is torch.float32  <N> == <N> == <N>
not <tensor>.grad_fn  torch.allclose(<tensor>, <tensor>)  <tensor>.device.type == 'cpu'
""")

WHOLE = _apart("""
torch.tensor([1, 2, 3]) + <small>  (<whole>) // <small>  (<whole>) % <small>  (<whole>) & <small>
(<whole>) | 1  (<whole>) ^ 3  (<whole>) << 1  (<whole>) >> 1  ~(<tensor> > 0)
(<tensor> > 0) & (<tensor> < 1)  (<whole>) / <small>  -(<whole>)  (<tensor> > 0) | (<tensor> < <N>)
(<whole>) * (<whole>)  (<whole>) ** 2  (<whole>) - torch.arange(3)  (<whole>).sum()
""")

WORDS = _apart("""
'a'  'grad'  str(<number>)  'ab' + <S>  'ab' * <small>  str(<tensor>.dtype)  f'{<N>}'  f'<{<number>:>4}>'
f'{<tensor>.sum():.3f}'  f'{<float>:08.2e}'  f'{<tensor>}'  f'{<B>!s:<6}|'  f'{<N>!r}'
type(<tensor>).__name__  f'{<int>:+d}'  f'{<small>:,}{<float>:g}'  'one' 'two'  'a' if <B> else 'b'
f"{<list>} {{}}"
""")

EXPRESSIONS = {
    "T": TENSORS,
    "leaf": LEAVES,
    "view": VIEWS,
    "cast": CASTS,
    "cut": CUTS,
    "N": NUMBERS,
    "B": TRUTHS,
    "S": WORDS,
    "whole": WHOLE,
    "int": _apart("1  2  3  0  -1  7  10"),
    "small": _apart("1  2  3"),
    "float": _apart("0.5  2.0  -1.5  1e-3  0.1  3.0"),
    "dim": _apart("0  -1  1"),
}
"""By symbol. The first three of each hold no other expression: they end a tree that is deep enough."""


ASSIGNMENTS = _apart("""
<new tensor> = <T>  <new tensor> = <T>  <new tensor> = <T>  <new tensor> = <T>  <new tensor> = <T>
<new tensor> = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
<new tensor> = torch.randn(2, 3, requires_grad=True)
<new tensor> = torch.tensor(<float>, requires_grad=True)  <new tensor> = nn.Parameter(torch.ones(3))
<new tensor> = <view>  <new tensor> = <cut>  <new tensor> = <tensor>  <new tensor> = <cast>
<new tensor> = <new tensor> = <T>  <new tensor>, <new tensor> = <tensor>, <tensor>
<new tensor>, <new tensor> = <tensor>.max(<dim>)  <new tensor>, <new tensor> = <T>, <T>
<new tensor>, <new tensor> = torch.autograd.grad((<T>).sum(), [<tensor>, <tensor>], allow_unused=True)
(<new tensor>,) = torch.autograd.grad((<T>).sum(), <tensor>)  <new tensor> = <new tensor> = <T>
<new number> = <N>; <new tensor> = <T>  <new tensor> = (<T>).requires_grad_()
<new tensor> = torch.nn.Parameter(<cut>)  <new number>, (<new tensor>, <new tensor>) = <N>, (<T>, <tensor>)
<new tensor>, <new tensor> = <tensor>  [<new tensor>, <new number>] = [<T>, <N>]
<new tensor>, <new tensor> = <tensor>.sort()
<new tensor> = torch.autograd.grad((<T>).sum(), <tensor>, create_graph=True)[0]
<new number> = [<N>, <N>, <N>][<small>]
""")

IN_PLACE = _apart("""
<tensor>.add_(<N>)  <tensor>.mul_(<tensor>)  <tensor>.zero_()  <tensor>.fill_(<float>)  <tensor>.neg_()
<tensor> += <T>  <tensor> -= <N>  <tensor> *= <N>  <tensor> /= <float>  <tensor>.clamp_(-1, 1)
<tensor>[0] = <N>  <tensor>[..., -1] = <N>  <tensor>[<tensor> > 0] = <N>  <tensor>[0] += <N>
<tensor>[1:] = <tensor>  <tensor>[0] = <tensor>[-1]  <tensor>.copy_(<tensor>)  <tensor>.sin_()
<tensor>.data.mul_(<float>)  <tensor>.data[0] = <N>  <tensor>.data += <N>  <tensor>.detach().add_(1)
<tensor>.data = <cut>  <tensor>.view(-1)[0] = <N>  <tensor>[0].mul_(<N>)  <tensor>.squeeze_()
<tensor>[0], <tensor>[1] = <tensor>[1], <tensor>[0]  <tensor>[0][1] = <N>  <tensor>[:, 0] = <N>
<tensor>[0, 1] = <N>  <tensor>[:] = <T>  <tensor>[1:] *= <N>  <tensor> **= 2  <tensor>.grad += 1
<tensor>.grad.data.zero_()  <tensor>.grad.mul_(<float>)  <tensor>.data -= 0.1 * <tensor>.grad
<tensor>.masked_fill_(<tensor> > 0, 1.0)  <tensor>.exp_()  <tensor>.sub_(<tensor>, alpha=2)
<tensor>.index_fill_(0, torch.tensor([0]), 2.0)  <tensor>.t_()  <tensor>.unsqueeze_(0)  <tensor>.normal_()
<tensor>.view(-1).add_(1)  <tensor>.T[0] = <N>  <tensor> @= <tensor>  <tensor>.flatten()[0] = <N>
<tensor>.relu_()  <tensor>.data.copy_(<tensor>)  <tensor> //= <small>  <tensor>[<tensor> < 0] *= <N>
<tensor>.requires_grad = <B>  <tensor>.data.clamp_(min=0)  <tensor>.diagonal().zero_()
""")

GRADIENTS = _apart("""
(<T>).sum().backward()  (<T>).sum().backward()  <tensor>.sum().backward()  <tensor>.backward()
(<T>).backward(gradient=torch.ones(3))  <tensor>.sum().backward(retain_graph=True)
torch.autograd.backward((<T>).sum())  (<T>).mean().backward(create_graph=True)  <tensor>.requires_grad_()
<tensor>.requires_grad = True  <tensor>.requires_grad_(False)  <tensor>.retain_grad()  <tensor>.grad = None
<tensor>.grad.zero_()  <tensor>.grad = <cut>  <new tensor> = <tensor>.grad  <tensor>.detach_()
(<T>).sum().backward(inputs=[<tensor>])  (<T>).sum().backward(torch.tensor(<float>))
<tensor>.grad = torch.ones_like(<tensor>)  (<T>).backward(torch.ones_like(<tensor>))
<tensor>.grad.requires_grad_()  (<tensor> * <tensor>.grad).sum().backward()
((<T>).sum() + (<T>).mean()).backward()  (<T>).prod().backward()  (<T>).max().backward()
(<T>).norm().backward()
""")

LISTS = _apart("""
<new number> = <N>  <new number> = <N>  <new number> = <B>  <number> += <N>  <number> *= <int>
<new number> = <number>  <new number>, <new number> = <N>, <N>  <new list> = []  <new list> = [<N>, <N>]
<new list> = [<tensor>, <T>]  <new list> = <list>  <list>.append(<N>)  <list>.append(<T>)
<list>.append(<tensor>)  <list>[0] = <N>  <list> += [<N>]  <new list> = <tensor>.tolist()
<new list> = list(range(<small>))  <new list> = <list> + [<N>]  <new tensor> = torch.tensor(<list>)
<new tensor> = torch.stack(<list>)  <new tensor> = sum(<list>)  <new list> = [[1, 2], [3, <N>]]
<new list> = [<S>, <N>, None]  <list>[-1] = <T>  <new list> = [<B>] * <small>  <list>[0] += <N>
<new number> = <list>[<small>]  <new tensor> = <list>[0]  <new list> = list(<tensor>)
<new list> = list(<list>)  <new list> = [<list>, <list>]  <new list> = <list>[1:]  <new list> = <list>[::-1]
<list>[0], <list>[1] = <list>[1], <list>[0]  <new tensor> = torch.cat(<list>)  <list> *= 2
<new list> = list(zip(<list>, [1, 2]))  <new list> = list(enumerate(<list>))
<new list> = [<N>, <T>, (<N>, <T>)]  <list>.append([<N>])
""")

OPTIMIZERS = _apart("""
<new optimizer> = torch.optim.SGD([<tensor>], lr=0.1)
<new optimizer> = torch.optim.SGD([<tensor>, <tensor>], lr=0.1, momentum=0.9)
<new optimizer> = torch.optim.Adam([<tensor>], lr=0.01)  <optimizer>.zero_grad()  <optimizer>.step()
<optimizer>.step()  <new optimizer> = torch.optim.SGD([<tensor>], lr=0.1, weight_decay=0.01)
<new optimizer> = torch.optim.Adam([<tensor>, <tensor>], lr=0.1, betas=(0.8, 0.9))
<optimizer>.zero_grad(set_to_none=False)  <optimizer>.step()
""")

MODES = _apart("""
torch.manual_seed(<int>)  torch.set_grad_enabled(<B>)
""")

SEEN = _apart("""
print(<tensor>)  print(<tensor>.grad)  print(<N>, <B>)  print(<tensor>.shape, <tensor>.dtype)
print(f'{<N>} {<float>:.3f} {<tensor>.sum().item():>9.2f}|')  print("n =", <number>, sep="", end=";\\n")
print(f'{<tensor>.shape} {<number>!r:>6} {<list>}')  print(<list>)  print(str(<number>) + 'x')
print(<tensor>.grad_fn)  print(type(<tensor>.grad_fn).__name__)  print(<T>)  print()
print(<tensor>.tolist(), <tensor>.device)  print(<list>, <tensor>.stride())  print(type(<number>).__name__)
assert <B>  assert <B>, f'not {<number>}'  assert <tensor>.numel() > 0  pass  <T>  <N>  print(<S>)
print(<S>, <S>, end='')  print(f'{<S>}: {<tensor>.tolist()}')  print(<list>, <N>, sep='|')
print(<tensor>.max(<dim>))  print(<tensor>.sort())  print(<tensor>.size(), <tensor>.device, <tensor>.dtype)
print((<N>, <T>))  print([<T>, None])
""")

STATEMENTS = (*ASSIGNMENTS, *ASSIGNMENTS, *IN_PLACE, *GRADIENTS, *LISTS, *OPTIMIZERS, *MODES, *SEEN)


FAILURES = _apart("""
1 // 0  [1, 2][5]  <tensor>.numpy()  float(<tensor>)  <tensor>.item()  torch.ones(2) @ torch.ones(3)
torch.tensor([1, 2], requires_grad=True)  torch.randn(2, 3).view(4)  torch.ones(2, 3) + torch.ones(2)
torch.inverse(torch.zeros(2, 2))  assert False, 'no'  <list>[9]  bool(torch.ones(2))  len(<number>)
torch.zeros(2).backward()  torch.stack([])  torch.ones(2, 3)[4]  torch.ones(3).long().mean()  <number> + 'x'
<list> + 1  torch.ones(2).requires_grad_().add_(1)  torch.zeros(2) << 1.5  undefined
torch.mm(torch.ones(2, 3, 1), torch.ones(3, 1))  F.mse_loss(torch.ones(3), torch.ones(4))  math.log(0)
torch.ones(2, 3).sum(5)  torch.zeros(2, -1)  torch.arange(0)[0]  math.sqrt(-1)  2**1.5 % 0
""")
"""Statements that are likely to raise."""

ERRORS = _apart("""
(TypeError, RuntimeError)  (IndexError, ValueError, ZeroDivisionError)  AttributeError  ArithmeticError
NameError  OverflowError  RuntimeError  Exception  TypeError  ValueError  IndexError  ZeroDivisionError
AssertionError
""")
"""What is caught, most often the first."""

HEADS = {
    "for <new number> in range(<small>):": "loop",
    "for <new number> in [<N>, <N>]:": "loop",
    "for <new number>, <new number> in zip([1, 2], [<N>, <N>]):": "loop",
    "for <new number>, <new number> in enumerate([<N>, <float>]):": "loop",
    "for <new number> in range(0, 5, 2):": "loop",
    "for <new number> in <list>[:3]:": "loop",
    "for <new number> in range(len(<list>)):": "loop",
    "for <new number>, <new tensor> in enumerate(<tensor>):": "loop",
    "for <new tensor>, <new tensor> in zip(<tensor>, <tensor>):": "loop",
    "for <new number>, <new tensor> in zip(['a', 'b'], [<tensor>, <T>]):": "loop",
    "for <new number> in range(5, 0, -<small>):": "loop",
    "with torch.no_grad(), torch.enable_grad():": "block",
    "with torch.autocast('cpu', dtype=torch.bfloat16):": "block",
    "for <new tensor> in <tensor>:": "loop",
    "if <B>:": "if",
    "if <tensor>.grad is not None:": "if",
    "with torch.no_grad():": "block",
    "with torch.enable_grad():": "block",
    "with torch.set_grad_enabled(<B>):": "block",
    "with torch.inference_mode():": "block",
    "try:": "try",
}
"""What begins a block, and what kind of block it is."""

FUNCTIONS = (
    ("<new function>(t, scale=<float>):", "return t * scale"),
    ("<new function>(t, scale=2):", "return torch.sin(t) + scale"),
    ("<new function>(t, scale=<int>):", "if scale > 1:\n    return t\nreturn t.sum()"),
    ("<new function>(t, scale=1):", "t = t - scale\nt.mul_(2)\nreturn t"),
    ("<new function>(t, scale=1):", "u = t * scale\nfor k in range(2):\n    u = u + k\nreturn u"),
    ("<new function>(t, scale=1):", "print(t.shape)\nt.data.add_(scale)"),
    ("<new function>(t, scale=1):", "if t.numel() > 3:\n    v = t\nreturn v"),
    ("<new function>(t, scale=1):", "try:\n    return t.view(3) * scale\nexcept RuntimeError:\n    return t"),
    ("<new function>(t, scale=1):", "with torch.no_grad():\n    return t + scale"),
    ("<new function>(t, scale=1):", "for k in range(3):\n    if k == 1:\n        return t * k\nreturn scale"),
    ("<new function>(t, scale=1):", "items.append(t.sum().item())\nreturn t * n"),
    ("<new function>(t, scale=1):", "t += scale\nreturn t"),
    ("<new function>(t, scale=1):", "t[0] = scale\nreturn t, scale"),
    ("<new function>(t, scale=1):", "if scale:\n    n = 5\nreturn t + n"),
    ("<new function>(t, scale=1):", "try:\n    t.backward()\nfinally:\n    print('done')\nreturn t"),
    ("<new function>(t, scale=1):", "loss = (t * scale).sum()\nloss.backward()\nreturn loss.item()"),
    ("<new function>(t, scale=1):", "return (t, t * 2, scale)[scale]"),
    ("<new function>(t, scale=1):", "u = t.detach()\nu.requires_grad_()\nreturn u * scale"),
)
"""Functions by head and body."""
