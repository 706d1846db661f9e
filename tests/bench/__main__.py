"""All benchmarks, a table each: the metering proxy, the harness, and runs with real agents."""

from bench import bench_agents, bench_harness, bench_meter

for benchmark in (bench_meter, bench_harness, bench_agents):
    benchmark.main()
    print(flush=True)
