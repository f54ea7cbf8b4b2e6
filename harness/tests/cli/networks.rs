//! Networks: bounds whose certificates are added up here, link times with values derived by hand, schedules that reach the bound and
//! are judged, and files in every format.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::{ask, expect, on_one_line, printed};
use insta::assert_snapshot;
use num_rational::Ratio;
use serde_json::Value;

type Fraction = Ratio<i128>;

fn fraction(value: &Value) -> Fraction {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text.parse()
        .unwrap_or_else(|_| panic!("{text} is a fraction"))
}

/// The answer of a line in a directory.
fn json_in(directory: &Path, line: &str) -> Value {
    let text = printed(directory, &format!("{line} --format json"));
    serde_json::from_str(&text.unwrap_or_else(|errors| panic!("{line}: {errors}"))).unwrap()
}

fn json(line: &str) -> Value {
    json_in(Path::new("."), line)
}

fn bound(collective: &str, network: &str) -> Value {
    json(&format!("bound {collective} --network {network}"))
}

/// Values of the theory: the sums are those of the pages of the algorithms, and published for the DGX-1 (SCCL).
#[test]
fn bounds_are_those_of_the_theory() {
    for (collective, network, time, is_exact) in [
        ("allreduce", "torus:8x8", "63/128", true),
        ("allgather", "torus:8x8", "63/256", true),
        ("allreduce", "torus:8x8 --without 0-1", "63/127", true),
        ("allreduce", "mesh:8x8", "9/16", true),
        ("allgather", "mesh:8x8", "63/128", true),
        ("allreduce", "mesh:16x16", "17/32", true),
        ("allreduce", "dgx1", "7/24", true),
        ("reduce-scatter", "dgx1", "7/48", true),
        ("allreduce", "dgx-h100:8,taper=8", "1/200", true),
        ("broadcast", "mesh:4x4", "1/2", true),
        // 15 of 16 blocks enter a rank in the middle of a ring of two links.
        ("gather", "ring:16", "15/32", true),
        // Half of each of 64 messages over 16 links, and each link takes as much.
        ("alltoall", "torus:8x8", "1", true),
        // 16 x 16 gossip: n(n+1)/2 blocks of M/n^2.
        ("allgather", "mesh:4x4 --half-duplex", "10/16", true),
    ] {
        let answer = bound(collective, network);
        let expected: Fraction = time.parse().unwrap();
        assert_eq!(
            fraction(&answer["time"]),
            expected,
            "{collective} {network}"
        );
        assert_eq!(answer["exact"], is_exact, "{collective} {network}");
    }
}

