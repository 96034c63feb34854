# agx trace samples/layout_in_memory.py --const x --x "randn(3,5)"
# shows: [1, 5]
# A transpose moves no number: it only swaps the strides, the steps from one element to the next.
x.t().stride()
