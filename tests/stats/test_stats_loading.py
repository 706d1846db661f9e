from __future__ import annotations

import subprocess
import sys


def test_only_what_computes_numbers_loads_numpy_and_only_comparisons_scipy() -> None:
    program = (
        "import sys\n"
        "import pytest_searchlight.calibration, pytest_searchlight.hooks, pytest_searchlight.plugin\n"
        "import pytest_searchlight.stats.figures\n"
        "assert not {'numpy', 'scipy'} & set(sys.modules), 'too early'\n"
        "import pytest_searchlight.summary\n"
        "assert 'scipy' not in sys.modules, 'a session of one setup compares nothing'\n"
        "import pytest_searchlight.stats.comparing\n"
        "assert {'numpy', 'scipy'} < set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
