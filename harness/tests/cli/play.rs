//! `castbench show --html`: the page, and what it states in a browser against the events of `castbench export csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::browser;
use crate::common::{castbench_in, stdout};
use crate::report::between;
use serde::Deserialize;
use serde_json::Value;

/// Executions of every kind: one message, segments, a mesh in steps, ports in rounds, paths, rounds, computations, worms.
const LINES: [&str; 9] = [
    "halving -L 6 -o 2 -g 4 -K 8",
    "broadcast-binary --ports duplex -L 6 -o 2 -g 4 -K 4 -n 16 -k 2 -m 4",
    "gossip-optimal -n 3",
    "k-tree -n 7 -k 3 -m 4",
    "dual-path --mesh 4x3 -K 4 --seed 3",
    "allreduce-ring -L 6 -o 2 -g 4 -K 4 -n 16",
    "summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82",
    "worm-dual-path --mesh 4x3 -K 4 --startup 10 --hop 2 --flit 1 --flits 4",
    "broadcast-chain broadcast-binomial -L 6 -o 2 -g 4 -K 5 -n 1",
];

/// Writes the page of an execution, and returns it.
fn page(directory: &std::path::Path, line: &str, name: &str) -> String {
    let words: Vec<&str> = ["show"]
        .into_iter()
        .chain(line.split(' '))
        .chain(["--html", name])
        .collect();
    let output = castbench_in(directory, &words);
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::read_to_string(directory.join(name)).unwrap()
}

/// The command lines of the executions on the page of a line: one, or one for each of two algorithms.
fn each(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let named = words
        .iter()
        .take_while(|word| !word.starts_with('-'))
        .count();
    words[..named]
        .iter()
        .map(|name| [&[*name], &words[named..]].concat().join(" "))
        .collect()
}

fn export(line: &str) -> String {
    stdout(
        &["export", "csv"]
            .into_iter()
            .chain(line.split(' '))
            .collect::<Vec<_>>(),
    )
}

/// The embedded events are the rows of the CSV. The page is the same each time, and refers to nothing outside.
#[test]
fn the_page_holds_the_events() {
    let directory = tempfile::tempdir().unwrap();
    for line in LINES {
        let first = page(directory.path(), line, "first.html");
        assert!(
            first == page(directory.path(), line, "second.html"),
            "{line}"
        );
        let text = between(
            &first,
            "<script id=\"execution\" type=\"application/json\">",
            "</script>",
        );
        let data: Vec<Value> = serde_json::from_str(text).unwrap();
        assert_eq!(
            data.iter().map(rows).collect::<Vec<_>>(),
            each(line)
                .iter()
                .map(|line| export(line))
                .collect::<Vec<_>>()
        );
        assert_eq!(
            first.matches("<section class=\"play\"").count(),
            data.len(),
            "{line}"
        );
        assert_eq!(
            (first.matches("://").count(), first.matches(" src=").count()),
            (0, 0),
            "{line}"
        );
        assert_eq!(first.matches(" href=").count(), 1, "{line}");
        assert!(first.contains("href=\"data:,\""), "{line}");
    }
}

/// The events of a page as CSV.
fn rows(data: &Value) -> String {
    let field = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string().replace("null", ""), str::to_owned)
    };
    let lists = std::iter::once(&data["columns"]).chain(data["events"].as_array().unwrap());
    let line = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .map(field)
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    lists.map(line).collect()
}

/// What the script in `play.html` finds on a page at one width.
#[derive(Debug, Deserialize)]
struct Seen {
    name: String,
    width: u32,
    overflow: f64,
    unnamed: u64,
    unfocusable: u64,
    /// What the page says before anything is chosen.
    explained: String,
    /// When each execution is done.
    done: Vec<u64>,
    keys: Keys,
    /// The index of an event, and what the page says of it under the mouse and with the keyboard.
    texts: Vec<(usize, String, String)>,
    states: Vec<State>,
    data: String,
}

#[derive(Debug, Deserialize)]
struct Keys {
    first: String,
    back: String,
    playing: String,
    paused: String,
    end: String,
    home: String,
}

