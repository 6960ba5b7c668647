"""Bessel functions for targets without libdevice. Belongs to the same module. generate_bessel.py writes the series.

Up to 8 they are Chebyshev series in x squared (in x, for the modified ones), from there on series in 8/x around the functions' behaviour at
infinity. All is computed in float64.
"""

import triton
import triton.language as tl


@triton.jit
def _chebyshev(t, coefficients):
    # The sum of coefficients[i] * T_i(t), by Clenshaw's recurrence.
    first = t * 0
    second = t * 0
    for i in tl.static_range(len(coefficients) - 1, 0, -1):
        first, second = 2 * t * first - second + coefficients[i], first
    return t * first - second + coefficients[0]


# The series, each on an interval that t runs through from -1 to 1.


@triton.jit
def _near_j0(t):
    return _chebyshev(t, (0.1577279714748901196, -0.008723442352852221291, 0.2651786132033368099, -0.370094993872649779, 0.1580671023320972613, -0.03489376941140888516, 0.004819180069467604497, -0.0004606261662062750475, 0.00003246032882100508081, -1.761946907762150749e-6, 7.608163592418781867e-8, -2.679253530557672898e-9, 7.848696314479464417e-11, -1.943834686737016571e-12, 4.125320595634373933e-14, -7.588508125447546338e-16, 1.221851587396141103e-17))  # fmt: skip


@triton.jit
def _near_j1(t):
    return _chebyshev(t, (0.0810448463256581151, -0.1489751450676521091, 0.1609992623572097025, -0.0826804917668179066, 0.02221363965496603541, -0.003646940600769275958, 0.0004050337728354821833, -0.00003255554866857258517, 1.985877404991516741e-6, -9.521984756750436182e-8, 3.687133759097148239e-9, -1.17802662269588484e-10, 3.160154580348003321e-12, -7.221755239651773428e-14, 1.423214400351394232e-15, -2.444197291619046389e-17))  # fmt: skip


@triton.jit
def _near_y0(t):
    return _chebyshev(t, (-0.03314611320328494166, -0.2744743055297452653, 0.179034314077182663, 0.2615673462550466368, -0.1773020127811435821, 0.04719668959576338687, -0.007287962479552079179, 0.0007531135932577742281, -0.00005632079141056986975, 3.206532537654800979e-6, -1.440723327401869948e-7, 5.248794787330516123e-9, -1.583755254181201512e-10, 4.026330818306120753e-12, -8.747341203310769554e-14, 1.643489871491946904e-15, -2.697788115256683563e-17))  # fmt: skip


@triton.jit
def _near_y1(t):
    return _chebyshev(t, (0.00253801323574178173, -0.01608717304766875017, -0.09591204536083074247, 0.08445197259652345837, -0.02832812394459436555, 0.005289897544167113014, -0.0006414551451326355987, 0.00005505982873338743838, -3.538080018689349902e-6, 1.770780455615440341e-7, -7.110550049899279782e-9, 2.344337905911516395e-10, -6.465151841411594242e-12, 1.514291512050019955e-13, -3.051185969447325274e-15, 5.346680385728670123e-17, -8.224911372021584629e-19))  # fmt: skip


@triton.jit
def _far_p0(t):
    return _chebyshev(t, (0.9994603493475186654, -0.0005365220468132117425, 3.075184787519474622e-6, -5.170594537606097701e-8, 1.630646463515138309e-9, -7.864091377237069999e-11, 5.168262387349192462e-12, -4.304578869925391222e-13, 4.326595743154940564e-14, -5.069034095935236078e-15, 6.748072215733873704e-16, -1.001151372346778583e-16, 1.630591923374418474e-17))  # fmt: skip


@triton.jit
def _far_q0(t):
    return _chebyshev(t, (-0.0155558546053370091, 0.00006838519942611649599, -7.414498411060647265e-7, 1.797245724796899178e-8, -7.271915936866319979e-10, 4.220121904668738444e-11, -3.206747420996634745e-12, 3.006145125351706311e-13, -3.336328185322426997e-14, 4.255225040245461123e-15, -6.09993013164005001e-16, 9.662128970303256738e-17, -1.66860652143781463e-17, 3.108244048673814434e-18, -6.191115787358144928e-19, 1.309144871722012155e-19))  # fmt: skip


