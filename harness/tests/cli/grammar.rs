//! One grammar of values: what one option or key accepts, all accept.

use std::fs;

use crate::common::printed;

/// A message between two ranks.
const GOAL: &str = "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";

/// Without a size a profile would answer for one byte.
#[test]
fn a_profile_needs_a_message_size() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for entry in algorithms::catalogue::entries() {
        let axes = || entry.axes().iter();
        if !axes().any(|axis| axis.key == "machine") || axes().all(|axis| axis.key != "bytes") {
            continue;
        }
        let explanation = printed(
            directory,
            &format!("cost {} --machine ethernet100-switched -K 8", entry.name),
        )
        .unwrap_err();
        assert!(
            explanation.contains(" needs --bytes"),
            "{}: {explanation}",
            entry.name
        );
    }
    let grid = "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['halving']\nmachines = ['ethernet100-held']\nK = [8]\n";
    fs::write(directory.join("c.toml"), grid).unwrap();
    let explanation = printed(directory, "sweep --dry-run c.toml").unwrap_err();
    assert!(
        explanation.contains("`halving` reads the axis bytes, which this grid lacks"),
        "{explanation}"
    );
}

#[test]
fn decimals_say_how_to_scale() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |line: &str| printed(directory.path(), line).unwrap_err();
    let explanation = refused("cost allreduce-ring -g 0.3 -L 6 -o 2 -K 8 -n 64");
    assert!(
        explanation.contains("multiply all of them by 10: -L 60 -o 20 -g 3\n"),
        "{explanation}"
    );
    let explanation =
        refused("cost worm-u-mesh --mesh 8x8 -K 3 --startup 1.25 --hop 1 --flit 1 --flits 3");
    assert!(
        explanation.contains("multiply all of them by 100: --startup 125 --hop 100 --flit 100\n"),
        "{explanation}"
    );
    fs::write(directory.path().join("x.goal"), GOAL).unwrap();
    let explanation = refused("cost --ends x.goal -L 6 -o 2 -g 0.3");
    assert!(
        explanation.contains("multiply all of them by 10: -L 60 -o 20 -g 3\n"),
        "{explanation}"
    );
    let explanation = refused("cost allreduce-ring -g 0.x -L 6 -o 2 -K 8 -n 64");
    assert!(
        explanation.contains("expected a whole number"),
        "{explanation}"
    );
}

/// The time to combine a byte has a unit on a profile, and none elsewhere.
#[test]
fn the_time_to_combine_takes_a_unit_on_a_profile() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let on_profile = |c: &str| {
        printed(
            directory,
            &format!("cost allreduce-ring --machine ethernet100-switched --bytes 1MiB -K 8 -c {c}"),
        )
    };
    assert_eq!(on_profile("50ps"), on_profile("50"));
    assert_eq!(on_profile("0.05ns/B"), on_profile("50"));
    assert!(
        on_profile("50").is_ok()
            && on_profile("0.5ps")
                .unwrap_err()
                .contains("not a whole number of ps")
    );
    assert!(
        on_profile("0.5")
            .unwrap_err()
            .contains("a whole number of ps per byte")
    );
    let best = |c: &str| {
        printed(
            directory,
            &format!(
                "best --problem allreduce --machine ethernet100-switched -K 8 --bytes 1KiB -c {c}"
            ),
        )
    };
    assert!(best("50ps").is_ok() && best("50ps") == best("50"));
    let grid = |c: &str| {
        let text = format!(
            "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['allreduce-ring']\nmachines = 'ethernet100-held'\n\
             bytes = '1KiB'\nK = 8\nc = {c}\n"
        );
        fs::write(directory.join("c.toml"), text).unwrap();
        printed(directory, "sweep c.toml --out r")?;
        let rows = fs::read_to_string(directory.join("r/allreduce.csv")).unwrap();
        fs::remove_dir_all(directory.join("r")).unwrap();
        Ok::<String, String>(rows)
    };
    assert!(grid("['50ps', 100]").is_ok() && grid("['50ps', 100]") == grid("[50, 100]"));
    fs::write(directory.join("x.goal"), GOAL).unwrap();
    for line in [
        "cost allreduce-ring -L 6 -o 2 -g 4 -K 8 -n 64 -c 50ps",
        "cost allreduce-ring -L 6ns -o 2 -g 4 -K 8 -n 64",
        "best --problem allreduce -L 6 -o 2 -g 4 -K 8 -n 64 -c 1,50ps",
        "sweep --dry-run --set L=6ns",
        "cost --ends x.goal -L 6ns -o 2 -g 4",
    ] {
        let explanation = printed(directory, line).unwrap_err();
        assert!(
            explanation.contains("a unit needs a machine profile"),
            "{line}: {explanation}"
        );
    }
}