/// Options that change a network are in its name, which gives the same one again; of two placements one is refused.
#[test]
fn a_changed_network_has_the_name_that_gives_it() {
    let by_options = bound(
        "allreduce",
        "mesh:3x3 --without 0-1 --slow 4=1/2 --half-duplex",
    );
    let name = "mesh:3x3,without=0-1,slow=4:1/2,half-duplex";
    assert_eq!(by_options["network"], name);
    assert_eq!(bound("allreduce", name), by_options);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let cost = "cost allreduce-ring -L 6 -o 2 -g 4 -K 9 -n 90 --network mesh:3x3";
    let row = json_in(directory, &format!("{cost} --half-duplex"));
    assert_eq!(row["on_network"]["network"], "mesh:3x3,half-duplex");
    expect(
        directory,
        &format!("{cost},placement=random:3 --placement random:4"),
        2,
        "--placement random:4: --network has placement=random:3; remove one of both",
    );
    // Hosts whose names are numbers.
    let hosts = "\u{feff}SwitchName=sw Nodes=[1-4]\n";
    fs::write(directory.join("hosts.conf"), hosts).unwrap();
    let ring = "bound allreduce --network hosts.conf --algorithms allreduce-ring";
    expect(directory, &format!("{ring} --placement 1,2,3,4"), 0, "");
    let slow = "bound allreduce --network hosts.conf --slow sw=0.5,1=1/4";
    let options = json_in(directory, slow)["options"].to_string();
    assert_eq!(options, r#"["slow sw = 1/2","slow 1 = 1/4"]"#);
}

/// All that changes the question is in each row: the root, the ports that an algorithm takes, where ranks stand.
#[test]
fn rows_state_the_question() {
    let root = |line: &str| json(line)["root"].as_u64();
    assert_eq!(root("bound broadcast --network ring:4 --root 2"), Some(2));
    assert_eq!(root("bound allreduce --network ring:4"), None);
    let options = "bound allgather --network ring:4 -k 2 --placement random:4 --algorithms allgather-ring,allgather-bruck,generated";
    let rows = json(options);
    let stated = [
        r#"null "random:4" 1"#,
        r#"null "random:4" 2"#,
        "null null null",
    ];
    for (row, stated) in rows.as_array().unwrap().iter().zip(stated) {
        let [root, placement, ports] = ["root", "placement", "k_ports"].map(|key| &row[key]);
        assert_eq!(format!("{root} {placement} {ports}"), stated, "{row}");
    }
    let with_root = "bound broadcast --network ring:4 --root 2 --algorithms broadcast-wave";
    assert_eq!(json(with_root)[0]["root"], 2);
    let heading = |line: &str| {
        printed(Path::new("."), line)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    assert!(heading(options).ends_with(" placement   k "));
    assert!(heading(with_root).ends_with(" busiest link   root "));
    let plain = with_root.replace("--root 2 ", "");
    assert!(heading(&plain).ends_with(" busiest link "));
    let directory = tempfile::tempdir().unwrap();
    let made = "generate broadcast --network ring:4 --root 2 --out a.json";
    assert_eq!(json_in(directory.path(), made)[0]["root"], 2);
}

/// The capacities of a certificate add up to what it states, and what crosses over it is the bound.
#[test]
fn certificates_add_up() {
    let sum = |all: &Value| -> Fraction {
        let all = all.as_array().unwrap().iter();
        all.map(|one| fraction(&one["capacity"])).sum()
    };
    for collective in [
        "allreduce",
        "allgather",
        "reduce-scatter",
        "broadcast",
        "gather",
        "alltoall",
    ] {
        for network in [
            "torus:4x4",
            "mesh:3x5",
            "dgx-a100:2",
            "fat-tree:4,taper=2",
            "torus:4x4 --without 0-1 --slow 5=0.5",
        ] {
            let answer = bound(collective, network);
            let proof = &answer["certificate"];
            let capacity = fraction(&proof["capacity"]);
            match proof["kind"].as_str().unwrap() {
                "cut" => assert_eq!(sum(&proof["links"]), capacity, "{collective} {network}"),
                "partition" => {
                    assert_eq!(sum(&proof["parts"]), capacity, "{collective} {network}");
                    let parts = proof["parts"].as_array().unwrap().len();
                    let crossing = 2 * (i128::try_from(parts).unwrap() - 1);
                    assert_eq!(fraction(&proof["crossing"]), crossing.into());
                }
                kind => assert_eq!(kind, "distances"),
            }
            assert_eq!(
                fraction(&proof["crossing"]) / capacity,
                fraction(&answer["time"])
            );
        }
    }
}

/// The link time of an allreduce of 6,400 words on 64 ranks over the bound, with further options.
fn over_bound(algorithm: &str, network: &str) -> Fraction {
    let answer = json(&format!(
        "cost {algorithm} -L 1 -o 0 -g 1 -K 64 -n 6400 --network {network}"
    ));
    let found = &answer["on_network"];
    fraction(&found["link_time"]) / fraction(&found["link_bound"])
}

/// Link times by hand, in words of 6,400. Torus: a ring sends 126 blocks of 100 over the links to the right. At distance 1, 2 and 4
/// along a row, recursive doubling sends 1, 1 and 4 x 1/2 vectors over link 0 -> 1. H100: a ring sends 126 blocks over a leaf for each of
/// four boxes, at 25 GB/s; of 32 ranks of a pod each sends 1/64 there and back in Rabenseifner's last step.
#[test]
fn link_times_are_those_by_hand() {
    let least = Fraction::new(6400 * 63, 128);
    for (algorithm, words) in [
        ("allreduce-ring", 12_600),
        ("allreduce-swing", 12_400),
        ("allreduce-bine", 12_400),
        ("allreduce-rabenseifner", 12_800),
        ("allreduce-recursive-doubling", 25_600),
    ] {
        assert_eq!(
            over_bound(algorithm, "torus:8x8"),
            Fraction::from(words) / least,
            "{algorithm}"
        );
    }
    for (algorithm, ratio) in [
        ("allreduce-ring", 63),
        ("allreduce-swing", 23),
        ("allreduce-bine", 23),
        ("allreduce-rabenseifner", 1),
    ] {
        assert_eq!(
            over_bound(algorithm, "dgx-h100:8,taper=8"),
            ratio.into(),
            "{algorithm}"
        );
    }
    // In parts on four ports; a ring has one port.
    let names = [
        "allreduce-bucket",
        "allreduce-swing-torus",
        "allreduce-ring",
    ]
    .join(",");
    let rows = json(&format!(
        "bound allreduce --network torus:8x8 --algorithms {names} -k 4"
    ));
    let times = rows.as_array().unwrap().iter();
    let times: Vec<_> = times.map(|row| fraction(&row["link_time"])).collect();
    let expected = [(63, 128), (69, 128), (63, 32)];
    assert_eq!(times, expected.map(|(words, of)| Fraction::new(words, of)));
}

/// A ring around boxes leaves each rail of a pod once in place of four times for each box, which is 63/4.
#[test]
fn placement_moves_ranks() {
    let of = |placement: &str| {
        over_bound(
            "allreduce-ring",
            &format!("dgx-h100:8,taper=8 --placement {placement}"),
        )
    };
    assert_eq!(of("round-robin"), Fraction::new(63, 4));
    assert_eq!(of("block"), 63.into());
    let order: Vec<String> = (0..64).map(|rank: u32| rank.to_string()).collect();
    assert_eq!(of(&order.join(",")), 63.into());
    assert_eq!(of("random:7"), of("random:7"));
    assert!(of("random:7") > 1.into());
}

/// The root stands on a node of one link, not in the middle, where node 0 is rank 1: it takes in two blocks of a third over a capacity of 5.
#[test]
fn a_bound_is_of_the_node_of_the_root() {
    let directory = tempfile::tempdir().unwrap();
    let path = "from,to,capacity\n0,1,5\n1,0,5\n1,2,5\n2,1,5\n";
    fs::write(directory.path().join("path.csv"), path).unwrap();
    for (placement, bound) in [("1,0,2", "1/15"), ("0,1,2", "2/15")] {
        let line = "bound gather --network path.csv --algorithms gather-linear,generated";
        let rows = json_in(directory.path(), &format!("{line} --placement {placement}"));
        for row in rows.as_array().unwrap() {
            let found = [&row["root"].to_string(), row["bound"].as_str().unwrap()];
            assert_eq!(found, ["0", bound], "{row}");
            assert_eq!(row["ratio"], 1.0, "{row}");
        }
    }
}

/// A capacity over 0 is none.
#[test]
fn a_capacity_has_no_denominator_of_0() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("z.csv"),
        "from,to,capacity\n0,1,1/0\n",
    )
    .unwrap();
    let expected = "expected a number above 0";
    for (network, code) in [("ring:4,capacity=1/0", 2), ("z.csv", 3)] {
        let line = format!("bound allreduce --network {network}");
        expect(directory.path(), &line, code, expected);
    }
}

