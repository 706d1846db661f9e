"""All benchmarks, a table each: the metering proxy, the harness, runs with real agents, and run pages."""

from bench import bench_agents, bench_harness, bench_meter, bench_view

for benchmark in (bench_meter, bench_harness, bench_agents, bench_view):
    benchmark.main()
    print(flush=True)
