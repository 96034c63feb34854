"""The colours of the terminal view: what a word is, and how that looks.

Only the sixteen colours that every terminal has, which follow the person's own theme;
nothing is said by colour alone.
"""

STYLES = {
    "": "",
    "source": "bold",
    "name": "bold",
    "value": "",
    "printed": "green",
    "shape": "cyan",
    "op": "blue",
    "factor": "",
    "gradient": "magenta",
    "quiet": "dim",
    "good": "green",
    "bad": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "title": "dim",
}