/// No algorithm is below a bound, on networks of every shape.
#[test]
fn no_algorithm_is_below_the_bound() {
    for collective in [
        "allreduce",
        "allgather",
        "reduce-scatter",
        "broadcast",
        "reduce",
        "gather",
        "scatter",
        "alltoall",
    ] {
        let networks = [
            "torus:4x4",
            "mesh:2x8",
            "dgx-h100:2",
            "fat-tree:4",
            "mi250:1",
            "torus:4x4,without=0-1",
        ];
        let networks = networks
            .map(|network| format!(" --network {network}"))
            .concat();
        let rows = json(&format!("bound {collective} --algorithms all{networks}"));
        let rows = rows.as_array().unwrap();
        assert!(rows.len() > 6, "{collective}: {}", rows.len());
        for row in rows {
            let (time, least) = (fraction(&row["link_time"]), fraction(&row["bound"]));
            assert!(time >= least, "{row}");
            if row["algorithm"] == "generated" && row["exact"] == true {
                assert_eq!(time, least, "{row}");
            }
        }
    }
}

/// Every format is judged right by `verify`, and takes the least time. Used as an algorithm, its program loads links as the trees do.
#[test]
fn generated_schedules_reach_the_bound() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for collective in [
        "allreduce",
        "allgather",
        "reduce-scatter",
        "broadcast",
        "reduce",
        "gather",
        "scatter",
        "alltoall",
    ] {
        let networks = match collective {
            // Fixed routes take the bound.
            "alltoall" => ["torus:4x4", "full:5", "hypercube:3", "ring:6"],
            _ => ["torus:4x4", "mesh:3x3", "dgx1", "dgx-a100:2"],
        };
        for network in networks {
            for ending in ["json", "xml", "goal"] {
                let file = format!("a.{ending}");
                let line = format!("generate {collective} --network {network} --out {file}");
                let rows = json_in(directory, &line);
                assert_eq!(
                    fraction(&rows[0]["time"]),
                    fraction(&rows[0]["bound"]),
                    "{line}"
                );
                let ranks = match ending {
                    "json" => format!(" --ranks {}", bound(collective, network)["ranks"]),
                    _ => String::new(),
                };
                let verdict = printed(
                    directory,
                    &format!("verify {file} --collective {collective}{ranks}"),
                );
                assert!(verdict.unwrap().contains("verdict: right"), "{line}");
            }
        }
    }
}

#[test]
fn a_generated_plan_is_an_algorithm() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    printed(
        directory,
        "generate allreduce --network mesh:4x4 --out tree.json",
    )
    .unwrap();
    let toml = "schema = 1\n[[algorithm]]\nname = \"tree\"\nproblem = \"allreduce\"\nplan = \"tree.json\"\n";
    fs::write(directory.join("c.toml"), toml).unwrap();
    let line = "cost tree --with c.toml -L 1 -o 0 -g 1 -K 16 -n 800 --network mesh:4x4";
    let answer = json_in(directory, line);
    // 5/8 of 800 words over the busiest link.
    assert_eq!(fraction(&answer["on_network"]["link_time"]), 500.into());
    assert_eq!(answer["on_network"]["link_ratio"], 1.0);
    // XML has two hyphens only where a comment begins and ends.
    let line = "generate allreduce --network mesh:4x4 --out tree.xml";
    printed(directory, line).unwrap();
    let xml = fs::read_to_string(directory.join("tree.xml")).unwrap();
    assert_eq!(xml.matches("--").count(), 2);
    // The same trees as files, of 800 words, or of the bytes that GOAL states.
    let point = "-L 1 -o 0 -g 1 --network mesh:4x4";
    for (file, further) in [("tree.xml", " -n 800"), ("tree.goal", "")] {
        printed(
            directory,
            &format!("generate allreduce --network mesh:4x4 --out {file}"),
        )
        .unwrap();
        let answer = json_in(directory, &format!("cost {file} {point}{further}"));
        assert_eq!(answer["on_network"]["link_ratio"], 1.0, "{file}");
    }
}

