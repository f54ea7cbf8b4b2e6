//! The messages of Open MPI's and MPICH's algorithms, counted inside the libraries, against the programs of the
//! catalogue.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use algorithms::catalogue;
use algorithms::cost::Limits;
use algorithms::internals::engine::Operation;
use algorithms::problem::{Setting, Value};
use castbench::libraries::{self, Family, Function, Library, Numbered};

use crate::common::openmpi::STARTS;

/// How many messages a rank sends another one, and how many bytes in all.
pub type Messages = BTreeMap<(u32, u32), (u64, u64)>;

/// Bytes: fewer than a block of a byte for each rank would be too few for some algorithms.
const SIZES: [u64; 2] = [24, 1000];
/// The program that calls collectives and counts messages.
pub const SOURCE: &str = "collectives.c";
/// Radices, for algorithms that have one.
const RADICES: [u64; 3] = [2, 3, 4];
/// Bytes of a segment, for algorithms that read a segment size.
const SEGMENT: u64 = 10;

/// A collective call of a library, by one of its algorithms.
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// The algorithm.
    pub known: Numbered,
    /// Bytes of a vector or block.
    pub bytes: u64,
    /// The root, where there is one.
    pub root: u64,
    /// Bytes of a segment; 0 for the whole message.
    pub segment: u64,
    /// Whether each rank's block has a size of its own, a multiple of the bytes.
    pub of_sizes: bool,
    /// The radix, where a control variable has it.
    pub radix: Option<u64>,
}

impl Call {
    /// The calls to compare on K ranks.
    fn all(library: Library, K: u64) -> Vec<Self> {
        let mut calls = Vec::new();
        for (function, of_sizes) in functions() {
            for &&known in function.algorithms(library) {
                let entry = catalogue::find(known.ours).unwrap();
                let is_rooted = entry.axes().iter().any(|axis| axis.key == "root");
                let roots = if is_rooted { vec![0, K - 1] } else { vec![0] };
                let radices: Vec<Option<u64>> = match known.radix {
                    Some(_) => RADICES.map(Some).to_vec(),
                    None => vec![None],
                };
                for ((bytes, root), &radix) in SIZES
                    .into_iter()
                    .flat_map(|bytes| roots.iter().map(move |&root| (bytes, root)))
                    .flat_map(|call| radices.iter().map(move |radix| (call, radix)))
                {
                    let segment = if known.reads_segment { SEGMENT } else { 0 };
                    calls.push(Self {
                        function,
                        known,
                        bytes,
                        root,
                        segment,
                        of_sizes,
                        radix,
                    });
                }
            }
        }
        calls
    }

    /// The multiples of the bytes that the blocks of K ranks have, as a value of the axis `counts`.
    fn counts(&self, K: u64) -> u64 {
        if !self.of_sizes {
            return 0;
        }
        let sizes: Vec<String> = (0..K)
            .map(|rank| (1 + (3 * rank + 2) % 4).to_string())
            .collect();
        castbench::space::counts::parse(&sizes.join(","), Path::new("")).unwrap()
    }

    /// The number to state in a file of rules, where a program cannot demand it: the variable of an allgatherv is read-only.
    fn only_by_rules(&self, library: Library) -> Option<u32> {
        let is_read_only =
            library.family() == Family::OpenMpi && self.function.name == "MPI_Allgatherv";
        is_read_only.then_some(self.known.number)
    }

    /// For the program that makes it.
    fn line(&self, library: Library) -> String {
        let Self {
            function,
            known,
            bytes,
            root,
            segment,
            of_sizes,
            radix,
        } = self;
        let has_segments = function
            .algorithms(library)
            .iter()
            .any(|known| known.reads_segment);
        let segment = if has_segments {
            segment.to_string()
        } else {
            "-1".to_owned()
        };
        let variable = match self.only_by_rules(library) {
            Some(_) => "-".to_owned(),
            None => function.variable(library),
        };
        let value = match library.family() {
            Family::OpenMpi => known.number.to_string(),
            _ => known.name.to_owned(),
        };
        format!(
            "{}{} {variable} {value} {bytes} {root} {segment}{}",
            function.name,
            if *of_sizes { ":sizes" } else { "" },
            (known.radix.zip(*radix))
                .map(|(variable, radix)| format!(" {variable} {radix}"))
                .unwrap_or_default(),
        )
    }

