"""Arrays of NumPy are of numbers."""

import pytest

from autograd_cli.errors import LanguageError
from tests.same.runs import in_agx

LARGE = "2**100"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("np.zeros(2, dtype='O')", "Python objects"),
        ("np.ones(2, 'object')", "Python objects"),
        ("np.array([1], dtype='O')", "Python objects"),
        ("np.arange(3, dtype='O')", "Python objects"),
        ("np.array([1, 2]).astype('O')", "Python objects"),
        ("np.ones(3).sum(dtype='O')", "Python objects"),
        (f"np.array([{LARGE}])", "Python objects"),
        (f"np.array([1]) * [{LARGE}]", "Python objects"),
        ("np.array([None])", "Python objects"),
        ("np.zeros(2, 'V1000000')", "records"),
        ("np.zeros(2, dtype='i4,f4')", "records"),
        ("np.zeros(2, dtype=[('a', 'i4')])", "records"),
        ("np.array(['a'])", "strings"),
        ("np.zeros(2, 'U5')", "strings"),
        ("np.zeros(2, 'S5')", "bytes"),
        ("np.zeros(2, 'datetime64[s]')", "dates"),
    ],
)
def test_what_no_tensor_holds_is_refused(text, kind):
    with pytest.raises(LanguageError, match=f"An array of {kind} is asked for"):
        in_agx(f"import numpy as np\na = {text}")


def test_numbers_of_every_kind_pass():
    text = "a = np.zeros(2, 'float32')\nb = a.astype('int64')\nc = np.array([1j])\nd = np.ones(1, dtype=bool)"
    assert in_agx(f"import numpy as np\n{text}").error == ""


def test_a_dtype_that_numpy_does_not_know_is_its_own_error():
    assert in_agx("import numpy as np\na = np.zeros(2, 'nothing')").error == "TypeError"
