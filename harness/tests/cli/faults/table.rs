//! The table of faults that docs/reference/faults.md shows. It names tests, and these are there.

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

/// As docs/reference/faults.md shows it, with links from there.
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

/// Every row names tests that are there, and every test of a fault stands in a row.
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
        "Old files, new files, or a mixture that readers refuse. The next run (of a sweep: with `--resume`) ends with the bytes of an undisturbed one and leaves nothing else.",
        &[("tests/cli/faults/killed.rs", &["a_sweep", "a_merge", "figures", "an_acceptance"])],
    ),
    fault(
        "SIGKILL of the same verbs at every system call that makes, moves, removes or syncs a file; of a sweep also at each checkpoint",
        "The same.",
        &[(
            "tests/cli/faults/killed_at_calls.rs",
            &["a_sweep", "a_sweep_at_its_checkpoints", "a_merge", "figures", "an_acceptance"],
        )],
    ),
    fault(
        "SIGKILL of a sweep in the middle of its rows",
        "`--resume` goes on from the last checkpoint and ends with identical bytes.",
        &[("tests/cli/resume.rs", &["killed_twice_and_interrupted_once_it_ends_with_the_same_bytes"])],
    ),
    fault(
        "SIGKILL of `regress accept`, then an acceptance into another baseline beside the same history; the directory moved in between",
        "The first one, run again, ends as if it had not been killed: every acceptance has one line.",
        &[("tests/cli/faults/killed_at_calls.rs", &["an_acceptance_and_another_one_beside_it"])],
    ),
    fault(
        "SIGKILL of `measure`, at every such call of it",
        "The old measurement or the new one is whole. Between the first rename and the last (some milliseconds) neither is, and readers say `measure again` (with `--force`).",
        &[("tests/cli/faults/killed_at_calls.rs", &["a_measurement"])],
    ),
    fault(
        "SIGKILL of `show --svg`, `best --svg`, `export --out`",
        "The old file or the new one; the next file that is written beside it removes the draft.",
        &[
            ("tests/cli/faults/killed_at_calls.rs", &["single_files"]),
            ("src/output/draft.rs", &["the_next_draft_removes_dead_ones"]),
        ],
    ),
    fault(
        "Reading while files are replaced, or after a replacement was cut short",
        "`figures`, `report`, `compare`, `merge`, `regress`, `audit` refuse the mixture, 74, and name the command to run again.",
        &[("tests/cli/faults/twice.rs", &["a_mixture_is_not_read", "other_mixtures_are_not_read"])],
    ),
    fault(
        "SIGINT (Ctrl-C), SIGTERM, SIGHUP",
        "130; a sweep finishes the points under way and keeps them for `--resume`.",
        &[
            (
                "tests/cli/resume.rs",
                &["killed_twice_and_interrupted_once_it_ends_with_the_same_bytes", "two_signals_at_once_are_one"],
            ),
            ("tests/cli/measure_faults.rs", &["ctrl_c_keeps_what_was_measured"]),
        ],
    ),
    fault(
        "SIGHUP under `nohup`",
        "Nothing: a hangup that is ignored stays ignored.",
        &[("tests/cli/faults/surroundings.rs", &["hangup"])],
    ),
    fault(
        "Full disk under `sweep`, `merge`, `figures`, `regress accept`",
        "74, naming the file; the old files are whole. With room the next run, of a sweep with `--resume`, ends with identical bytes.",
        &[(
            "tests/cli/faults/disk.rs",
            &["full_under_a_sweep", "full_under_a_merge", "full_under_figures", "full_under_an_acceptance"],
        )],
    ),
    fault(
        "Full disk while rows arrive",
        "74; what was finished is kept, `--resume` goes on from there to identical bytes.",
        &[("tests/cli/faults/disk.rs", &["full_while_rows_arrive"])],
    ),
    fault(
        "Limit on the size of files (`ulimit -f`)",
        "As a full disk. The process that sets the limit must ignore SIGXFSZ; else the system kills castbench: then as SIGKILL.",
        &[("tests/cli/resume.rs", &["a_disk_that_is_full_keeps_what_is_finished"])],
    ),
    fault(
        "Full disk under `show --svg`, `best --svg`, `export --out`, `report`",
        "74, naming the file; the old file is whole, no draft stays.",
        &[("tests/cli/faults/disk.rs", &["full_under_a_single_file"])],
    ),
    fault(
        "Full disk behind standard output, also of `--help`",
        "74.",
        &[("tests/cli/faults/disk.rs", &["full_behind_standard_output"])],
    ),
    fault(
        "Read-only disk",
        "74 before anything is evaluated; `sweep --resume` where all is whole needs no writing: 0.",
        &[("tests/cli/faults/disk.rs", &["read_only", "read_only_and_whole"])],
    ),
    fault(
        "A directory where a file is to be",
        "74, before anything is changed.",
        &[
            ("tests/cli/faults/places.rs", &["a_directory_in_the_place_of_a_file"]),
            ("tests/cli/bad_input.rs", &["on_the_command_line"]),
        ],
    ),
    fault(
        "A link where a file is to be",
        "The link is followed and stays. The file that it names is replaced whole, or made, with its directory, if the link dangles. A link to itself, or of another account: 74.",
        &[
            ("tests/cli/faults/places.rs", &["links_to_a_file_and_to_none", "links_without_end"]),
            ("tests/cli/sweep.rs", &["what_is_no_file_is_not_replaced"]),
        ],
    ),
    fault(
        "A link to a file on another disk, which may be full",
        "It is written there whole. Full: 74, before anything is replaced, and the next run ends it once there is room.",
        &[("tests/cli/faults/disk.rs", &["a_link_to_another_disk"])],
    ),
    fault(
        "A file, or a dangling link, where a directory is to be; parents that are missing",
        "74, and the file is left alone. Missing parents are made.",
        &[("tests/cli/faults/places.rs", &["directories_that_are_none"])],
    ),
    fault(
        "Blanks, line ends, bytes that are not UTF-8 in names; names of 255 bytes and more",
        "Names as the system takes them; a longer one is 74.",
        &[("tests/cli/faults/places.rs", &["names"])],
    ),
    fault(
        "A pipe, or anything else that is no file, where castbench reads its own results",
        "74 at once, no waiting.",
        &[("tests/cli/faults/places.rs", &["pipes_in_the_place_of_files", "pipes_among_unfinished_files"])],
    ),
    fault(
        "A link, or a directory, in the place of castbench's own lock",
        "74 at once; what it names is left alone.",
        &[("tests/cli/faults/places.rs", &["locks_that_are_no_files"])],
    ),
    fault(
        "Results of another verb in the directory (a measurement where a sweep is to go), or a `manifest.json` of another program",
        "74, saying what is there; nothing is changed.",
        &[("tests/cli/faults/strangers.rs", &["results_of_another_verb"])],
    ),
    fault(
        "A link, or a directory inside, where castbench keeps what is unfinished",
        "74, before anything is done; what is named is left alone.",
        &[("tests/cli/faults/strangers.rs", &["hidden_directories_of_others"])],
    ),
    fault(
        "A name that no file can have, a link to where none can be made",
        "74, before anything is replaced.",
        &[("tests/cli/faults/strangers.rs", &["names_that_no_file_can_have"])],
    ),
    fault(
        "Two processes at once in one directory",
        "The second: 74, naming process, host and since when. A lock ends with its process, so it need not be removed.",
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
        "A sweep of something else in the directory of one that was stopped; a checkpoint or rows that were damaged",
        "2 or 74, saying what differs; nothing is thrown away without `--restart`.",
        &[(
            "tests/cli/resume.rs",
            &["what_is_there_stays_until_the_new_sweep_is_whole", "it_starts_over_where_it_is_told_to"],
        )],
    ),
    fault(
        "Results that were edited, cut off or mixed by hand",
        "74, naming the file: digests are checked before anything is drawn or compared.",
        &[
            ("tests/cli/sweep.rs", &["figures_refuse_results_that_are_not_what_they_say"]),
            ("tests/cli/regress.rs", &["what_cannot_be_compared_is_no_regression"]),
            ("tests/cli/audit.rs", &["damaged_measurements_are_told"]),
        ],
    ),
    fault(
        "A reader that leaves early (`castbench list | head -1`)",
        "Silent, 0; the verdict of `regress` and `compare` is in the exit code all the same.",
        &[("tests/cli/faults/streams.rs", &["a_reader_that_leaves", "a_verdict_without_a_reader"])],
    ),
    fault(
        "Standard input, output or error closed; standard error full",
        "The same exit code and the same files.",
        &[("tests/cli/faults/streams.rs", &["closed_streams"])],
    ),
    fault(
        "A clock before 1970, after 2262, a thousand times too fast",
        "The same bytes. Days in the history and in the manifest of a measurement are what the clock says; rows keep the order of acceptance, durations are of the monotonic clock.",
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
        "1, saying so; the old files are whole.",
        &[("tests/cli/faults/surroundings.rs", &["no_threads", "too_few_threads"])],
    ),
    fault(
        "Decimal commas and other locales, time zones, a terminal of one column, no `HOME`, no environment at all",
        "The same bytes.",
        &[("tests/cli/faults/surroundings.rs", &["any_environment"])],
    ),
    fault(
        "`TMPDIR` that is not there, or holds directories of other programs",
        "Nothing: no verb needs or touches it.",
        &[
            ("tests/cli/faults/surroundings.rs", &["no_place_for_temporary_files"]),
            ("tests/cli/attack/kept.rs", &["a_directory_that_looks_like_one_of_regress"]),
        ],
    ),
    fault(
        "A manifest, a checkpoint, rows or nodes edited by hand",
        "74, naming the file and what makes it again.",
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
        "A file that castbench did not write, with the name of one to come",
        "74, naming it; it stays. A replaced file keeps its mode: 600 stays 600.",
        &[("tests/cli/attack/kept.rs", &["a_users_own_file", "private_results"])],
    ),
    fault(
        "A measurement or a profile in the place of one to come",
        "74. `--force` replaces it, `measure --resume` measures what it lacks.",
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
        "74; nothing is kept, and the message promises nothing.",
        &[("tests/cli/attack/kept.rs", &["a_directory_that_is_removed"])],
    ),
    fault(
        "A link of another account, as a file or on the way to one; unfinished rows of another account",
        "74; what it names is left alone.",
        &[(
            "tests/cli/attack/strangers.rs",
            &["a_link_of_another_account", "unfinished_rows_of_another_account", "a_list_of_moves"],
        )],
    ),
    fault(
        "Control characters in names, or in what a rank writes",
        "Shown as `\\u{1b}`; none reaches the terminal.",
        &[
            ("tests/cli/attack/strangers.rs", &["names_that_command_a_terminal"]),
            ("tests/cli/attack/ranks.rs", &["what_a_rank_writes_commands_no_terminal"]),
        ],
    ),
    fault(
        "Names that begin with `=`, `+`, `-` or `@`",
        "2 or 3: a spreadsheet takes them for formulas, `ssh` for options.",
        &[("tests/cli/attack/ranks.rs", &["no_name_is_a_formula", "a_host_is_no_option"])],
    ),
    fault(
        "A blank or `$(...)` in the path of castbench, started by `ssh`",
        "It is quoted for the shell there.",
        &[("tests/cli/attack/ranks.rs", &["the_own_path_is_read_by_a_shell"])],
    ),
    fault(
        "Silent connections to the port of a rank",
        "The oldest is turned away; a rank that was turned away calls again.",
        &[("measure/src/peers.rs", &["silent_strangers_do_not_turn_a_rank_away"])],
    ),
    fault(
        "A line of 1 MiB and more in a CSV file, a name of more than 200 bytes, a device in the place of a file",
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
        "The second waits, then is refused; those of others stay, and are named.",
        &[("tests/cli/measure_emulated.rs", &["hosts_of_others_stay"])],
    ),
    fault(
        "The working directory was removed",
        "74 for a path inside it; absolute paths work.",
        &[("tests/cli/faults/surroundings.rs", &["no_working_directory"])],
    ),
    fault(
        "Too little memory",
        "An abort by the system, or 1, or 127 of the system's loader; what is left is as after SIGKILL.",
        &[("tests/cli/faults/surroundings.rs", &["too_little_memory"])],
    ),
    fault(
        "Ranks of a measurement that die, stop, report impossible times or cannot be reached",
        "10, naming the rank, also over TCP where others wait for it or for the coordinator; what was measured is kept.",
        &[
            (
                "tests/cli/attack/ranks.rs",
                &["times_that_cannot_be_true", "a_line_without_end", "orders_that_make_no_sense"],
            ),
            (
                "tests/cli/measure_faults.rs",
                &[
                    "a_killed_rank_is_named",
                    "a_rank_that_stands_still_is_named",
                    "a_rank_that_stands_still_at_any_moment_is_named",
                    "a_wrong_digest_is_named",
                    "no_rank_outlives_a_killed_coordinator",
                    "a_host_that_cannot_be_reached_is_named",
                ],
            ),
        ],
    ),
];
