"""How brains talk is shown here: they think without the compiler, but where a test asks for it."""

from __future__ import annotations

from tests.plain_python import compiled, in_plain_python  # noqa: F401
