//! The pages explain all claims, axes, keys and columns. The program writes the pages of verbs, exit codes, algorithms and
//! figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use algorithms::catalogue::{PROBLEMS, axes};
use castbench::print::column::{self, Tabled as _};
use castbench::record;
use castbench::regress::audit;

use super::page::Page;
use super::{ROOT, committed, none};
use crate::common::castbench_in;

/// The first cells of a page's tables; `a, b` counts as two.
fn explained(name: &str) -> BTreeSet<String> {
    let page = Page::named(name);
    let first = page.rows.iter().filter_map(|row| row.first());
    first
        .flat_map(|cell| cell.split(", ").map(str::to_owned))
        .collect()
}

/// Fails if something is not in the first column of any table of a page.
fn all_explained<'a>(page: &str, wanted: impl IntoIterator<Item = &'a str>) {
    let explained = explained(page);
    let missing = wanted
        .into_iter()
        .filter(|wanted| !explained.contains(*wanted));
    none(
        &missing
            .map(|name| format!("{page} does not explain `{name}`"))
            .collect::<Vec<_>>(),
        "add a row to its table, or renew a page that a command writes with UPDATE_DOCUMENTS=1",
    );
}

/// The page about papers has each claim of a paper and each claim of castbench.
#[test]
fn every_claim_is_described() {
    let page = Page::named("docs/papers.md");
    let claims = audit::all_claims().unwrap_or_else(|failure| panic!("{}", failure.explanation()));
    let named: BTreeSet<&str> = page.codes.iter().map(String::as_str).collect();
    let missing = claims
        .iter()
        .filter(|claim| !named.contains(claim.id.as_ref()));
    none(
        &missing
            .map(|claim| format!("docs/papers.md has no `{}`", claim.id))
            .collect::<Vec<_>>(),
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
        let (_, list) = errors
            .split_once("expected one of ")
            .unwrap_or_else(|| panic!("{errors}"));
        let list = list.lines().next().unwrap();
        let keys: Vec<String> = list
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        assert!(keys.len() > 2, "{errors}");
        keys
    };
    let name = "name = \"a\"\n";
    let found = [
        keys(&["sweep", "--dry-run"], "schema = 1\nnone = 1\n"),
        keys(&["sweep", "--dry-run"], "schema = 1\n[limits]\nnone = 1\n"),
        keys(
            &["sweep", "--dry-run"],
            &format!("schema = 1\n[[grid]]\n{name}none = 1\n"),
        ),
        keys(&["sweep", "--dry-run"], "schema = 1\n[figures]\nnone = 1\n"),
        keys(&["measure"], "schema = 1\nnone = 1\n"),
        keys(&["measure"], "schema = 1\n[tcp]\nnone = 1\n"),
        keys(
            &["measure"],
            &format!("schema = 1\n[[measurement]]\n{name}none = 1\n"),
        ),
    ];
    all_explained(
        "docs/reference/keys.md",
        found.iter().flatten().map(String::as_str),
    );
}

/// The columns of every CSV file that castbench writes. Those of answers are printed from what the page shows.
#[test]
fn every_column_is_explained() {
    let mut columns: BTreeSet<String> = PROBLEMS.iter().flat_map(record::row::header).collect();
    let mut add = |header: &str| columns.extend(header.trim_end().split(',').map(str::to_owned));
    let findings = column::header(&record::findings::Finding::columns());
    add(&String::from_utf8(findings).unwrap());
    let files = [
        "measured/summary",
        "measured/measurements",
        "measured/nodes",
        "history",
    ];
    for name in files.map(|name| format!("reports/{name}.csv")) {
        add(committed(&name).lines().next().unwrap());
    }
    for file in fs::read_dir(Path::new(ROOT).join("reports/baseline"))
        .unwrap()
        .map(|file| file.unwrap().path())
    {
        if file.extension().is_some_and(|extension| extension == "csv") {
            add(fs::read_to_string(file).unwrap().lines().next().unwrap());
        }
    }
    all_explained(
        "docs/reference/columns.md",
        columns.iter().map(String::as_str),
    );
}

/// The program reads the example configurations: it plans those of sweeps, starts those of measurements, which fail
/// at a missing host, and checks networks.
#[test]
fn examples_of_configurations_are_read() {
    let mut checked = 0;
    for page in Page::all() {
        for code in page.code("toml") {
            let directory = tempfile::tempdir().unwrap();
            let profile = committed("configs/machines/ethernet100-switched.toml");
            fs::write(
                directory.path().join("mine.toml"),
                profile.replace("ethernet100-switched", "mine"),
            )
            .unwrap();
            let path = directory.path().join("example.toml");
            fs::write(&path, code).unwrap();
            let read = if code.contains("[[measurement]]") {
                castbench::measured::config::Config::load(Some(&path)).map(drop)
            } else if code.contains("link = ") {
                castbench::networks::named(path.to_str().unwrap()).map(drop)
            } else {
                castbench::config::Config::load(Some(&path))
                    .and_then(|config| castbench::figures::of(&config))
                    .map(drop)
            };
            read.unwrap_or_else(|failure| {
                panic!("{}:\n{code}\n{}", page.name, failure.explanation())
            });
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} examples found");
}

/// docs/measuring.md states that shared links predict every median within 3 %, as `measured` checks.
#[test]
fn a_page_states_how_well_shared_links_predict() {
    let words = committed("docs/measuring.md")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(words.contains("within 3 % of every median"));
}
