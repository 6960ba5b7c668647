"""Loaded into pytest by run_sharded.py and conformance.py: chooses the tests of a process, says how each went, ends behind a lost device.

TRITON_TEST_SELECT   a file of node ids: the tests to run, in that order; none where it is empty. Without it all are
TRITON_TEST_REPORT   a file that gets one line of JSON when a test begins and one when it ends
"""

import json
import os
import sys
import time

import pytest

STICKY_ERROR = 77  # exit code: the device's context is lost, the tests that follow need a new process


def select(items, wanted):
    """(the items that are wanted, in that order; the others)"""
    place = {name: index for index, name in enumerate(wanted)}
    chosen = [item for item in items if item.nodeid in place]
    return sorted(chosen, key=lambda item: place[item.nodeid]), [item for item in items if item.nodeid not in place]


def device_error():
    """What the device says once its context is lost; None where there is no device, or it is well."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return None
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        return str(error)
    return None


class LostDevice:
    """Ends the process behind a test after which nothing more can run on the device, also behind one that wanted to see it fail."""

    def __init__(self):
        self.error = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if self.error is None:
            self.error = device_error()
        if self.error is not None:
            if report.failed:
                report.longrepr = f"{report.longrepr}\nthe device is lost: {self.error}"
            item.session.shouldstop = "the device is lost, the tests that follow need a new process"
        return report

    def pytest_sessionfinish(self, session, exitstatus):
        if self.error is not None:
            session.exitstatus = STICKY_ERROR


class Reporter:
    """Writes down what happens, for a runner that splits tests over processes."""

    def __init__(self, path):
        self.file = open(path, "a", buffering=1)

    def write(self, **record):
        self.file.write(json.dumps(record) + "\n")

    def pytest_itemcollected(self, item):
        if item.config.option.collectonly:
            self.write(collected=item.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(test=report.nodeid, outcome="failed", seconds=0, text=str(report.longrepr)[-6000:])

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(start=nodeid, time=time.time())

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            text = "" if report.outcome == "passed" else str(report.longrepr)
            self.write(test=report.nodeid, outcome=report.outcome, seconds=report.duration, text=text[-6000:])


def pytest_configure(config):
    config.pluginmanager.register(LostDevice(), "triton-lost-device")
    if path := os.environ.get("TRITON_TEST_REPORT"):
        config.pluginmanager.register(Reporter(path), "triton-report")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if path := os.environ.get("TRITON_TEST_SELECT"):
        with open(path) as file:
            items[:], others = select(items, file.read().splitlines())
        config.hook.pytest_deselected(items=others)
