"""`triton.tools.LinearLayout`: the algebra as Python sees it."""

import itertools

import pytest
from triton.tools import LinearLayout


def blocked():
    return LinearLayout.identity_1d(4, "register", "dim0") * LinearLayout.identity_1d(8, "lane", "dim0")


def test_apply_and_bases():
    layout = blocked()
    assert layout.apply({"register": 1, "lane": 2}) == {"dim0": 9} and layout.apply({"lane": 7}) == {"dim0": 28}
    assert layout.bases == [("register", [[1], [2]]), ("lane", [[4], [8], [16]])]
    assert layout.out_dims == [("dim0", 32)] and layout.num_in_dims == 2 and layout.num_out_dims == 1
    assert layout.get_in_dim_names() == ["register", "lane"] and layout.get_out_dim_names() == ["dim0"]
    assert LinearLayout.from_bases(layout.bases, ["dim0"]) == layout and hash(layout) == hash(blocked())
    other = blocked()
    other *= LinearLayout.identity_1d(2, "warp", "dim1")
    assert other.out_dims == [("dim0", 32), ("dim1", 2)] and other != layout


def test_swizzle_by_brute_force():
    layout = LinearLayout.from_bases(
        [("row", [[1, 1], [2, 2]]), ("column", [[0, 1], [0, 2]])], ["dim0", "dim1"], [4, 4]
    )
    for row, column in itertools.product(range(4), range(4)):
        assert layout.apply({"row": row, "column": column}) == {"dim0": row, "dim1": row ^ column}
    inverse = layout.invert()
    for row, column in itertools.product(range(4), range(4)):
        assert inverse.apply(layout.apply({"row": row, "column": column})) == {"row": row, "column": column}
    assert layout.compose(inverse).apply({"row": 3, "column": 1}) == {"row": 3, "column": 1}
    assert layout.is_invertible() and layout.get_matrix_view() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [1, 0, 1, 0],
        [0, 1, 0, 1],
    ]


def test_broadcasts():
    layout = LinearLayout.identity_1d(4, "lane", "dim0") * LinearLayout.zeros_1d(2, "warp", "dim0")
    assert layout.is_surjective() and not layout.is_injective() and not layout.is_invertible()
    assert layout.pseudoinvert().apply({"dim0": 3}) == {"lane": 3, "warp": 0}
    with pytest.raises(ValueError, match="no bijection"):
        layout.invert()
    strided = LinearLayout.strided_1d(4, 2, "lane", "dim0")
    assert strided.apply({"lane": 3}) == {"dim0": 6} and not strided.is_surjective()
    with pytest.raises(ValueError, match="does not reach every output"):
        strided.pseudoinvert()


def test_conversion_between_layouts():
    one, two = blocked(), LinearLayout.identity_1d(8, "lane", "dim0") * LinearLayout.identity_1d(4, "register", "dim0")
    conversion = one.invert_and_compose(two)
    for register, lane in itertools.product(range(4), range(8)):
        source = {"register": register, "lane": lane}
        assert two.apply(conversion.apply(source)) == one.apply(source)


@pytest.mark.parametrize(
    "attempt, message",
    [
        (lambda: LinearLayout.identity_1d(3, "a", "b"), "a size is a power of two, not 3"),
        (lambda: LinearLayout.strided_1d(4, 3, "a", "b"), "a stride is a power of two"),
        (lambda: LinearLayout.from_bases([("a", [[1, 2]])], ["x"]), "2 parts for 1 outputs"),
        (lambda: LinearLayout.from_bases([("a", [[-1]])], ["x"]), "the part -1"),
        (lambda: LinearLayout.from_bases([("a", [[4]])], ["x"], [4]), "do not fit output 'x' of size 4"),
        (lambda: LinearLayout.from_bases([("a", [[2]])], ["x"]), "does not reach every output"),
        (lambda: LinearLayout.from_bases([("a", [[2]])], ["x"], require_surjective=False), "needs out_dim_sizes"),
        (lambda: LinearLayout.from_bases([("a", []), ("a", [])], ["x"]), "'a' is named twice"),
        (lambda: blocked().apply({"nothing": 1}), "no input 'nothing'"),
        (lambda: blocked().apply({"lane": 8}), "index 8 is outside of input 'lane' of size 8"),
        (lambda: blocked().compose(blocked()), "not the inputs of the second"),
        (lambda: blocked().invert_and_compose(LinearLayout.identity_1d(4, "a", "b")), "different outputs"),
    ],
)
def test_mistakes(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


def test_views():
    layout = LinearLayout.identity_1d(2, "register", "dim0") * LinearLayout.identity_1d(2, "lane", "dim0")
    assert layout.get_shared_view(False).splitlines()[3] == "register 1 lane 1: (3)"
    assert layout.get_distributed_view(False).splitlines()[1] == "(1): register 1 lane 0"
    assert "register" in str(layout) and "lane" in str(layout)
