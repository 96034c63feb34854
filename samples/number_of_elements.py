# agx trace samples/number_of_elements.py --const image --image "randn(3,224,224)"
# shows: = 150528
# An image as a tensor: 3 channels of 224 by 224; numel is the product of its shape.
image.numel()