@triton.jit
def _far_p1(t):
    return _chebyshev(t, (1.0009030408600137, 0.0008989898330859408556, -3.987284300488908523e-6, 6.177633960644298535e-8, -1.871890749106306609e-9, 8.816898659582338898e-11, -5.704863640395644702e-12, 4.699195515230542375e-13, -4.684223783990489222e-14, 5.452674896044717168e-15, -7.221180842274017919e-16, 1.066768911433541246e-16, -1.731231321611633497e-17))  # fmt: skip


@triton.jit
def _far_q1(t):
    return _chebyshev(t, (0.04677778706953532524, -0.00009627723549157079324, 9.138615257955454124e-7, -2.095978138408342246e-8, 8.229193327650554129e-10, -4.68636368817694523e-11, 3.515218794968608085e-12, -3.264315674327899926e-13, 3.596776582916529193e-14, -4.561252395077297194e-15, 6.508282957783383954e-16, -1.026914753182324286e-16, 1.76763554877647916e-17, -3.283451987298161461e-18, 6.524081149589260303e-19))  # fmt: skip


@triton.jit
def _near_i0(t):
    return _chebyshev(t, (0.3383976372047380425, -0.3046826723431983987, 0.1716209015222087753, -0.09490109704804764442, 0.04930528423967070849, -0.02373741480589946882, 0.01054646039459499832, -0.004324309995050575944, 0.001639475616941335798, -0.0005763755745385823659, 0.0001885028850958416557, -0.00005754195010082103704, 0.00001644844807072889709, -4.416738358458750564e-6, 1.117387539120103718e-6, -2.670793853940611734e-7, 6.046995022541918949e-8, -1.300025009986248042e-8, 2.65982372468238665e-9, -5.189795601635262907e-10, 9.675809035373236912e-11, -1.726826291441555707e-11, 2.955052663129639835e-12, -4.856446783111929461e-13, 7.676185498604935617e-14, -1.168533287799345168e-14, 1.715391285555133031e-15, -2.431279846547954694e-16, 3.330794518822238098e-17, -4.415341646479339379e-18))  # fmt: skip


@triton.jit
def _near_i1(t):
    return _chebyshev(t, (0.1262935932218168274, -0.1764165183578340552, 0.1026436586898470954, -0.05294598120809499143, 0.02472644903062651683, -0.01056408489462619816, 0.004156422944312888157, -0.001513572450631253149, 0.0005122859561685757729, -0.0001617608158258967456, 0.00004781565107550054226, -0.00001327316365603943583, 3.470251308137678477e-6, -8.568720264695454741e-7, 2.003294753552135262e-7, -4.445059128796328081e-8, 9.381537386495771784e-9, -1.887249751722829288e-9, 3.625590281552117037e-10, -6.663489723502027742e-11, 1.173618629889090163e-11, -1.983974397764943715e-12, 3.22379336594557471e-13, -5.042185504727911687e-14, 7.600684294735406934e-15, -1.105596947735386308e-15, 1.553631957736200469e-16, -2.111421214358166078e-17, 2.77791411276104637e-18))  # fmt: skip


@triton.jit
def _far_i0(t):
    return _chebyshev(t, (0.4022452055070544158, 0.00336911647825569409, 0.00006889758346916823984, 2.891370520834756483e-6, 2.048918589469063742e-7, 2.266668990498178065e-8, 3.396232025708386345e-9, 4.940602388224969589e-10, 1.188914710784643834e-11, -3.149916527963241365e-11, -1.321581184044771312e-11, -1.794178531506806118e-12, 7.180124451383666234e-13, 3.852778382742142701e-13, 1.540086217521409827e-14, -4.150569347287222087e-14, -9.554846698828307649e-15, 3.811680669352622421e-15, 1.772560133056526384e-15, -3.425485619677219135e-16, -2.827623980516583485e-16, 3.461222867697461093e-17, 4.465621420296759999e-17, -4.830504485944182071e-18, -7.233180487874753955e-18))  # fmt: skip


