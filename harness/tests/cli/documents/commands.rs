//! Commands in the pages: their verbs, options, recipes, packages, examples and features exist.

use std::collections::BTreeSet;
use std::process::Command;

use castbench::verbs::cli::Cli;
use clap::Parser as _;
use clap::error::ErrorKind;
use serde_json::Value;

use super::page::Page;
use super::{ROOT, committed, none};

/// The targets and recipes of cargo and just in this workspace.
struct Known {
    recipes: BTreeSet<String>,
    packages: BTreeSet<String>,
    /// Benches, examples and so on, as `kind name`.
    targets: BTreeSet<String>,
    features: BTreeSet<String>,
}

impl Known {
    fn read() -> Self {
        let metadata = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--no-deps",
                "--format-version",
                "1",
                "--offline",
            ])
            .current_dir(ROOT)
            .output()
            .expect("cargo can be started");
        assert!(
            metadata.status.success(),
            "{}",
            String::from_utf8_lossy(&metadata.stderr)
        );
        let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let targets = packages
            .iter()
            .flat_map(|package| package["targets"].as_array().unwrap());
        let features = packages
            .iter()
            .flat_map(|package| package["features"].as_object().unwrap().keys());
        let recipes = committed("justfile");
        let recipes = recipes
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        Self {
            recipes: recipes
                .map(|line| line.split([' ', ':']).next().unwrap().to_owned())
                .collect(),
            packages: packages
                .iter()
                .map(|package| text(&package["name"]))
                .collect(),
            targets: targets
                .map(|target| format!("{} {}", text(&target["kind"][0]), text(&target["name"])))
                .collect(),
            features: features.cloned().collect(),
        }
    }

    /// The error in a command, if any; `is_whole` for a command that is complete as written.
    fn judge(&self, words: &[String], is_whole: bool) -> Result<(), String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [
                "castbench" | "target/debug/castbench" | "target/release/castbench",
                ..,
            ] => parses(&words, is_whole),
            ["just", recipe, ..] if !recipe.starts_with('-') && !self.recipes.contains(*recipe) => {
                Err(format!("the justfile has no recipe `{recipe}`"))
            }
            ["cargo", rest @ ..] => self.judge_cargo(rest, is_whole),
            _ => Ok(()),
        }
    }

    fn judge_cargo(&self, words: &[&str], is_whole: bool) -> Result<(), String> {
        const VERBS: [&str; 10] = [
            "run", "test", "build", "bench", "doc", "install", "add", "publish", "clippy", "fmt",
        ];
        // Tools with their own packages and options.
        const TOOLS: [&str; 7] = [
            "binstall",
            "deny",
            "fuzz",
            "insta",
            "miri",
            "mutants",
            "semver-checks",
        ];
        let words = words.strip_prefix(&["+nightly"]).unwrap_or(words);
        match words.first() {
            Some(verb) if VERBS.contains(verb) => {}
            Some(tool) if TOOLS.contains(tool) => return Ok(()),
            _ => return Err("not a command of cargo that these pages use".to_owned()),
        }
        let own: Vec<&str> = words
            .iter()
            .copied()
            .take_while(|word| *word != "--")
            .collect();
        for pair in own.windows(2) {
            let (set, name) = match pair[0] {
                "-p" | "--package" => (&self.packages, pair[1].to_owned()),
                "--features" => (&self.features, pair[1].to_owned()),
                "--bench" | "--example" | "--test" => {
                    (&self.targets, format!("{} {}", &pair[0][2..], pair[1]))
                }
                _ => continue,
            };
            if !set.contains(&name) {
                return Err(format!(
                    "there is no {} {}",
                    pair[0].trim_start_matches('-'),
                    pair[1]
                ));
            }
        }
        // `cargo run` without an example or package is castbench.
        let is_ours = words[0] == "run"
            && !own
                .iter()
                .any(|word| matches!(*word, "--example" | "-p" | "--package"));
        if is_ours {
            let arguments = words.iter().skip_while(|word| **word != "--").skip(1);
            return parses(
                &["castbench"]
                    .into_iter()
                    .chain(arguments.copied())
                    .collect::<Vec<_>>(),
                is_whole,
            );
        }
        Ok(())
    }
}

