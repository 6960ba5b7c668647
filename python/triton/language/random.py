"""`tl.random`: counter-based random numbers."""

from .builtins import define

define(globals(), __name__)
del define
