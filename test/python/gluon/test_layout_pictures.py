"""Layouts drawn as text."""

import pytest
from triton.experimental.gluon import language as gl

SMALL = gl.BlockedLayout([1, 2], [2, 2], [2, 1], [1, 0])


def test_who_holds_an_element():
    assert SMALL.format_tensor_view([4, 8]) == (
        "[[T0:0, T0:1, T1:0, T1:1, T0:2, T0:3, T1:2, T1:3]\n"
        "[ T2:0, T2:1, T3:0, T3:1, T2:2, T2:3, T3:2, T3:3]\n"
        "[ T4:0, T4:1, T5:0, T5:1, T4:2, T4:3, T5:2, T5:3]\n"
        "[ T6:0, T6:1, T7:0, T7:1, T6:2, T6:3, T7:2, T7:3]]\n"
    )


def test_copies_stand_together():
    layout = gl.BlockedLayout([1, 1, 2], [1, 2, 2], [1, 1, 2], [2, 1, 0])
    assert layout.format_tensor_view([2, 2, 4]) == (
        "[[[T0:0|T4:0, T0:1|T4:1, T1:0|T5:0, T1:1|T5:1]\n"
        "[  T2:0|T6:0, T2:1|T6:1, T3:0|T7:0, T3:1|T7:1]]\n"
        "[[ T0:2|T4:2, T0:3|T4:3, T1:2|T5:2, T1:3|T5:3]\n"
        "[  T2:2|T6:2, T2:3|T6:3, T3:2|T7:2, T3:3|T7:3]]]\n"
    )


def test_what_a_warp_holds():
    assert SMALL.format_hardware_view([2, 8]).startswith("Warp0:\n(0,0), (0,2), (1,0), (1,2)\n(0,1), (0,3)")
    clustered = gl.BlockedLayout([1], [4], [2], [0], [[1]])
    assert clustered.format_hardware_view([16]).endswith(
        "Block1:\nWarp0:\n( 8), ( 9), (10), (11)\nWarp1:\n(12), (13), (14), (15)\n"
    )
    assert "B1:T0:0" in clustered.format_tensor_view([16])


def test_where_elements_lie():
    swizzled = gl.SwizzledSharedLayout(2, 1, 2, [1, 0])
    assert swizzled.format_tensor_view([2, 8]) == (
        "[[(0:0),(0:1),(0:2),(0:3),(0:4),(0:5),(0:6),(0:7)]\n[ (1:2),(1:3),(1:0),(1:1),(1:6),(1:7),(1:4),(1:5)]]\n"
    )
    assert "Offset: 8 -> (1,2)\n" in swizzled.format_hardware_view([2, 8])


@pytest.mark.parametrize(
    "layout",
    [gl.AutoLayout(), gl.CoalescedLayout(), gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 64], [1, 0])],
    ids=lambda layout: type(layout).__name__,
)
def test_some_have_no_picture(layout):
    with pytest.raises(ValueError, match=f"{type(layout).__name__} cannot be visualized"):
        layout.format_tensor_view([16, 64])