@triton.jit
def _far_i1(t):
    return _chebyshev(t, (0.3892881175091400602, -0.009761097491361468408, -0.0001105889387626237163, -3.882564808877690393e-6, -2.512236237870208925e-7, -2.631468846889519507e-8, -3.835380385964237022e-9, -5.589743462196583807e-10, -1.897495812350541234e-11, 3.252603583015488239e-11, 1.412580743661378133e-11, 2.035628544147089507e-12, -7.198551776245908512e-13, -4.083551111092197318e-13, -2.101541842772664313e-14, 4.272440016711951354e-14, 1.042027698412880276e-14, -3.814403072437007805e-15, -1.880354775510782449e-15, 3.308202310920928283e-16, 2.962628997645950139e-16, -3.209525921993423959e-17, -4.650305368489358326e-17, 4.41434832307170795e-18, 7.517296310842104805e-18))  # fmt: skip


# Functions of fixed order.


@triton.jit
def _hankel(p, q, x, shift):
    # sqrt(2 / (pi x)) (p cos(x - shift) - q sin(x - shift)), where cosine and sine of the shift are 1 and 1 or -1 and 1 over sqrt(2).
    sine = tl.sin(x)
    cosine = tl.cos(x)
    first = (shift * cosine + sine) * 0.7071067811865476
    second = (shift * sine - cosine) * 0.7071067811865476
    return tl.sqrt(0.6366197723675814 / x) * (p * first - q * second)


@triton.jit
def _far_parts(x, order: tl.constexpr):
    z = 8 / x
    t = 2 * z * z - 1
    if order == 0:
        parts = (_far_p0(t), z * _far_q0(t))
    else:
        parts = (_far_p1(t), z * _far_q1(t))
    return parts


@triton.jit
def _bessel_j0(x):
    x = tl.abs(x)
    near = _near_j0(x * x / 32 - 1)
    p, q = _far_parts(tl.maximum(x, 8.0), 0)
    far = _hankel(p, q, tl.where(x < float("inf"), tl.maximum(x, 8.0), 8.0), 1.0)
    result = tl.where(x <= 8, near, tl.where(x == float("inf"), 0.0, far))
    return tl.where(x != x, x, result)


@triton.jit
def _bessel_j1(x):
    size = tl.abs(x)
    near = size * _near_j1(size * size / 32 - 1)
    p, q = _far_parts(tl.maximum(size, 8.0), 1)
    far = _hankel(p, q, tl.where(size < float("inf"), tl.maximum(size, 8.0), 8.0), -1.0)
    result = tl.where(size <= 8, near, tl.where(size == float("inf"), 0.0, far))
    return tl.where(x != x, x, tl.where(x < 0, -result, result))


@triton.jit
def _bessel_y(x, order: tl.constexpr):
    # At infinity, J a quarter of a turn later: its sine is J's cosine.
    near_x = tl.minimum(tl.maximum(x, 1e-300), 8.0)
    t = near_x * near_x / 32 - 1
    logarithm = 0.6366197723675814 * tl.log(near_x)
    far_x = tl.where(x < float("inf"), tl.maximum(x, 8.0), 8.0)
    p, q = _far_parts(far_x, order)
    if order == 0:
        near = _near_y0(t) + logarithm * _near_j0(t)
        far = _hankel(q, -p, far_x, 1.0)
    else:
        near = near_x * (_near_y1(t) + logarithm * _near_j1(t)) - 0.6366197723675814 / near_x
        far = _hankel(q, -p, far_x, -1.0)
    result = tl.where(x <= 8, near, tl.where(x == float("inf"), 0.0, far))
    result = tl.where(x == 0, float("-inf"), result)
    return tl.where((x < 0) | (x != x), float("nan"), result)


@triton.jit
def j0(x):
    return _bessel_j0(x.to(tl.float64)).to(x.dtype)


@triton.jit
def j1(x):
    return _bessel_j1(x.to(tl.float64)).to(x.dtype)


@triton.jit
def y0(x):
    return _bessel_y(x.to(tl.float64), 0).to(x.dtype)


@triton.jit
def y1(x):
    return _bessel_y(x.to(tl.float64), 1).to(x.dtype)


@triton.jit
def _grown(scaled, x):
    # scaled * exp(x), which is finite somewhat further than exp(x) is.
    half = tl.exp(x / 2)
    return scaled * half * half


