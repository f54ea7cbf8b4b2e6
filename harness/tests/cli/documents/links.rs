//! Every link of every page leads to an existing file or heading. Links to other sites are not checked.

use std::path::Path;

use super::page::Page;
use super::{ROOT, none};

#[test]
fn links_resolve() {
    let pages = Page::all();
    let (mut complaints, mut checked) = (Vec::new(), 0);
    for page in &pages {
        let directory = Path::new(&page.name).parent().unwrap();
        for link in page
            .links
            .iter()
            .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            checked += 1;
            let (file, anchor) = link
                .split_once('#')
                .map_or((link.as_str(), None), |(file, a)| (file, Some(a)));
            let target = if file.is_empty() {
                page.name.clone()
            } else {
                joined(directory, file)
            };
            if !Path::new(ROOT).join(&target).exists() {
                complaints.push(format!(
                    "{}: `{link}` leads to {target}, which is not there",
                    page.name
                ));
            } else if let Some(anchor) = anchor {
                let heading = pages.iter().find(|other| other.name == target);
                if !heading.is_some_and(|other| other.anchors().iter().any(|own| own == anchor)) {
                    complaints.push(format!(
                        "{}: `{link}`: {target} has no heading `#{anchor}`",
                        page.name
                    ));
                }
            }
        }
    }
    assert!(checked > 30, "only {checked} links found");
    none(
        &complaints,
        "name a file from the directory of the page, a heading as GitHub does",
    );
}

/// A path from the root, without `.` and `..`.
fn joined(directory: &Path, file: &str) -> String {
    let mut parts: Vec<&str> = directory
        .to_str()
        .unwrap()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Another page links to every page of `docs`.
#[test]
fn every_page_is_linked() {
    let pages = Page::all();
    let linked: Vec<String> = pages
        .iter()
        .flat_map(|page| {
            let directory = Path::new(&page.name).parent().unwrap().to_owned();
            page.links
                .iter()
                .map(move |link| joined(&directory, link.split('#').next().unwrap_or_default()))
        })
        .collect();
    let lost = pages
        .iter()
        .filter(|page| page.name.starts_with("docs/") && !linked.contains(&page.name));
    none(
        &lost
            .map(|page| format!("no page links to {}", page.name))
            .collect::<Vec<_>>(),
        "the README links to all pages of docs",
    );
}

/// Directories of the repository whose files pages name without a link.
const OURS: [&str; 7] = [
    "algorithms/",
    "configs/",
    "docs/",
    "harness/",
    "packaging/",
    "python/",
    "reports/",
];
/// Files that a run writes and that are not committed.
const MADE: [&str; 5] = [
    "index.html",
    "manifest.json",
    ".csv",
    "measurement",
    "calibrated",
];

/// Files and directories named in inline code exist.
#[test]
fn files_that_are_named_exist() {
    let (mut complaints, mut checked) = (Vec::new(), 0);
    for page in Page::all() {
        for code in page
            .codes
            .iter()
            .filter(|code| OURS.iter().any(|root| code.starts_with(root)))
        {
            // A pattern as in `configs/*.toml`, or part of a command.
            if code.contains(['*', ' ', '<'])
                || code.starts_with("reports/") && MADE.iter().any(|made| code.contains(made))
            {
                continue;
            }
            checked += 1;
            if !Path::new(ROOT).join(code).exists() {
                complaints.push(format!("{}: `{code}` is not there", page.name));
            }
        }
    }
    assert!(checked > 30, "only {checked} files found");
    none(
        &complaints,
        "name what is there, from the root of the repository",
    );
}