/// The comment of a file is the command that makes it; of XML, but for the hyphens.
#[test]
fn a_generated_file_says_how() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let read = |file: &str| fs::read_to_string(directory.join(file)).unwrap();
    let options =
        "--half-duplex --network torus:4x4 --root 1 --slow '3=0.5' --trees 2 --without 0-1";
    for (file, bytes) in [("a.json", ""), ("a.goal", "--bytes 30 ")] {
        let line = format!("generate broadcast {bytes}{options}");
        printed(
            directory,
            &format!("{} --out {file}", line.replace('\'', "")),
        )
        .unwrap();
        assert!(
            read(file).contains(&format!("castbench {line}")),
            "{}",
            read(file)
        );
    }
    // It says its root, too.
    printed(
        directory,
        "generate broadcast --network ring:4 --root 1 --out a.xml",
    )
    .unwrap();
    assert!(read("a.xml").contains("castbench generate broadcast -network ring:4 -root 1;"));
    expect(directory, "verify a.xml", 0, "");
    expect(
        directory,
        "verify a.xml --root 0",
        11,
        "the root is 1, not 0",
    );
    // Three bytes are no four parts: the busiest link carries one of them.
    let line = "generate broadcast --network torus:4x4 --bytes 3 --out b.goal";
    let row = &json_in(directory, line)[0];
    for column in ["time", "fixed_time"] {
        assert_eq!(row[column], "1/3");
    }
}

/// Fewer trees are no higher, and no faster.
#[test]
fn fewer_trees_are_lower_and_slower() {
    let directory = tempfile::tempdir().unwrap();
    let of = |trees: &str| {
        let line =
            format!("generate allreduce --network torus:4x4 --without 0-1 --out a.json{trees}");
        let rows = json_in(directory.path(), &line);
        (
            rows[0]["height"].as_u64().unwrap(),
            rows[0]["trees"].as_u64().unwrap(),
            fraction(&rows[0]["time"]),
        )
    };
    let (all, few) = (of(""), of(" --trees 3"));
    assert_eq!(few.1, 3);
    assert!(few.0 <= all.0 && few.2 > all.2, "{all:?} {few:?}");
}

/// Millions of parts are rounded to fewer, which take longer by less than a thousandth; GOAL has them all.
#[test]
fn shares_are_rounded_where_parts_are_many() {
    let directory = tempfile::tempdir().unwrap();
    for collective in ["allreduce", "allgather", "scatter"] {
        for ending in ["json", "xml", "goal"] {
            let line = format!(
                "generate {collective} --network ring:4 --slow 0=999983/1000000 --out a.{ending}"
            );
            let rows = json_in(directory.path(), &line);
            let [time, least] = ["time", "bound"].map(|column| fraction(&rows[0][column]));
            assert!(time >= least && time * 999 <= least * 1000, "{line}");
            if ending == "goal" {
                assert_eq!(time, least, "{line}");
            }
        }
    }
}

const TOML: &str = "schema = 1\n[[switch]]\nname = \"leaf\"\n[[link]]\nfrom = 0\nto = \"leaf\"\ncapacity = 1\n[[link]]\nfrom = 1\nto = \"leaf\"\n\
                    capacity = 1\n[[link]]\nfrom = 2\nto = \"leaf\"\ncapacity = \"1/2\"\n";
const CSV: &str = "from,to,capacity\n0,s0,1\ns0,0,1\n1,s0,1\ns0,1,1\n2,s0,0.5\ns0,2,0.5\n";
const SLURM: &str = "# two nodes at full speed\nSwitchName=leaf \\\n  Nodes=\"n[0-1]\"\nswitchname=slow nodes=n2 LinkSpeed=0.5 # half\n\
                     SwitchName=top Switches=leaf,slow LinkSpeed=100\n";

/// One network in three formats, and a box in NCCL's: eight GPUs on an NVSwitch of 18 links of 20.6 GB/s.
#[test]
fn files_of_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let of = |name: &str, text: &str| -> Value {
        fs::write(directory.join(name), text).unwrap();
        json_in(directory, &format!("bound allgather --network {name}"))
    };
    // Two of three blocks enter rank 2 at 1/2.
    let plain = CSV.replacen("from,to,capacity\n", "# two at full speed\n", 1);
    for (name, text) in [
        ("n.toml", TOML),
        ("n.csv", CSV),
        ("plain.csv", &plain),
        ("topology.conf", SLURM),
    ] {
        assert_eq!(
            fraction(&of(name, text)["time"]),
            Fraction::new(4, 3),
            "{name}"
        );
    }
    let mut text = "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"25\">\n".to_owned();
    for gpu in 0..8 {
        write!(
            text,
            "<pci busid=\"0000:0{gpu}:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n<gpu dev=\"{gpu}\" \
             sm=\"90\" rank=\"{gpu}\" gdr=\"1\">\n<nvlink target=\"0000:f5:00.0\" count=\"10\" tclass=\"0x068000\"/>\n\
             <nvlink target=\"0000:f6:00.0\" count=\"8\" tclass=\"0x068000\"/>\n</gpu>\n</pci>\n"
        )
        .unwrap();
    }
    text += "</cpu>\n</system>\n";
    let answer = of("dump.xml", &text);
    assert_eq!(
        (answer["ranks"].as_u64(), answer["switches"].as_u64()),
        (Some(8), Some(1))
    );
    // 7/8 M over 18 x 20.6.
    assert_eq!(
        fraction(&answer["time"]),
        Fraction::new(7, 8) / Fraction::new(3708, 10)
    );
    // Without NVLink the PCI tree is the network: 16 lanes of PCIe 5 are 48 GB/s.
    let plain: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("nvlink"))
        .collect();
    let answer = of("plain.xml", &plain.join("\n"));
    assert_eq!(fraction(&answer["time"]), Fraction::new(7, 8 * 48));
}

