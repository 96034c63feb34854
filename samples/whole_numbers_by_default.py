# agx trace samples/whole_numbers_by_default.py
# shows: int64
# shows: [[7, 7, 7], [7, 7, 7]]
# A whole number fills a tensor of int64, which cannot require grad; 7. would make it float32.
full((2, 3), fill_value=7)
