"""Rules of convolutions, of averages over windows and of what moves windows, against autograd."""

import pytest
import torch

CASES = """
F.conv1d(x, w)                                              | 2,3,8 | 4,3,3
F.conv1d(x, w, b)                                           | 2,3,8 | 4,3,3 | 4
F.conv1d(x, w, b, stride=2, padding=1)                      | 2,3,8 | 4,3,3 | 4
F.conv1d(x, w, dilation=2, padding=(2,))                    | 2,3,8 | 4,3,2
F.conv1d(x, w, padding='same')                              | 2,3,8 | 4,3,3
F.conv1d(x, w, padding='valid')                             | 2,3,8 | 4,3,3
F.conv1d(x, w, b)                                           | 3,8 | 4,3,3 | 4
F.conv1d(x, w.detach(), groups=2)                           | 2,4,8 | 6,2,3
F.conv2d(x, w, b)                                           | 2,3,5,6 | 4,3,2,3 | 4
F.conv2d(x, w, b, stride=(2, 3), padding=(1, 0))            | 2,3,5,6 | 4,3,2,3 | 4
F.conv2d(x, w, b, 2, 1, 2)                                  | 1,2,7,7 | 3,2,3,2 | 3
F.conv2d(x, w, b)                                           | 3,5,6 | 4,3,2,3 | 4
F.conv3d(x, w, b, stride=2)                                 | 1,2,4,5,4 | 3,2,2,2,2 | 3
F.conv_transpose1d(x, w, b)                                 | 2,3,5 | 3,4,3 | 4
F.conv_transpose1d(x, w, b, stride=2, output_padding=1)     | 2,3,5 | 3,4,3 | 4
F.conv_transpose1d(x, w, b, stride=2, padding=1)            | 3,5 | 3,4,3 | 4
F.conv_transpose1d(x, w.detach(), groups=2)                 | 2,4,5 | 4,2,3
F.conv_transpose2d(x, w, b, 2, 1, 1, 1, 2)                  | 2,3,4,3 | 3,2,2,3 | 2
F.conv_transpose3d(x, w, b)                                 | 1,2,3,2,3 | 2,3,2,2,2 | 3
F.avg_pool1d(x, 2)                                          | 2,3,8
F.avg_pool1d(x, 3, 2, 1)                                    | 2,3,8
F.avg_pool1d(x, 3, 1, ceil_mode=True)                       | 3,8
F.avg_pool2d(x, 2)                                          | 2,3,4,6
F.avg_pool2d(x, (2, 3), (1, 2), padding=(1, 0))             | 2,3,4,6
F.avg_pool2d(x, 3, divisor_override=5)                      | 3,7,6
F.avg_pool3d(x, 2)                                          | 1,2,4,4,3
F.adaptive_avg_pool1d(x, 4)                                 | 2,3,8
F.adaptive_avg_pool2d(x, (1, 1))                            | 2,3,4,6
F.adaptive_avg_pool2d(x, (2, None))                         | 2,3,4,6
F.adaptive_avg_pool3d(x, 1)                                 | 1,2,4,4,3
F.unfold(x, 2)                                              | 2,3,4,6
F.unfold(x, (2, 3), dilation=1, padding=1, stride=2)        | 2,3,4,6
F.fold(x, (4, 5), (2, 2))                                   | 2,8,12
F.fold(x, (4, 4), 2, stride=2)                              | 2,8,4
F.pixel_shuffle(x, 2)                                       | 2,8,2,3
F.pixel_unshuffle(x, 2)                                     | 2,2,4,6
F.interpolate(x, scale_factor=2)                            | 2,3,4
F.interpolate(x, size=(4, 9))                               | 2,3,2,3
F.upsample_nearest(x, scale_factor=3)                       | 1,2,2,2,1
F.channel_shuffle(x, 3)                                     | 2,6,2,2
""".strip().splitlines()


@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("form", ["{}", "sin({})"], ids=["ones", "varied"])
def test_rule_agrees_with_autograd(derive, line, form):
    source, *shapes = (part.strip() for part in line.split(" | "))
    torch.manual_seed(3)
    given = {n: torch.randn(*map(int, s.split(","))) for n, s in zip("xwb", shapes, strict=False)}
    for name, found in derive(form.format(source), **given).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


GOLDEN = """
F.conv1d(x, w, b)**2           | x | 2*F.conv_transpose1d(F.conv1d(x, w, b), w)
F.conv1d(x, w, b)**2 | w | 2*F.conv1d(x.transpose(0, 1), F.conv1d(x, w, b).transpose(0, 1)).transpose(0, 1)
F.conv1d(x, w, b)**2           | b | 2*F.conv1d(x, w, b).sum((0, 2))
F.conv1d(x, w, b)              | b | full_like(b, 12)
F.conv1d(x, w, stride=2)       | x | F.conv_transpose1d(ones(2, 4, 3), w, stride=2, output_padding=1)
F.conv_transpose1d(y, w)       | y | F.conv1d(ones(2, 3, 10), w)
F.avg_pool1d(x, 2)**2          | x | F.conv_transpose1d(F.avg_pool1d(x, 2), ones(3, 1, 2), stride=2, groups=3)
F.avg_pool1d(x, 2)             | x | full_like(x, 1/2)
F.pixel_shuffle(z, 2)**2       | z | 2*F.pixel_unshuffle(F.pixel_shuffle(z, 2), 2)
""".strip().splitlines()


@pytest.mark.parametrize("line", GOLDEN)
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    shapes = {"x": (2, 3, 8), "w": (4, 3, 3), "b": (4,), "y": (2, 4, 8), "z": (1, 4, 2, 2)}
    found = derive(source, **{n: torch.randn(size) for n, size in shapes.items()})[name]
    assert found.text == text
    assert found.agrees, (found.value, found.gradient)


REASONS = {
    "F.conv1d(x, w, groups=2)": "the weight of conv1d in groups has no short formula",
    "F.conv1d(x, x, padding='same')": (
        "conv1d that puts more at one end than at the other has no short formula"
    ),
    "F.avg_pool1d(w, 2, padding=1, count_include_pad=False)": (
        "avg_pool1d that does not count what is put around has no short formula"
    ),
    "F.avg_pool1d(w, 2, ceil_mode=True)": (
        "avg_pool1d with windows that reach beyond the end has no short formula"
    ),
    "F.interpolate(w, scale_factor=1.5)": (
        "interpolate has a short formula by the nearest element and whole factors alone"
    ),
    "F.adaptive_avg_pool1d(w, 2)": "adaptive_avg_pool1d with windows of different sizes has no short formula",
}


@pytest.mark.parametrize("source", REASONS)
def test_reasons(derive, source):
    given = {"x": torch.randn(2, 6, 8), "w": torch.randn(4, 3, 3)}
    given["x"] = given["x"] if "groups" in source else torch.randn(2, 2, 2)
    found = derive(source, **{name: value for name, value in given.items() if f"{name}," in source})
    assert REASONS[source] in {one.derivative.reason for one in found.values()}
