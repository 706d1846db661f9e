"""Statistics: rates and quantiles here, comparisons of setups in the modules below.

`descriptive` and `figures` need the standard library and records only, `columns` numpy, and all others scipy,
too; they are imported where numbers are computed and nowhere else, so that no other pytest run pays for them.
"""

from pytest_searchlight.stats.descriptive import Z_95, divide, interpolate, quantile, wilson_interval

__all__ = ["Z_95", "divide", "interpolate", "quantile", "wilson_interval"]
