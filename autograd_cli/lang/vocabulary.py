"""Words that people know from mathematics and other libraries, and what the language calls them.

Each table maps what was written to what to write. A line holds `written=meant` pairs.
"""


def words(text: str) -> tuple[str, ...]:
    """The words of `text`."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """The `written=meant` pairs of `text`."""
    return dict(pair.split("=") for pair in text.split())


# Names of mathematics, of other libraries and of habit, and what torch calls them.
HABITS = pairs(
    """
    ln=log lg=log10 arcsine=asin sine=sin cosine=cos tangent=tan tg=tan tgh=tanh sh=sinh ch=cosh
    th=tanh arctg=atan exponential=exp logarithm=log squareroot=sqrt sqroot=sqrt root=sqrt
    sqr=square power=pow fabs=abs sgnum=sign signum=sign average=mean avg=mean variance=var
    stddev=std sigma=sigmoid logistic=sigmoid swish=F.silu array=tensor identity=eye ident=eye
    matmult=matmul inv=linalg.inv determinant=linalg.det mse=F.mse_loss mae=F.l1_loss
    bce=F.binary_cross_entropy cross_entropy_loss=F.cross_entropy crossentropy=F.cross_entropy
    expand_dims=unsqueeze reduce_mean=mean reduce_sum=sum reduce_max=max reduce_min=min
    matrix_inverse=linalg.inv random_normal=randn uniform=rand normal_like=randn_like lnGamma=lgamma
    loggamma=lgamma gammaln=lgamma step=heaviside concatenation=cat length=len repeat=tile
    log_sum_exp=logsumexp sumexp=logsumexp
    """
)

_DERIVATIVE = "the function alone: its gradients are what agx computes"

# What has no function of its own, and how it is written instead.
SPELT_OUT: dict[str, str] = {
    "cot": "1/tan(x)",
    "ctg": "1/tan(x)",
    "sec": "1/cos(x)",
    "csc": "1/sin(x)",
    "cosec": "1/sin(x)",
    "cbrt": "x**(1/3)",
    "factorial": "exp(lgamma(x + 1))",
    "diff": _DERIVATIVE,
    "derivative": _DERIVATIVE,
}

# Methods that a source has no use for, and why.
_OF_LISTS = "Of lists the language has `append`, `+` and indices."
METHODS_NOT_NEEDED: dict[str, str] = {
    **dict.fromkeys(words("extend insert pop remove sort reverse clear"), _OF_LISTS),
    "param_groups": 'Of an optimizer its settings are read, one by one: `optimizer.param_groups[0]["lr"]`.',
    "register_hook": "Leave it out: agx shows the gradient at every node.",
}

# Constants and dtypes in other spellings.
CONSTANT_HABITS = pairs(
    """
    π=pi PI=pi Pi=pi NaN=nan NAN=nan Inf=inf INF=inf infinity=inf Infinity=inf infty=inf true=True
    TRUE=True false=False FALSE=False none=None null=None nil=None NULL=None ℯ=e euler=e
    half_float=float16 fp16=float16 bf16=bfloat16 fp32=float32 f32=float32 f64=float64 fp64=float64
    """
)

# Classes of torch.nn, which are no values in an expression, and the function of each.
MODULE_CLASSES = pairs(
    """
    MSELoss=F.mse_loss L1Loss=F.l1_loss CrossEntropyLoss=F.cross_entropy
    BCELoss=F.binary_cross_entropy BCEWithLogitsLoss=F.binary_cross_entropy_with_logits
    NLLLoss=F.nll_loss KLDivLoss=F.kl_div HuberLoss=F.huber_loss SmoothL1Loss=F.smooth_l1_loss
    ReLU=relu Sigmoid=sigmoid Tanh=tanh Softmax=softmax LogSoftmax=log_softmax GELU=F.gelu
    SiLU=F.silu ELU=F.elu LeakyReLU=F.leaky_relu Softplus=F.softplus Linear=F.linear Conv1d=F.conv1d
    Conv2d=F.conv2d Dropout=F.dropout LayerNorm=F.layer_norm BatchNorm1d=F.batch_norm
    Embedding=F.embedding Flatten=flatten MaxPool2d=F.max_pool2d AvgPool2d=F.avg_pool2d
    """
)

# Attributes and methods in other spellings; brackets mark a method.
ATTRIBUTE_HABITS = pairs(
    """
    astype=to copy=clone length=numel() len=shape[0] shapes=shape transposed=T type_as=to
    ravelled=flatten() average=mean() dims=ndim dimensions=ndim gradient=grad tr=T transpose_=T
    """
)

# How other libraries are imported.
FOREIGN = frozenset(
    words(
        """
        K cp cupy jax jnp keras mx np numpy onp pd plt scipy sp sympy tensorflow tf
        """
    )
)

# What reaches files, or runs or inspects code, in Python and in torch.
UNSAFE = frozenset(
    words(
        """
        breakpoint callable compile delattr dir eval exec exit getattr globals hasattr hash help
        input issubclass load locals memoryview object open quit save setattr super vars
        """
    )
)

# Letters of other alphabets, and the Latin ones that they look like.
_CYRILLIC = zip("аеорсухѕіјһԛԝкмтвн", "aeopcyxsijhqwkmtbh", strict=True)
_GREEK = zip("οαεικνρτυχγ", "oaeiknptuxy", strict=True)
_CAPITALS = zip("АВЕКМНОРСТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTXABEZHIKMNOPTYX", strict=True)
LOOK_ALIKES = {**dict(_CYRILLIC), **dict(_GREEK), **dict(_CAPITALS)}