/// Bridges join GPUs in pairs at 4 x 20 GB/s, beside 24 GB/s of PCI: half of an allgather enters a pair over two of these, and 3/4 of it
/// a GPU without a bridge over one.
#[test]
fn links_that_do_not_join_all_gpus_stand_beside_pci() {
    let directory = tempfile::tempdir().unwrap();
    for (pairs, expected) in [(2, Fraction::new(1, 2 * 48)), (1, Fraction::new(3, 4 * 24))] {
        let mut text = "<system version=\"1\">\n<cpu numaid=\"0\">\n".to_owned();
        for gpu in 0..4 {
            let link = format!(
                "<nvlink target=\"0000:0{}:00.0\" count=\"4\" tclass=\"0x030200\"/>",
                gpu ^ 1
            );
            write!(
                text,
                "<pci busid=\"0000:0{gpu}:00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n\
                 <gpu dev=\"{gpu}\" sm=\"80\" rank=\"{gpu}\">{}</gpu>\n</pci>\n",
                if gpu < 2 * pairs { &link } else { "" }
            )
            .unwrap();
        }
        fs::write(
            directory.path().join("dump.xml"),
            text + "</cpu>\n</system>\n",
        )
        .unwrap();
        let answer = json_in(directory.path(), "bound allgather --network dump.xml");
        assert_eq!(fraction(&answer["time"]), expected, "{pairs}");
    }
    let dump = fs::read_to_string(directory.path().join("dump.xml")).unwrap();
    fs::write(
        directory.path().join("dump.xml"),
        dump.replace("rank=\"3\"", "rank=\"2\""),
    )
    .unwrap();
    let line = "bound allgather --network dump.xml";
    expect(directory.path(), line, 3, "two GPUs have the number 2");
}

/// The error of a command with a file of this name.
fn refused(directory: &Path, name: &str, text: &str, line: &str) -> String {
    fs::write(directory.join(name), text).unwrap();
    let answer = ask(directory, line);
    assert_eq!(answer.out, "", "{line}");
    format!(
        "{} {}\n",
        answer.code.unwrap_or(-1),
        on_one_line(&answer.errors)
    )
}

#[test]
fn files_that_are_no_network() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str, text: &str| {
        refused(
            directory.path(),
            name,
            text,
            &format!("bound allreduce --network {name}"),
        )
    };
    let link = |from: &str, capacity: &str| {
        format!("schema = 1\n[[link]]\nfrom = {from}\nto = 1\ncapacity = {capacity}\n")
    };
    let errors = [
        of("a.toml", &link("0", "0")),
        of("a.toml", &link("0", "9223372036854775808")),
        of("a.toml", &link("0", "\"9223372036854775807\"")),
        of("a.toml", &link("0", "-1")),
        of("a.toml", &link("1", "1")),
        of("a.toml", &link("\"s0\"", "1")),
        of("a.toml", &link("70000", "1")),
        of(
            "a.toml",
            &(link("0", "1") + "[[link]]\nfrom = 2\nto = 3\ncapacity = 1\n"),
        ),
        of("a.toml", &(link("0", "1") + "both = false\n")),
        of("a.toml", &(link("0", "1") + "[[switch]]\nname = \"3\"\n")),
        of(
            "a.toml",
            &(link("0", "1") + "[[switch]]\nname = \"s\"\nranks = [1]\n"),
        ),
        of("a.toml", "schema = 1\n[[link]]\nfrom = 0\nto ="),
        of("a.toml", "schema = 1\nunit = \"furlongs\"\n"),
        of("a.csv", "from,to,capacity\n0,1,1\n1,0"),
        of("a.csv", "from,to,capacity\n0,1,1\n"),
        of("a.conf", "SwitchName=a Nodes=n[0-1] Switches=b\n"),
        of("a.conf", "SwitchName=a Switches=b\n"),
        of("a.conf", "SwitchName=a Nodes=n[0-\n"),
        of("a.conf", "SwitchName=a\n"),
        of("a.xml", "<system><cpu numaid=\"0\"></cpu></system>"),
        of("a.xml", "<system><cpu numaid=\"0\">"),
    ];
    assert_snapshot!(errors.concat());
}

