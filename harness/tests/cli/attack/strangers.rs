//! Another account in a shared directory, and names with control characters.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{CONFIG, REGRESS, accept, ends, errors, program, reseal, swept};

/// An account other than the one that runs the tests.
const OTHER: u32 = 65534;

fn shared(directory: &Path) -> std::path::PathBuf {
    let shared = directory.join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    shared
}

/// A link of another account is not followed, to a file or to a directory above it.
#[test]
#[ignore = "needs root, for a second account"]
fn a_link_of_another_account() {
    let directory = swept();
    let directory = directory.path();
    let shared = shared(directory);
    fs::create_dir(directory.join("home")).unwrap();
    let thesis = directory.join("home/x.svg");
    fs::write(&thesis, "years").unwrap();
    for (link, to) in [
        ("x.svg", thesis.as_path()),
        ("sub", &directory.join("home")),
    ] {
        symlink(to, shared.join(link)).unwrap();
        lchown(shared.join(link), Some(OTHER), Some(OTHER)).unwrap();
    }
    for path in ["shared/x.svg", "shared/sub/x.svg"] {
        let explanation = ends(
            directory,
            &[
                "show", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--svg", path,
            ],
            74,
        );
        assert!(
            explanation.contains("a link that another account made"),
            "{explanation}"
        );
        assert_eq!(fs::read_to_string(&thesis).unwrap(), "years", "{path}");
    }
    // Links of the own account are followed, to a file of the same kind.
    fs::write(&thesis, "<svg xmlns=").unwrap();
    fs::remove_file(shared.join("x.svg")).unwrap();
    symlink(&thesis, shared.join("x.svg")).unwrap();
    ends(
        directory,
        &[
            "show",
            "optimal",
            "-L",
            "6",
            "-o",
            "2",
            "-g",
            "4",
            "-K",
            "8",
            "--svg",
            "shared/x.svg",
        ],
        0,
    );
    assert!(fs::read_to_string(&thesis).unwrap().contains("</svg>"));
}

/// castbench does not resume unfinished rows of another account, and does not remove its drafts.
#[test]
#[ignore = "needs root, for a second account"]
fn unfinished_rows_of_another_account() {
    let directory = swept();
    let directory = directory.path();
    let shared = shared(directory);
    let unfinished = shared.join(".castbench-unfinished");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("notes"), "of a stranger").unwrap();
    fs::write(shared.join(".castbench-draft-abcdef"), "of a stranger").unwrap();
    for path in [
        &unfinished,
        &unfinished.join("notes"),
        &shared.join(".castbench-draft-abcdef"),
    ] {
        lchown(path, Some(OTHER), Some(OTHER)).unwrap();
    }
    for extra in [None, Some("--resume"), Some("--restart")] {
        let arguments: Vec<&str> = ["sweep", "c.toml", "--out", "shared"]
            .into_iter()
            .chain(extra)
            .collect();
        let explanation = ends(directory, &arguments, 74);
        assert!(
            explanation.contains("another account made it"),
            "{explanation}"
        );
    }
    assert!(unfinished.join("notes").exists() && shared.join(".castbench-draft-abcdef").exists());
    fs::remove_dir_all(&unfinished).unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "shared"], 0);
}

/// A lock file of another account says nothing: it is neither read nor waited for, and stays.
#[test]
#[ignore = "needs root, for a second account"]
fn a_lock_file_of_another_account() {
    let directory = swept();
    let directory = directory.path();
    let lock = shared(directory).join(".castbench-lock");
    let file = fs::File::create(&lock).unwrap();
    file.set_len(1 << 40).unwrap();
    lchown(&lock, Some(OTHER), Some(OTHER)).unwrap();
    for is_locked in [true, false] {
        if is_locked {
            file.try_lock().unwrap();
        }
        let explanation = ends(directory, &["sweep", "c.toml", "--out", "shared"], 74);
        assert!(
            explanation.contains("another account made it"),
            "{explanation}"
        );
        file.unlock().unwrap();
    }
    assert_eq!(fs::read_dir(directory.join("shared")).unwrap().count(), 1);
    // A process of this account that was killed left it.
    lchown(&lock, Some(0), Some(0)).unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "shared"], 0);
}

#[test]
fn names_that_command_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let name = "\u{1b}]0;title\u{7}.toml";
    let out = "\u{1b}]0;out\u{7}";
    let refused = [
        &["sweep", "--dry-run", name][..],
        &["cost", name],
        &["cost", "--ends", name, "-L", "1", "-o", "1", "-g", "1"],
        &[name],
    ];
    let accepted = [
        &["sweep", "--dry-run", name][..],
        &["sweep", name, "--out", out],
    ];
    for (content, lines) in [
        (None, &refused[..]),
        (Some("no TOML \u{1b}]0;title\u{7}"), &refused),
        (Some(CONFIG), &accepted),
    ] {
        if let Some(content) = content {
            fs::write(directory.join(name), content).unwrap();
        }
        for arguments in lines {
            let output = program(directory, arguments).output().unwrap();
            assert_eq!(
                output.status.success(),
                lines.len() == accepted.len(),
                "{arguments:?}"
            );
            let explanation = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert!(
                !explanation.contains(['\u{1b}', '\u{7}']),
                "{arguments:?}: {explanation:?}"
            );
        }
    }
}

