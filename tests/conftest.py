"""Options of the test suite that every room shares."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--refresh-golden`: write golden files anew instead of comparing with them."""
    parser.addoption("--refresh-golden", action="store_true", help="write golden files anew")
