# agx trace samples/index_tensors.py --x "arange(12.).reshape(3,4)" --rows "[0,1]" --columns "[1,3]"
# shows: = [1, 7]
# Two index tensors are read in pairs: x[0,1] and x[1,3]; both names stay int64.
x[rows, columns]
