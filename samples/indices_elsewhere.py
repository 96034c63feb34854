# agx trace samples/indices_elsewhere.py --table "randn(3,2,device='meta')" --words "tensor([0,1])"
# shows: `words` is on cpu and `table` is on meta
# shows: words.to(table.device)
# status: 1
# Indices must be where the table is too; torch says so of an accelerator, not of meta.
F.embedding(words, table)