/// Adds a row of an algorithm with this name to the sweep `s`, in the directory `other` without a manifest.
fn renamed(directory: &Path, name: &str) {
    let rows = fs::read_to_string(directory.join("s/logp-multicast.csv")).unwrap();
    let row = rows.lines().last().unwrap().split_once(',').unwrap().1;
    let name = name.replace('"', "\"\"");
    fs::create_dir_all(directory.join("other")).unwrap();
    fs::write(
        directory.join("other/logp-multicast.csv"),
        format!("{rows}\"{name}\",{row}\n"),
    )
    .unwrap();
}

/// Names in a sweep and in a baseline whose digests were renewed reach neither a terminal nor a log.
#[test]
fn names_in_files_that_command_a_terminal() {
    let directory = swept();
    let directory = directory.path();
    let name = "\u{1b}]0;title\u{7}\u{9d}0;title\u{9c}\u{202e}";
    renamed(directory, name);
    accept(directory);
    let costs = directory.join("b/baseline/logp-multicast.csv");
    let rows = fs::read_to_string(&costs).unwrap();
    let row = rows.lines().nth(1).unwrap().split_once(',').unwrap().1;
    fs::write(&costs, format!("{rows}{name},{row}\n")).unwrap();
    reseal(&directory.join("b/baseline/manifest.json"), |_| ());
    let goal = format!("{name}.goal");
    fs::write(directory.join(&goal), "num_ranks 1\nrank 0 {\ncalc 1\n}\n").unwrap();
    for arguments in [
        &["regress", "--against", "other", "--from", "s"][..],
        &[
            "regress",
            "--against",
            "other",
            "--from",
            "s",
            "--format",
            "markdown",
        ],
        &REGRESS,
        &["cost", "--ends", &goal, "-L", "1", "-o", "1", "-g", "1"],
    ] {
        let output = program(directory, arguments).output().unwrap();
        let explanation = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            !explanation.contains(measure::is_command),
            "{arguments:?}: {explanation:?}"
        );
        // In Markdown the punctuation has numbers.
        let shown = [
            "\\u{1b}]0;title\\u{7}\\u{9d}0;title",
            "&#92;u&#123;1b&#125;&#93;0&#59;title",
        ];
        assert!(
            shown.iter().any(|shown| explanation.contains(shown)),
            "{arguments:?}: {explanation}"
        );
    }
}

/// What a program reads keeps its bytes in a pipe.
#[test]
fn data_in_a_pipe_is_exact() {
    let directory = swept();
    let directory = directory.path();
    renamed(directory, "\u{9d}0;title\u{9c}");
    let output = program(
        directory,
        &[
            "regress",
            "--against",
            "other",
            "--from",
            "s",
            "--format",
            "json",
        ],
    )
    .output()
    .unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("\"\u{9d}0;title\u{9c}\""),
        "{}",
        errors(&output)
    );
}

/// Characters that no text may have, without an escape.
#[test]
fn control_characters_in_a_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (sign, shown) in [
        ("\u{9d}", "\\u{9d}"),
        ("\u{ffff}", "\u{ffff}"),
        ("\u{202e}", "\\u{202e}"),
    ] {
        fs::write(
            directory.join("c.toml"),
            CONFIG.replace("trees", &format!("tr{sign}ees")),
        )
        .unwrap();
        let explanation = ends(directory, &["sweep", "--dry-run", "c.toml"], 3);
        let is_named = explanation.contains("a text with control characters")
            && explanation.contains("c.toml:6:8");
        assert!(is_named, "{shown}: {explanation}");
        assert!(
            !explanation.contains(measure::is_command),
            "{explanation:?}"
        );
        let profile = format!(
            "schema = 1\nname = \"m{sign}\"\nL = \"1us\"\no = \"1us\"\ng = \"1us\"\nG = \"80ps\"\n"
        );
        fs::write(directory.join("m.toml"), profile).unwrap();
        let explanation = ends(
            directory,
            &[
                "show",
                "halving",
                "--machine",
                "m.toml",
                "--bytes",
                "1KiB",
                "-K",
                "4",
            ],
            3,
        );
        assert!(explanation.contains("m.toml:2:8"), "{explanation}");
    }
}

/// A drawing has no character that XML forbids, whatever is in the rows.
#[test]
fn control_characters_in_a_drawing() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir(directory.join("other")).unwrap();
    let header =
        castbench::record::row::header(algorithms::catalogue::problem("logp-multicast").unwrap())
            .join(",");
    let row = |K: u32| {
        format!(
            "halving,a\u{1}\u{ffff}b,measured,1024,,,,{K},1,ok,time,10,10,=,{K},formula,10,,none"
        )
    };
    fs::write(
        directory.join("other/logp-multicast.csv"),
        [header, row(2), row(4), row(8)].join("\n"),
    )
    .unwrap();
    let figure = [
        "figures",
        "--from",
        "other",
        "--x",
        "K",
        "--by",
        "machine",
        "--algorithms",
        "halving",
    ];
    ends(
        directory,
        &[&figure[..], &["--at", "bytes=1KiB", "--out", "o.svg"]].concat(),
        0,
    );
    let svg = fs::read_to_string(directory.join("o.svg")).unwrap();
    assert!(
        svg.contains("a\u{fffd}\u{fffd}b") && !svg.contains(['\u{1}', '\u{ffff}']),
        "{svg}"
    );
}

