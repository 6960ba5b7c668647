x = y = *a, b = {**a, 'b': c}, {*a}, {a: b for c, *d in e}, (lambda *a, b=1, **c: (yield)), [*a, b][1:2:3, ..., *c]
