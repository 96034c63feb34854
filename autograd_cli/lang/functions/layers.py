"""What the layers of a network compute: linear maps, convolutions, pools, norms, dropout, attention."""

from functools import partial
from typing import Any

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.LAYER, method=False)

STRIDES = (
    "(input, weight, bias = None, stride: size = 1, padding: size = 0, dilation: size = 1, groups: count = 1)"
)
BACK = (
    "(input, weight, bias = None, stride: size = 1, padding: size = 0, output_padding: size = 0,"
    " groups: count = 1, dilation: size = 1)"
)
AVERAGE = (
    "(input, kernel_size: size, stride: size = None, padding: size = 0, ceil_mode: flag = False,"
    " count_include_pad: flag = True)"
)
AVERAGE_2D = AVERAGE[:-1] + ", divisor_override: count = None)"
MAX = (
    "(input, kernel_size: size, stride: size = None, padding: size = 0, dilation: size = 1,"
    " ceil_mode: flag = False, return_indices: flag = False)"
)
LP = "(input, norm_type: number, kernel_size: size, stride: size = None, ceil_mode: flag = False)"
DROP = "(input, p: number = 0.5, training: flag = True, *, inplace: flag = False)"
ALPHA_DROP = "(input, p: number = 0.5, training: flag = False, *, inplace: flag = False)"
BAG = (
    "(input: index, weight, offsets: index = None, max_norm: number = None, norm_type: number = 2,"
    " scale_grad_by_freq: flag = False, mode: text = 'mean', sparse: flag = False,"
    " per_sample_weights = None, include_last_offset: flag = False, padding_idx: index = None)"
)
BATCH = (
    "(input, running_mean, running_var, weight = None, bias = None, training: flag = False,"
    " momentum: number = 0.1, eps: number = 1e-05)"
)
INSTANCE = (
    "(input, running_mean = None, running_var = None, weight = None, bias = None,"
    " use_input_stats: flag = True, momentum: number = 0.1, eps: number = 1e-05)"
)
RESIZE = (
    "(input, size: size = None, scale_factor: number = None, mode: text = 'nearest',"
    " align_corners: flag = None, recompute_scale_factor: flag = None, antialias: flag = False)"
)
FOLD = (
    "(input, output_size: size, kernel_size: size, dilation: size = 1, padding: size = 0, stride: size = 1)"
)
ATTENTION = (
    "(query, key, value, attn_mask: mask = None, dropout_p: number = 0.0, is_causal: flag = False,"
    " *, scale: number = None, enable_gqa: flag = False)"
)
HEADS = (
    "(query, key, value, embed_dim_to_check: count, num_heads: count, in_proj_weight, in_proj_bias, bias_k,"
    " bias_v, add_zero_attn: flag, dropout_p: number, out_proj_weight, out_proj_bias,"
    " training: flag = True, key_padding_mask: mask = None, need_weights: flag = True,"
    " attn_mask: mask = None, use_separate_proj_weight: flag = False, q_proj_weight = None,"
    " k_proj_weight = None, v_proj_weight = None, static_k = None, static_v = None,"
    " average_attn_weights: flag = True, is_causal: flag = False)"
)
UNPOOL = (
    "(input, indices: index, kernel_size: size, stride: size = None, padding: size = 0,"
    " output_size: size = None)"
)
FRACTIONAL = (
    "(input, kernel_size: size, output_size: size = None, output_ratio: number = None,"
    " return_indices: flag = False)"
)
OUTPUT = "(input, output_size: size)"
OUTPUT_MAX = "(input, output_size: size, return_indices: flag = False)"
TIES = "no two equal elements in a window"

LINE, OTHER_LINE = "[[[1.5,-0.3,0.7,2.1]]]", "[[[0.4,-1.2]]]"
PLANE, KERNEL = "[[[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]]]", "[[[[0.4,-1.2],[0.8,0.3]]]]"
SPACE, BLOCK = "[[[[[1.5,-0.3],[0.2,2.5]],[[0.7,1.1],[-0.4,0.9]]]]]", "[[[[[0.4,-1.2]]]]]"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
TALL = "[[1.5,-0.3],[0.2,2.5],[0.7,-1.1]]"
FOUR = "[[[[1.5]],[[-0.3]],[[0.7]],[[2.1]]]]"


