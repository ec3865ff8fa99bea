# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the integration tests; README.md says how to run them."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "support"))

import flopsprof_run  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also the big and slow cases")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: only with --full")
    os.environ["SIM_QUICK_IMPORT"] = "1"  # jobs with an environment of the test's own


def pytest_collection_modifyitems(config, items):
    if config.getoption("--full"):
        return
    for item in items:
        if "full" in item.keywords:  # skipped, not left out: scripts/test.sh counts and names them
            item.add_marker(pytest.mark.skip(reason="only with --full"))


def pytest_sessionstart(session):
    flopsprof_run.sim_python()  # once, before workers start
    if not os.path.exists(flopsprof_run.product("bin/flopsprof-run")):
        pytest.exit("build the product first: scripts/build.sh", returncode=2)


@pytest.fixture(scope="session")
def python() -> str:
    return flopsprof_run.sim_python()


@pytest.fixture
def folder(tmp_path) -> str:
    """A run folder that does not exist yet."""
    return str(tmp_path / "run")
