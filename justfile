# One line each over the same binary; `just` alone lists them.
_:
    @just --list

# Evaluate the grids of configs/default.toml (or another file) into reports/*.csv.
sweep *arguments:
    cargo run --release --locked -- sweep {{arguments}}

# Draw reports/figures/*.svg from reports/*.csv.
figures *arguments:
    cargo run --release --locked -- figures {{arguments}}

# Sweep, then figures.
run *arguments:
    cargo run --release --locked -- run {{arguments}}

# Whether any cost got worse than in reports/baseline.
regress *arguments:
    cargo run --release --locked -- regress {{arguments}}

# Everything that must hold.
test:
    cargo test --release --locked

# What an answer costs in time; the README has the figures.
bench:
    cargo bench --locked

# What .ci/run checks, on this machine.
ci:
    .ci/run
