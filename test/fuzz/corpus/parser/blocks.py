if a:
	if b: c; d
	elif e:
		f
	else:
		g
elif h: i
else:
  j
for k, in *l, m: continue
else: break
