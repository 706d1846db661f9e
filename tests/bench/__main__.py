"""The metering proxy beside a bare server, then the harness beside bare pytest."""

from . import bench_harness, bench_meter

bench_meter.main()
print()
bench_harness.main()
