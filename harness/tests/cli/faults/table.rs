//! The table of faults in docs/reference/faults.md. Each row names its tests, and a test checks that they exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The tests of a file: functions below `#[test]`.
fn tests(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut names = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" {
            is_test = true;
        } else if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
            if is_test {
                names.insert(name.to_owned());
            }
            is_test = false;
        }
    }
    names
}

/// A fault, what happens, and the tests that show it.
struct Fault {
    fault: &'static str,
    happens: &'static str,
    tests: &'static [(&'static str, &'static [&'static str])],
}

const fn fault(
    fault: &'static str,
    happens: &'static str,
    tests: &'static [(&'static str, &'static [&'static str])],
) -> Fault {
    Fault { fault, happens, tests }
}

/// The table of docs/reference/faults.md, with links relative to that page.
pub fn markdown() -> String {
    let mut text = "| fault | what happens, with the exit code | tests |\n|---|---|---|\n".to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    for Fault { fault, happens, tests } in TABLE {
        let links = tests
            .iter()
            .flat_map(|(file, names)| names.iter().map(move |name| format!("[`{name}`](../../harness/{file})")));
        let links: Vec<String> = links.collect();
        text += &format!("| {} | {} | {} |\n", cell(fault), cell(happens), links.join(", "));
    }
    text
}

/// Every row names existing tests, and every test of a fault is in a row.
#[test]
fn the_table_names_the_tests() {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    for row in TABLE {
        assert!(!row.tests.is_empty(), "no test of: {}", row.fault);
        for (file, names) in row.tests {
            let file = harness.join(file);
            let there = tests(&file);
            for name in *names {
                assert!(there.contains(*name), "{} has no test {name}: {}", file.display(), row.fault);
                known.insert((file.canonicalize().unwrap(), (*name).to_owned()));
            }
        }
    }
    assert!(TABLE.len() > 20, "only {} rows", TABLE.len());
    let faults = harness.join("tests/cli/faults");
    for file in fs::read_dir(faults).unwrap().map(|entry| entry.unwrap().path().canonicalize().unwrap()) {
        for name in tests(&file).into_iter().filter(|_| !file.ends_with("table.rs")) {
            assert!(known.contains(&(file.clone(), name.clone())), "no row for {name} of {}", file.display());
        }
    }
}

