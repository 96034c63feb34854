# agx trace samples/vector_without_a_cotangent.py --x "[1.,2.,3.]"
# shows: grad can be implicitly created only for scalar outputs
# shows: (x*2).sum()
# A vector has no single slope: torch refuses a bare backward, and agx goes on from ones.
x*2
