"""Functions whose derivative is not written down, and why: a formula would not be read."""

_FACTORS = ("cond", "householder_product", "ormqr", "lu_solve", "torch_lu_solve", "tensorsolve")
_PLACES = ("grid_sample", "affine_grid", "upsample_bilinear")
_STEPS = (
    *("lp_pool1d", "lp_pool2d", "lp_pool3d", "pdist", "embedding_bag", "local_response_norm", "renorm"),
    *("multi_head_attention_forward", "linear_cross_entropy"),
)

UNWRITTEN = {
    **dict.fromkeys(
        _FACTORS,
        "is made of factors of a matrix, and has no short formula: write it by svd, qr or solve",
    ),
    **dict.fromkeys(_PLACES, "mixes elements at places between them, and has no short formula"),
    **dict.fromkeys(_STEPS, "is several steps in one, and has no short formula: write the steps out"),
}
"""By rule key, what is said after the function's name."""