#[test]
fn options_that_are_no_network() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("b.json"), "mine").unwrap();
    let of = |words: &str| refused(directory.path(), "a.toml", TOML, words);
    let errors = [
        "bound allreduce --network torsu:8x8",
        "bound allreduce --network torus:8x",
        "bound allreduce --network mesh:1x1",
        "bound allreduce --network torus:9223372036854775808",
        "bound allreduce --network torus:4x4,taper=2",
        "bound allreduce --network torus:4x4 --without 0-9",
        "bound allreduce --network torus:4x4 --without 0",
        "bound allreduce --network torus:4x4 --slow 5",
        "bound allreduce --network torus:4x4 --slow 5=0",
        "bound broadcast --network torus:4x4 --root 16",
        "bound allreduce --network torus:4x4 --network mesh:4x4",
        "bound allreduce --network torus:4x4 --algorithms allreduce-rign",
        "cost allreduce-ring -L 1 -o 0 -g 1 -K 8 -n 8 --network torus:4x4",
        "cost k-tree -n 100 -k 3 -m 17 --network torus:10x10",
        "cost allreduce-ring -L 1 -o 0 -g 1 -K 4 -n 8 --network ring:4 --placement 0,1,2,2",
        "generate alltoall --network dragonfly:9,4,2 --out a.json",
        "generate alltoall --network torus:4x4 --trees 3 --out a.json",
        "generate gather --network torus:4x4 --root 16 --out a.json",
        "generate allreduce --network torus:4x4 --out a.txt",
        "generate allreduce --network torus:4x4 --out b.json",
        "generate allgather --network ring:3 --bytes 10 --out a.goal",
        "generate allreduce --network torus:4x4 --trees 0 --out a.json",
        "show --network torus:4x4 --html a.html",
        "show allreduce-ring -L 1 -o 0 -g 1 -K 16 -n 16 --network torus:4x4",
        "show",
        "show --network torus:4x4 -K 16",
        "show --network torus:4x4 --view matrix",
        "bound allreduce --network torus:4x4 --root 0",
        "cost allreduce-ring -L 1 -o 0 -g 1 -K 16 -n 16 --network torus:4x4 --slopes",
        "sweep --network torus:4x4",
    ];
    assert_snapshot!(errors.map(of).concat());
}

const GRID: &str = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"allreduce-ring\", \"allreduce-rabenseifner\", \"mine\"]\n\
                    networks = [\"torus:4x4\", \"mesh:3x3\", \"n.csv\", \"torus:4x4,without=0-1,placement=random:3\"]\n\
                    L = 1\no = 0\ng = 1\nn = [144, 720]\n\
                    [[algorithm]]\nname = \"mine\"\nproblem = \"allreduce\"\nplan = \"tree-{K}.json\"\n\
                    [[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"network\"\ny = \"link_ratio\"\n\
                    algorithms = [\"allreduce-ring\", \"allreduce-rabenseifner\"]\nat = { L = 1, o = 0, g = 1, n = 144, K = 16 }\n";

/// The rows of a sweep.
fn swept(directory: &Path, file: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(directory.join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Each point stands on each network, whose ranks are K; its link time is that of `cost`, and shards become the whole.
#[test]
fn a_grid_has_networks() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("g.toml"), GRID).unwrap();
    fs::write(directory.join("n.csv"), CSV).unwrap();
    for (network, ranks) in [("torus:4x4", 16), ("mesh:3x3", 9), ("n.csv", 3)] {
        let line = format!("generate allreduce --network {network} --out tree-{ranks}.json");
        printed(directory, &line).unwrap();
    }
    printed(directory, "run g.toml --out whole").unwrap();
    let rows = swept(directory, "whole/allreduce.csv");
    assert_eq!(rows.len(), 3 * 4 * 2);
    for row in &rows {
        let of = |column: &str| &*row[column];
        assert_eq!(of("status"), "ok", "{row:?}");
        let (algorithm, network, K) = (of("algorithm"), of("network"), of("K_nodes"));
        let with = if algorithm == "mine" {
            " --with g.toml"
        } else {
            ""
        };
        let line = format!(
            "cost {algorithm}{with} -L 1 -o 0 -g 1 -K {K} -n {} --network {network}",
            of("n_words")
        );
        let answer = &json_in(directory, &line)["on_network"];
        for column in ["link_time", "link_bound"] {
            let expected: Fraction = of(column).parse().unwrap();
            assert_eq!(fraction(&answer[column]), expected, "{line}");
        }
        let ratio: f64 = of("link_ratio").parse().unwrap();
        assert!(ratio >= 1.0);
        assert_eq!(answer["link_ratio"], ratio, "{line}");
        if algorithm == "mine" && !network.contains("placement") {
            // Its parts of 144 words differ by a word.
            assert!(ratio < 1.2, "{row:?}");
        }
    }
    for shard in ["1", "2"] {
        printed(
            directory,
            &format!("sweep g.toml --shard {shard}/2 --out s{shard}"),
        )
        .unwrap();
    }
    printed(directory, "merge s1 s2 --out merged").unwrap();
    let read = |name: &str| fs::read(directory.join(name)).unwrap();
    assert_eq!(read("whole/allreduce.csv"), read("merged/allreduce.csv"));
    // The caption has the largest ratio of the rows.
    let drawn = fs::read_to_string(directory.join("whole/figures/f.svg")).unwrap();
    let drawn = drawn.replace('\n', " ");
    let of_ring = rows.iter().filter(|row| {
        row["algorithm"] == "allreduce-ring" && row["n_words"] == "144" && row["K_nodes"] == "16"
    });
    let most = of_ring.map(|row| row["link_ratio"].parse().unwrap());
    let most = most.fold(0.0, f64::max);
    assert!(drawn.contains(&format!("ring {most:.3}")), "{drawn}");
    for words in ["torus 4x4, link 0-1 dead", "placement random:3"] {
        assert!(drawn.contains(words), "{drawn}");
    }
    // Capacities of two networks need not have one unit, and a title says what divides.
    for (options, said) in [
        ("", "Each network counts capacities in its own unit"),
        (" --over allreduce-ring", "link time / that of"),
    ] {
        let line = format!(
            "figures --from whole --x network --at n=144,K=16 --y link_time{options} --out several.svg"
        );
        let drawn = ask(directory, &line);
        assert_eq!(drawn.code, Some(0), "{}", drawn.errors);
        let svg = fs::read_to_string(directory.join("several.svg")).unwrap();
        assert!(svg.contains(said), "{svg}");
    }
    let none = "figures --from whole --x network --at n=90 --y link_time --out none.svg";
    expect(
        directory,
        none,
        4,
        "n = 90 is not among them; there are n = 144, 720",
    );
    let one = "figures --from whole --x n --at network=mesh:3x3 --y link_time --out one.svg";
    printed(directory, one).unwrap();
    // Another number of ranks is no point of a network.
    let other = GRID
        .split("[[figures")
        .next()
        .unwrap()
        .replace("L = 1", "L = 1\nK = [9, 16]");
    fs::write(directory.join("g.toml"), other).unwrap();
    printed(directory, "sweep g.toml --out other").unwrap();
    let rows = swept(directory, "other/allreduce.csv");
    let is_refused = |row: &&std::collections::HashMap<String, String>| {
        row["status"] == "not_applicable"
            && row["note"].contains("choose as many")
            && row["link_time"].is_empty()
    };
    assert_eq!(
        (rows.len(), rows.iter().filter(is_refused).count()),
        (48, 30)
    );
}

