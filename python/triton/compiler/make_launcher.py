"""Launchers are made by drivers (`triton.backends.*.driver`); older programs import this module."""
