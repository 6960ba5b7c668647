"""Layouts of buffers in tensor memory."""

from ..._layouts import CLASSES

TensorMemoryLayout = CLASSES["TensorMemoryLayout"]
TensorMemoryScalesLayout = CLASSES["TensorMemoryScalesLayout"]
