"""One benchmark session, from what may start to what came of it.

`benchmark` is what fixtures and hooks share in one process. Before the runs, `preflight` and `preparation`
find out whether they can be made, `plan` tells what they would be and `facts` records what they depend on;
`ledger` and `store` steer and keep them; `outcome` sums them up.
"""
