//! The commands of a page, run one after the other as a reader would.

use std::fs;
use std::path::Path;

use super::page::Page;
use crate::common::castbench_in;

/// The `castbench` lines of the blocks of shell under a heading, without their comments.
fn commands(page: &Page, heading: &str) -> Vec<String> {
    let start = page.text.find(&format!("\n## {heading}\n")).unwrap_or(0);
    let end = page.text[start + 1..]
        .find("\n## ")
        .map_or(page.text.len(), |end| start + 1 + end);
    let blocks = page
        .blocks
        .iter()
        .filter(|(language, code)| language == "sh" && (start..end).contains(&code.start));
    let lines = blocks.flat_map(|(_, code)| page.text[code.clone()].lines());
    let commands = lines.map(|line| {
        line.split(" #")
            .next()
            .unwrap_or_default()
            .trim_end()
            .to_owned()
    });
    let commands: Vec<_> = commands.filter(|command| !command.is_empty()).collect();
    assert!(
        !commands.is_empty(),
        "{}: no command under {heading}",
        page.name
    );
    commands
}

fn run(directory: &Path, command: &str) {
    let mut words: Vec<String> = Vec::new();
    for word in shlex::split(command).unwrap() {
        match word.strip_suffix('*') {
            // Split as by a shell.
            Some(prefix) => {
                let parent = Path::new(prefix).parent().unwrap();
                let mut found: Vec<String> = fs::read_dir(directory.join(parent))
                    .unwrap()
                    .map(|entry| {
                        parent
                            .join(entry.unwrap().file_name())
                            .to_str()
                            .unwrap()
                            .to_owned()
                    })
                    .filter(|path| path.starts_with(prefix))
                    .collect();
                found.sort();
                words.extend(found);
            }
            None => words.push(word),
        }
    }
    assert_eq!(words[0], "castbench", "{command}");
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let output = castbench_in(directory, &words);
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The guide from the first sweep to the regression gate, with its configuration, and shards of it.
#[test]
fn the_guide_is_walked() {
    let guide = Page::named("docs/guide.md");
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (_, toml) = guide
        .blocks
        .iter()
        .find(|(language, _)| language == "toml")
        .unwrap();
    fs::write(directory.join("my.toml"), &guide.text[toml.clone()]).unwrap();
    for heading in ["First sweep", "A figure of your own", "A regression gate"] {
        for command in commands(&guide, heading) {
            run(directory, &command);
        }
    }
    let made = [
        "results/index.html",
        "results/figures/over-optimum.svg",
        "ratio.svg",
        "gate/history.csv",
    ];
    made.iter()
        .for_each(|file| assert!(directory.join(file).exists(), "{file}"));
    for command in commands(&guide, "Other simulators and tools") {
        run(directory, &command);
    }
    for command in commands(&Page::named("docs/cluster.md"), "On one machine") {
        // The shards of the other machines.
        if let Some((before, after)) = command.split_once("3/16") {
            let after = after.strip_suffix('3').unwrap();
            (1..=16).for_each(|shard| run(directory, &format!("{before}{shard}/16{after}{shard}")));
        } else {
            run(directory, &command);
        }
    }
}