const TABLE: &[Fault] = &[
    fault(
        "SIGKILL of `sweep`, `merge`, `figures` or `regress accept` at any moment",
        "Old files, new files, or a mixture that readers refuse. The next run (a sweep with `--resume`) writes the bytes of an undisturbed run and leaves no other file.",
        &[("tests/cli/faults/killed.rs", &["a_sweep", "a_merge", "figures", "an_acceptance"])],
    ),
    fault(
        "SIGKILL of the same verbs at every system call that creates, moves, removes or syncs a file; of a sweep also at each checkpoint; of `figures` and `regress accept` at every fourth",
        "The same.",
        &[(
            "tests/cli/faults/killed_at_calls.rs",
            &["a_sweep", "a_sweep_at_its_checkpoints", "a_merge", "figures", "an_acceptance"],
        )],
    ),
    fault(
        "SIGKILL of a sweep in the middle of its rows",
        "`--resume` continues from the last checkpoint and writes identical bytes.",
        &[("tests/cli/resume.rs", &["killed_twice_and_interrupted_once_it_ends_with_the_same_bytes"])],
    ),
    fault(
        "SIGKILL of `regress accept`, then an acceptance into another baseline beside the same history; the directory moved in between",
        "The first one, run again, ends as if it had not been killed: every acceptance has exactly one line.",
        &[("tests/cli/faults/killed_at_calls.rs", &["an_acceptance_and_another_one_beside_it"])],
    ),
    fault(
        "SIGKILL of `measure` at every such system call",
        "The old measurement or the new one is whole. Between the first rename and the last (some milliseconds) neither is, and readers say `measure again` (with `--force`).",
        &[("tests/cli/faults/killed_at_calls.rs", &["a_measurement"])],
    ),
    fault(
        "SIGKILL of `show --svg`, `export --out`",
        "The old file or the new one; the next file written beside it removes the draft.",
        &[
            ("tests/cli/faults/killed_at_calls.rs", &["single_files"]),
            ("src/output/draft.rs", &["the_next_draft_removes_dead_ones"]),
        ],
    ),
    fault(
        "Reading while files are replaced, or after a replacement was interrupted",
        "`figures`, `report`, `compare`, `merge`, `regress`, `audit` refuse the mixture, 74, and name the command to run again.",
        &[("tests/cli/faults/twice.rs", &["a_mixture_is_not_read", "other_mixtures_are_not_read"])],
    ),
    fault(
        "SIGINT (Ctrl-C), SIGTERM, SIGHUP",
        "130; a sweep finishes the points in progress and keeps them for `--resume`.",
        &[
            (
                "tests/cli/resume.rs",
                &["killed_twice_and_interrupted_once_it_ends_with_the_same_bytes", "two_signals_at_once_are_one"],
            ),
            ("tests/cli/measure_faults.rs", &["ctrl_c_keeps_what_was_measured"]),
        ],
    ),
    fault("SIGHUP under `nohup`", "No effect.", &[("tests/cli/faults/surroundings.rs", &["hangup"])]),
    fault(
        "Full disk under `sweep`, `merge`, `figures`, `regress accept`",
        "74, naming the file; the old files stay whole. With free space the next run (a sweep with `--resume`) writes identical bytes.",
        &[(
            "tests/cli/faults/disk.rs",
            &["full_under_a_sweep", "full_under_a_merge", "full_under_figures", "full_under_an_acceptance"],
        )],
    ),
    fault(
        "Full disk while rows are written",
        "74; finished rows are kept, and `--resume` continues from them to identical bytes.",
        &[("tests/cli/faults/disk.rs", &["full_while_rows_arrive"])],
    ),
    fault(
        "Limit on the size of files (`ulimit -f`)",
        "As for a full disk, if the process that sets the limit ignores SIGXFSZ. Otherwise the system kills castbench, as by SIGKILL.",
        &[("tests/cli/resume.rs", &["a_disk_that_is_full_keeps_what_is_finished"])],
    ),
    fault(
        "Full disk under `show --svg`, `show --html`, `best --svg`, `export --out`, `report`",
        "74, naming the file; the old file stays whole, no draft remains.",
        &[("tests/cli/faults/disk.rs", &["full_under_a_single_file"])],
    ),
    fault(
        "Standard output redirected to a full disk, also of `--help`",
        "74.",
        &[("tests/cli/faults/disk.rs", &["full_behind_standard_output"])],
    ),
    fault(
        "Read-only disk",
        "74 before anything is evaluated; 0 for `sweep --resume` of a complete sweep, which writes nothing.",
        &[("tests/cli/faults/disk.rs", &["read_only", "read_only_and_whole"])],
    ),
    fault(
        "A directory in the place of a file",
        "74, before anything is changed.",
        &[
            ("tests/cli/faults/places.rs", &["a_directory_in_the_place_of_a_file"]),
            ("tests/cli/bad_input.rs", &["on_the_command_line"]),
        ],
    ),
    fault(
        "A link in the place of a file",
        "The link is followed and stays. Its target is replaced whole, or created with its directory if it is missing. A link to itself, or of another account: 74.",
        &[
            ("tests/cli/faults/places.rs", &["links_to_a_file_and_to_none", "links_without_end"]),
            ("tests/cli/sweep.rs", &["what_is_no_file_is_not_replaced"]),
        ],
    ),
    fault(
        "A link to a file on another disk, which may be full",
        "The file is written there whole. If that disk is full: 74 before anything is replaced; the next run completes it once there is space.",
        &[("tests/cli/faults/disk.rs", &["a_link_to_another_disk"])],
    ),
    fault(
        "A file or a dangling link in the place of a directory; missing parents",
        "74, and the file stays. Missing parents are created.",
        &[("tests/cli/faults/places.rs", &["directories_that_are_none"])],
    ),
    fault(
        "Blanks, line ends, bytes that are not UTF-8 in names; names of 255 or more bytes",
        "All names that the system accepts work; 74 for longer ones.",
        &[("tests/cli/faults/places.rs", &["names"])],
    ),
    fault(
        "A pipe or device in the place of castbench's own results",
        "74 without waiting.",
        &[("tests/cli/faults/places.rs", &["pipes_in_the_place_of_files", "pipes_among_unfinished_files"])],
    ),
    fault(
        "A link or a directory in the place of castbench's lock",
        "74; the link's target stays.",
        &[("tests/cli/faults/places.rs", &["locks_that_are_no_files"])],
    ),
    fault(
        "Results of another verb in the output directory (a measurement in that of a sweep), or a `manifest.json` of another program",
        "74, naming what is there; nothing is changed.",
        &[("tests/cli/faults/strangers.rs", &["results_of_another_verb"])],
    ),
    fault(
        "A link, or a directory inside, in the place of castbench's unfinished files",
        "74 before anything is done; the link's target stays.",
        &[("tests/cli/faults/strangers.rs", &["hidden_directories_of_others"])],
    ),
    fault(
        "A name that no file can have, a link to a place where no file can be created",
        "74, before anything is replaced.",
        &[("tests/cli/faults/strangers.rs", &["names_that_no_file_can_have"])],
    ),
    fault(
        "Two processes at once in one directory",
        "The second: 74, naming the process, its host and its start. A lock ends with its process, so there is nothing to remove.",
        &[
            (
                "tests/cli/faults/twice.rs",
                &[
                    "sweeps",
                    "merges",
                    "figures",
                    "acceptances",
                    "acceptances_into_one_history",
                    "measurements",
                    "two_living_ones",
                ],
            ),
            ("tests/cli/resume.rs", &["a_second_sweep_into_the_same_place_is_refused"]),
        ],
    ),
    fault(
        "A different sweep in the directory of an interrupted one; a damaged checkpoint or damaged rows",
        "2 or 74, naming the difference; nothing is removed without `--restart`.",
        &[("tests/cli/resume.rs", &["old_results_stay_until_the_new_sweep_is_complete", "restart_starts_over"])],
    ),
    fault(
        "Results edited, truncated or mixed by hand",
        "74, naming the file: digests are checked before anything is drawn or compared.",
        &[
            ("tests/cli/sweep.rs", &["figures_refuse_results_that_are_not_what_they_say"]),
            ("tests/cli/regress.rs", &["what_cannot_be_compared_is_no_regression"]),
            ("tests/cli/audit.rs", &["damaged_measurements_are_reported"]),
        ],
    ),
    fault(
        "A reader that closes the pipe early (`castbench list | head -1`)",
        "No message, 0; `regress` and `compare` still return their verdict as the exit code.",
        &[("tests/cli/faults/streams.rs", &["a_reader_that_leaves", "a_verdict_without_a_reader"])],
    ),
    fault(
        "Standard input, output or error closed; standard error full",
        "The same exit code and the same files.",
        &[("tests/cli/faults/streams.rs", &["closed_streams"])],
    ),
    fault(
        "A clock before 1970, after 2262, a thousand times too fast",
        "The same bytes. Dates in the history and in the manifest of a measurement are those of the clock; rows keep the order of acceptance; durations come from the monotonic clock.",
        &[("tests/cli/faults/clock.rs", &["any_time", "days_of_the_history", "the_time_of_a_measurement"])],
    ),
    fault(
        "A clock that jumps forward and back while a sweep runs",
        "The same bytes.",
        &[("tests/cli/faults/clock.rs", &["jumps"])],
    ),
    fault(
        "1, 2, 64 threads",
        "The same bytes.",
        &[
            ("tests/cli/faults/surroundings.rs", &["any_number_of_threads"]),
            ("tests/cli/audit.rs", &["the_same_bytes_for_any_number_of_threads"]),
        ],
    ),
    fault(
        "No threads, or too few (`ulimit -u`, the pids of a container)",
        "1, naming the limit; the old files stay whole.",
        &[("tests/cli/faults/surroundings.rs", &["no_threads", "too_few_threads"])],
    ),
    fault(
        "Decimal commas and other locales, time zones, a terminal of one column, no `HOME`, no environment at all",
        "The same bytes.",
        &[("tests/cli/faults/surroundings.rs", &["any_environment"])],
    ),
    fault(
        "`TMPDIR` that is missing, or has directories of other programs",
        "No effect: no verb uses it.",
        &[
            ("tests/cli/faults/surroundings.rs", &["no_place_for_temporary_files"]),
            ("tests/cli/attack/kept.rs", &["a_directory_that_looks_like_one_of_regress"]),
        ],
    ),
    fault(
        "A manifest, a checkpoint, rows or nodes edited by hand",
        "74, naming the file and the command that rebuilds it.",
        &[(
            "tests/cli/attack/edited.rs",
            &[
                "the_manifest_of_a_sweep",
                "the_manifest_of_a_shard",
                "the_manifest_of_a_baseline",
                "a_checkpoint",
                "a_measurement",
            ],
        )],
    ),
    fault(
        "A file that castbench did not write, with the name of an output file",
        "74, naming it; it stays. A replaced file keeps its mode: 600 stays 600.",
        &[("tests/cli/attack/kept.rs", &["a_users_own_file", "private_results"])],
    ),
    fault(
        "A measurement or a profile with the name of a new one",
        "74. `--force` replaces it, `measure --resume` measures the missing points.",
        &[(
            "tests/cli/attack/kept.rs",
            &[
                "a_measurement_is_not_replaced_and_goes_on",
                "an_interrupted_measurement_goes_on",
                "a_profile_is_not_replaced",
            ],
        )],
    ),
    fault(
        "The directory of a sweep is removed while it runs",
        "74; nothing is kept, and the message does not advise `--resume`.",
        &[("tests/cli/attack/kept.rs", &["a_directory_that_is_removed"])],
    ),
    fault(
        "A link of another account, in the place of a file or of a directory above it; unfinished rows or a lock file of another account",
        "74; the link's target stays, and the lock file is not read.",
        &[(
            "tests/cli/attack/strangers.rs",
            &[
                "a_link_of_another_account",
                "unfinished_rows_of_another_account",
                "a_lock_file_of_another_account",
                "a_list_of_moves",
            ],
        )],
    ),
    fault(
        "Another account exchanges a directory and a link while castbench works in it",
        "castbench works on in the directory that it opened.",
        &[("src/output/directory.rs", &["an_open_directory_is_not_exchanged", "a_link_is_no_file_to_open"])],
    ),
    fault(
        "A file system that gives one file several inode numbers",
        "74 after a hundred tries; the message names the directory.",
        &[("src/output/tries.rs", &["tries_end"])],
    ),
    fault(
        "Control characters in names, or in what a rank writes",
        "Shown as `\\u{1b}`; none reaches the terminal.",
        &[
            (
                "tests/cli/attack/strangers.rs",
                &["names_that_command_a_terminal", "names_in_files_that_command_a_terminal"],
            ),
            ("tests/cli/attack/ranks.rs", &["what_a_rank_writes_commands_no_terminal"]),
        ],
    ),
    fault(
        "CSV, JSON and exports with such names",
        "A pipe gets the exact bytes, a terminal escaped text.",
        &[("tests/cli/attack/strangers.rs", &["data_in_a_pipe_is_exact"])],
    ),
    fault(
        "Control characters, U+202E or U+FFFF in a configuration or a profile; in rows that are drawn",
        "3, naming line and column; U+FFFD in the drawing.",
        &[(
            "tests/cli/attack/strangers.rs",
            &["control_characters_in_a_configuration", "control_characters_in_a_drawing"],
        )],
    ),
    fault(
        "Headings, links, mentions and HTML in names, with `--format markdown`",
        "Shown as code.",
        &[("tests/cli/attack/strangers.rs", &["names_in_markdown"])],
    ),
    fault(
        "A formula in a baseline, in the findings or the rows of a shard",
        "Written with `'` before it; in rows 74.",
        &[("tests/cli/attack/strangers.rs", &["a_formula_in_a_baseline", "a_formula_in_a_shard"])],
    ),
    fault(
        "A manifest that lists a path in place of a name",
        "74; no other directory is read.",
        &[("tests/cli/attack/edited.rs", &["a_file_elsewhere"])],
    ),
    fault(
        "A manifest, a drawing or a history of gigabytes",
        "74, naming the file and the limit, 256 MiB or 1 MiB in a line; memory stays bounded.",
        &[("tests/cli/attack/endless.rs", &["files_of_gigabytes"])],
    ),
    fault(
        "Names that begin with `=`, `+`, `-` or `@`",
        "2 or 3, because a spreadsheet would read them as formulas and `ssh` as options.",
        &[("tests/cli/attack/ranks.rs", &["no_name_is_a_formula", "a_host_is_no_option"])],
    ),
    fault(
        "A blank or `$(...)` in the path of castbench, started by `ssh`",
        "The path is quoted for the remote shell.",
        &[("tests/cli/attack/ranks.rs", &["the_own_path_is_read_by_a_shell"])],
    ),
    fault(
        "Silent connections to the port of a rank",
        "The oldest connection is closed; a rank whose connection was closed connects again.",
        &[("measure/src/peers.rs", &["silent_strangers_do_not_turn_a_rank_away"])],
    ),
    fault(
        "A line of 1 MiB or more in a CSV file, a name of more than 200 bytes, a device in the place of a file",
        "74, 3, 3; memory stays bounded.",
        &[(
            "tests/cli/attack/endless.rs",
            &["a_line_of_a_csv_file", "a_line_of_a_shard", "names_of_megabytes", "a_device_without_end"],
        )],
    ),
    fault(
        "`RUST_MIN_STACK=1`, `ulimit -s 64`",
        "The same answers.",
        &[("tests/cli/attack/endless.rs", &["small_stacks"])],
    ),
    fault(
        "Two `hosts up` at once; namespaces with the names of hosts that castbench did not make",
        "The second waits, then is refused; namespaces of others stay, and the message names them.",
        &[("tests/cli/measure_emulated.rs", &["hosts_of_others_stay"])],
    ),
    fault(
        "The working directory was removed",
        "74 for a path inside it; absolute paths work.",
        &[("tests/cli/faults/surroundings.rs", &["no_working_directory"])],
    ),
    fault(
        "Too little memory",
        "An abort by the system, 1, or 127 from the system's loader; files are as after SIGKILL.",
        &[("tests/cli/faults/surroundings.rs", &["too_little_memory"])],
    ),
    fault(
        "Ranks of a measurement that die, stop, report impossible times or cannot be reached",
        "10, naming the rank, also while others wait for it or for the coordinator over TCP; finished measurements are kept.",
        &[
            (
                "tests/cli/attack/ranks.rs",
                &["times_that_cannot_be_true", "a_line_without_end", "orders_that_make_no_sense"],
            ),
            (
                "tests/cli/measure_faults.rs",
                &[
                    "a_killed_rank_is_named",
                    "a_stopped_rank_is_named",
                    "a_rank_stopped_at_any_moment_is_named",
                    "a_wrong_digest_is_named",
                    "no_rank_outlives_a_killed_coordinator",
                    "a_host_that_cannot_be_reached_is_named",
                ],
            ),
        ],
    ),
];
