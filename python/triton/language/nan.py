"""What minimum, maximum and clamp do with NaN."""

import enum


class PropagateNan(enum.Enum):
    """NONE: a NaN loses against a number; ALL: a NaN always wins."""

    NONE = 0
    ALL = 0xFFFF

    def __index__(self):
        return self.value

    __int__ = __index__
