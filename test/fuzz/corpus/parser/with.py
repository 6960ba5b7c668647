with (a as b, c): pass
with (a, b) as c, d: pass
with (yield): pass
