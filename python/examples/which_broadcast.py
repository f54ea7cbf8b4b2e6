"""Which tree broadcasts fastest on a machine, by message size, and how much slower the others are.

    pip install ./python pandas        # in the repository
    python python/examples/which_broadcast.py
"""

# %% The algorithms
import castbench

machine = "ethernet100-switched"
trees = [entry["algorithm"] for entry in castbench.algorithms() if entry["problem"] == "logp-multicast"]
print(len(trees), "algorithms for", machine)

# %% One point
point = castbench.cost("fibonacci", machine=machine, bytes="64KiB", K=18)
print(f"fibonacci, 64 KiB to 18 ranks: {point['analytic'] / 1e6:.3f} ms")

# %% Many points: a list for each column
columns = castbench.sweep(
    {
        "schema": 1,
        "grid": [
            {
                "name": "sizes",
                "machines": [machine],
                "algorithms": trees,
                "bytes": ["1KiB", "64KiB", "1MiB"],
                "K": [8, 18],
            }
        ],
    }
)

# %% As a table
import pandas  # noqa: E402

points = pandas.DataFrame(columns)
by_case = points.groupby(["K_nodes", "message_bytes"])["analytic"]
best = points.loc[by_case.idxmin(), ["K_nodes", "message_bytes", "algorithm", "analytic", "simulated"]]
print(best.to_string(index=False))

# %% How much slower the others are
points["slower"] = points["analytic"] / by_case.transform("min")
among_18 = points[points["K_nodes"] == 18]
slower = among_18.pivot(index="algorithm", columns="message_bytes", values="slower")
print("times as long as the fastest, among 18 ranks:")
print(slower.round(2).to_string())

# %% What the best one does: when each rank holds a message of 64 KiB
chosen = best[(best["K_nodes"] == 8) & (best["message_bytes"] == 64 * 1024)].iloc[0]
events = pandas.DataFrame(castbench.schedule(chosen["algorithm"], machine=machine, bytes="64KiB", K=8))
received = events[events["what"] == "receive"].sort_values(["end", "node"])
print(chosen["algorithm"])
print(received[["end", "node", "peer"]].to_string(index=False))
assert received["end"].max() == chosen["simulated"]
