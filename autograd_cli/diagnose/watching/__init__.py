"""What a script does to its gradients, seen while it runs as it would alone.

Takes a running script, gives the findings that torch says nothing of, or not enough. May import
run, catalogue and what lies below them, torch once the script has it; must not import views or cli.
"""
