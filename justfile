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

# Check every claim of the papers at every point of a grid.
audit *arguments:
    cargo run --release --locked -- audit {{arguments}}

# Run the multicast trees of configs/measure.toml (or another file) for real, over loopback: a few seconds.
measure *arguments:
    cargo run --release --locked -- measure {{arguments}}

# The same on emulated hosts, joined by 100 Mbit/s Ethernet: reports/measured/*.csv, some 15 minutes of a quiet machine.
measure-emulated *arguments:
    cargo run --release --locked -- measure configs/measure-emulated.toml --out reports/measured {{arguments}}

# Segments of 1 to 64 KiB on emulated hosts, beside the choice of `castbench best`: reports/measured-segments, some two minutes
# of a quiet machine.
measure-segments *arguments:
    cargo run --release --locked -- measure configs/measure-segments.toml --out reports/measured-segments {{arguments}}

# The same trees over MPI, and MPI_Bcast beside them, on this host: a few seconds. Needs Open MPI and libclang.
measure-mpi *arguments:
    cargo build --release --locked --package castbench --features mpi
    mpirun --oversubscribe -n 8 target/release/castbench measure configs/measure-mpi.toml --out reports/measurement-mpi {{arguments}}

# Over MPI between 18 emulated hosts, joined by 100 Mbit/s Ethernet: reports/measured-mpi/*.csv, some minutes. Needs root.
measure-mpi-emulated *arguments:
    cargo build --release --locked --package castbench --features mpi
    harness/scripts/measure-mpi-emulated target/release/castbench 18 \
      measure configs/measure-mpi-emulated.toml --out reports/measured-mpi {{arguments}}

# All of it on one page, reports/index.html, from what `just run` wrote.
report *arguments:
    cargo run --release --locked -- report {{arguments}}

# Runs so many random argument lists, others each time: each has to end as documented.
random-arguments lists='20000':
    CASTBENCH_SEED="$(date +%s)" CASTBENCH_LISTS={{lists}} cargo test --release --locked -p castbench --test cli random_arguments -- --nocapture

# Everything that must hold.
test:
    cargo test --release --locked

# Write what the program prints today into the pages that show it; the tests compare.
documents:
    UPDATE_DOCUMENTS=1 cargo test --release --locked --package castbench --test cli documents::examples

# What an answer costs in time, and its ratio to what `just bench-store` kept; docs/guide.md has figures.
bench *arguments:
    cargo bench --locked --workspace -- --baseline-lenient stored {{arguments}}

# Keep the times of today in target/criterion; they mean nothing on another machine.
bench-store *arguments:
    cargo bench --locked --workspace -- --save-baseline stored {{arguments}}

# Shards on a Slurm that is started for it, and with GNU parallel, against one sweep; says what it needs. A minute.
test-slurm:
    cargo build --release --locked
    harness/tests/cluster/test.sh target/release/castbench

# The libraries that castbench is built of, reports/sbom.cdx.json, from Cargo.lock; needs cargo-cyclonedx.
sbom:
    harness/scripts/sbom

# Change `algorithms` in every way that cargo-mutants knows, and see which tests notice: days, or `just mutants --file FILE`.
mutants *arguments:
    cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked --version 27.1.0
    cargo mutants {{arguments}}

# Run the library tests of `algorithms` under Miri, each for at most so many seconds of a core; needs a nightly toolchain.
miri seconds="20":
    rustup component add --toolchain nightly miri rust-src
    harness/scripts/miri {{seconds}}

# Fuzz what castbench reads: `just fuzz`, 20 seconds each, or `just fuzz config 600`. Needs a C++ compiler; harness/fuzz/README.md.
fuzz target="all" seconds="20":
    harness/fuzz/run {{target}} {{seconds}}

# What .ci/run checks, on this machine.
ci:
    .ci/run

# What `cargo publish` would do, built with the oldest compiler that the packages state (rustup fetches it). Some three minutes.
publish-check:
    rustup toolchain install "$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)" --profile minimal
    RUSTC="$(rustup which --toolchain "$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)" rustc)" \
        cargo publish --workspace --dry-run --locked --no-default-features