/// Whether the program's parser accepts these words. A mention may be incomplete.
fn parses(words: &[&str], is_whole: bool) -> Result<(), String> {
    // GNU parallel puts a number here.
    let words: Vec<String> = words.iter().map(|word| word.replace("{}", "1")).collect();
    match Cli::try_parse_from(&words) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
            ErrorKind::MissingRequiredArgument
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                if !is_whole =>
            {
                Ok(())
            }
            _ => Err(error.to_string()),
        },
    }
}

/// The programs whose commands are checked.
const PROGRAMS: [&str; 5] = [
    "castbench",
    "target/debug/castbench",
    "target/release/castbench",
    "just",
    "cargo",
];

/// The commands of a line of shell: words between its operators, and those inside quotes and substitutions.
fn commands(line: &str) -> Vec<Vec<String>> {
    let spaced = line
        .replace("$(", " ( ")
        .replace(')', " ) ")
        .replace(';', " ; ");
    let Some(words) = shlex::split(&spaced) else {
        return vec![vec![format!("unbalanced quotes: {line}")]];
    };
    let mut found: Vec<Vec<String>> = Vec::new();
    let is_operator = |word: &str| matches!(word, "|" | "||" | "&&" | ";" | "(" | ")" | "&");
    for command in words.split(|word| is_operator(word)) {
        let start = command
            .iter()
            .position(|word| PROGRAMS.contains(&word.as_str()));
        let is_redirection =
            |word: &&String| !word.starts_with(['>', '<']) && !word.starts_with("2>");
        if let Some(start) = start {
            found.push(
                command[start..]
                    .iter()
                    .take_while(is_redirection)
                    .cloned()
                    .collect(),
            );
        } else {
            let quoted = command.iter().filter(|word| word.contains(' '));
            found.extend(quoted.flat_map(|word| commands(word)));
        }
    }
    found
}

#[test]
fn commands_are_found_in_shell() {
    let found = commands(
        "job=$(sbatch a b) && seq 3 | parallel 'castbench sweep --dry-run x --set \"n=1\" >y || [ 1 ]'; just test # all",
    );
    assert_eq!(
        found,
        [
            vec!["castbench", "sweep", "--dry-run", "x", "--set", "n=1"],
            vec!["just", "test"]
        ]
    );
}

/// Every command of an `sh` block exists; `console` blocks are run. Commands in running text may be incomplete, some with
/// `...`.
#[test]
fn commands_exist() {
    let known = Known::read();
    let (mut complaints, mut checked) = (Vec::new(), [0, 0]);
    for page in Page::all() {
        let joined = page.code("sh").map(|code| code.replace("\\\n", " "));
        let whole: Vec<String> = joined
            .flat_map(|code| code.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        let is_command = |code: &&String| {
            PROGRAMS
                .iter()
                .any(|name| code.starts_with(&format!("{name} ")))
        };
        let mentioned = page
            .codes
            .iter()
            .filter(is_command)
            .map(|line| (line, false));
        for (line, is_whole) in whole.iter().map(|line| (line, true)).chain(mentioned) {
            for words in commands(line) {
                checked[usize::from(is_whole)] += 1;
                let words: Vec<String> = words
                    .into_iter()
                    .filter(|word| is_whole || word != "...")
                    .collect();
                if let Err(why) = known.judge(&words, is_whole) {
                    complaints.push(format!("{}: {line}\n  {why}", page.name));
                }
            }
        }
    }
    assert!(
        checked.iter().all(|&count| count > 30),
        "only {checked:?} commands found"
    );
    none(
        &complaints,
        "`castbench --help`, `just --list` and `cargo metadata` say what there is",
    );
}