def _of(
    name: str, meaning: str, arguments: str, signature: str, domain: str, x: str, **more: Any
) -> Function:
    """A row of F: its name and meaning, what follows x in the example, its signature and domain."""
    return _row(
        f"torch.nn.functional.{name}", meaning, f"F.{name}(x{arguments})", signature=signature, domain=domain,
        x=x, **more,
    )  # fmt: skip


def _unpool(name: str, places: str, x: str) -> Function:
    """A row for what undoes a pool: its name, where the elements of the example go, the example's x."""
    return _of(name, "each element at the place that indices say, 0 elsewhere", f", tensor([{places}]), 2",
               UNPOOL, "any real", x)  # fmt: skip


def _native(name: str, meaning: str, arguments: str, signature: str) -> Function:
    """A row for what a layer calls: its name, meaning, what follows x in the example, signature."""
    item = "" if name == "constant_pad_nd" else "[0]"
    return _row(f"torch.{name}", meaning, f"{name}(x{arguments}){item}", signature=signature,
                domain="rows not constant" if item else "any real", x=M)  # fmt: skip


def _bare(
    name: str, meaning: str, arguments: str, signature: str, domain: str, x: str, **more: Any
) -> Function:
    """As `_of`, for what has the same name right below torch."""
    return _row(
        f"torch.nn.functional.{name}", meaning, f"F.{name}(x{arguments})", signature=signature, domain=domain,
        aliases=(f"torch.{name}",), x=x, **more,
    )  # fmt: skip


def _drop(name: str, meaning: str, arguments: str, signature: str, x: str) -> Function:
    """As `_of`, for what draws at random which elements it drops."""
    return _of(name, meaning, arguments, signature, "the same draw each time", x, draws=True)


# fmt: off
MAPS = (
    _of("linear", "x @ weight.T + bias", ", w, b", "(input, weight, bias = None)", "shapes that multiply", M,
        w="[[0.4,-1.2,0.8]]", b="[0.3]"),
    _bare("bilinear", "a.T @ weight @ b + bias, for each weight", ", y, w",
          "(input1, input2, weight, bias = None)", "shapes that multiply", "[1.5,-0.3]", y="[0.2,2.5]",
          w="[[[0.4,-1.2],[0.8,0.3]]]"),
    _bare("conv1d", "the windows of a line, weighted and summed", ", w", STRIDES, "any real", LINE,
          w=OTHER_LINE),
    _bare("conv2d", "the windows of a plane, weighted and summed", ", w", STRIDES, "any real", PLANE,
          w=KERNEL),
    _bare("conv3d", "the windows of a space, weighted and summed", ", w", STRIDES, "any real", SPACE,
          w=BLOCK),
    _bare("conv_transpose1d", "conv1d the other way: each element spread out", ", w", BACK, "any real", LINE,
          w=OTHER_LINE),
    _bare("conv_transpose2d", "conv2d the other way: each element spread out", ", w", BACK, "any real", PLANE,
          w=KERNEL),
    _bare("conv_transpose3d", "conv3d the other way: each element spread out", ", w", BACK, "any real", SPACE,
          w=BLOCK),
    _row("torch.nn.functional.embedding", "the rows of weight that the indices name",
         "F.embedding(tensor([1,0,1]), w)", w=M, domain="indices inside weight",
         signature="(input: index, weight, padding_idx: index = None, max_norm: number = None,"
                   " norm_type: number = 2.0, scale_grad_by_freq: flag = False, sparse: flag = False)"),
    _row("torch.nn.functional.embedding_bag", "the mean, or sum, of the rows of weight that indices name",
         "F.embedding_bag(tensor([[1,0],[1,1]]), w)", w=M, domain="indices inside weight",
         signature=BAG),
    _row("torch.nn.functional.one_hot", "a 1 at each index, 0 elsewhere", "F.one_hot(tensor([1,0]), 3)",
         signature="(input: index, num_classes: count = -1)", domain="indices, 0 or more",
         differentiable=False),
)

