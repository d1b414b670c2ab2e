"""The device, as the tests of loading have it."""

from tests.loading.conftest import device

__all__ = ["device"]
