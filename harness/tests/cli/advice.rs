//! Advice is followed: each example of an error or a help text is run and accepted, and no help text names a file that
//! only the repository has.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use algorithms::catalogue::{PROBLEMS, entries};
use castbench::verbs::cli::Cli;
use clap::CommandFactory as _;

use crate::common::{castbench_in, stdout};
use crate::documents::none;

/// Calls `work` for each of these on two threads, and returns what it finds wrong.
fn in_parallel<T: Sync>(all: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for first in 0..2 {
            let (found, work) = (&found, &work);
            scope.spawn(move || {
                let own: Vec<String> = all.iter().skip(first).step_by(2).flat_map(work).collect();
                found.lock().unwrap().extend(own);
            });
        }
    });
    found.into_inner().unwrap()
}

/// The example in the message of a command that is refused; none if it is accepted, or refused without one.
fn example(directory: &Path, line: &str) -> Option<String> {
    let explanation = refused(directory, line)?;
    let (_, example) = explanation.split_once("For example: castbench ")?;
    Some(example.trim_end().to_owned())
}

/// The verbs of a point, which make their examples as `cost` does.
const VERBS: [&str; 5] = [
    "show",
    "cost --slopes",
    "export goal",
    "export csv",
    "export trace",
];

/// `cost` of every algorithm, and every verb with the first of each problem, without options or with only a machine; and
/// `cost` without each single option.
#[test]
fn every_example_of_an_error_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let is_first = |at: usize| at == 0 || entries()[at].problem() != entries()[at - 1].problem();
    let names: Vec<(&str, bool)> = entries()
        .iter()
        .enumerate()
        .map(|(at, entry)| (entry.name, is_first(at)))
        .collect();
    let examples = Mutex::new(BTreeSet::new());
    let mut complaints = in_parallel(&names, |(name, is_first)| {
        let options = ["", " --machine ethernet100-switched"];
        let others = VERBS.into_iter().filter(|_| *is_first);
        let bare = ["cost"]
            .into_iter()
            .chain(others)
            .flat_map(|verb| options.map(|options| format!("{verb} {name}{options}")));
        let found: Vec<_> = bare
            .map(|line| (example(directory.path(), &line), line))
            .collect();
        let words: Vec<&str> = found[0]
            .0
            .iter()
            .flat_map(|whole| whole.split(' '))
            .collect();
        let without = (2..words.len())
            .step_by(2)
            .map(|at| [&words[..at], &words[at + 2..]].concat().join(" "));
        let without: Vec<String> = without
            .filter_map(|line| example(directory.path(), &line))
            .collect();
        examples.lock().unwrap().extend(
            found
                .iter()
                .filter_map(|(example, _)| example.clone())
                .chain(without),
        );
        found
            .into_iter()
            .filter(|(example, _)| example.is_none())
            .map(|(_, line)| format!("no example: {line}"))
            .collect()
    });
    let examples: Vec<String> = examples.into_inner().unwrap().into_iter().collect();
    assert!(examples.len() > 250, "only {} examples", examples.len());
    complaints.extend(in_parallel(&examples, |line| {
        refused(directory.path(), line).into_iter().collect()
    }));
    none(
        &complaints,
        "an example must be accepted by castbench itself",
    );
}

