try:
  a
except A, B:
  b
except* (C) as d:
  e
else: f
finally:
  g
