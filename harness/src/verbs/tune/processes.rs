//! A machine that is measured: each run is a `castbench measure`, for the library under its launcher.
//!
//! Over MPI the functions of Open MPI or MPICH run, and a file of rules forces algorithms, as the one that is written at the end. Over other
//! transports castbench's own algorithms run, and the default is the one that Open MPI would choose.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::units::joined;
use crate::libraries::{Call, Default, Library};
use measure::settings::Transport;
use rustix::process::{Pid, Signal, kill_process};
use toml::Table as Toml;

use super::bench::{Bench, Run, WARM_UP};
use super::cells::{Cell, Choice, Target, forcing};
use crate::base::failure::{Code, Failure, Result};
use crate::measured::config::Config;
use crate::measured::plan;
use crate::measured::stop::STOP;
use crate::output::diagnostics::Source;
use crate::output::{self, Scratch};
use crate::print::listed;
use crate::record::measured::manifest::Manifest;
use crate::record::measured::{Configuration, Results};
use crate::record::measurement::{ExecutionRow, MEASUREMENTS};
use crate::rules::{Dialect, Table, Written, mpich};

/// The variables that make a library follow a file: that Open MPI reads one, and which one Open MPI and MPICH read.
const FOLLOW: [&str; 3] = [
    "OMPI_MCA_coll_tuned_use_dynamic_rules",
    "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
];

/// How MPICH's version begins.
const MPICH: &str = "MPICH Version:";

/// How often a run is looked at.
const GLANCE: Duration = Duration::from_millis(50);

/// Lines of the messages of a run that failed.
const LAST: usize = 12;

/// Runs of `castbench measure`.
pub struct Processes {
    /// The command before castbench, as mpirun -n 8; empty where castbench starts the ranks.
    launch: Vec<OsString>,
    /// The configuration without measurements.
    base: Toml,
    is_library: bool,
    scratch: Scratch,
    /// Runs are ended at this time.
    deadline: Instant,
    runs: u32,
    hosts: u64,
    library: Option<String>,
    /// MPICH's own decisions, of which its file is a changed copy.
    decisions: Option<String>,
}

impl Processes {
    /// Runs under this launcher of a configuration, with their files in a directory that all hosts share.
    ///
    /// # Errors
    /// Exit code 74 for a directory that cannot be written.
    pub fn new(
        launch: &[OsString],
        (base, config): (Toml, &Config),
        directory: &Path,
        decisions: Option<String>,
        deadline: Instant,
    ) -> Result<Self> {
        let written = output::unwritten(directory);
        // Ranks may have another working directory.
        let directory = fs::canonicalize(directory).map_err(written)?;
        let scratch = Scratch::new(&directory).map_err(written)?;
        let is_library = matches!(config.settings.transport, Transport::Mpi);
        Ok(Self {
            launch: launch.to_vec(),
            base,
            is_library,
            scratch,
            deadline,
            runs: 0,
            hosts: 0,
            library: None,
            decisions,
        })
    }

    /// Whose algorithms are forced; over MPI a run of one call says it.
    ///
    /// # Errors
    /// The errors of [`Bench::run`]; exit code 3 for another library, and for an MPICH whose decisions are not found.
    pub fn target(&mut self, cell: Cell) -> Result<Target> {
        let castbench = Target {
            library: Library::OpenMpi4,
            has_known_default: true,
        };
        if !self.is_library {
            return Ok(castbench);
        }
        self.run(&Table::default(), &[cell], 1)?;
        // Versions whose defaults a test counted.
        let known = match self.dialect() {
            Some(Dialect::Mpich) => [
                ("4.0", Library::Mpich),
                ("4.3", Library::Mpich43),
                ("5.0", Library::Mpich43),
            ]
            .as_slice(),
            _ => &[("4.", Library::OpenMpi4)],
        };
        let version = self.version();
        let found = known
            .iter()
            .find(|(known, _)| version.is_some_and(|version| version.starts_with(known)));
        Ok(Target {
            library: found.unwrap_or(&known[0]).1,
            has_known_default: found.is_some(),
        })
    }

    /// The library's name and version, known after the first run; that of the defaults over other transports.
    pub fn library(&self) -> String {
        self.library.as_deref().map_or_else(
            || "the algorithms of castbench".to_owned(),
            |library| {
                let first = library.split([',', '\n']).next().unwrap_or_default();
                joined(" ", first.split_whitespace())
            },
        )
    }

    /// Whose rules file the library follows; none if castbench measured its own algorithms.
    pub fn dialect(&self) -> Option<Dialect> {
        match (&self.library, self.major()?) {
            (Some(library), _) if library.starts_with(MPICH) => Some(Dialect::Mpich),
            (_, ..6) => Some(Dialect::Openmpi),
            _ => Some(Dialect::Openmpi6),
        }
    }

