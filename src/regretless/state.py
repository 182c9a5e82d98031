"""Arrays that a compiled core borrows, copied and adopted together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .arrays import set_own

Array = np.ndarray[Any, np.dtype[np.float64]]


class KernelState(ABC):
    """The arrays of a learner, and the core that moves them."""

    ARRAYS: ClassVar[tuple[str, ...]] = ("state", "memory", "book", "tallies")
    core: Any

    @abstractmethod
    def _core(self) -> Any:
        """The core over the arrays as they stand."""

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the compiled core, which borrows the arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_own(self, state)
        self.core = self._core()

    def arrays(self) -> dict[str, Array]:
        """The arrays by name."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    def adopt(self, arrays: Mapping[str, Array]) -> None:
        """Take over what `arrays` gave; the shapes must be the same.

        Raises
        ------
        ValueError
            If they are not.
        """
        for name in self.ARRAYS:
            mine, theirs = getattr(self, name), arrays[name]
            if theirs.shape != mine.shape or theirs.dtype != np.float64:
                raise ValueError(f"{name} has another shape or type than the learner asks for")
            mine[...] = theirs