/// What a command prints if it fails.
fn refused(directory: &Path, line: &str) -> Option<String> {
    let output = castbench_in(directory, &line.split(' ').collect::<Vec<_>>());
    let code = output.status.code();
    (code != Some(0)).then(|| {
        format!(
            "castbench {line}: {code:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// For each problem, the example of `best` is accepted, and another view that an error names is drawn.
#[test]
fn every_best_and_every_view_that_is_advised_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let (mut advised, mut complaints) = (0, Vec::new());
    for problem in PROBLEMS {
        let best = example(
            directory.path(),
            &format!("best --problem {}", problem.name),
        )
        .unwrap();
        complaints.extend(refused(directory.path(), &best));
        let first = entries()
            .iter()
            .find(|entry| entry.problem().name == problem.name)
            .unwrap();
        let line = example(directory.path(), &format!("show {}", first.name)).unwrap();
        let explanation =
            refused(directory.path(), &format!("{line} --view links")).unwrap_or_default();
        if let Some((_, advice)) = explanation.split_once("; write ") {
            advised += 1;
            complaints.extend(refused(
                directory.path(),
                &format!("{line} {}", advice.trim_end()),
            ));
        }
    }
    assert!(advised > 3, "{advised}");
    none(&complaints, "what is advised must be accepted");
}

/// The help of each verb, and the examples in it.
fn helps() -> Vec<(String, String)> {
    fn add(command: &clap::Command, path: &str, all: &mut Vec<(String, String)>) {
        all.push((
            path.to_owned(),
            command.clone().render_long_help().to_string(),
        ));
        for verb in command.get_subcommands() {
            add(verb, format!("{path} {}", verb.get_name()).trim(), all);
        }
    }
    let mut all = Vec::new();
    add(&Cli::command(), "", &mut all);
    all
}

/// Examples that need no results, measurements or root, in the order in which each finds the files of those before it.
#[test]
fn every_example_of_a_help_is_accepted() {
    const RUN: [&str; 4] = ["init", "show", "export", "cost"];
    let directory = tempfile::tempdir().unwrap();
    let helps = helps();
    let (mut complaints, mut run) = (Vec::new(), 0);
    for verb in RUN {
        let help = &helps.iter().find(|(path, _)| path == verb).unwrap().1;
        for line in help
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("castbench "))
        {
            // `best` and `measure` take long here; their files are read by others.
            let line = line.split(" && castbench ").next().unwrap();
            let line = line.replace(
                "castbench ",
                &format!("{} ", env!("CARGO_BIN_EXE_castbench")),
            );
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(directory.path())
                .output()
                .unwrap();
            run += 1;
            if !output.status.success() {
                complaints.push(format!(
                    "{line}: {}",
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
        }
    }
    assert!(run > 25, "only {run} examples");
    none(&complaints, "an example of a help text must be accepted");
}

/// Examples of figures, which need the results of a default sweep.
#[test]
fn every_example_of_figures_is_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let prepared = Command::new("sh")
        .args([
            "-c",
            "\"$0\" init sweep >my.toml && \"$0\" sweep && cp -r reports results",
            env!("CARGO_BIN_EXE_castbench"),
        ])
        .current_dir(directory.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&prepared.stderr);
    assert!(prepared.status.success(), "{errors}");
    // Announced are the points of the grids; the report says how many of them are the same.
    assert!(
        errors.contains(" of the grids were found in another grid, and count once"),
        "{errors}"
    );
    let helps = helps();
    let help = &helps.iter().find(|(path, _)| path == "figures").unwrap().1;
    let (mut complaints, mut run) = (Vec::new(), 0);
    // Long lines are wrapped.
    for line in help
        .split_once("Examples:")
        .unwrap()
        .1
        .split("castbench figures ")
        .skip(1)
    {
        let words: Vec<&str> = std::iter::once("figures")
            .chain(line.split_whitespace())
            .collect();
        let output = castbench_in(directory.path(), &words);
        run += 1;
        if !output.status.success() {
            complaints.push(format!(
                "{line}: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }
    assert!(run >= 7, "only {run} examples");
    none(&complaints, "an example of a help text must be accepted");
}

/// Who installs the program has no directory `configs` or `docs`.
#[test]
fn no_help_names_a_file_of_the_repository() {
    let lists = [
        "",
        "--machines",
        "--columns",
        "--keys",
        "--limits",
        "--verbs",
        "--libraries",
    ];
    let lists = lists.into_iter().map(|list| {
        let arguments: Vec<&str> = ["list", list]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        (arguments.join(" "), stdout(&arguments))
    });
    let machine = ("init machine".to_owned(), stdout(&["init", "machine"]));
    let mut complaints = Vec::new();
    for (verb, text) in helps().into_iter().chain(lists).chain([machine]) {
        let names = |word: &&str| {
            ["configs/", "docs/", "harness/", "algorithms/"]
                .iter()
                .any(|folder| word.contains(folder))
        };
        complaints.extend(
            text.split_whitespace()
                .filter(names)
                .map(|word| format!("castbench {verb}: {word}")),
        );
    }
    none(
        &complaints,
        "name what `castbench init` and `castbench list` print instead",
    );
}
