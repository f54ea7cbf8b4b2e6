//! The pages explain all claims, axes, keys and columns, and their measured numbers match the committed measurements.
//! The program writes the pages of verbs, exit codes, algorithms and figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use algorithms::catalogue::{PROBLEMS, axes};
use castbench::{audit, record};

use super::page::Page;
use super::{ROOT, committed, none};
use crate::common::castbench_in;

/// The first cells of a page's tables; `a, b` counts as two.
fn explained(name: &str) -> BTreeSet<String> {
    let page = Page::named(name);
    let first = page.rows.iter().filter_map(|row| row.first());
    first.flat_map(|cell| cell.split(", ").map(str::to_owned)).collect()
}

/// Fails if something is not in the first column of any table of a page.
fn all_explained<'a>(page: &str, wanted: impl IntoIterator<Item = &'a str>) {
    let explained = explained(page);
    let missing = wanted.into_iter().filter(|wanted| !explained.contains(*wanted));
    none(
        &missing.map(|name| format!("{page} does not explain `{name}`")).collect::<Vec<_>>(),
        "add a row to its table",
    );
}

/// The page about papers has each claim of a paper and each claim of castbench.
#[test]
fn every_claim_is_described() {
    let page = Page::named("docs/papers.md");
    let claims = audit::all_claims().unwrap_or_else(|failure| panic!("{}", failure.explanation()));
    let named: BTreeSet<&str> = page.codes.iter().map(String::as_str).collect();
    let missing = claims.iter().filter(|claim| !named.contains(claim.id.as_ref()));
    none(
        &missing.map(|claim| format!("docs/papers.md has no `{}`", claim.id)).collect::<Vec<_>>(),
        "`just documents` writes the tables; a claim of castbench is named in a command of the page",
    );
}

#[test]
fn every_axis_is_explained() {
    all_explained("docs/model.md", axes().iter().map(|axis| axis.key));
}

/// The keys are those that the reader lists when it refuses an unknown one.
#[test]
fn every_key_of_a_configuration_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let keys = |verb: &[&str], text: &str| {
        fs::write(directory.path().join("a.toml"), text).unwrap();
        let run = castbench_in(directory.path(), &[verb, &["a.toml"]].concat());
        let errors = String::from_utf8(run.stderr).unwrap();
        let (_, list) = errors.split_once("expected one of ").unwrap_or_else(|| panic!("{errors}"));
        let list = list.lines().next().unwrap();
        let keys: Vec<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert!(keys.len() > 2, "{errors}");
        keys
    };
    let name = "name = \"a\"\n";
    let found = [
        keys(&["plan"], "schema = 1\nnone = 1\n"),
        keys(&["plan"], "schema = 1\n[limits]\nnone = 1\n"),
        keys(&["plan"], &format!("schema = 1\n[[grid]]\n{name}none = 1\n")),
        keys(&["plan"], "schema = 1\n[figures]\nnone = 1\n"),
        keys(&["measure"], "schema = 1\nnone = 1\n"),
        keys(&["measure"], "schema = 1\n[tcp]\nnone = 1\n"),
        keys(&["measure"], &format!("schema = 1\n[[measurement]]\n{name}none = 1\n")),
    ];
    all_explained("docs/reference/keys.md", found.iter().flatten().map(String::as_str));
}

/// The columns of every CSV file that castbench writes. Those of answers are printed from what the page shows.
#[test]
fn every_column_is_explained() {
    let mut columns: BTreeSet<String> =
        PROBLEMS.iter().flat_map(|problem| record::row::header(*problem)).map(str::to_owned).collect();
    columns.extend(record::columns_of(&record::findings::Finding::default()).unwrap());
    let mut add = |header: &str| columns.extend(header.trim_end().split(',').map(str::to_owned));
    let files = ["measured/summary", "measured/measurements", "measured/nodes", "history"];
    for name in files.map(|name| format!("reports/{name}.csv")) {
        add(committed(&name).lines().next().unwrap());
    }
    for file in fs::read_dir(Path::new(ROOT).join("reports/baseline")).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "csv") {
            add(fs::read_to_string(file).unwrap().lines().next().unwrap());
        }
    }
    all_explained("docs/reference/columns.md", columns.iter().map(String::as_str));
}

