"""Functions whose derivative is not written down, and why: a formula would not be read."""

_FACTORS = ("cond", "householder_product", "ormqr", "lu_solve", "torch_lu_solve", "tensorsolve")
_PLACES = ("grid_sample", "affine_grid", "upsample_bilinear")
_STEPS = (
    *("lp_pool1d", "lp_pool2d", "lp_pool3d", "pdist", "embedding_bag", "local_response_norm", "renorm"),
    *("multi_head_attention_forward", "linear_cross_entropy"),
    *("multi_margin_loss", "multilabel_margin_loss", "cosine_embedding_loss", "triplet_margin_loss"),
    "triplet_margin_with_distance_loss",
)
_COMPLEX = (
    *(
        "chalf",
        "cfloat",
        "cdouble",
        "imag",
        "complex",
        "polar",
        "view_as_real",
        "view_as_complex",
        "eig",
        "eigvals",
    ),
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "stft", "istft"),
)
UNWRITTEN = {
    **dict.fromkeys(
        _FACTORS,
        "is made of factors of a matrix, and has no short formula: write it by svd, qr or solve",
    ),
    **dict.fromkeys(_PLACES, "mixes elements at places between them, and has no short formula"),
    **dict.fromkeys(_STEPS, "is several steps in one, and has no short formula: write the steps out"),
    **dict.fromkeys(_COMPLEX, "makes or takes complex numbers, for which there are no derivative rules"),
    **dict.fromkeys(("quantile", "nanquantile"), "lies between two elements: write it by sort and lerp"),
    "corrcoef": "has no short formula: write it by cov and its diagonal",
    "gumbel_softmax": "draws at random",
    **dict.fromkeys(
        ("as_strided", "as_strided_copy"), "may take an element twice: write it by unfold or an index"
    ),
}
"""By rule key, what is said after the function's name."""
