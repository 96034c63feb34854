import subprocess
import sys

import pytest

from autograd_cli import catalogue
from autograd_cli.catalogue.load import Kind, parse
from autograd_cli.catalogue.refusals import finding
from autograd_cli.errors import InputError, Span
from autograd_cli.lang.source import Source
from autograd_cli.report import Severity

TEXT = """# AGX301 matmul-shape-mismatch: two matrices that do not meet

severity: error
also: mm, bmm
needs: two CUDA devices
watch: names the line

## What torch says

## What it means

## Why

## How to see it

```console
agx trace "a@b" \\
    --a 1
agx trace "b"
```

## How to fix it

```python own.py
y = 2
```

```python
x = 1
```

```python script
class A:

    b = 1
```

## When it is fine

```text
no program
```

```python watch
z = 3
```
"""


def codes(word):
    return [page.code for page in catalogue.find(word)]


def test_a_page_is_found_by_its_code_in_either_case():
    assert catalogue.page("agx301") is catalogue.page("AGX301")
    assert catalogue.page("AGX301").name == "matmul-shape-mismatch"


@pytest.mark.parametrize("code", ["AGX999", "AGX", "../load", "AGX301.md"])
def test_a_code_without_a_page_is_a_key_error(code):
    with pytest.raises(KeyError, match=code):
        catalogue.page(code)


def test_pages_stand_by_code():
    listed = [page.code for page in catalogue.pages()]
    assert listed == sorted(listed)
    assert len(listed) > 50


def test_a_page_is_read_from_its_markdown():
    page = parse(TEXT)
    assert (page.code, page.title, page.severity) == (
        "AGX301",
        "two matrices that do not meet",
        Severity.ERROR,
    )
    assert page.names == ("matmul-shape-mismatch", "mm", "bmm")
    assert [(one.kind, one.text) for one in page.broken] == [
        (Kind.CONSOLE, 'agx trace "a@b" --a 1'),
        (Kind.CONSOLE, 'agx trace "b"'),
    ]
    assert [(one.kind, one.text, one.files) for one in page.repaired] == [
        (Kind.TRACE, "x = 1\n", (("own.py", "y = 2\n"),)),
        (Kind.SCRIPT, "class A:\n\n    b = 1\n", (("own.py", "y = 2\n"),)),
    ]
    assert [one.kind for one in page.alike] == [Kind.WATCH]
    assert (page.needs, page.watch) == ("two CUDA devices", "names the line")


def test_a_page_without_a_title_or_a_severity_is_refused():
    with pytest.raises(ValueError, match="a page begins with `# AGX000 name: title`"):
        parse("AGX301")
    with pytest.raises(ValueError, match="the page of AGX301 does not say its severity"):
        parse(TEXT.replace("severity: error", ""))


def test_a_word_is_looked_for_in_names_before_titles_before_texts():
    assert codes("AGX502")[0] == "AGX502"
    assert codes("nan-gradient")[0] == "AGX502"
    assert codes("half-op-on-cpu") == ["AGX314"]
    assert codes("photosynthesis") == []
    assert codes("") == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("mat1 and mat2 shapes cannot be multiplied (32x784 and 128x10)", "AGX301"),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x7 and 9x2)", "AGX301"),
        (
            "The size of tensor a (512) must match the size of tensor b (10) at non-singleton dimension 1",
            "AGX302",
        ),
        ("element 0 of tensors does not require grad and does not have a grad_fn", "AGX402"),
        ("grad can be implicitly created only for scalar outputs", "AGX401"),
        ("shape '[-1, 400]' is invalid for input of size 384", "AGX308"),
        ("index 7 is out of bounds for dimension 1 with size 4", "AGX309"),
        (
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
            "AGX303",
        ),
        ("expected scalar type Float but found Double", "AGX304"),
        ("Boolean value of Tensor with more than one value is ambiguous", "AGX315"),
        ("view size is not compatible with input tensor's size and stride", "AGX306"),
        ("scalar outputs", "AGX401"),
    ],
)
def test_a_message_of_torch_finds_its_page_whatever_its_numbers(message, code):
    assert codes(message)[0] == code


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("batch norm", "AGX332"),
        ("BatchNorm", "AGX332"),
        ("cross_entropy", "AGX454"),
        ("cross entropy target shape", "AGX333"),
        ("Skip Connection", "AGX328"),
        ("state_dict", "AGX331"),
    ],
)
def test_words_are_found_however_they_are_joined(word, code):
    assert codes(word)[0] == code


def test_other_messages_find_nothing():
    assert codes("KeyError: the key of this dictionary was not found anywhere") == []


def test_a_refusal_is_a_finding_by_the_name_of_its_page():
    error = InputError(
        "AGX203", "`--x` is given twice.", text="x\n*yy", span=Span(3, 5), hint="Keep one.", fix="--x 2"
    )
    made = finding(error, Source("x\n*yy"))
    assert (made.code, made.name, made.severity) == ("AGX203", "bound-twice", Severity.ERROR)
    assert (made.sentence, made.span, made.line) == ("`--x` is given twice.", (3, 5), 2)
    assert [(fix.text, fix.program) for fix in made.fix] == [("Keep one.", "--x 2")]


def test_a_place_in_another_text_is_no_place_in_the_source():
    made = finding(InputError("AGX202", "It is none.", text="--x 2+", span=Span(4, 6)), Source("x"))
    assert (made.span, made.line) == (None, None)


def test_nothing_is_read_and_no_torch_is_loaded_until_a_page_is_asked_for():
    script = (
        "import sys, autograd_cli.catalogue as c; from autograd_cli.catalogue import load\n"
        "assert load._read.cache_info().currsize == 0\n"
        "c.find('nan'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
