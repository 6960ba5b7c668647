class C[T](B, *a, m=1, **k):
  x: int = 1
  (y): int
  type X[T] = int
  def f(self): nonlocal z; global w; del a, (b), [c]
