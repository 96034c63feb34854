# expect: optimizer-step-before-backward
import torch
from torch import nn

actor = nn.Linear(3, 2)
critic = nn.Linear(2, 1)
oa = torch.optim.Adam(actor.parameters())
oc = torch.optim.Adam(critic.parameters())


def update(s):
    a = actor(s)
    q = critic(a)
    critic_loss = (q - 1).pow(2).mean()
    oc.zero_grad()
    critic_loss.backward(retain_graph=True)
    oc.step()
    actor_loss = -q.mean()
    oa.zero_grad()
    actor_loss.backward()
    oa.step()


update(torch.randn(4, 3))
