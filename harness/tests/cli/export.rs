//! `castbench export trace` and `export csv` for one algorithm of every problem.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::stdout;
use algorithms::catalogue::{PROBLEMS, entries};
use algorithms::problem::{Problem, spelled};
use insta::assert_snapshot;
use serde_json::Value;

/// An example command of each problem.
pub fn examples() -> Vec<Vec<String>> {
    let first = |problem: &'static Problem| {
        let entry = entries()
            .iter()
            .find(|entry| entry.problem() == problem)
            .unwrap();
        let typed = entry
            .axes()
            .iter()
            .zip(entry.example())
            .filter_map(|(axis, value)| {
                // One random instance is executed.
                let value = if matches!(axis.key, "trials") {
                    Some(1)
                } else {
                    value
                };
                Some([axis.option(), spelled(axis, value?).into_owned()])
            });
        std::iter::once(entry.name.to_owned())
            .chain(typed.flatten())
            .collect()
    };
    PROBLEMS.iter().map(first).collect()
}

/// The export of a point.
pub fn export(format: &str, point: &[String]) -> String {
    stdout(
        &["export", format]
            .into_iter()
            .chain(point.iter().map(String::as_str))
            .collect::<Vec<_>>(),
    )
}

/// Every row of the CSV is a slice of the trace. Slices of a track are nested or disjoint. An arrow leads from each
/// slice of a message to the next one, which begins no earlier. The numbers of tracks and processes are distinct.
#[test]
fn every_problem_as_a_trace() {
    for point in examples() {
        let csv = export("csv", &point);
        let trace: Value = serde_json::from_str(&export("trace", &point)).unwrap();
        let mut slices: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
        let mut arrows: BTreeMap<u64, Vec<(bool, bool, f64)>> = BTreeMap::new();
        for event in trace["traceEvents"].as_array().unwrap() {
            if event["ph"] == "M" {
                continue;
            }
            assert_eq!(event["ph"], "X");
            let track = (
                event["pid"].as_u64().unwrap(),
                event["tid"].as_u64().unwrap(),
            );
            let (start, length) = (
                event["ts"].as_f64().unwrap(),
                event["dur"].as_f64().unwrap(),
            );
            slices
                .entry(track)
                .or_default()
                .push((start, start + length));
            if let Some(message) = event["bind_id"].as_u64() {
                assert_eq!(event["args"]["message"], message, "{point:?}: {event}");
                let [ends, begins] = ["flow_in", "flow_out"].map(|key| event[key] == true);
                arrows
                    .entry(message)
                    .or_default()
                    .push((ends, begins, start));
            }
        }
        assert_eq!(
            slices.values().map(Vec::len).sum::<usize>(),
            csv.lines().count() - 1,
            "{point:?}"
        );
        let processes: BTreeSet<u64> = slices.keys().map(|(process, _)| *process).collect();
        let tracks: BTreeSet<u64> = slices.keys().map(|(_, track)| *track).collect();
        assert_eq!(tracks.len(), slices.len(), "{point:?}");
        assert!(
            tracks.is_disjoint(&processes) && !tracks.contains(&0),
            "{point:?}"
        );
        for (track, own) in slices {
            for pair in own.windows(2) {
                let ((first, first_end), (second, second_end)) = (pair[0], pair[1]);
                let is_nested = first <= second && second_end <= first_end;
                // Where links are counted, there is no time, so messages may overlap.
                let is_apart = first_end <= second || csv.contains("high network");
                assert!(is_nested || is_apart, "{point:?} {track:?}: {pair:?}");
            }
        }
        for (message, events) in arrows {
            assert!(
                events.len() > 1 && events.is_sorted_by(|a, b| a.2 <= b.2),
                "{point:?}: {message}"
            );
            for (index, (ends, begins, _)) in events.iter().enumerate() {
                assert_eq!(
                    (*ends, *begins),
                    (index > 0, index + 1 < events.len()),
                    "{point:?}: {message}"
                );
            }
        }
    }
}

/// A message of a machine profile in microseconds, one of the model in its own unit; links of a mesh.
#[test]
fn a_few_events() {
    let mut all = String::new();
    for line in [
        "csv optimal -L 6 -o 2 -g 4 -K 3",
        "csv summation-optimal -L 1 -o 1 -g 1 -P 2 --operands 6",
        "csv unicast --mesh 2x2 -K 3 --trials 1",
        "csv worm-dual-path --mesh 2x2 -K 1 --startup 10 --hop 2 --flit 1 --flits 4 --trials 1",
        "trace flat --machine ethernet100-switched --bytes 1KiB -K 2",
        "trace barrier-dissemination -L 6 -o 2 -g 4 -K 2",
    ] {
        let words: Vec<&str> = std::iter::once("export").chain(line.split(' ')).collect();
        all += &format!("{line}\n{}", stdout(&words));
    }
    assert_snapshot!(all);
}
