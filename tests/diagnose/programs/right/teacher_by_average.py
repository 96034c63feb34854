import torch
student = torch.tensor([1.0, 2.0], requires_grad=True)
teacher = torch.tensor([1.5, 2.5])
with torch.no_grad():
    t_out = (teacher * 2).softmax(0)
s_out = (student * 2).log_softmax(0)
loss = -(t_out * s_out).sum()
loss.backward()
with torch.no_grad():
    teacher.mul_(0.9).add_(student, alpha=0.1)
print(teacher, student.grad)
