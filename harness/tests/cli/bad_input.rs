//! Bad input gets a message that states what, where, why and what to do, and a documented exit code. It leaves no
//! files.

use std::fmt::Write as _;
use std::fs;

use crate::common::{castbench_in, expect, on_one_line};
use insta::assert_snapshot;

/// Runs a command in a directory with this configuration and returns its exit code and message; no file may appear.
fn refused(config: &str, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), config).unwrap();
    let output = castbench_in(directory.path(), arguments);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "",
        "{arguments:?} printed something"
    );
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        1,
        "{arguments:?} left something behind"
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    format!(
        "    {} {}\n",
        output.status.code().unwrap_or(-1),
        on_one_line(&errors)
    )
}

#[test]
fn on_the_command_line() {
    let tree = "-L 6 -o 2 -g 4";
    let lines = [
        format!("cost halving {tree} -K 0"),
        format!("cost halving {tree} -K 5 --source 6"),
        format!("cost halving {tree} -K 1e6"),
        "cost halving -L 99999999999999999999 -o 2 -g 4 -K 18".to_owned(),
        "cost chain -L 18446744073709551614 -o 0 -g 4 -K 5".to_owned(),
        "cost halving -L 0 -o 0 -g 4 -K 5".to_owned(),
        "cost halving -K 5".to_owned(),
        "cost halfing -K 5".to_owned(),
        format!("cost halving {tree} -K 5 --mesh 8x8"),
        format!("cost halving {tree} -K 5 --machine ethernet100-held"),
        "cost halving --machine nonsense -K 5".to_owned(),
        "cost halving --machine nonsense.toml -K 5".to_owned(),
        "cost halving --machine c.toml -K 5".to_owned(),
        "cost halving --machine ethernet100-held --bytes 0 -K 5".to_owned(),
        "cost dual-path --mesh 8x8 -K 64".to_owned(),
        "cost dual-path --mesh 8x -K 4".to_owned(),
        "cost dual-path --mesh 200x200 -K 4".to_owned(),
        "cost dual-path -n 8 -K 4 --trials 0".to_owned(),
        "cost dual-path -n 8 --mesh 4x4 -K 4".to_owned(),
        format!("best --problem barrier {tree} -K 3 --along K --from 1 --to 2"),
        "best --machine lumi -K 4 --bytes 8 --only --algorithms broadcast-fibonacci".to_owned(),
        format!("best {tree} -n 1,2 -K 2,4 --root 0,1 --svg a.svg"),
        "rules write c.toml --for ucc --base c.toml".to_owned(),
        format!("show halving {tree} -K 1025"),
        "cost --slopes dual-path -n 8 -K 4".to_owned(),
        "cost --slopes chain -L 1 -o 0 -g 1 -K 1000000000000000000".to_owned(),
        "show dual-path -n 33 -K 4".to_owned(),
        format!("cost halving {tree} -K 5 --bytes 1MiB"),
        "sweep --set over-optimum.K=0".to_owned(),
        "sweep --dry-run --set g=18446744073709551616".to_owned(),
        "sweep --set mesh-8x8.n=1000".to_owned(),
        format!("show halving {tree} -K 257 --svg a.svg"),
        format!("show halving {tree} -K 2 --svg a.svg --html a.svg"),
        format!("show halving {tree} -K 2 --html ."),
        "show dual-path -n 4 --source 1,1 --to 1,1".to_owned(),
        "show dual-path -n 4 --to 1,1".to_owned(),
        "sweep --set Q=1".to_owned(),
        "sweep --set K".to_owned(),
        "sweep --set K=5..1".to_owned(),
        "sweep --set nonsense.K=5".to_owned(),
        "sweep --jobs 0".to_owned(),
        "sweep --set K=1..100000000000".to_owned(),
        "sweep missing.toml".to_owned(),
        "sweep --out c.toml/inside".to_owned(),
        "figures --from nowhere".to_owned(),
        "man nonsense".to_owned(),
    ];
    let mut all = String::new();
    for line in &lines {
        let arguments: Vec<&str> = line.split(' ').collect();
        let _ = write!(all, "{line}\n{}", refused("schema = 1\n", &arguments));
    }
    assert_snapshot!(all);
}

