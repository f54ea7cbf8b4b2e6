//! Random argument lists from clap's command tree, so a new verb or option is included automatically.
//!
//! Most values are valid, so that the lists pass the checks; some are nasty.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::ffi::OsStringExt as _;

use algorithms::catalogue::{axes, entries};
use algorithms::problem::{Entry, Kind};
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use clap::{Arg, ArgAction, Command};

use super::words::{ENVIRONMENTS, NASTY, PATHS, WEIGHTS};

/// A command line and its environment variables.
#[derive(Debug, Clone, Default)]
pub struct List {
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, &'static str)>,
}

/// A generator of lists.
pub struct Maker {
    random: ChaCha8Rng,
    root: Command,
}

/// The subject of a list: most options that its algorithm reads are given.
#[derive(Clone, Copy)]
struct Topic {
    entry: Entry,
    /// Whether a profile gives L, o and g.
    machine: bool,
    /// Whether a mesh is given by its two sides.
    mesh: bool,
    /// The percentage of nasty values.
    nasty: u64,
}

impl Maker {
    /// The generator of the list with this number, independent of earlier lists.
    pub fn new(root: &Command, seed: u64, number: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        Self {
            random: ChaCha8Rng::from_seed(key),
            root: root.clone(),
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.random.next_u64() % end
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        let choice = self.below(choices.len() as u64);
        choices[usize::try_from(choice).unwrap()]
    }

    /// One of some things with names, whatever their order: with one more or one fewer, only the lists change that would have it.
    fn by_name<'a, T>(&mut self, choices: impl Iterator<Item = (&'a str, T)>) -> T {
        let drawn = self.random.next_u64();
        let place = |name: &str| {
            let mut hasher = DefaultHasher::new();
            (drawn, name).hash(&mut hasher);
            hasher.finish()
        };
        let first = choices.min_by_key(|(name, _)| place(name));
        first.expect("there is something to choose").1
    }

    /// One of the words between these signs.
    fn word(&mut self, words: &'static str, between: char) -> String {
        self.one_of(&words.split(between).collect::<Vec<_>>())
            .to_owned()
    }

    /// A list.
    pub fn list(&mut self) -> List {
        let entry = self.by_name(entries().iter().map(|entry| (entry.name, *entry)));
        let logp = entry.axes().iter().any(|axis| axis.kind == Kind::Profile);
        let nasty = if self.percent(50) { 0 } else { self.below(40) };
        let topic = Topic {
            entry,
            machine: logp && self.percent(30),
            mesh: self.percent(50),
            nasty,
        };
        let mut list = List::default();
        let verb = self.verb();
        list.arguments.push(verb.get_name().into());
        let mut command = verb;
        loop {
            self.options(&command, topic, &mut list.arguments);
            let children: Vec<Command> = command.get_subcommands().cloned().collect();
            if children.is_empty()
                || self.percent(3)
                || command.get_name() == "regress" && self.percent(50)
            {
                break;
            }
            let child = self.below(children.len() as u64);
            command = children[usize::try_from(child).unwrap()].clone();
            list.arguments.push(command.get_name().into());
        }
        self.spoil(&mut list.arguments);
        for environment in ENVIRONMENTS {
            if self.percent(4) {
                list.environment.push(environment);
            }
        }
        list
    }

    fn verb(&mut self) -> Command {
        let weight = |verb: &Command| {
            WEIGHTS
                .iter()
                .find(|known| known.0 == verb.get_name())
                .map_or(5, |known| known.1)
        };
        let verbs: Vec<Command> = self.root.get_subcommands().cloned().collect();
        let mut drawn = self.below(verbs.iter().map(weight).sum());
        for verb in verbs {
            match drawn.checked_sub(weight(&verb)) {
                Some(left) => drawn = left,
                None => return verb,
            }
        }
        unreachable!("a number below the sum of the weights")
    }

    /// Damages some lists as a whole.
    fn spoil(&mut self, arguments: &mut Vec<OsString>) {
        let index = usize::try_from(self.below(arguments.len() as u64 + 1)).unwrap();
        match self.below(60) {
            0 => arguments.insert(index, OsString::from_vec(vec![b'a', 0xff])),
            1 => arguments.insert(index, self.word(NASTY, '¦').into()),
            2 => arguments.insert(index, "--help".into()),
            3 => arguments.extend(arguments.clone()),
            4 => arguments.truncate(index),
            5 => arguments.extend([OsString::from("--nonsense"), OsString::from("-Z")]),
            _ => {}
        }
    }

    fn options(&mut self, command: &Command, topic: Topic, arguments: &mut Vec<OsString>) {
        for option in command.get_arguments() {
            let id = option.get_id().as_str();
            if matches!(id, "help" | "version") || !self.is_given(option, command, topic) {
                continue;
            }
            let times = match option.get_action() {
                ArgAction::Append => 1 + self.below(3),
                _ if option
                    .get_num_args()
                    .is_some_and(|range| range.max_values() > 1) =>
                {
                    1 + self.below(3)
                }
                _ => 1,
            };
            for _ in 0..times {
                self.option(option, command, topic, arguments);
            }
        }
    }

    fn is_given(&mut self, option: &Arg, command: &Command, topic: Topic) -> bool {
        let id = option.get_id().as_str();
        let points = command.get_name() == "best"
            || command
                .get_arguments()
                .any(|other| other.get_id() == "algorithm");
        let chance = match id {
            _ if option.is_required_set() => 98,
            // Without these options the built-in grids would run, which take long.
            "config" if matches!(command.get_name(), "sweep" | "run") => 100,
            "claims" => 99,
            "problem" if command.get_name() == "best" => 97,
            // These exclude other options, or need them.
            "slopes" | "ends" | "capacity" | "explain" => 8,
            "algorithm" => 97,
            // These need a network of as many ranks.
            "network" | "bound" if points => 1,
            "without" | "slow" | "half_duplex" | "placement" => u64::from(self.percent(40)),
            _ if matches!(command.get_name(), "bound" | "generate") => 12,
            "along" | "from" | "to" if command.get_name() == "best" => 4,
            "shards" | "shard" | "format" if command.get_name() == "sweep" => 8,
            "bibtex" => 5,
            _ if points => match reads(topic, id) {
                Some(true) => 96,
                Some(false) => 2,
                None => 25,
            },
            "L" | "o" | "g" => 90,
            _ => 35,
        };
        self.percent(chance)
    }

    fn option(
        &mut self,
        option: &Arg,
        command: &Command,
        topic: Topic,
        arguments: &mut Vec<OsString>,
    ) {
        let value = option
            .get_action()
            .takes_values()
            .then(|| self.value(option, command, topic));
        match (option.get_long(), option.get_short(), value) {
            (None, None, Some(value)) => arguments.push(value.into()),
            (Some(long), _, None) => arguments.push(format!("--{long}").into()),
            (_, Some(short), None) => arguments.push(format!("-{short}").into()),
            (Some(long), _, Some(value)) if self.percent(50) => {
                arguments.push(format!("--{long}={value}").into())
            }
            (Some(long), _, Some(value)) => {
                arguments.extend([format!("--{long}").into(), value.into()])
            }
            (None, Some(short), Some(value)) => {
                arguments.extend([format!("-{short}").into(), value.into()])
            }
            (None, None, None) => {}
        }
    }

    fn value(&mut self, option: &Arg, command: &Command, topic: Topic) -> String {
        if self.percent(topic.nasty) {
            return self.nasty(option);
        }
        if option.get_id() == "problem" && command.get_name() == "best" && self.percent(90) {
            return topic.entry.problem().name.to_owned();
        }
        let possible = option.get_possible_values();
        if !possible.is_empty() {
            let names = possible.iter().map(|value| value.get_name());
            return self.by_name(names.map(|name| (name, name))).to_owned();
        }
        let small = |most: u64, maker: &mut Self| (1 + maker.below(most)).to_string();
        match option.get_id().as_str() {
            "algorithm" if self.percent(3) => self
                .one_of(&["optimal.goal", "sum.goal", "missing"])
                .to_owned(),
            "algorithm" => topic.entry.name.to_owned(),
            "network" => self
                .one_of(&[
                    "torus:4x4",
                    "mesh:2x3",
                    "ring:5,without=0-1",
                    "dgx1",
                    "small.toml",
                ])
                .to_owned(),
            "algorithms" if command.get_name() == "bound" => {
                self.one_of(&["all", "generated", "optimal"]).to_owned()
            }
            "out" if command.get_name() == "generate" => {
                self.one_of(&["a.json", "a.xml", "a.goal", "a"]).to_owned()
            }
            "without" => self.one_of(&["0-1", "1-0", "s0-0"]).to_owned(),
            "slow" => self.one_of(&["1=0.5", "0=2/3"]).to_owned(),
            "placement" => self
                .one_of(&["block", "round-robin", "random:3", "0,1"])
                .to_owned(),
            "along" => self.one_of(&["K", "bytes", "n", "nonsense"]).to_owned(),
            "from" | "to" if command.get_name() == "best" => small(24, self),
            "bibtex" => self
                .one_of(&["fibonacci", "k-tree-time", "none"])
                .to_owned(),
            "machine" => self
                .one_of(&[
                    "ethernet100-switched",
                    "ethernet100-held",
                    "mine.toml",
                    "mine.toml",
                ])
                .to_owned(),
            "mesh" => format!("{}x{}", small(12, self), small(12, self)),
            "to" => format!("{},{}", self.below(6), self.below(6)),
            "source" if topic.entry.axes().iter().any(|axis| axis.key == "source") => {
                small(6, self)
            }
            "source" => format!("{},{}", self.below(4), self.below(4)),
            "bytes" if command.get_name() == "best" => self
                .one_of(&["1..4KiB", "1MiB", "1,1kB", "1GiB..4GiB"])
                .to_owned(),
            "K" if command.get_name() == "best" => self
                .one_of(&["2..16", "3", "8,12,18", "1000000000000000000", "2..5"])
                .to_owned(),
            "bytes" => self
                .one_of(&["1", "1500", "64KiB", "1MiB", "4 MB", "15GiB"])
                .to_owned(),
            "set" => self.setting(),
            "shard" => format!("{}/{}", small(4, self), small(4, self)),
            "shards" if command.get_name() == "merge" => {
                self.one_of(&["shard-1", "shard-2"]).to_owned()
            }
            "claims" => self
                .one_of(&["fibonacci-9", "fibonacci-11", "gossip-theorem-1"])
                .to_owned(),
            "config" if self.percent(90) => "small.toml".to_owned(),
            "file" => self
                .one_of(&[
                    "optimal.goal",
                    "optimal.goal",
                    "sum.goal",
                    "binary",
                    "missing",
                ])
                .to_owned(),
            "host" | "reason" | "name" => {
                self.one_of(&["a", "a reason", "castbench-h1"]).to_owned()
            }
            "verb" => self
                .one_of(&["cost", "sweep", "export", "nonsense"])
                .to_owned(),
            "seed" => self.random.next_u64().to_string(),
            "K" => small(24, self),
            "trials" => small(30, self),
            "n" => small(16, self),
            "k" => small(5, self),
            "row" => self.below(8).to_string(),
            "flit" => "1".to_owned(),
            "L" | "o" | "g" | "startup" | "hop" => self.below(9).to_string(),
            "flits" | "m" | "operands" | "P" => small(99, self),
            "simulate_up_to" | "simulate_up_to_hops" => self.below(5000).to_string(),
            "jobs" => small(3, self),
            "within" => self.below(101).to_string(),
            _ if option
                .get_value_names()
                .is_some_and(|names| names.iter().any(|name| name.as_str() == "COUNT")) =>
            {
                small(20, self)
            }
            _ => self.word(PATHS, ','),
        }
    }

    fn nasty(&mut self, option: &Arg) -> String {
        let id = option.get_id().as_str();
        match self.below(8) {
            // Without this limit, 2^64 trials would run.
            _ if id == "simulate_up_to_hops" => self
                .one_of(&["0", "-1", "x", "18446744073709551616", "1000"])
                .to_owned(),
            0 => self.word(PATHS, ','),
            1 => self
                .by_name(entries().iter().map(|entry| (entry.name, entry.name)))
                .to_owned(),
            2 => self
                .one_of(&["halfing", "Optimal", "optimal ", "k-tree-", "fibonaccı"])
                .to_owned(),
            3 => self
                .one_of(&[
                    "16EiB",
                    "18446744073709551615",
                    "17179869184GiB",
                    "1YiB",
                    "0B",
                    "-5kB",
                ])
                .to_owned(),
            4 => self.word(
                "0x8 8x x 65535x1 128x128 4294967296x1 1x1 -1x-1 2147483648x2147483648",
                ' ',
            ),
            5 => self
                .one_of(&[
                    "1/1000000000000000000",
                    "0/0",
                    "5/3",
                    "1/1",
                    "1000000/1000000",
                    "/",
                    "1/2/3",
                ])
                .to_owned(),
            _ => self.word(NASTY, '¦'),
        }
    }

    fn setting(&mut self) -> String {
        let axis = self.by_name(axes().iter().map(|axis| (axis.key, axis.key)));
        const VALUES: &str = "\
            1|2,3|1..4|0..9..4|1..64..x2|3..5000..x1.5|0|5..1|1..18446744073709551615|1..1000000000000|\
            18446744073709551615|1..9..x0|1..9..xNaN|1..9..xinf|1..9..x1.0000000001||-1|1..|..|,|1..4,7,9..11|x|\
            18446744073709551614..18446744073709551615..x2";
        let grid = self.one_of(&["", "", "", "first.", "second.", "nonsense.", "é."]);
        format!("{grid}{axis}={}", self.word(VALUES, '|'))
    }
}

/// Whether the algorithm reads an option of a point; none for other options.
fn reads(topic: Topic, id: &str) -> Option<bool> {
    let Topic {
        entry,
        machine,
        mesh,
        ..
    } = topic;
    let form = castbench::space::form(entry.problem(), |key| machine && key == "machine");
    // Required options are given.
    let form = form.unwrap_or_else(|_| (0..entry.axes().len()).collect());
    let of_id = |axis: &&algorithms::problem::Axis| {
        axis.key == id || axis.kind == Kind::Sides && axis.long == Some(id)
    };
    let axis = entry.axes().iter().find(of_id);
    match axis {
        Some(axis) if axis.kind == Kind::Sides => Some((id == axis.key) != mesh),
        Some(axis) if machine && ["L", "o", "g"].contains(&axis.key) => Some(false),
        Some(axis) if !machine && ["machine", "bytes"].contains(&axis.key) => Some(false),
        Some(axis) => Some(
            form.iter()
                .any(|&index| entry.axes()[index].key == axis.key),
        ),
        None => axes()
            .iter()
            .any(|axis| axis.key == id || axis.long == Some(id))
            .then_some(false),
    }
}