    /// The decisions as a file of the library.
    ///
    /// # Errors
    /// Why there is no such file.
    pub fn rules(&self, dialect: Dialect, table: &Table) -> Result<Written> {
        let written = dialect.write(table, self.decisions.as_deref());
        written.map_err(|why| Failure::new(Code::Configuration, why))
    }

    /// The variables of the environment that make a program follow such a file.
    pub fn follow(&self, dialect: Dialect, path: &Path) -> Vec<(&'static str, OsString)> {
        if dialect == Dialect::Mpich {
            return vec![(FOLLOW[2], path.into())];
        }
        let mut variables = vec![(FOLLOW[0], "1".into()), (FOLLOW[1], path.into())];
        // From 5.0 on `han` chooses before `tuned`.
        if self.major() >= Some(5) && std::env::var_os("OMPI_MCA_coll").is_none() {
            variables.push(("OMPI_MCA_coll", "^han".into()));
        }
        variables
    }

    /// The number of hosts, known after the first run.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// The version of a library whose algorithms can be forced.
    fn version(&self) -> Option<&str> {
        let library = self.library.as_deref()?;
        let version = ["Open MPI v", MPICH]
            .iter()
            .find_map(|begin| library.strip_prefix(begin))?;
        version.split_whitespace().next()
    }

    fn major(&self) -> Option<u32> {
        self.version()?.split('.').next()?.parse().ok()
    }

    /// Whether this can be measured: castbench lacks some algorithms of Open MPI, or they are not defined there.
    pub fn can_run(&self, cell: &Cell, choice: Choice) -> bool {
        let is_defined = || {
            let text = self
                .configuration(
                    &forcing([(cell.clone(), choice)]),
                    std::slice::from_ref(cell),
                    1,
                )
                .ok()?;
            let config = Config::from_source(&Source::built_in("tune", &text)).ok()?;
            plan::points(&config, &[]).ok().map(|_| ())
        };
        if let Some(dialect) = self.dialect() {
            let table = forcing([(cell.clone(), choice)]);
            return self
                .rules(dialect, &table)
                .is_ok_and(|written| written.left.is_empty());
        }
        let is_known = choice.is_some() || matches!(cell.default, Default::Known(_));
        is_known && is_defined().is_some()
    }

    /// The configuration of a run: a measurement for each call, named by its index.
    fn configuration(&self, table: &Table, calls: &[Cell], repetitions: u32) -> Result<String> {
        let measurement = |(index, cell): (usize, &Cell)| {
            let Call { K, bytes, .. } = cell.call;
            let (algorithm, take) = self.algorithm(table, cell);
            let segment = take.map_or(0, |take| take.segment);
            let segments = (!self.is_library && segment > 0)
                .then(|| format!("m = [{}]\n", bytes.div_ceil(segment)));
            format!(
                "[[measurement]]\nname = \"m{index}\"\nalgorithms = [\"{algorithm}\"]\nK = [{K}]\nbytes = [\"{bytes}B\"]\n\
                 machine = \"ethernet100-switched\"\n{}",
                segments.unwrap_or_default()
            )
        };
        let mut config = self.base.clone();
        config.insert("repetitions".to_owned(), i64::from(repetitions).into());
        config.insert("warm_up".to_owned(), i64::from(WARM_UP).into());
        let config = toml::to_string(&config).map_err(Failure::internal)?;
        Ok(config
            + &calls
                .iter()
                .enumerate()
                .map(measurement)
                .collect::<String>())
    }

    /// What `measure` runs for a call, and what the table asks for.
    fn algorithm(&self, table: &Table, cell: &Cell) -> (&'static str, Choice) {
        let taken = table
            .select(cell.function, cell.call.K, cell.call.bytes)
            .and_then(|rule| rule.take);
        let name = match (taken, cell.default) {
            (Some(take), _) if !self.is_library => take.ours,
            (None, Default::Known(known)) if !self.is_library => known.ours,
            _ => cell.function.name,
        };
        (name, taken)
    }