    /// The messages of the program of the catalogue; `None` where the algorithm is not defined.
    pub fn expected(&self, K: u64) -> Option<Messages> {
        let stem = self
            .known
            .ours
            .trim_end_matches(|letter: char| letter.is_ascii_digit());
        let name = match self.radix {
            Some(radix) if stem != self.known.ours => format!("{stem}{radix}"),
            _ => self.known.ours.to_owned(),
        };
        let entry = catalogue::find(&name).unwrap();
        let segments = match (self.segment, self.known.ours) {
            (0, _) => 1,
            // Open MPI rounds the number of segments of a block.
            (segment, "allreduce-segmented-ring") => {
                let (round, rest) = (K * segment, self.bytes % (K * segment));
                (self.bytes / round + u64::from(rest >= K && rest > round / 2)).max(1)
            }
            (segment, _) => self.bytes.div_ceil(segment),
        };
        // The page presumes it: blocks of the libraries have ceil(n/K) bytes, the last ones fewer.
        if self.known.ours.starts_with("broadcast-scatter-") && !self.bytes.is_multiple_of(K) {
            return None;
        }
        let values = entry.axes().iter().map(|axis| match axis.key {
            "L" => Some(6),
            "o" => Some(2),
            "g" => Some(4),
            "K" => Some(K),
            "n" => Some(self.bytes),
            "m" => Some(segments),
            "k" => Some(1),
            "root" => Some(self.root),
            "counts" => Some(self.counts(K)),
            "r" => self.radix.or(axis.default),
            _ => axis.default,
        });
        let (_, program) = entry
            .at(&Setting::default(), &values.collect::<Vec<Value>>())
            .ok()?
            .program(&Limits::default(), None)
            .ok()??;
        let mut messages = Messages::new();
        for from in 0..program.processors() {
            for number in program.range(from) {
                if let Operation::Send { to, bytes, .. } = program.operation(number) {
                    let (count, sum) = messages.entry((from, to)).or_default();
                    *count += 1;
                    // A barrier's messages are empty; here they have a byte.
                    *sum += if self.function.name == "MPI_Barrier" {
                        0
                    } else {
                        bytes
                    };
                }
            }
        }
        Some(messages)
    }
}

/// The functions, and whether their blocks have several sizes.
fn functions() -> impl Iterator<Item = (&'static Function, bool)> {
    let one = libraries::functions().map(|function| (function, false));
    one.chain(libraries::functions_of_sizes().map(|function| (function, true)))
}

/// What the program printed for one call, without messages of a rank to itself, which no algorithm of the catalogue has.
fn counted(block: &str) -> Messages {
    let numbers =
        |line: &str| -> Vec<u64> { line.split(' ').map(|word| word.parse().unwrap()).collect() };
    let rank = |number: u64| u32::try_from(number).unwrap();
    block
        .lines()
        .map(numbers)
        .filter(|line| line[0] != line[1])
        .map(|line| ((rank(line[0]), rank(line[1])), (line[2], line[3])))
        .collect()
}

/// The messages of these calls on K ranks, a line each; `rules` is a rules file of the library.
pub fn observed(
    library: Library,
    program: &Path,
    K: u64,
    calls: &[String],
    rules: Option<&Path>,
) -> Vec<Messages> {
    ran(library, program, K, calls, rules).unwrap_or_else(|why| panic!("{why}"))
}

