"""What a verdict rests on, beside the witnesses: gradcheck's evidence.

Takes: a run, its backward, what the bench of its gradients knows, a judged gradient.
Gives: the Grounds of each gradient and the Checks of the whole, as plain records.
May import the other modules of gradients; each module here answers one question.
"""