    /// The command of a run, with the rules file of a table.
    fn command(&self, directory: &Path, table: &Table) -> Result<(Command, Option<PathBuf>)> {
        let castbench = std::env::current_exe().map_err(Failure::internal)?;
        let mut words = self
            .launch
            .iter()
            .cloned()
            .chain([castbench.into_os_string()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command
            .args(words)
            .arg("measure")
            .arg(directory.join("run.toml"));
        command
            .arg("--out")
            .arg(directory.join("results"))
            .args(["--format", "csv"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        FOLLOW.iter().for_each(|name| {
            command.env_remove(name);
        });
        let dialect = self.dialect().filter(|_| !table.rules.is_empty());
        let Some(dialect) = dialect else {
            return Ok((command, None));
        };
        let path = directory.join("rules");
        output::write(&path, self.rules(dialect, table)?.text.as_bytes())?;
        command.envs(self.follow(dialect, &path));
        Ok((command, Some(path)))
    }

    /// Waits for a run; a request to stop and the deadline end it.
    fn wait(&self, child: &mut Child) -> Result<(), String> {
        let mut is_stopped = false;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(status.to_string()),
                Err(error) => return Err(error.to_string()),
                Ok(None) => {}
            }
            if !is_stopped && (STOP.requested() || Instant::now() > self.deadline) {
                is_stopped = true;
                let _ = Pid::from_raw(child.id().cast_signed())
                    .map(|pid| kill_process(pid, Signal::TERM));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Notes the library, and whether it got the rules file.
    fn check(&mut self, manifest: &Manifest<Configuration>, rules: Option<&Path>) -> Result {
        let Some(launch) = &manifest.mpi else {
            return Ok(());
        };
        self.library = Some(launch.library.clone());
        let refuse = |why: String| Err(Failure::new(Code::Configuration, why));
        let Some(dialect) = self.dialect() else {
            let library = self.library();
            return refuse(format!(
                "the ranks run {library}; `tune` forces algorithms of Open MPI and MPICH only; for another library measure, `castbench fit`, and \
                 `castbench rules write`"
            ));
        };
        if dialect == Dialect::Mpich && self.decisions.is_none() {
            let file = launch.file.as_deref().filter(|file| file.exists());
            let found = file.map(mpich::own).transpose().ok().flatten();
            self.decisions = Some(found.ok_or_else(|| {
                failure!(Configuration, "MPICH's file of rules is a changed copy of its own decisions, which castbench cannot find \
                    here; name them with --base: the libmpich.so that the ranks load, or generic.json of its sources")
            })?);
        }
        let name = match dialect {
            Dialect::Mpich => FOLLOW[2],
            _ => FOLLOW[1].trim_start_matches("OMPI_MCA_"),
        };
        let got = launch.parameters.get(name).map(Path::new);
        if got == rules {
            Ok(())
        } else {
            refuse(format!(
                "the ranks have {} as rules file, not that of this run; the launcher must hand OMPI_MCA_* and MPIR_CVAR_* of its environment to the \
                 ranks, and no option or file may set {name}",
                got.map_or_else(|| "none".to_owned(), |path| format!("`{}`", path.display()))
            ))
        }
    }
}

impl Bench for Processes {
    fn run(&mut self, table: &Table, calls: &[Cell], repetitions: u32) -> Result<Run> {
        let begun = Instant::now();
        let directory = self.scratch.path().join(format!("run-{}", self.runs));
        self.runs += 1;
        fs::create_dir(&directory).map_err(output::unwritten(&directory))?;
        let config = self.configuration(table, calls, repetitions)?;
        output::write(&directory.join("run.toml"), config.as_bytes())?;
        let (mut command, rules) = self.command(&directory, table)?;
        let shown = command.get_program().display().to_string();
        let messages = directory.join("messages");
        let file = File::create(&messages).map_err(output::unwritten(&messages))?;
        let mut child = command.stderr(file).spawn().map_err(|error| {
            let explanation =
                "after `--` write a launcher of the MPI whose mpicc is on the PATH, as in `-- mpirun -n 8`";
            failure!(Measurement, "the command `{shown}` cannot be started: {error}; {explanation}")
        })?;
        if let Err(status) = self.wait(&mut child) {
            return Err(failed(
                &shown,
                &status,
                &messages,
                Instant::now() > self.deadline,
            ));
        }
        let results = Results::open(&directory.join("results"))?;
        let Results {
            manifest,
            directory: read,
            ..
        } = results.ok_or_else(|| failed(&shown, "it wrote no results", &messages, false))?;
        self.hosts = manifest.hosts.len() as u64;
        self.check(&manifest, rules.as_deref())?;
        let rows: Vec<ExecutionRow> =
            listed::rows(&manifest.files, &read, MEASUREMENTS, "tune again")?;
        let mut times = vec![Vec::new(); calls.len()];
        for row in rows {
            let index = row
                .measurement
                .strip_prefix('m')
                .and_then(|index| index.parse::<usize>().ok());
            if let Some(own) = index.and_then(|index| times.get_mut(index)) {
                own.push(row.completion_ns);
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Run {
            times,
            seconds,
            overhead: (seconds - manifest.seconds).max(0.0),
        })
    }
}

/// Why a run failed, with its last messages.
fn failed(command: &str, status: &str, messages: &Path, is_late: bool) -> Failure {
    if STOP.requested() {
        return failure!(Interrupted, "interrupted; nothing was written");
    }
    let text = output::read_text(messages).unwrap_or_default();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = lines[lines.len().saturating_sub(LAST)..].join("\n  ");
    let why = if is_late {
        "it took more than twice the budget; name a longer --budget, or fewer sizes"
    } else {
        status
    };
    failure!(Measurement, "a run of `{command}` failed: {why}\n  {last}")
}
