"""Writes the page: the data of the kernels inside the one HTML file that shows them. It needs no network and no other file."""

from __future__ import annotations

import html
import os

from .collect import to_json


def make_page(kernels):
    """The page as text."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.html"), encoding="utf-8") as file:
        text = file.read()
    title = ", ".join(dict.fromkeys(kernel["name"] for kernel in kernels))
    return text.replace("@TITLE@", html.escape(title)).replace("@DATA@", to_json(kernels))


def write_page(kernels, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(make_page(kernels))
    return path