POOLS = (
    _bare("avg_pool1d", "the mean of each window of a line", ", 2", AVERAGE, "any real", LINE),
    _of("avg_pool2d", "the mean of each window of a plane", ", 2", AVERAGE_2D, "any real", PLANE),
    _of("avg_pool3d", "the mean of each window of a space", ", 2", AVERAGE_2D, "any real", SPACE),
    _of("max_pool1d", "the largest of each window of a line", ", 2", MAX, TIES, LINE),
    _of("max_pool2d", "the largest of each window of a plane", ", 2", MAX, TIES, PLANE),
    _of("max_pool3d", "the largest of each window of a space", ", 2", MAX, TIES, SPACE),
    _of("lp_pool1d", "the p-norm of each window of a line", ", 2, 2", LP, "no window of zeros", LINE),
    _of("lp_pool2d", "the p-norm of each window of a plane", ", 2, 2", LP, "no window of zeros", PLANE),
    _bare("adaptive_avg_pool1d", "means of windows that give the size asked for", ", 2", OUTPUT, "any real",
          LINE),
    _of("adaptive_avg_pool2d", "means of windows that give the size asked for", ", 1", OUTPUT, "any real",
        PLANE),
    _of("adaptive_avg_pool3d", "means of windows that give the size asked for", ", 1", OUTPUT, "any real",
        SPACE),
    _of("adaptive_max_pool1d", "the largest of windows that give the size asked for", ", 2", OUTPUT_MAX,
        TIES, LINE),
    _of("adaptive_max_pool2d", "the largest of windows that give the size asked for", ", 1", OUTPUT_MAX,
        TIES, PLANE),
    _of("adaptive_max_pool3d", "the largest of windows that give the size asked for", ", 1", OUTPUT_MAX,
        TIES, SPACE),
)

UNPOOLS = (
    _unpool("max_unpool1d", "[[0,3]]", "[[[1.5,-0.3]]]"),
    _unpool("max_unpool2d", "[[[0,3],[8,15]]]", "[[[[1.5,-0.3],[0.2,2.5]]]]"),
    _unpool("max_unpool3d", "[[[[0]]]]", "[[[[[1.5]]]]]"),
    _of("fractional_max_pool2d", "the largest of windows laid out at random", ", 2, output_size=1",
        FRACTIONAL, TIES, PLANE, draws=True),
    _of("fractional_max_pool3d", "the largest of windows laid out at random", ", 1, output_size=1",
        FRACTIONAL, TIES, SPACE, draws=True),
    _of("lp_pool3d", "the p-norm of each window of a space", ", 2, 2", LP, "no window of zeros", SPACE),
)

NORMS = (
    _of("layer_norm", "each row moved to mean 0 and spread 1, then weighted", ", (3,)",
        "(input, normalized_shape: size, weight = None, bias = None, eps: number = 1e-05)",
        "rows not constant", M, aliases=("torch.layer_norm",)),
    _of("rms_norm", "each row divided by the root of its mean square", ", (3,)",
        "(input, normalized_shape: size, weight = None, eps: number = None)", "rows not zero", M,
        aliases=("torch.rms_norm",)),
    _of("batch_norm", "each column moved to mean 0 and spread 1, then weighted",
        ", None, None, training=True",
        BATCH, "columns not constant", TALL),
    _of("group_norm", "groups of channels moved to mean 0 and spread 1, then weighted", ", 1",
        "(input, num_groups: count, weight = None, bias = None, eps: number = 1e-05)", "groups not constant",
        M, aliases=("torch.group_norm",)),
    _of("instance_norm", "each channel moved to mean 0 and spread 1, then weighted", "",
        INSTANCE, "channels not constant", LINE),
    _of("local_response_norm", "each element divided by the power of its neighbours' squares", ", 2",
        "(input, size: size, alpha: number = 0.0001, beta: number = 0.75, k: number = 1.0)", "any real",
        LINE),
    _of("normalize", "vectors divided by their norm", "",
        "(input, p: number = 2.0, dim: dim = 1, eps: number = 1e-12)", "no zero vector", M),
    row("torch.renorm", "slices along dim scaled down to a norm of at most maxnorm", "renorm(x, 2, 0, 1.)",
        kind=Kind.LAYER, signature="(input, p: number, dim: dim, maxnorm: number)",
        domain="norms != maxnorm", x=M),
)