/// Summation, gossip and broadcast on k ports. `cost` tests their conventions (n = 1, g < o + 1).
/// An option that needs another one is refused also beside one with which the other one cannot be: clap does not ask for it then.
#[test]
fn options_that_nothing_reads() {
    for line in [
        "sweep c.toml --out x --shards 3",
        "sweep c.toml --out x --format csv",
        "regress --baseline b --against x",
        "bound allreduce --network ring:4 --bytes 1GiB -k 2",
        "best --problem allreduce -L 6 -o 2 -g 4 -c 1 -K 4 -n 8 --ties 3 --from 8",
        "figures c.toml --y median",
        "figures --only a.svg --at K=3",
        "cost halving -L 6 -o 2 -g 4 -K 5 --slopes --placement block",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let output = castbench_in(directory.path(), &words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(errors.contains("cannot be used with"), "{line}: {errors}");
    }
}

/// A file is not written under a name that ends as another format does.
#[test]
fn names_that_end_as_another_format() {
    let point = "optimal -L 6 -o 2 -g 4 -K 4";
    for (line, end) in [
        ("report --out r.pdf".to_owned(), ".html"),
        (format!("export csv {point} --out z.goal"), ".csv"),
        (format!("export goal {point} --out z.CSV"), ".goal"),
        (format!("export trace {point} --out z.xml"), ".json"),
        (format!("show {point} --html z.svg"), ".html"),
        ("fit x.csv --out z.json".to_owned(), ".toml"),
        ("read x.out --out z.json".to_owned(), ".csv"),
        (
            "rules write t.csv --for openmpi-6 --out z.csv".to_owned(),
            ".json",
        ),
        ("verify z.goal --summary z.html".to_owned(), ".md"),
        ("figures --x K --out z.csv".to_owned(), ".svg, .png or .pdf"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let said = format!("expected a file name that ends in {end}");
        expect(directory.path(), &line, 2, &said);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{line}");
    }
    let directory = tempfile::tempdir().unwrap();
    let other = format!("export csv {point} --out z.txt");
    expect(directory.path(), &other, 0, "");
}

#[test]
fn on_the_command_line_of_the_other_problems() {
    let lines = [
        "cost summation-optimal -L 5 -o 2 -g 4 -P 0 --operands 82",
        "cost summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 0",
        "cost summation-paper -L 5 -o 2 -g 4 -P 7 --operands 46",
        "cost gossip-two-phase -n 0",
        "cost gossip-coupled -n 18446744073709551615",
        "cost gossip-optimal -n 129",
        "cost k-tree -n 0 -k 3 -m 17",
        "cost k-tree -n 100 -k 3 -m 0",
        "cost circulant -n 100 -k 2 -m 17",
        "cost broadcast-chain --ports duplex -L 6 -o 2 -g 4 -K 0 -n 64 -m 8",
        "cost broadcast-chain --ports duplex -L 6 -o 2 -g 4 -K 8 -n 64 -m 65",
        "cost broadcast-chain --ports duplex --machine ethernet100-held -K 8 -n 64 -m 8",
        "cost broadcast-optimal --ports duplex -L 1000000000 -o 0 -g 1 -K 1000000000 -n 64 -m 8",
        "cost broadcast-split-binary --ports duplex -L 6 -o 2 -g 4 -K 2 -n 64 -m 8",
        "cost broadcast-scatter-ring -L 6 -o 2 -g 4 -K 6 -n 64 -m 8",
        "cost worm-u-mesh --mesh 8x8 -K 3 --startup 1 --hop 1 --flit 2 --flits 3",
        "cost worm-u-mesh --mesh 8x8 -K 3 --startup 1 --hop 1 --flit 1 --flits 0",
        "cost worm-u-mesh --mesh 8x8 -K 3 --startup 18446744073709551615 --hop 1 --flit 1 --flits 1",
        "cost worm-u-mesh --mesh 8x8 -K 3 -m 1000000 --startup 1 --hop 1 --flit 1 --flits 1",
        "cost worm-u-mesh --mesh 8x8 -K 3 --startup 1 --hop 1 --flit 1 --flits 1 --trials 18446744073709551615",
        "show worm-u-mesh --mesh 8x8 -K 3 --startup 1 --hop 1 --flit 1 --flits 1 -m 2",
        "show worm-u-mesh --mesh 8x8 --startup 1 --hop 1 --flit 1 --flits 1",
        "show summation-optimal -L 5 -o 2 -g 4 -P 2000 --operands 82",
        "show summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 99999999999999",
        "show gossip-two-phase -n 33",
        "show gossip-two-phase -n 8 --row 8",
        "show gossip-two-phase -n 11 --svg a.svg",
        "show k-tree -n 1025 -k 3",
        "show k-tree -n 100 -k 16 --svg a.svg",
        "show k-tree -n 8 -k 65",
        "show broadcast-chain --ports duplex -L 6 -o 2 -g 4 -K 1024 -n 3000 -m 3000",
        "show summation-optimal -L 5 -o 2 -g 4 -P 257 --operands 10000 --svg a.svg",
        "show optimal -L 6 -o 2 -g 4 -K 257 --html a.html",
        "show optimal broadcast-chain -L 6 -o 2 -g 4 -K 8 --html a.html",
        "show optimal -L 9007199254740992 -o 2 -g 4 -K 2 --html a.html",
        "show circulant -n 64 -k 1 -m 600 --html a.html",
    ];
    let each = lines.iter().map(|line| {
        format!(
            "{line}\n{}",
            refused("", &line.split(' ').collect::<Vec<_>>())
        )
    });
    assert_snapshot!(each.collect::<String>());
}

#[test]
fn in_the_configuration() {
    let axes = "L = [1]\no = [1]\ng = [1]\n";
    let grids = [
        "q = [1]\n".to_owned(),
        "K = \"x\"\n".to_owned(),
        "K = 1.5\n".to_owned(),
        "L = []\n".to_owned(),
        "L = [9999999999999999999999999999999999999999999]\n".to_owned(),
        "K = { from = 3 }\n".to_owned(),
        "K = { from = 3, to = 1 }\n".to_owned(),
        "K = { from = 1, to = 9, step = 0 }\n".to_owned(),
        "K = { from = 1, to = 9, factor = 1.0 }\n".to_owned(),
        "K = { from = 1, to = 9, step = 2, factor = 2 }\n".to_owned(),
        format!("{axes}algorithms = [\"flat\"]\nK = [-1]\n"),
        format!("{axes}algorithms = [\"flat\"]\nK = [0, 1]\n"),
        format!("{axes}algorithms = [\"flat\"]\nK = [4]\nsource = [5]\n"),
        format!("{axes}algorithms = [\"flat\"]\n"),
        format!("{axes}algorithms = [\"flatt\"]\n"),
        "machines = [\"nonsense\"]\nK = [3]\n".to_owned(),
        "machines = [\"ethernet100-held\", \"ethernet100-held\"]\nK = [3]\n".to_owned(),
        "machines = [\"missing.toml\"]\nK = [3]\n".to_owned(),
        "algorithms = [\"flat\"]\nL = [9223372036854775807]\no = [9223372036854775807]\ng = [1]\nK = [6]\n".to_owned(),
        "K = 18446744073709551616\n".to_owned(),
        "machines = []\nK = [3]\n".to_owned(),
        "machines = [\"ethernet100-held\"]\nL = [1]\nK = [3]\n".to_owned(),
        "machines = [\"ethernet100-held\"]\nbytes = [\"1 parsec\"]\nK = [3]\n".to_owned(),
        "machines = [\"ethernet100-held\"]\nbytes = []\nK = [3]\n".to_owned(),
        "name = \"b\"\n".to_owned(),
        "K = [1\n".to_owned(),
        "algorithms = [\"gossip-two-phase\"]\nn = [4]\nm = [3]\n".to_owned(),
        "algorithms = []\nn = [4]\n".to_owned(),
        "without = [\"nobody\"]\nn = [4]\n".to_owned(),
        "algorithms = [\"steiner\"]\nwithout = [\"steiner\"]\nn = [4]\nK = [1]\n".to_owned(),
        "without = [\"gossip-coupled\", \"gossip-optimal\", \"gossip-two-phase\"]\nn = [4]\n".to_owned(),
        "algorithms = [\"worm-u-mesh\"]\nn = [4]\nK = [1]\n".to_owned(),
    ];
    let mut all = String::new();
    for grid in grids {
        let config = format!("schema = 1\n[[grid]]\nname = \"a\"\n{grid}");
        let _ = write!(
            all,
            "{}\n{}",
            grid.trim_end().replace('\n', "; "),
            refused(&config, &["sweep", "--dry-run", "c.toml"])
        );
    }
    for config in [
        "",
        "schema = 2\nnew = \"key\"\n",
        "schema = 1\n",
        "schema = 1\nseed = -1\n",
        "schema = 1\n[limits]\nmost_points = \"many\"\n",
        "schema = 1\n[[grid]]\nname = \"a.b\"\n",
        "schema = 1\n[[grid]]\nname = \"a\"\nL = { from = 1, to = 1000000 }\no = { from = 1, to = 1000000 }\ng = [1]\nK = [5]\n",
        "schema = 1\n[[figures.history]]\nfile = \"a/b.svg\"\ntitle = \"\"\n",
        "schema = 1\n[[figures.pie]]\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tre\"]\nx = \"n\"\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = []\nx = \"n\"\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = { k = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\", \"flat\"]\nx = \"n\"\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"q\"\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = { k = 1, m = \"a\" }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = { k = 1, m = 1, n = 3 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\ny = \"costs\"\nat = { k = 1, m = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nover = \"best\"\nat = { k = 1, m = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nover = \"flat\"\nat = { k = 1, m = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\ncompare = [\"k-tree\", \"flat\"]\nat = { k = 1, m = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nby = \"size\"\nat = { k = 1, m = 1 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = { k = 1, m = 1 }\nwith = [\"published\"]\npanels = [{}, { y = \"excess\" }]\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\"]\nx = \"machine\"\nat = { K = 3 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\"]\nx = \"K\"\nat = { machine = \"ethernet100-held\", L = 6 }\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\"]\nx = \"K\"\nat = { machine = \"a\", bytes = \"1kB\" }\npanels = [{ band = { machine = [\"a\", \"b\"], bytes = [\"1kB\", \"2kB\"] } }]\n",
        "schema = 1\n[[figures.winners]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\", \"chain\"]\nx = \"K\"\ny = \"K\"\nat = { L = 1, o = 1, g = 1 }\n",
        "schema = 1\n[[figures.winners]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"dual-path\"]\nx = \"K\"\ny = \"n\"\n",
        "schema = 1\n[[figures.winners]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\", \"chain\"]\nx = \"K\"\ny = \"g\"\nat = { L = 1, o = 1 }\nover = \"halving\"\n",
        "schema = 1\n[[figures.measured]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = []\nmeasurements = \"m\"\nmessage = \"1MiB\"\npanels = []\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\"]\nmeasurements = \"m\"\nx = \"K\"\ny = \"cost\"\n",
        "schema = 1\n[[figures.lines]]\nfile = \"a.svg\"\ntitle = \"\"\nalgorithms = [\"flat\"]\nmeasurements = \"m\"\nx = \"L\"\n",
    ] {
        let _ = write!(
            all,
            "{}\n{}",
            config.trim_end().replace('\n', "; "),
            refused(config, &["sweep", "c.toml"])
        );
    }
    assert_snapshot!(all);
}

/// The name of a machine must be printable and unique.
#[test]
fn in_a_machine_profile() {
    let profile = include_str!("../../../configs/machines/ethernet100-switched.toml");
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let named = |name: &str| {
        profile.replace(
            "name = \"ethernet100-switched\"",
            &format!("name = \"{name}\""),
        )
    };
    for name in ["", " ", "a\\n99 # more", "a\\u001b[1m"] {
        fs::write(directory.join("m.toml"), named(name)).unwrap();
        let explanation = expect(
            directory,
            "cost halving --machine m.toml --bytes 1kB -K 8",
            3,
            "",
        );
        let named = [
            "expected one line of at most 200 bytes that names",
            "control characters",
        ];
        assert!(
            named.iter().any(|part| explanation.contains(part)),
            "{explanation}"
        );
    }
    fs::write(
        directory.join("m.toml"),
        profile.replacen("ns = ", "ns = 1", 1),
    )
    .unwrap();
    let grid = |name: &str, machine: &str| {
        format!(
            "[[grid]]\nname = \"{name}\"\nalgorithms = [\"halving\"]\nmachines = [\"{machine}\"]\nbytes = [1]\nK = [8]\n"
        )
    };
    let grids = [
        "schema = 1\n",
        &grid("a", "ethernet100-switched"),
        &grid("b", "m.toml"),
    ]
    .concat();
    fs::write(directory.join("c.toml"), &grids).unwrap();
    let twice = "two machines of this configuration have the name `ethernet100-switched`";
    expect(directory, "sweep --dry-run c.toml", 3, twice);
    fs::write(
        directory.join("c.toml"),
        grids.replace("m.toml", "ethernet100-switched"),
    )
    .unwrap();
    expect(directory, "sweep --dry-run c.toml", 0, "");
}