/// A comment in a review shows names; they make no heading, link, mention or HTML.
#[test]
fn names_in_markdown() {
    let directory = swept();
    let directory = directory.path();
    let name = "a | b # heading @team <img src=x onerror=alert(1)> [x](http://evil)";
    renamed(directory, name);
    accept(directory);
    // The name of a grid has no `.` and `=`.
    let grid = "\"x\\n\\n# heading @team\\n\\n<img/>\"";
    fs::write(
        directory.join("d.toml"),
        CONFIG
            .replace("\"trees\"", grid)
            .replace("to = 30 }", "to = 29 }"),
    )
    .unwrap();
    for arguments in [
        &[
            "regress",
            "--against",
            "other",
            "--from",
            "s",
            "--format",
            "markdown",
        ][..],
        &[
            "regress",
            "--config",
            "d.toml",
            "--baseline",
            "b/baseline",
            "--format",
            "markdown",
        ],
    ] {
        let output = program(directory, arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("&#60;img"), "{text}{errors}");
        assert!(
            !["<img", "@team", "://"]
                .iter()
                .any(|sign| text.contains(sign)),
            "{text}"
        );
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            let is_active = match &event {
                Event::Html(_) => true,
                Event::InlineHtml(tag) => !matches!(&**tag, "<code>" | "</code>"),
                Event::Start(tag) => matches!(
                    tag,
                    Tag::Heading { .. } | Tag::Link { .. } | Tag::Image { .. }
                ),
                _ => false,
            };
            assert!(!is_active, "{event:?}\n{text}");
        }
    }
}

const FORMULA: &str = "=HYPERLINK(\"http://x\",\"y\")";

/// Whether a field of a file is a formula.
fn has_formula(path: &Path) -> bool {
    let mut fields = csv::Reader::from_path(path)
        .unwrap()
        .into_records()
        .map(Result::unwrap);
    fields.any(|record| record.iter().any(|field| field.starts_with("=H")))
}

#[test]
fn a_formula_in_a_baseline() {
    let directory = swept();
    let directory = directory.path();
    accept(directory);
    let costs = directory.join("b/baseline/logp-multicast.csv");
    let rows = fs::read_to_string(&costs).unwrap();
    let row = rows.lines().nth(1).unwrap().split_once(',').unwrap().1;
    fs::write(
        &costs,
        format!("{rows}\"{}\",{row}\n", FORMULA.replace('"', "\"\"")),
    )
    .unwrap();
    reseal(&directory.join("b/baseline/manifest.json"), |manifest| {
        manifest["algorithms"][FORMULA] = 1.into()
    });
    accept(directory);
    let history = directory.join("b/history.csv");
    assert!(
        fs::read_to_string(&history)
            .unwrap()
            .contains("'=HYPERLINK")
            && !has_formula(&history)
    );
}

#[test]
fn a_formula_in_a_shard() {
    let directory = swept();
    let directory = directory.path();
    let shard = |index: u32| format!("sh{index}");
    for index in [1, 2] {
        ends(
            directory,
            &[
                "sweep",
                "c.toml",
                "--shard",
                &format!("{index}/2"),
                "--out",
                &shard(index),
            ],
            0,
        );
    }
    let merge = ["merge", "sh1", "sh2", "--out", "m"];
    reseal(&directory.join("sh1/manifest.json"), |manifest| {
        let found = manifest["shard"]["summary"]["findings"]["found"]
            .as_object_mut()
            .unwrap();
        let finding = &mut found.values_mut().next().unwrap()[0];
        finding["first_counterexample"] = FORMULA.into();
        finding["first_failed"] = 0.into();
    });
    ends(directory, &merge, 0);
    let findings = directory.join("m/findings.csv");
    assert!(
        fs::read_to_string(&findings)
            .unwrap()
            .contains("'=HYPERLINK")
            && !has_formula(&findings)
    );
    let path = directory.join("sh2/logp-multicast.csv");
    let rows = fs::read_to_string(&path).unwrap();
    let (header, rest) = rows.split_once('\n').unwrap();
    let (_, row) = rest.split_once(',').unwrap();
    fs::write(&path, format!("{header}\n=HYPERLINK(1),{row}")).unwrap();
    reseal(&directory.join("sh2/manifest.json"), |_| ());
    let explanation = ends(directory, &merge, 74);
    assert!(
        explanation.contains("a spreadsheet would execute one of its fields"),
        "{explanation}"
    );
    assert!(explanation.contains("run shard 2/2 again"), "{explanation}");
}