#[test]
fn grids_whose_networks_are_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let of = |networks: &str, figures: &str| {
        let text = GRID
            .split("[[algorithm]]")
            .next()
            .unwrap()
            .replace(", \"mine\"", "");
        let (before, after) = text.split_once("networks").unwrap();
        let after = after.split_once('\n').unwrap().1;
        let text = format!("{before}networks = {networks}\n{after}{figures}");
        refused(directory.path(), "g.toml", &text, "run g.toml --out out")
    };
    let figure = |x: &str| {
        format!(
            "[[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"n\"\nalgorithms = [\"allreduce-ring\"]\nat = {{ L = 1, o = 0, \
             g = 1, K = 16{x} }}\n"
        )
    };
    let errors = [
        of("[\"torsu:4x4\"]", ""),
        of("[\"torus:4x4,without=0-9\"]", ""),
        of("[\"torus:4x4,placement=here\"]", ""),
        of("[\"torus:4x4\", \"torus:4x4\"]", ""),
        of("[4]", ""),
        of("[\"torus:4x4\"]", &figure("")),
        of("[\"torus:4x4\"]", &figure(", network = \"mesh:4x4\"")),
    ];
    assert_snapshot!(errors.concat());
}

/// A machine of 8 boxes of 8 has at least the bound of their network: what must leave each box by its nics. Only the first byte of a
/// message, which takes o and g, is free here: less than 1/10,000.
#[test]
fn boxes_with_nics_have_the_bound_of_their_network() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    const BYTES: u64 = 1 << 26;
    for nics in [1, 2, 8] {
        let text = format!(
            "schema = 1\nname = \"boxes\"\nbasis = \"estimated\"\nL = \"2us\"\no = \"0ns\"\ng = \"0ns\"\nG = \"20ps\"\nnics = {nics}\n\
             [[level]]\nname = \"box\"\nranks = 8\nL = \"1us\"\no = \"0ns\"\ng = \"0ns\"\nG = \"2ps\"\n"
        );
        fs::write(directory.join("boxes.toml"), text).unwrap();
        for (collective, algorithm, blocks) in [
            ("broadcast", "scatter-allgather", 1),
            ("reduce", "rabenseifner", 1),
            ("allreduce", "ring", 1),
            ("gather", "binomial", 64),
            ("scatter", "binomial", 64),
            ("allgather", "ring", 64),
            ("reduce-scatter", "ring", 64),
            ("alltoall", "pairwise", 64),
        ] {
            // A box has nics of 50 GB/s, which its GPUs share here.
            let network = format!("dgx-a100:8,nvlink=500,nic={}/8", 50 * nics);
            let least = fraction(&bound(collective, &network)["time"]) * i128::from(BYTES * blocks);
            let line = format!(
                "cost {collective}-{algorithm} --machine boxes.toml -K 64 --bytes {BYTES} --simulate-up-to 0"
            );
            let found = fraction(&json_in(directory, &line)["lower_bound"]);
            let share = Fraction::new(9_999, 10_000);
            assert!(found >= least * share, "{line}: {found} for {least}");
        }
    }
}

/// Pictures have each link of the network.
#[test]
fn pictures_have_all_links() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (line, lines) in [
        ("show --network torus:4x4 --svg b.svg", 64),
        (
            "show --network dgx-a100:2 --bound allgather --svg b.svg",
            64,
        ),
        (
            "show allreduce-ring -L 1 -o 0 -g 1 -K 16 -n 160 --view links --network torus:4x4 --svg b.svg",
            64,
        ),
    ] {
        let text = printed(directory, line).unwrap();
        assert_eq!(text.contains(" words\n"), line.contains("-n 160"), "{text}");
        let svg = fs::read_to_string(directory.join("b.svg")).unwrap();
        assert!(svg.matches("<polyline").count() >= lines, "{line}");
    }
}

