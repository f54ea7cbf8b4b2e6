//! The output shown in the pages is the program's output.
//!
//! An example is a line `$ castbench ...` of a `console` block with its output below, a Markdown table between `<!-- $
//! castbench ... -->` and `<!-- end -->`, or a [part](super::made) after `<!-- = NAME -->`. With `UPDATE_DOCUMENTS=1`
//! (`just documents`) the pages are rewritten instead of compared.

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::page::Page;
use super::{ROOT, made, none};
use crate::common::{castbench_in, copy_collectives, copy_measurements};

/// The source of an example's output.
enum Source {
    /// A command.
    Command(String),
    /// A command whose Markdown is between two comments.
    Table(String),
    /// A part that the tests generate, between two comments.
    Part(String),
}

/// A source, and the range of its output in the page.
struct Example {
    source: Source,
    output: Range<usize>,
}

impl Example {
    /// The present output, run in this directory.
    fn printed(&self, page: &Page, directory: &Path) -> String {
        let (command, is_rendered) = match &self.source {
            Source::Part(name) => {
                let part = made::part(name)
                    .unwrap_or_else(|| panic!("{}: there is no part {name}", page.name));
                return format!("\n{part}\n");
            }
            Source::Command(command) => (command, false),
            Source::Table(command) => (command, true),
        };
        let words = command
            .strip_prefix("castbench ")
            .unwrap_or_else(|| panic!("{}: {command}", page.name));
        let words =
            shlex::split(words).unwrap_or_else(|| panic!("{}: the quotes of {command}", page.name));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = castbench_in(directory, &words);
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.success(),
            "{}: {command} failed: {errors}",
            page.name
        );
        let printed = String::from_utf8(run.stdout).unwrap();
        if is_rendered {
            format!("\n{printed}\n")
        } else {
            printed
        }
    }
}

const TABLE: &str = "<!-- $ ";
const PART: &str = "<!-- = ";
const END: &str = "<!-- end -->";

/// Its examples, in the order of the page.
fn examples(page: &Page) -> Vec<Example> {
    let mut found = Vec::new();
    for (_, code) in page
        .blocks
        .iter()
        .filter(|(language, _)| language == "console")
    {
        let mut start = code.start;
        for line in page.text[code.clone()].split_inclusive('\n') {
            start += line.len();
            match line.strip_prefix("$ ") {
                Some(command) => {
                    let source = Source::Command(command.trim_end().to_owned());
                    found.push(Example {
                        source,
                        output: start..start,
                    });
                }
                None => {
                    found
                        .last_mut()
                        .expect("a block begins with a command")
                        .output
                        .end = start
                }
            }
        }
    }
    let comments: Vec<_> = page.comments.iter().collect();
    for pair in comments.windows(2) {
        let after = |begin| {
            pair[0]
                .0
                .strip_prefix(begin)?
                .strip_suffix(" -->")
                .map(str::to_owned)
        };
        let Some(source) = after(TABLE)
            .map(Source::Table)
            .or_else(|| after(PART).map(Source::Part))
        else {
            continue;
        };
        assert_eq!(pair[1].0, END, "{}: no end of {}", page.name, pair[0].0);
        found.push(Example {
            source,
            output: pair[0].1.end..pair[1].1.start,
        });
    }
    found.sort_by_key(|example| example.output.start);
    found
}

#[test]
fn pages_show_what_the_program_prints() {
    let update = std::env::var_os("UPDATE_DOCUMENTS").is_some();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for page in Page::all() {
        // Examples read files of earlier ones, and the committed measurements and configurations.
        let directory = tempfile::tempdir().unwrap();
        copy_measurements(&directory.path().join("reports/measured"));
        copy_collectives(&directory.path().join("reports/collectives"));
        let mut text = page.text.clone();
        for example in examples(&page) {
            let (printed, output) = (example.printed(&page, directory.path()), example.output);
            let shown = &page.text[output.clone()];
            checked += 1;
            if shown != printed {
                complaints.push(format!("{}\nshows\n{shown}\nprints\n{printed}", page.name));
                // Replaced from the end, so that earlier ranges stay valid.
                let from_end = page.text.len() - output.end;
                let start = text.len() - from_end - output.len();
                text.replace_range(start..text.len() - from_end, &printed);
            }
        }
        if update && text != page.text {
            fs::write(Path::new(ROOT).join(&page.name), text).unwrap();
        }
    }
    assert!(checked > 30, "only {checked} examples found");
    if !update {
        none(
            &complaints,
            "`just documents` writes what is printed into the pages",
        );
    }
}
