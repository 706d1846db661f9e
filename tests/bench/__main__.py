"""All benchmarks, a table each: metering proxy, harness, real agents, grading again, reports, run pages."""

from bench import (
    bench_agents,
    bench_harness,
    bench_meter,
    bench_regrade,
    bench_reports,
    bench_site,
    bench_view,
)

for benchmark in (
    bench_meter,
    bench_harness,
    bench_agents,
    bench_regrade,
    bench_reports,
    bench_site,
    bench_view,
):
    benchmark.main()
    print(flush=True)
