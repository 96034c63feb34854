"""How far a prediction is from its target: the losses of torch.nn.functional, and distances."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.LOSS, method=False)

END = ", *, reduction: text = 'mean')"
PLAIN = "(input, target" + END
POISSON = (
    "(input, target, log_input: flag = True, full: flag = False, *, eps: number = 1e-08,"
    " reduction: text = 'mean')"
)
CHOSEN = "(input, target: target, weight = None, *, ignore_index: index = -100, reduction: text = 'mean')"
CROSS = CHOSEN[:-1] + ", label_smoothing: number = 0.0)"
KINK = "x != y"
X, Y = "[1.5,-0.3,0.7]", "[0.2,2.5,-1.1]"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
OFF = "[[1.5,-0.4,0.7],[0.2,2.5,-1.1]]"
N = "[[0.4,1.3,-0.9],[1.2,-0.5,0.3]]"
K = "[[0.1,-1.3,0.6],[-0.8,0.5,2.3]]"
SQUARE = "[[0.4,-1.2,0.8],[0.3,0.9,-0.5],[-0.7,1.1,0.6]]"
CLASSES = "tensor([2,0])"


def _two(name: str, meaning: str, domain: str, signature: str = PLAIN, x: str = X, y: str = Y) -> Function:
    """A row for a loss of a prediction x and a target y: name, meaning, domain."""
    return _row(
        f"torch.nn.functional.{name}",
        meaning,
        f"F.{name}(x, y)",
        signature=signature,
        domain=domain,
        x=x,
        y=y,
    )


# fmt: off
DISTANCES = (
    _two("mse_loss", "the mean of the squared differences", "any real",
         "(input, target" + END[:-1] + ", weight = None)"),
    _two("l1_loss", "the mean of the absolute differences", KINK,
         "(input, target" + END[:-1] + ", weight = None)"),
    _two("smooth_l1_loss", "squares near 0, absolute differences beyond beta", "|x - y| != beta",
         "(input, target, *, reduction: text = 'mean', beta: number = 1.0)"),
    _two("huber_loss", "squares near 0, straight lines beyond delta", "|x - y| != delta",
         "(input, target, reduction: text = 'mean', delta: number = 1.0, weight = None)"),
    _two("poisson_nll_loss", "exp(x) - y*x, for counts", "any real; y >= 0",
         POISSON,
         y="[0.2,2.5,1.1]"),
    _row("torch.nn.functional.gaussian_nll_loss", "(log(v) + (x-y)**2 / v) / 2",
         "F.gaussian_nll_loss(x, y, v)",
         signature="(input, target, var, full: flag = False, eps: number = 1e-06, reduction: text = 'mean')",
         domain="v > eps", x=X, y=Y, v="[0.5,1.5,2.]"),
)

CLASSES_LOSSES = (
    _two("cross_entropy", "-log(softmax(x)) of the target class",
         "any real; classes 0 to C-1, or shares of them",
         CROSS, M, CLASSES),
    _two("nll_loss", "-x of the target class, x being log-probabilities", "any real; classes 0 to C-1",
         CHOSEN,
         M, CLASSES),
    _two("binary_cross_entropy", "-(y*log(x) + (1-y)*log(1-x))", "0 < x < 1, 0 <= y <= 1",
         "(input, target, weight = None" + END, "[0.2,0.7]", "[0.3,0.9]"),
    _two("binary_cross_entropy_with_logits", "binary_cross_entropy of sigmoid(x), safe for large x",
         "any real; 0 <= y <= 1",
         "(input, target, weight = None, *, reduction: text = 'mean', pos_weight = None)",
         y="[0.1,0.9,0.8]"),
    _row("torch.nn.functional.kl_div", "y * (log(y) - x), x being log-probabilities",
         "F.kl_div(x, y, reduction='batchmean')", domain="y > 0 unless log_target",
         signature="(input, target, *, reduction: text = 'mean', log_target: flag = False)", x=X,
         y="[0.2,0.5,0.3]"),
    _row("torch.nn.functional.soft_margin_loss", "log(1 + exp(-y*x)), y being 1 or -1",
         "F.soft_margin_loss(x, tensor([1., -1., 1.]))", signature=PLAIN, x=X),
    _row("torch.nn.functional.hinge_embedding_loss", "x where y is 1, max(0, margin - x) where y is -1",
         "F.hinge_embedding_loss(x, tensor([1., -1., 1.]))", domain="x != margin",
         signature="(input, target, margin: number = 1.0" + END, x=X),
    _two("multi_margin_loss", "how much other classes come within margin of the target's", "off the margin",
         "(input, target: target, p: number = 1, margin: number = 1.0, weight = None" + END, OFF, CLASSES),
    _two("multilabel_margin_loss", "multi_margin_loss for several target classes, ended by -1",
         "off the margin", "(input, target: target" + END, OFF, "tensor([[2,-1,0],[0,1,-1]])"),
    _two("multilabel_soft_margin_loss", "binary_cross_entropy_with_logits, averaged over classes", "any real",
         "(input, target, weight = None" + END, M, "[[0.9,0.1,0.8],[0.2,0.1,0.7]]"),
)

EMBEDDINGS = (
    _row("torch.nn.functional.cosine_embedding_loss",
         "1 - cosine where y is 1, the cosine above margin where -1",
         "F.cosine_embedding_loss(x, y, tensor([1.,-1.]))", domain="off the margin, no zero vector", x=M,
         y=N, signature="(input1, input2, target, margin: number = 0" + END),
    _row("torch.nn.functional.margin_ranking_loss", "max(0, margin - y*(a-b)): which of two is to be larger",
         "F.margin_ranking_loss(a, b, tensor([1.,-1.,1.]))", domain="off the margin", a=X, b=Y,
         signature="(input1, input2, target, margin: number = 0" + END),
    _row("torch.nn.functional.triplet_margin_loss",
         "max(0, margin + distance to positive - distance to negative)",
         "F.triplet_margin_loss(a, p, n, margin=3.)", domain="off the margin, no two equal vectors", a=M,
         p=N, n=K,
         signature="(anchor, positive, negative, margin: number = 1.0, p: number = 2, eps: number = 1e-06,"
                   " swap: flag = False" + END),
    _row("torch.nn.functional.triplet_margin_with_distance_loss",
         "triplet_margin_loss with the distance of pairwise_distance",
         "F.triplet_margin_with_distance_loss(a, p, n, margin=3.)", domain="off the margin", a=M, p=N, n=K,
         signature="(anchor, positive, negative, *, margin: number = 1.0, swap: flag = False,"
                   " reduction: text = 'mean')"),
    _row("torch.nn.functional.linear_cross_entropy", "cross_entropy of x @ w.T, in one step",
         "F.linear_cross_entropy(x, w, tensor([2,0]))", domain="any real; classes 0 to C-1", x=M, w=SQUARE,
         signature="(input, linear_weight, target: target, *, linear_bias = None, weight = None,"
                   " reduction: text = 'mean', ignore_index: index = None, label_smoothing: number = 0.0)"),
    _row("torch.nn.functional.cosine_similarity", "the cosine of the angle between vectors",
         "F.cosine_similarity(x, y)", signature="(x1, x2, dim: dim = 1, eps: number = 1e-08)",
         domain="no zero vector", aliases=("torch.cosine_similarity",), x=M, y=N),
    _row("torch.nn.functional.pairwise_distance", "the distance between vectors, row by row",
         "F.pairwise_distance(x, y)", domain="no two equal vectors", aliases=("torch.pairwise_distance",),
         x=M, y=N, signature="(x1, x2, p: number = 2, eps: number = 1e-06, keepdim: flag = False)"),
    _row("torch.nn.functional.pdist", "the distances between all pairs of rows", "F.pdist(x)",
         signature="(input, p: number = 2)", domain="no two equal rows", aliases=("torch.pdist",), x=M),
    _row("torch.cdist", "the distance of every row to every row of the other", "cdist(x, y)",
         signature="(x1, x2, p: number = 2, compute_mode: text = None)", domain="no two equal rows", x=M,
         y=N),
    row("torch.dist", "the norm of the difference", "dist(x, y)", kind=Kind.LOSS,
        signature="(input, other, p: number = 2)", domain="x != y somewhere", x=X, y=Y),
)
# fmt: on

ROWS = DISTANCES + CLASSES_LOSSES + EMBEDDINGS