/// [`observed`], or what the library said when the program failed.
pub fn ran(
    library: Library,
    program: &Path,
    K: u64,
    calls: &[String],
    rules: Option<&Path>,
) -> Result<Vec<Messages>, String> {
    let directory = program.parent().unwrap();
    fs::write(directory.join("calls"), calls.join("\n")).unwrap();
    let mut command = Command::new(tool(library, "mpirun"));
    command
        .current_dir(directory)
        .env("TMPDIR", directory)
        .args(["-n", &K.to_string()]);
    match library {
        Library::OpenMpi4 | Library::OpenMpi5 => {
            command.envs(STARTS);
            command.args(["--oversubscribe", "--mca", "pml_monitoring_enable", "1"]);
            command.args(["--mca", "coll_tuned_use_dynamic_rules", "1"]);
            if let Some(rules) = rules {
                command
                    .args(["--mca", "coll_tuned_dynamic_rules_filename"])
                    .arg(rules);
            }
        }
        // Every message goes through the network layer, and no collective is that of a device.
        _ => {
            command.envs([
                ("MPIR_CVAR_NOLOCAL", "1"),
                ("MPIR_CVAR_DEVICE_COLLECTIVES", "none"),
            ]);
            command.envs(rules.map(|rules| ("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", rules)));
        }
    }
    let output = command.arg(program).arg("calls").output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let blocks = String::from_utf8(output.stdout).unwrap();
    let messages: Vec<_> = blocks
        .split_terminator("\n\n")
        .map(|block| counted(block.trim_start()))
        .collect();
    assert_eq!(messages.len(), calls.len(), "{blocks}");
    Ok(messages)
}

/// `mpicc` or `mpirun` of a library: that of the system, but of Open MPI 5.0 and MPICH 4.3 in the directories that `OPENMPI_5` and
/// `MPICH_4_3` name.
pub fn tool(library: Library, name: &str) -> PathBuf {
    let variable = match library {
        Library::OpenMpi4 => return format!("{name}.openmpi").into(),
        Library::OpenMpi5 => "OPENMPI_5",
        Library::Mpich43 => "MPICH_4_3",
        _ => return format!("{name}.mpich").into(),
    };
    let prefix = std::env::var_os(variable).unwrap_or_else(|| {
        panic!(
            "{variable} names the directory of an installed {}",
            library.name()
        )
    });
    Path::new(&prefix).join("bin").join(name)
}

/// A program of this directory, compiled for a library.
pub fn compile(library: Library, source: &str, directory: &Path) -> PathBuf {
    let program = directory.join("program");
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi")).join(source);
    let mut compiler = Command::new(tool(library, "mpicc"));
    let compiled = compiler
        .args(["-Wall", "-Werror", "-rdynamic"])
        .arg(source)
        .args(["-ldl", "-o"])
        .arg(&program);
    let compiled = compiled.output().unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    program
}

/// The points compared of a function, an algorithm and a name in the catalogue, the first difference, and what the catalogue
/// says.
type Compared = (usize, Option<String>, Numbered);

