x = \
  1 # c

y = '''a
b''' ; μﬁ́ = 1
print(a for b in c)
