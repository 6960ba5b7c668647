async def f[T: int = 1, *Ts, **P](a, /, b: c = 1, *d: *e, f=2, **g) -> h:
  async with a as b, c: await d
  return [i async for i in x if y if z]