@triton.jit
def cyl_bessel_i0(x):
    size = tl.abs(x.to(tl.float64))
    far_size = tl.maximum(size, 8.0)
    near = _near_i0(size / 4 - 1)
    far = _far_i0(16 / far_size - 1) / tl.sqrt(far_size)
    result = _grown(tl.where(size <= 8, near, far), size)
    return tl.where(size == float("inf"), size, tl.where(size != size, size, result)).to(x.dtype)


@triton.jit
def cyl_bessel_i1(x):
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    far_size = tl.maximum(size, 8.0)
    near = size * _near_i1(size / 4 - 1)
    far = _far_i1(16 / far_size - 1) / tl.sqrt(far_size)
    result = tl.where(size == float("inf"), size, _grown(tl.where(size <= 8, near, far), size))
    return tl.where(wide != wide, wide, tl.where(wide < 0, -result, result)).to(x.dtype)


# Functions of any integer order, by recurrence.


@triton.jit
def _greatest(x):
    if x.type.is_block():
        result = tl.max(x)
    else:
        result = x
    return result


@triton.jit
def _downward(order, x):
    # Miller's way for orders above x: from far above down to 0, then scaled so that J0 + 2 J2 + 2 J4 + ... is 1.
    top = _greatest(tl.maximum(order, x.to(tl.int32))) + 16
    start = 2 * ((top + tl.sqrt(40.0 * top.to(tl.float32)).to(tl.int32)) // 2 + 1)
    above = x * 0
    here = x * 0 + 1e-30
    total = x * 0
    answer = x * 0
    for i in range(start):
        k = start - i
        below = 2 * k / x * here - above
        above = here
        here = below
        answer = tl.where(order == k - 1, here, answer)
        total = tl.where((k - 1) % 2 == 0, total + here, total)
        scale = tl.where(tl.abs(here) > 1e100, 1e-100, 1.0)
        above, here, total, answer = above * scale, here * scale, total * scale, answer * scale
    return answer / (2 * total - here)


@triton.jit
def _power_term(order, x):
    # (x / 2)**order / order!, all there is of J for the smallest x.
    result = x * 0 + 1
    for k in range(1, _greatest(order) + 1):
        result = tl.where(k <= order, result * (x / (2 * k)), result)
    return result


@triton.jit
def _upward(order, x, zeroth, first):
    last = zeroth
    here = tl.where(order == 0, zeroth, first)
    for k in range(1, _greatest(order)):
        above = 2 * k / x * here - last
        above = tl.where(tl.abs(here) == float("inf"), here, above)
        last = tl.where(k < order, here, last)
        here = tl.where(k < order, above, here)
    return here


@triton.jit
def jn(n, x):
    wide = x.to(tl.float64)
    n, wide = tl.broadcast(n, wide)
    order = tl.abs(n)
    size = tl.abs(wide)
    is_upward = (order <= size) | (order < 2)
    is_tiny = size < 1e-8
    safe = tl.where(is_upward & (size > 0) & (size < float("inf")), size, 1.0)
    up = _upward(tl.where(is_upward, order, 0), safe, _bessel_j0(size), _bessel_j1(size))
    down = _downward(tl.where(is_upward | is_tiny, 0, order), tl.where(is_upward | is_tiny, 1.0, size))
    tiny = _power_term(tl.where(is_tiny & (order >= 2), order, 0), size)
    result = tl.where(is_upward, up, tl.where(is_tiny, tiny, down))
    result = tl.where(size == float("inf"), 0.0, result)
    # Odd functions of x for odd orders, and J(-n) = (-1)**n J(n).
    flips = (order % 2 == 1) & ((n < 0) != (wide < 0))
    return tl.where(size != size, size, tl.where(flips, -result, result)).to(x.dtype)


@triton.jit
def yn(n, x):
    wide = x.to(tl.float64)
    n, wide = tl.broadcast(n, wide)
    order = tl.abs(n)
    safe = tl.where((wide > 0) & (wide < float("inf")), wide, 1.0)
    result = _upward(order, safe, _bessel_y(wide, 0), _bessel_y(wide, 1))
    result = tl.where((order % 2 == 1) & (n < 0), -result, result)
    result = tl.where(wide == float("inf"), 0.0, result)
    return tl.where((wide < 0) | (wide != wide), float("nan"), result).to(x.dtype)
