"""Statistics: rates and quantiles here, comparisons of setups in the modules below.

`descriptive` and `figures` need the standard library and records only. All others need numpy and scipy;
they are imported where a comparison is computed and nowhere else, so that no other pytest run pays for them.
"""

from pytest_searchlight.stats.descriptive import Z_95, divide, quantile, wilson_interval

__all__ = ["Z_95", "divide", "quantile", "wilson_interval"]