/// The default configuration with its grid on networks only, and the figures of these.
fn default_networks() -> String {
    let text = include_str!("../../../configs/default.toml");
    let tables = text.split("\n[[").skip(1).filter(|table| {
        let is = |kind: &str, name: &str| table.starts_with(kind) && table.contains(name);
        is("grid]]", "name = \"networks\"") || is("figures.lines]]", "file = \"network-")
    });
    let tables: Vec<&str> = tables
        .map(|table| table.split("\n\n").next().unwrap())
        .collect();
    assert_eq!(tables.len(), 4);
    format!("schema = 1\nseed = 1\n[[{}\n", tables.join("\n[["))
}

/// Captions of the default figures have the largest ratios that `bound --algorithms` prints, and where. Each schedule that they
/// claim is generated and takes the bound; a picture has a ring for each.
#[test]
fn default_figures_say_what_bound_says() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let text = default_networks();
    fs::write(directory.join("d.toml"), &text).unwrap();
    printed(directory, "run d.toml --out out").unwrap();
    let wire: toml::Table = text.parse().unwrap();
    let figures = wire["figures"]["lines"].as_array().unwrap();
    for figure in figures {
        let names = |key: &str| -> Vec<&str> {
            let all = figure[key].as_array().unwrap().iter();
            all.map(|name| name.as_str().unwrap()).collect()
        };
        let networks = names("networks");
        let file = figure["file"].as_str().unwrap();
        let caption = format!(
            "figures d.toml --from out --only {file} --no-caption --caption - --out {file}.d"
        );
        let caption = printed(directory, &caption).unwrap();
        let lines: String = networks
            .iter()
            .map(|name| format!(" --network {name}"))
            .collect();
        let algorithms = names("algorithms").join(",");
        let line = format!(
            "bound allreduce{lines} --algorithms {algorithms},generated,reduce-scatter+allgather"
        );
        let rows = json_in(directory, &line);
        let rows = rows.as_array().unwrap();
        // In words, or a number where only a taper differs.
        let shown = |name: &str| {
            let (network, more) = name.split_once(',').unwrap_or((name, ""));
            let network = network.replace(':', " ");
            match more.split_once('=') {
                None => network,
                Some(("taper", taper)) if file == "network-taper.svg" => {
                    format!("taper = {taper}")
                }
                Some(("taper", taper)) => format!("{network}, taper {taper}"),
                Some(("without", links)) if links.contains('+') => {
                    format!("{network}, links {} dead", links.replace('+', " and "))
                }
                Some(("without", link)) => format!("{network}, link {link} dead"),
                Some((_, slow)) => {
                    format!("{network}, node {}", slow.replace(':', " slowed to "))
                }
            }
        };
        let largest = |name: &str| {
            let own = rows.iter().filter(|row| row["algorithm"] == name);
            let ratios: Vec<f64> = own.map(|row| row["ratio"].as_f64().unwrap()).collect();
            assert_eq!(ratios.len(), networks.len(), "{name}");
            let most = ratios.iter().copied().fold(0.0, f64::max);
            let at = ratios.iter().position(|ratio| *ratio == most).unwrap();
            let place = match ratios.iter().all(|ratio| *ratio == most) {
                true => String::new(),
                false => format!(" ({})", shown(networks[at])),
            };
            let decimals = if most < 10.0 { 3 } else { 2 };
            format!("{most:.decimals$}{place}")
        };
        assert_eq!(largest("generated"), "1.000", "{file}");
        assert!(
            caption.contains("in the least time on each network"),
            "{caption}"
        );
        for name in names("algorithms") {
            let short = name.trim_start_matches("allreduce-");
            // Where both are equal everywhere they are one series.
            let names = [short, "swing = bine"].map(|own| format!("{own} {}", largest(name)));
            let is_stated = names.iter().any(|stated| caption.contains(stated));
            assert!(is_stated, "{names:?}: {caption}");
        }
        let halves = format!(
            "reduce-scatter+allgather {}",
            largest("reduce-scatter+allgather")
        );
        // Both halves are optimal below any spine, and on damaged networks only where nothing is damaged.
        let own = rows
            .iter()
            .filter(|row| row["algorithm"] == "reduce-scatter+allgather");
        let optimal = own.filter(|row| row["ratio"] == 1.0).count();
        match file {
            "network-damage.svg" => assert_eq!(optimal, 4),
            "network-taper.svg" => assert_eq!(optimal, networks.len()),
            _ => {}
        }
        let has_halves = figure["with"].as_array().unwrap().len() > 1;
        assert_eq!(caption.contains(&halves), has_halves, "{halves}: {caption}");
    }
}

/// The command for a failed point finds the files of its configuration from the working directory.
#[test]
fn a_failed_point_names_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("d");
    fs::create_dir(&inner).unwrap();
    let write = |name: &str, text: &str| fs::write(inner.join(name), text).unwrap();
    write("net.csv", "0,1,1\n1,2,1\n2,0,1\n");
    write("sizes.csv", "1\n2\n3\n");
    write("p.json", r#"{"rounds":[]}"#);
    write(
        "c.toml",
        "schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = 'allgather'\nplan = 'p.json'\n[[grid]]\nname = 'a'\n\
         algorithms = ['mine']\nL = 6\no = 2\ng = 4\nn = 6\ncounts = 'sizes.csv'\nnetworks = ['net.csv,placement=round-robin']\n",
    );
    let errors = expect(
        directory.path(),
        "sweep d/c.toml --out r",
        9,
        "--counts d/sizes.csv",
    );
    assert!(
        errors.contains("--network d/net.csv,placement=round-robin"),
        "{errors}"
    );
}
