"""What of Gluon is written in Gluon itself."""

from ....language.builtins import define

define(globals(), __name__)
del define