#[derive(Debug, Deserialize)]
struct State {
    time: u64,
    shown: String,
    /// The cells of each node: its label, what it does, what it has received.
    nodes: Vec<Vec<String>>,
    transit: Vec<String>,
}

/// A row of the CSV.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    start: u64,
    end: u64,
    node: u64,
    what: String,
    peer: Option<u64>,
    message: Option<u64>,
    item: Option<u64>,
    class: Option<String>,
}

impl Row {
    fn is_now(&self, time: u64) -> bool {
        self.start <= time && (time < self.end || self.start == self.end && time == self.end)
    }
}

/// An execution as the test reads it from the CSV; only names come from the page.
struct Played {
    rows: Vec<Row>,
    finish: u64,
    /// The kind of event by which a message is received.
    delivery: &'static str,
    item: String,
    label: Box<dyn Fn(u64) -> String>,
}

impl Played {
    fn new(line: &str, data: &Value) -> Self {
        let csv = export(line);
        let all = csv::Reader::from_reader(csv.as_bytes())
            .into_deserialize()
            .map(Result::unwrap);
        let rows: Vec<Row> = all.filter(|row: &Row| !row.what.ends_with("gap")).collect();
        let delivery = if rows.iter().any(|row| row.what == "receive") {
            "receive"
        } else {
            "cross"
        };
        let first = data["first"].as_u64().unwrap();
        let labels: Vec<u64> = data["labels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label.as_u64().unwrap())
            .collect();
        let label = move |node: u64| {
            labels
                .get(usize::try_from(node - first).unwrap())
                .copied()
                .unwrap_or(node)
                .to_string()
        };
        let finish = rows.iter().map(|row| row.end).max().unwrap();
        Self {
            rows,
            finish,
            delivery,
            item: data["item"].as_str().unwrap().to_owned(),
            label: Box::new(label),
        }
    }

    fn peer(&self, row: &Row) -> String {
        (self.label)(row.peer.unwrap())
    }

    /// What the node does: verb and other node of each event, or the computation.
    fn doing(&self, node: u64, time: u64) -> BTreeSet<(String, String)> {
        let mut doing = BTreeSet::new();
        for row in self.rows.iter().filter(|row| row.is_now(time)) {
            let is_own = row.node == node;
            match &*row.what {
                "compute" if is_own => {
                    let words = row.class.clone().unwrap_or_else(|| "computes".to_owned());
                    let (verb, last) = (
                        words.split(' ').next().unwrap(),
                        words.split(' ').next_back().unwrap(),
                    );
                    doing.insert((verb.to_owned(), last.to_owned()));
                }
                "cross" if self.delivery == "cross" && row.peer == Some(node) => {
                    doing.insert(("receives".to_owned(), (self.label)(row.node)));
                }
                what if is_own => {
                    let verb = if what == "cross" {
                        "passes".to_owned()
                    } else {
                        format!("{what}s")
                    };
                    doing.insert((verb, self.peer(row)));
                }
                _ => {}
            }
        }
        doing
    }

    /// The items that the node has received, or else the senders; in rounds both.
    fn received(&self, node: u64, time: u64) -> BTreeSet<String> {
        let is_here = |row: &&Row| match self.delivery {
            "receive" => row.node == node,
            _ => row.peer == Some(node),
        };
        let came = self
            .rows
            .iter()
            .filter(|row| row.what == self.delivery && row.end <= time)
            .filter(is_here);
        let from = |row: &Row| {
            if row.what == "cross" {
                (self.label)(row.node)
            } else {
                self.peer(row)
            }
        };
        let sender = |row: &Row| match &*self.item {
            "" => from(row),
            "round" => format!("{} from {}", row.item.unwrap(), from(row)),
            _ => row.item.unwrap().to_string(),
        };
        came.map(sender).collect()
    }

    /// The numbers of messages between their sender and their receivers.
    fn in_transit(&self, time: u64) -> usize {
        let mut messages: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
        self.rows.iter().for_each(|row| {
            row.message
                .iter()
                .for_each(|&number| messages.entry(number).or_default().push(row))
        });
        let is_in_transit = |rows: &&Vec<&Row>| {
            let of = |what: &'static str| rows.iter().filter(move |row| row.what == what);
            let flies = match (
                of("send").next(),
                of("receive").next(),
                of("receive").next_back(),
            ) {
                (Some(send), Some(first), Some(last)) => {
                    send.end.min(first.start) <= time && time < send.end.max(last.start)
                }
                _ => false,
            };
            flies || of("cross").any(|row| row.is_now(time))
        };
        messages.values().filter(is_in_transit).count()
    }
}

/// The numbers of `0-2, 5`.
fn numbers(text: &str) -> Vec<u64> {
    let ends = |run: &str| -> (u64, u64) {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        (first.parse().unwrap(), last.parse().unwrap())
    };
    text.split(", ")
        .flat_map(|run| (ends(run).0..=ends(run).1).collect::<Vec<_>>())
        .collect()
}

/// What a cell says that its node has received, as [`Played::received`].
fn read(cell: &str, item: &str) -> BTreeSet<String> {
    let Some((_, list)) = cell.split("; ").find_map(|part| part.split_once(": ")) else {
        return BTreeSet::new();
    };
    match item {
        "" => list
            .split(", ")
            .map(|from| from.trim_start_matches("from ").to_owned())
            .collect(),
        "round" => {
            let parts = list.split("round ").filter(|part| !part.is_empty());
            let both = parts.map(|part| part.trim_end_matches(", ").split_once(" from ").unwrap());
            both.flat_map(|(rounds, from)| {
                numbers(rounds)
                    .into_iter()
                    .map(move |round| format!("{round} from {from}"))
            })
            .collect()
        }
        _ => numbers(list).iter().map(u64::to_string).collect(),
    }
}

#[test]
#[ignore = "needs chromium"]
fn in_a_browser() {
    let directory = tempfile::tempdir().unwrap();
    let names = LINES.map(|line| format!("{}.html", line.split(' ').next().unwrap()));
    LINES
        .iter()
        .zip(&names)
        .for_each(|(line, name)| drop(page(directory.path(), line, name)));
    let harness = directory.path().join("play.html");
    let script =
        include_str!("play.html").replace("PAGES", &serde_json::to_string(&names).unwrap());
    fs::write(&harness, script).unwrap();
    let (found, console) = browser::open(&harness);
    assert_eq!(console, "");
    let found: Vec<Seen> =
        serde_json::from_str(&found).unwrap_or_else(|error| panic!("{error}: {found}"));
    assert_eq!(found.len(), 2 * LINES.len());
    for seen in found {
        let index = names.iter().position(|name| *name == seen.name).unwrap();
        check(LINES[index], &seen);
    }
}

fn check(line: &str, seen: &Seen) {
    let at = format!("{line} at {}", seen.width);
    assert!(
        seen.overflow <= 0.0,
        "{at}: the page scrolls sideways by {}",
        seen.overflow
    );
    assert_eq!((seen.unnamed, seen.unfocusable), (0, 0), "{at}");
    let all: Vec<Value> = serde_json::from_str(&seen.data).unwrap();
    let all: Vec<(Played, Value)> = each(line)
        .iter()
        .zip(all)
        .map(|(line, data)| (Played::new(line, &data), data))
        .collect();
    // Each is done when `castbench cost` says.
    let finishes: Vec<u64> = all.iter().map(|(played, _)| played.finish).collect();
    assert_eq!(seen.done, finishes, "{at}");
    if let [one, other] = &each(line)[..] {
        let cost = |line: &str| {
            let words = ["cost"]
                .into_iter()
                .chain(line.split(' '))
                .chain(["--format", "json"]);
            let cost: Value = serde_json::from_str(&stdout(&words.collect::<Vec<_>>())).unwrap();
            cost["analytic"].as_u64().unwrap()
        };
        assert_eq!(finishes, [cost(one), cost(other)], "{at}");
    }
    assert!(
        seen.explained.starts_with("Each ") && seen.explained.contains("Press Play"),
        "{at}: {}",
        seen.explained
    );
    let (finish, moments) = (*finishes.iter().max().unwrap(), || {
        all.iter().flat_map(|(played, _)| &played.rows)
    });
    let later = moments()
        .flat_map(|row| [row.start, row.end])
        .filter(|&time| time > 0)
        .min()
        .unwrap();
    assert_eq!(
        [&seen.keys.first, &seen.keys.back],
        [&later.to_string(), "0"],
        "{at}"
    );
    assert_eq!(
        [&seen.keys.end, &seen.keys.home],
        [&finish.to_string(), "0"],
        "{at}"
    );
    let (played, data) = &all[0];
    assert_eq!(
        [&*seen.keys.playing, &*seen.keys.paused],
        ["Pause", "Play"],
        "{at}"
    );

    assert!(seen.states.len() >= 3, "{at}");
    for state in &seen.states {
        let at = format!("{at}, time {}", state.time);
        assert!(
            state
                .shown
                .starts_with(&format!("{} of {finish} ", state.time)),
            "{at}: {}",
            state.shown
        );
        assert_eq!(
            state.transit.len(),
            played.in_transit(state.time),
            "{at}: {:?}",
            state.transit
        );
        for (node, cells) in (data["first"].as_u64().unwrap()..).zip(&state.nodes) {
            let [label, does, has] = std::array::from_fn(|cell| &cells[cell]);
            assert_eq!(
                label.split(' ').next(),
                Some(&*(played.label)(node)),
                "{at}"
            );
            let idle = ["waits", "done", ""].contains(&does.as_str());
            let doing: BTreeSet<(String, String)> =
                does.split("; ").filter(|_| !idle).map(ends).collect();
            assert_eq!(
                doing,
                played.doing(node, state.time),
                "{at}, node {label}: {does}"
            );
            assert_eq!(
                read(has, &played.item),
                played.received(node, state.time),
                "{at}, node {label}: {has}"
            );
            // At the end each rank of an allreduce has received every word from another one.
            let is_whole = !line.starts_with("allreduce-ring")
                || state.time < finish
                || has.ends_with("; words 0-15");
            assert!(is_whole, "{at}, node {label}: {has}");
        }
    }
    check_texts(&at, seen, data);
}

/// The first and the last word.
fn ends(text: &str) -> (String, String) {
    let word = |word: Option<&str>| word.unwrap().to_owned();
    (
        word(text.split(' ').next()),
        word(text.split(' ').next_back()),
    )
}

/// Each event is described with its times and the rule that gave its begin, which is no later. Processors that send messages wait
/// only for what earlier events show.
fn check_texts(at: &str, seen: &Seen, data: &Value) {
    let events = data["events"].as_array().unwrap();
    let is_mesh = !data["mesh"].is_null();
    let acts = events
        .iter()
        .filter(|event| !event[3].as_str().unwrap().ends_with("gap"))
        .count();
    assert!(
        is_mesh || seen.texts.len() == acts,
        "{at}: {} of {acts}",
        seen.texts.len()
    );
    for (index, pointed, focused) in &seen.texts {
        assert_eq!(pointed, focused, "{at}");
        let [start, end] = [0, 1].map(|column| events[*index][column].as_u64().unwrap());
        let (what, why) = pointed
            .split_once(&format!(". Begins at {start}: "))
            .unwrap_or_else(|| panic!("{at}: {pointed}"));
        assert!(
            what.contains(&format!("from {start} to {end} (")),
            "{at}: {pointed}"
        );
        let times = why
            .split(" at ")
            .skip(1)
            .map(|rest| rest.split([',', '.', ';', ' ']).next().unwrap());
        let times: Vec<u64> = times.map(|time| time.parse().unwrap()).collect();
        assert!(times.iter().all(|&time| time <= start), "{at}: {pointed}");
        let is_explained =
            times.contains(&start) || why.contains("waits for no earlier event") && start == 0;
        assert!(is_mesh || is_explained, "{at}: {pointed}");
    }
}
