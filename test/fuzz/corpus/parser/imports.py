from . import (a as b, c,)
from ...d.e import *
import f.g as h, i
assert j, k
raise l from m
while (n := 1): pass