/// 900 GB/s are 1.11 ps per byte: a million bytes after the first take 1110 ns, not 1000 or 2000.
#[test]
fn a_gap_in_parts_of_a_picosecond_is_exact() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(
        directory.join("fast.toml"),
        "schema = 1\nname = 'fast'\nL = '1us'\no = '0ns'\ng = '1ns'\nG = '1.11ps/B'\n",
    )
    .unwrap();
    let cost = printed(
        directory,
        "cost flat --machine fast.toml --bytes 1_000_001 -K 2 --format json",
    )
    .unwrap();
    assert!(
        cost.contains(r#""analytic":2110,"analytic_by":"formula","simulated":2110"#),
        "{cost}"
    );
    // Another byte is another begun nanosecond.
    let cost = printed(
        directory,
        "cost flat --machine fast.toml --bytes 1_000_002 -K 2 --format json",
    )
    .unwrap();
    assert!(
        cost.contains(r#""analytic":2111,"analytic_by":"formula","simulated":2111"#),
        "{cost}"
    );
    let explanation = printed(
        directory,
        "cost --slopes flat --machine fast.toml --bytes 1001 -K 2 --format json",
    )
    .unwrap();
    assert!(
        explanation.contains(r#""parameter":"G","value":"111/100","slope_below":1000"#),
        "{explanation}"
    );
    assert!(
        explanation.contains(r#""cost":"100111/100""#),
        "{explanation}"
    );
    fs::write(
        directory.join("c.toml"),
        "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['flat']\nmachines = ['fast.toml']\nbytes = ['1MB']\nK = 2\n",
    )
    .unwrap();
    printed(directory, "sweep c.toml --out r").unwrap();
    let manifest = fs::read_to_string(directory.join("r/manifest.json")).unwrap();
    assert!(manifest.contains("1.11ps"), "{manifest}");
}

/// Ranges, lists and numbers of configurations take what options take.
#[test]
fn configurations_take_the_values_of_options() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let sizes = |bytes: &str| {
        let text = format!(
            "schema = 1\nseed = '10^3'\n[limits]\nmost_points = '1_000'\n[[grid]]\nname = 'a'\n\
             algorithms = ['halving']\nmachines = ['ethernet100-held']\nbytes = {bytes}\nK = '2^3'\n"
        );
        fs::write(directory.join("c.toml"), text).unwrap();
        printed(directory, "sweep c.toml --out r")?;
        let rows = fs::read_to_string(directory.join("r/logp-multicast.csv")).unwrap();
        fs::remove_dir_all(directory.join("r")).unwrap();
        Ok::<String, String>(rows)
    };
    let expected = sizes("[8, 32, 128, 512]").unwrap();
    for bytes in [
        "{ from = '8B', to = '1KiB', factor = 4 }",
        "{ from = 8, to = '1kB', factor = 4 }",
        "'8B..1KiB..x4'",
        "['8B', 32, '128', '0.5KiB']",
        "['8..32..x4', '128B..512..x4']",
    ] {
        assert_eq!(sizes(bytes).as_ref(), Ok(&expected), "{bytes}");
    }
    assert!(
        sizes("{ from = '8B', to = '64B', step = '8B' }")
            .unwrap()
            .lines()
            .count()
            == 9
    );
    for (bytes, explanation) in [
        (
            "{ from = '8B', to = '64B', step = '8B', factor = 2 }",
            "at most one of `step` and `factor`",
        ),
        (
            "{ from = '8X', to = '64B' }",
            "expected a positive number of bytes",
        ),
        (
            "{ from = '64B', to = '8B' }",
            "expected the smaller end first",
        ),
        (
            "{ from = '8B,16B', to = '64B' }",
            "at most one of `step` and `factor`",
        ),
        (
            "{ from = '8B..16B', to = '64B' }",
            "at most one of `step` and `factor`",
        ),
        ("{ from = '64B' }", "at most one of `step` and `factor`"),
    ] {
        let errors = sizes(bytes).unwrap_err();
        assert!(errors.contains(explanation), "{bytes}: {errors}");
    }
}

/// A square mesh has one number in every option, and two in every other.
#[test]
fn a_mesh_is_written_alike_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let cost = |mesh: &str| {
        printed(
            directory.path(),
            &format!("cost dual-path {mesh} -K 4 --trials 10"),
        )
    };
    assert!(
        cost("--mesh 8").is_ok()
            && cost("--mesh 8") == cost("-n 8x8")
            && cost("-n 8") == cost("--mesh 8x8")
    );
    assert!(cost("-n 8x6").is_ok() && cost("-n 8x6") == cost("--mesh 8x6"));
    let drawn = printed(
        directory.path(),
        "show dual-path --mesh 2^3 --source 1_1,0 --to 1,1",
    )
    .unwrap_err();
    assert!(
        drawn.contains("expected a node as x,y with x from 0 to 7"),
        "{drawn}"
    );
}

/// A profile is named by its path wherever a machine is named.
#[test]
fn a_machine_is_named_by_name_or_path() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let profile = include_str!("../../../configs/machines/ethernet100-held.toml");
    fs::create_dir(directory.join("profiles")).unwrap();
    fs::write(
        directory.join("profiles/m.toml"),
        profile.replace("ethernet100-held", "mine"),
    )
    .unwrap();
    let config = |machine: &str| {
        format!(
            "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['halving', 'fibonacci']\nmachines = '{machine}'\n\
             bytes = '1MiB'\nK = '4..8'\n[[figures.lines]]\nfile = 'f.svg'\ntitle = 'a'\n\
             algorithms = ['halving', 'fibonacci']\nx = 'K'\nat = {{ machine = 'profiles/m.toml', bytes = '1MiB' }}\n"
        )
    };
    fs::write(
        directory.join("c.toml"),
        config("profiles/m.toml,ethernet100-held"),
    )
    .unwrap();
    printed(directory, "run c.toml --out r").unwrap();
    assert!(
        fs::read_to_string(directory.join("r/figures/f.svg"))
            .unwrap()
            .contains("mine")
    );
    let draw = |machine: &str| {
        printed(
            directory,
            &format!(
                "figures --from r --x K --at machine={machine},bytes=1MiB --out {machine}.svg"
            ),
        )?;
        Ok::<String, String>(fs::read_to_string(directory.join(format!("{machine}.svg"))).unwrap())
    };
    // But for the line that states how it was drawn.
    let drawn = |machine: &str| {
        draw(machine).map(|svg| {
            svg.lines()
                .filter(|line| !line.starts_with("<metadata>"))
                .collect::<Vec<_>>()
                .join("\n")
        })
    };
    assert!(drawn("profiles/m.toml").is_ok() && drawn("profiles/m.toml") == drawn("mine"));
    assert!(
        draw("profiles/none.toml")
            .unwrap_err()
            .contains("cannot read the machine profile")
    );
    for line in [
        "cost halving --bytes 1MiB -K 8 --machine",
        "best --bytes 1MiB -K 8 --machine",
    ] {
        assert!(
            printed(directory, &format!("{line} profiles/m.toml")).is_ok(),
            "{line}"
        );
    }
}