NATIVE = (
    _native("native_layer_norm", "(layer_norm, means, 1 / spreads)", ", (3,), None, None, 1e-05",
            "(input, normalized_shape: size, weight, bias, eps: number)"),
    _native("native_group_norm", "(group_norm, means, 1 / spreads)", ", None, None, 2, 3, 1, 1, 1e-05",
            "(input, weight, bias, N: count, C: count, HxW: count, group: count, eps: number)"),
    _native("constant_pad_nd", "with a number added at the ends of the last dims", ", (1, 1)",
            "(input, pad: size, value: number = 0)"),
    _of("upsample", "resized, by the nearest element unless told; now called interpolate",
        ", scale_factor=2", "(input, size: size = None, scale_factor: number = None,"
        " mode: text = 'nearest', align_corners: flag = None)", "any real", LINE),
    _of("upsample_nearest", "resized, by the nearest element; now called interpolate", ", scale_factor=2",
        "(input, size: size = None, scale_factor: number = None)", "any real", LINE),
    _of("upsample_bilinear", "resized, by lines between the elements; now called interpolate",
        ", scale_factor=2", "(input, size: size = None, scale_factor: number = None)", "any real", PLANE),
    _row("torch.nn.functional.multi_head_attention_forward",
         "(attention of several heads, the weights averaged over heads)", domain="any real", draws=True,
         example="F.multi_head_attention_forward(q, q, q, 2, 1, w, None, None, None, False, 0., v, None)[0]",
         signature=HEADS, q="[[[1.5,-0.3]],[[0.2,2.5]]]", v="[[0.4,-1.2],[0.8,0.3]]",
         w="[[0.7,1.1],[-0.4,0.9],[0.3,-0.6],[1.2,0.5],[-0.8,0.1],[0.6,-1.3]]"),
)

DROPOUTS = (
    _drop("dropout", "elements set to 0 by chance, the rest scaled up", "", DROP, x=M),
    _drop("dropout1d", "channels of a line set to 0 by chance", "", DROP, x=M),
    _drop("dropout2d", "channels of a plane set to 0 by chance", "", DROP, x=FOUR),
    _drop("dropout3d", "channels of a space set to 0 by chance", "", DROP, x=SPACE),
    _drop("alpha_dropout", "dropout that keeps mean and spread, for selu", ", 0.5, True", ALPHA_DROP, x=M),
    _drop("feature_alpha_dropout", "alpha_dropout of whole channels", ", 0.5, True", ALPHA_DROP, x=M),
)

FRAMES = (
    _of("pad", "with elements added at the ends of the last dims", ", (1, 1)",
        "(input, pad: size, mode: text = 'constant', value: number = None)", "any real", M),
    _of("interpolate", "resized, by the nearest element unless told", ", scale_factor=2",
        RESIZE, "any real", LINE),
    _bare("pixel_shuffle", "channels rearranged into a larger plane", ", 2",
          "(input, upscale_factor: count)", "any real", FOUR),
    _bare("pixel_unshuffle", "a plane rearranged into more channels", ", 2",
          "(input, downscale_factor: count)", "any real", "[[[[1.5,-0.3],[0.7,2.1]]]]"),
    _bare("channel_shuffle", "the channels of groups dealt out in turn", ", 2",
          "(input, groups: count)", "any real", FOUR),
    _of("unfold", "the windows of a plane as columns", ", 2", "(input, kernel_size: size, dilation: size = 1,"
        " padding: size = 0, stride: size = 1)", "any real", PLANE, key="im2col"),
    _of("fold", "columns put back as windows of a plane and summed", ", (2, 2), 1", FOLD, "any real", LINE,
        key="col2im"),
    _of("grid_sample", "the plane read at the points of a grid from -1 to 1", ", g, align_corners=False",
        "(input, grid, mode: text = 'bilinear', padding_mode: text = 'zeros', align_corners: flag = None)",
        "points between the elements", PLANE, g="[[[[-0.3,0.2],[0.4,-0.1]]]]"),
    _row("torch.nn.functional.affine_grid", "the grid of points that a linear map moves",
         "F.affine_grid(t, (1, 1, 2, 2), align_corners=False)", t="[[[1.,0.2,0.1],[0.3,0.9,-0.2]]]",
         signature="(theta, size: size, align_corners: flag = None)"),
    _row("torch.nn.functional.scaled_dot_product_attention", "softmax(q @ k.T / sqrt(d)) @ v",
         "F.scaled_dot_product_attention(q, k, v)", q="[[[1.5,-0.3],[0.2,2.5]]]",
         k="[[[0.7,1.1],[-0.4,0.9]]]", v="[[[0.4,-1.2],[0.8,0.3]]]",
         signature=ATTENTION, draws=True),
)
# fmt: on

ROWS = (*MAPS, *POOLS, *UNPOOLS, *NATIVE, *NORMS, *DROPOUTS, *FRAMES)
