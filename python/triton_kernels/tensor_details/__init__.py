"""What tensors carry besides their data: bits, ragged rows, layouts in memory."""
