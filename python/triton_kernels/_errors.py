"""An argument that breaks a rule of its function: a ValueError for those who say so, an AssertionError for those who expect assertions."""


class InvalidArgumentError(ValueError, AssertionError):
    pass