/// The numbers of a library's algorithms stand for those that the catalogue names: on 2 to 9 ranks their messages are
/// equal, or differ somewhere if the catalogue says how.
fn messages_are_those_of_the_catalogue(library: Library) {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(library, SOURCE, directory.path());
    let mut compared: BTreeMap<(&str, bool, &str, &str), Compared> = BTreeMap::new();
    for K in 2..=9 {
        let calls = Call::all(library, K);
        let mut by_rules: BTreeMap<Option<u32>, Vec<&Call>> = BTreeMap::new();
        for call in &calls {
            by_rules
                .entry(call.only_by_rules(library))
                .or_default()
                .push(call);
        }
        let messages = by_rules.into_iter().flat_map(|(number, calls)| {
            let rules = number.map(|number| {
                let path = directory.path().join("rules");
                fs::write(&path, format!("1 1 1 0 1 0 {number} 0 0\n")).unwrap();
                path
            });
            let lines: Vec<String> = calls.iter().map(|call| call.line(library)).collect();
            let messages = observed(library, &program, K, &lines, rules.as_deref());
            calls.into_iter().zip(messages).collect::<Vec<_>>()
        });
        for (call, messages) in messages {
            let Some(expected) = call.expected(K) else {
                continue;
            };
            let of = compared
                .entry((
                    call.function.name,
                    call.of_sizes,
                    call.known.name,
                    call.known.ours,
                ))
                .or_insert((0, None, call.known));
            of.0 += 1;
            if messages != expected && of.1.is_none() {
                of.1 = Some(format!(
                    "K = {K}, {} bytes, root {}: {messages:?}, not {expected:?}",
                    call.bytes, call.root
                ));
            }
        }
    }
    let mut wrong = Vec::new();
    for ((function, of_sizes, name, _), (points, difference, known)) in &compared {
        println!(
            "{}, {function} {name}, blocks of {} sizes: {}: {points} points",
            library.name(),
            if *of_sizes { "several" } else { "equal" },
            known.ours
        );
        assert!(*points >= SIZES.len() * 3, "{function} {name}");
        if difference.is_some() != known.differs.is_some() {
            wrong.push(format!("{function} {name}, {}: {difference:?}", known.ours));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        compared.len(),
        functions()
            .map(|(function, _)| function.algorithms(library).len())
            .sum::<usize>()
    );
}

#[test]
#[ignore = "needs Open MPI"]
fn messages_of_open_mpi() {
    messages_are_those_of_the_catalogue(Library::OpenMpi4);
}

#[test]
#[ignore = "needs Open MPI 5.0"]
fn messages_of_open_mpi_5() {
    messages_are_those_of_the_catalogue(Library::OpenMpi5);
}

#[test]
#[ignore = "needs MPICH"]
fn messages_of_mpich() {
    messages_are_those_of_the_catalogue(Library::Mpich);
}

#[test]
#[ignore = "needs MPICH 4.3"]
fn messages_of_mpich_4_3() {
    messages_are_those_of_the_catalogue(Library::Mpich43);
}

#[test]
#[ignore = "needs MPICH"]
fn defaults_of_mpich() {
    defaults_are_known(Library::Mpich);
}

#[test]
#[ignore = "needs MPICH 4.3"]
fn defaults_of_mpich_4_3() {
    defaults_are_known(Library::Mpich43);
}

/// MPICH sends by default the messages of the algorithm that the defaults name.
fn defaults_are_known(library: Library) {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(library, SOURCE, directory.path());
    for K in [5, 8, 9] {
        let mut calls = Vec::new();
        for function in libraries::functions().filter(|function| {
            !function.algorithms(library).is_empty() && library.undecided(function).is_none()
        }) {
            let (small, large) = (81_920 / K, 524_288 / K);
            let mut sizes = [
                1,
                8,
                9,
                256,
                257,
                2048,
                2049,
                small - 1,
                small + 1,
                12_288,
                12_289,
                large - 1,
                large + 1,
                524_289,
            ];
            sizes.sort_unstable();
            let chosen = |bytes| {
                let element = 1;
                let call = libraries::Call { K, bytes, element };
                match function.default(library, call) {
                    libraries::Default::Known(known) => known,
                    other => panic!("{}: {other:?}", function.name),
                }
            };
            for (at, &bytes) in sizes.iter().enumerate() {
                let is_edge = |other: &u64| chosen(*other).name != chosen(bytes).name;
                // The first size, and both sides of each threshold.
                if at == 0 || is_edge(&sizes[at - 1]) || sizes.get(at + 1).is_some_and(is_edge) {
                    let call = |name| {
                        let mut known = *chosen(bytes);
                        known.name = name;
                        Call {
                            function,
                            known,
                            bytes,
                            root: 0,
                            segment: 0,
                            of_sizes: false,
                            radix: None,
                        }
                        .line(library)
                    };
                    calls.extend([call("auto"), call(chosen(bytes).name)]);
                }
            }
        }
        let messages = observed(library, &program, K, &calls, None);
        for (call, messages) in calls.chunks(2).zip(messages.chunks(2)) {
            assert_eq!(messages[0], messages[1], "K = {K}, {}", call[1]);
        }
    }
}
