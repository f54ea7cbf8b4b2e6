# Recipes; `just` lists them.
_:
    @just --list

# Evaluate the grids of configs/default.toml (or another file) into reports/*.csv.
sweep *arguments:
    cargo run --locked -- sweep {{arguments}}

# Draw reports/figures/*.svg from reports/*.csv.
figures *arguments:
    cargo run --locked -- figures {{arguments}}

# Renew the digests of what a change of the code's form must not change; CHANGELOG.md says why.
frozen:
    cargo build --locked
    target/debug/castbench run --out target/frozen
    harness/scripts/frozen target/debug/castbench target/frozen >reports/frozen.sha256

# Sweep, then figures.
run *arguments:
    cargo run --locked -- run {{arguments}}

# Compare all costs with reports/baseline.
regress *arguments:
    cargo run --locked -- regress {{arguments}}

# Check every claim of the papers at every point of a grid.
audit *arguments:
    cargo run --locked -- audit {{arguments}}

# Measure the algorithms of configs/measure.toml (or another file) over loopback: a few seconds.
measure *arguments:
    cargo run --release --locked -- measure {{arguments}}

# Measure on emulated hosts, joined by 100 Mbit/s Ethernet, into reports/measured: some 15 minutes of an idle machine.
measure-emulated *arguments:
    cargo run --release --locked -- measure configs/measure-emulated.toml --out reports/measured {{arguments}}

# Measure segments of 1 to 64 KiB on emulated hosts into reports/measured-segments: three minutes of an idle machine.
measure-segments *arguments:
    cargo run --release --locked -- measure configs/measure-segments.toml --out reports/measured-segments {{arguments}}

# Measure the trees and MPI_Bcast over MPI on this host: a few seconds. Needs an MPI with its mpicc.
measure-mpi *arguments:
    cargo build --release --locked --package castbench
    mpirun --oversubscribe -n 8 target/release/castbench measure configs/measure-mpi.toml --out reports/measurement-mpi {{arguments}}

# Measure over MPI between 18 emulated hosts at 100 Mbit/s into reports/measured-mpi: some minutes. Needs root.
measure-mpi-emulated *arguments:
    cargo build --release --locked --package castbench
    harness/scripts/measure-mpi-emulated target/release/castbench 18 \
      measure configs/measure-mpi-emulated.toml --out reports/measured-mpi {{arguments}}

# Write one page with everything, reports/index.html, from the output of `just run`.
report *arguments:
    cargo run --locked -- report {{arguments}}

# Run this many new random argument lists; each must end as documented.
random-arguments lists='20000':
    CASTBENCH_SEED="$(date +%s)" CASTBENCH_LISTS={{lists}} cargo test --locked -p castbench --test cli random_arguments -- --nocapture

# Run all tests.
test:
    cargo test --locked

# Rewrite the output shown in the pages; the tests compare it.
documents:
    UPDATE_DOCUMENTS=1 cargo test --locked --package castbench --test cli documents::examples

# Measure the times of answers, and compare them with those of `just bench-store`; docs/guide.md has figures.
bench *arguments:
    cargo bench --locked --workspace -- --baseline-lenient stored {{arguments}}

# Store the times in target/criterion; they are valid on this machine only.
bench-store *arguments:
    cargo bench --locked --workspace -- --save-baseline stored {{arguments}}

# Compare shards run by a private Slurm and by GNU parallel with one sweep; prints what is missing. A minute.
test-slurm:
    cargo build --locked
    harness/tests/cluster/test.sh target/debug/castbench

# Write the libraries in castbench, from Cargo.lock, into reports/sbom.cdx.json; needs cargo-cyclonedx.
sbom:
    harness/scripts/sbom

# Mutate `algorithms` with cargo-mutants and list the mutants that no test detects: days, or `just mutants --file FILE`.
mutants *arguments:
    cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked --version 27.1.0
    cargo mutants {{arguments}}

# Run the library tests of `algorithms` under Miri, each for at most this many core seconds; needs a nightly toolchain.
miri seconds="20":
    rustup component add --toolchain nightly miri rust-src
    harness/scripts/miri {{seconds}}

# Fuzz the readers: `just fuzz`, 20 seconds each, or `just fuzz config 600`. See harness/fuzz/README.md.
fuzz target="all" seconds="20":
    harness/fuzz/run {{target}} {{seconds}}

# Build the Python package, target/wheels/castbench-*.whl, and test it in a fresh environment.
wheel:
    cargo build --locked
    python3 -m venv target/python
    target/python/bin/pip install --quiet --require-hashes --no-deps --only-binary :all: -r .ci/requirements.txt
    target/python/bin/maturin build --release --locked --manifest-path python/Cargo.toml --out target/wheels
    target/python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/castbench-*.whl
    CASTBENCH=target/debug/castbench target/python/bin/python -m unittest discover python/tests

# Build the static binary of this processor, target/dist/castbench-*-musl-*.tgz: needs rustup and a C compiler for musl, as musl-tools has.
static:
    packaging/musl

# Run the checks of .ci/run.
ci:
    .ci/run

# Under 250 public items in castbench-algorithms, and no break since a revision. Needs cargo-public-api, cargo-semver-checks and
# a nightly toolchain.
api since='main':
    test "$(cargo +nightly public-api --package castbench-algorithms -sss | wc -l)" -lt 250
    cargo semver-checks --package castbench-algorithms --baseline-rev {{since}}

# Dry-run `cargo publish` with the oldest compiler that the packages state (rustup installs it): some three minutes.
publish-check:
    rustup toolchain install "$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)" --profile minimal
    RUSTC="$(rustup which --toolchain "$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)" rustc)" \
        cargo publish --workspace --dry-run --locked
