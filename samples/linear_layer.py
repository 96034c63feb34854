# agx trace samples/linear_layer.py --x "randn(2,3)" --w "randn(4,3)" --b "randn(4)"
# shows: AddmmBackward0
# shows: d/db = full_like(b, 2)
# linear keeps its weight as (out, in) and multiplies by the transpose; the bias is added to both rows.
F.linear(x, w, b)
