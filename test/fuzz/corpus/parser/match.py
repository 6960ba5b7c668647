match p:
  case [1, *_] | {'a': -1j + 2, **r} if x: pass
  case A.B(c, d=None) as e:
    pass
  case (x, ): pass
