import torch
from torch import nn
from torch.distributions import Categorical, Normal

actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
log_std = nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], lr=1e-2)
for episode in range(3):
    states = torch.randn(6, 4)
    dist = Categorical(logits=actor(states))
    action = dist.sample()
    values = critic(states).squeeze(-1)
    noise = Normal(values.detach(), log_std.exp()).rsample()
    returns = torch.randn(6) + noise.mean()
    advantage = (returns - values).detach()
    loss = -(dist.log_prob(action) * advantage).mean() + (returns.detach() - values).pow(2).mean() - 0.01 * dist.entropy().mean()
    loss = loss + 1e-3 * noise.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
