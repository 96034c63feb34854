"""What an error log says of torch: the error that matters, as findings in the log's own names.

Takes: the bytes of a log, as they come. Gives: a Log with its findings.
May import catalogue, report, lang and errors.
Must not import torch, nor any room that does.
"""