/// The program reads the example configurations: it plans those of sweeps, and starts those of measurements, which fail
/// at a missing host.
#[test]
fn examples_of_configurations_are_read() {
    let mut checked = 0;
    for page in Page::all() {
        for code in page.code("toml") {
            let directory = tempfile::tempdir().unwrap();
            let profile = committed("configs/machines/ethernet100-switched.toml");
            fs::write(directory.path().join("mine.toml"), profile.replace("ethernet100-switched", "mine")).unwrap();
            let path = directory.path().join("example.toml");
            fs::write(&path, code).unwrap();
            let read = if code.contains("[[measurement]]") {
                castbench::measured::config::Config::load(Some(&path)).map(drop)
            } else {
                castbench::config::Config::load(Some(&path)).map(drop)
            };
            read.unwrap_or_else(|failure| panic!("{}:\n{code}\n{}", page.name, failure.explanation()));
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} examples found");
}

/// The parts of a measured summary that the tables of the pages show.
struct Median {
    K: String,
    algorithm: String,
    bytes: String,
    hosts: String,
    /// Median and LogP's prediction in ms with one decimal, as `268.8 (267.8)`.
    words: String,
}

fn medians(directory: &str) -> Vec<Median> {
    let text = committed(&format!("{directory}/summary.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let value = |name: &str| row[header.iter().position(|own| own == name).unwrap()].to_owned();
        let ms = |name: &str| value(name).parse::<f64>().map(|ns| format!("{:.1}", ns / 1e6)).unwrap_or_default();
        let (median, model) = (ms("median_ns"), ms("model_ns"));
        let words = if model.is_empty() { median } else { format!("{median} ({model})") };
        Median {
            K: value("K"),
            algorithm: value("algorithm").to_lowercase(),
            bytes: value("bytes"),
            hosts: value("hosts"),
            words,
        }
    });
    rows.collect()
}

/// The tables of docs/measuring.md have the medians of the committed measurements.
#[test]
fn measured_numbers_are_those_that_were_measured() {
    let page = Page::named("docs/measuring.md");
    let sizes = [("64 KiB", "65536"), ("1 MiB", "1048576"), ("4 MiB", "4194304")];
    let bytes =
        |cell: &str| sizes.iter().find(|(words, _)| cell.ends_with(words)).map(|(_, bytes)| (*bytes).to_owned());
    let [tcp, mpi, spinning] =
        ["reports/measured", "reports/measured-mpi", "reports/measured-mpi-spinning"].map(medians);
    let (mut complaints, mut checked) = (Vec::new(), 0);
    let mut titles: &[String] = &[];
    for row in &page.rows {
        if row[0] == "hosts" {
            titles = row;
            continue;
        }
        // `K = 12 on 8, round-robin`, or a number of ranks with one host each.
        let numbers: Vec<&str> = row[0].split([' ', ',']).filter(|word| word.parse::<u32>().is_ok()).collect();
        let (Some(K), Some(hosts)) = (numbers.first(), numbers.last()) else { continue };
        let over_mpi = titles.get(1).is_some_and(|title| title == "bytes");
        for (title, cell) in titles.iter().zip(row).skip(2) {
            let algorithm = title.split(',').next().unwrap().to_lowercase();
            let size = bytes(if over_mpi { &row[1] } else { title });
            let known = match over_mpi {
                true if title.ends_with(", spinning") => &spinning,
                true => &mpi,
                false => &tcp,
            };
            checked += 1;
            let is_it = |own: &&Median| {
                own.K == *K && own.hosts == *hosts && own.algorithm == algorithm && Some(&own.bytes) == size.as_ref()
            };
            if !known.iter().filter(is_it).any(|own| own.words == *cell) {
                complaints.push(format!("{}: {title}: {cell} was not measured so", row[0]));
            }
        }
    }
    assert!(checked > 60, "only {checked} medians found");
    none(&complaints, "copy from summary.csv: median_ns, and model_ns in brackets");
}

/// README and docs/measuring.md state that shared links predict every median within 3 %, as `measured` checks.
#[test]
fn pages_state_how_well_shared_links_predict() {
    for page in ["README.md", "docs/measuring.md"] {
        let words = committed(page).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("3 % of every median") || words.contains("every median within 3 %"), "{page}");
    }
}
