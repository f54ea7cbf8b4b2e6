//! Fits the parameters of a machine to measured times.
//!
//! The loss is pseudo-Huber on the logarithm of the error, with normal priors on the logarithms of the parameters. Critical
//! paths and parameters are found in turns: the paths at present parameters, then by Gauss-Newton with Levenberg's damping the
//! parameters on these paths. The eager limit is the one of a few with the least loss.

use super::features::{COUNT, Counts, FLAT, GROUPS, Model, PARAMETERS};
use super::linear::Matrix;
use super::programs::{Call, Program};

/// A measured time.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// What ran.
    pub program: Program,
    /// On which ranks and bytes.
    pub call: Call,
    /// The logarithm of the ns that it took.
    pub log_ns: f64,
}

/// Parameters of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// In the order of [`PARAMETERS`].
    pub values: [f64; COUNT],
    /// Longer messages wait for their receiver, bytes.
    pub eager: f64,
}

impl Parameters {
    /// Counts of a call on its critical path.
    pub fn counts(&self, program: Program, call: &Call) -> Counts {
        program(
            &Model::new(self.values, self.eager, call.node, call.ranks),
            call,
        )
    }

    /// The logarithm of the ns of a call.
    pub fn log_ns(&self, program: Program, call: &Call) -> f64 {
        self.counts(program, call).time(&self.values).ln()
    }
}

/// Errors well above this share count by their size, not by its square.
const HUBER: f64 = 0.15;
/// The eager limits that are compared, the most usual one first.
pub const EAGER: [f64; 12] = [
    8192.0,
    4096.0,
    16384.0,
    2048.0,
    1024.0,
    65536.0,
    32768.0,
    512.0,
    131_072.0,
    262_144.0,
    524_288.0,
    1_048_576.0,
];

type Logs = [f64; COUNT];

struct Objective<'a> {
    samples: &'a [Sample],
    /// The inverse of the covariance of the logarithms before any measurement.
    precision: Matrix,
    /// The parameters before this one are known.
    first: usize,
}

struct Found {
    loss: f64,
    logs: Logs,
}

fn medians() -> Logs {
    std::array::from_fn(|index| PARAMETERS[index].median.ln())
}

fn covariance(row: usize, column: usize) -> f64 {
    let (one, other) = (&PARAMETERS[row], &PARAMETERS[column]);
    let common = one
        .group
        .filter(|_| one.group == other.group)
        .map_or(0.0, |group| GROUPS[group] * GROUPS[group]);
    common
        + if row == column {
            one.deviation * one.deviation
        } else {
            0.0
        }
}

/// The inverse of the covariance of the logarithms of the parameters before any measurement.
pub fn precision() -> Matrix {
    Matrix::new(COUNT, covariance).inverse()
}

/// Parameters that were fitted to more samples than these, fitted again.
pub fn again(samples: &[Sample], parameters: &Parameters) -> Parameters {
    let (samples, shared) = apart(samples);
    let begin = parameters.values.map(f64::ln);
    let found = Objective::new(&samples).at(parameters.eager, begin, 2);
    with_shared(&shared, parameters.eager, found.logs)
}

/// Two groups of samples: those that all parameters are fitted to, and those that are fitted only to what several ranks of a node share. If
/// enough samples have one rank per node, they are the first group, because the others would change what these say.
fn apart(samples: &[Sample]) -> (Vec<Sample>, Vec<Sample>) {
    let (alone, shared): (Vec<Sample>, Vec<Sample>) =
        samples.iter().partition(|sample| sample.call.node == 1);
    if alone.len() < FLAT {
        return (samples.to_vec(), Vec::new());
    }
    (alone, shared)
}

/// Fits the parameters that several ranks of a node share; the others are known, as these logarithms.
fn with_shared(shared: &[Sample], eager: f64, mut logs: Logs) -> Parameters {
    if !shared.is_empty() {
        let fit = Objective {
            first: FLAT,
            ..Objective::new(shared)
        };
        logs = fit.at(eager, logs, 5).logs;
    }
    Parameters {
        values: logs.map(f64::exp),
        eager,
    }
}

/// The parameters that fit best, with one of these eager limits.
pub fn fit(samples: &[Sample], eager: &[f64]) -> Parameters {
    let (samples, shared) = apart(samples);
    let fit = Objective::new(&samples);
    let mut best: Option<(Found, f64)> = None;
    for &eager in eager {
        let (begin, rounds) = best
            .as_ref()
            .map_or((medians(), 5), |(found, _)| (found.logs, 2));
        let found = fit.at(eager, begin, rounds);
        if best
            .as_ref()
            .is_none_or(|(least, _)| found.loss < least.loss)
        {
            best = Some((found, eager));
        }
    }
    let (found, eager) = best.map_or((medians(), EAGER[0]), |(found, eager)| (found.logs, eager));
    with_shared(&shared, eager, fit.at(eager, found, 5).logs)
}

impl<'a> Objective<'a> {
    fn new(samples: &'a [Sample]) -> Self {
        Self {
            samples,
            precision: precision(),
            first: 0,
        }
    }

    /// Counts on the critical paths at these logarithms.
    fn paths(&self, eager: f64, logs: &Logs) -> Vec<Counts> {
        let values = logs.map(f64::exp);
        self.samples
            .iter()
            .map(|Sample { program, call, .. }| {
                program(&Model::new(values, eager, call.node, call.ranks), call)
            })
            .collect()
    }

    /// The least loss of some rounds, which need not decrease it.
    fn at(&self, eager: f64, mut logs: Logs, rounds: usize) -> Found {
        let mut best: Option<Found> = None;
        for _ in 0..=rounds {
            let counts = self.paths(eager, &logs);
            let loss = self.loss(&counts, &logs);
            if let Some(least) = best.as_ref().filter(|least| loss > 0.999 * least.loss) {
                if loss < least.loss {
                    best = Some(Found { loss, logs });
                }
                break;
            }
            best = Some(Found { loss, logs });
            logs = self.improve(&counts, logs);
        }
        best.unwrap_or(Found {
            loss: f64::INFINITY,
            logs,
        })
    }

    /// The logarithms of predicted over measured times.
    fn errors(&self, counts: &[Counts], logs: &Logs) -> Vec<f64> {
        let values = logs.map(f64::exp);
        self.samples
            .iter()
            .zip(counts)
            .map(|(sample, counts)| counts.time(&values).ln() - sample.log_ns)
            .collect()
    }

    fn loss(&self, counts: &[Counts], logs: &Logs) -> f64 {
        let misfit: f64 = self
            .errors(counts, logs)
            .iter()
            .map(|error| (error / HUBER).hypot(1.0) - 1.0)
            .sum();
        let away = away(logs);
        misfit + 0.5 * self.precision.between(&away, &away)
    }

    /// The curvature of the loss on fixed paths, and its slope.
    fn curvature(&self, counts: &[Counts], logs: &Logs) -> (Matrix, Vec<f64>) {
        let values = logs.map(f64::exp);
        let mut curvature = self.precision.clone();
        let mut slope = curvature.times(&away(logs));
        for known in 0..self.first {
            slope[known] = 0.0;
            for other in (0..COUNT).filter(|&other| other != known) {
                curvature[(known, other)] = 0.0;
                curvature[(other, known)] = 0.0;
            }
        }
        for (counts, error) in counts.iter().zip(self.errors(counts, logs)) {
            let share = counts.shares(&values);
            let weight = 1.0 / ((error / HUBER).hypot(1.0) * HUBER * HUBER);
            // Most parameters have no share.
            let used: Vec<usize> = (self.first..COUNT)
                .filter(|&index| share[index] != 0.0)
                .collect();
            for &row in &used {
                slope[row] += weight * error * share[row];
                for &column in &used {
                    curvature[(row, column)] += weight * share[row] * share[column];
                }
            }
        }
        (curvature, slope)
    }

    fn improve(&self, counts: &[Counts], mut logs: Logs) -> Logs {
        let (mut damping, mut loss) = (1e-2, self.loss(counts, &logs));
        for _ in 0..30 {
            let (curvature, slope) = self.curvature(counts, &logs);
            let damped = |damping: f64| {
                let step = Matrix::new(COUNT, |row, column| {
                    curvature[(row, column)] * if row == column { 1.0 + damping } else { 1.0 }
                })
                .inverse()
                .times(&slope);
                std::array::from_fn(|index| logs[index] - step[index].clamp(-2.0, 2.0))
            };
            let mut next = None;
            for _ in 0..8 {
                let tried = damped(damping);
                let less = self.loss(counts, &tried);
                if less < loss {
                    next = Some((tried, less));
                    break;
                }
                damping *= 8.0;
            }
            let Some((better, less)) = next else { break };
            let is_done = loss - less < 1e-4 * loss.max(1.0);
            (logs, loss, damping) = (better, less, (damping / 5.0).max(1e-6));
            if is_done {
                break;
            }
        }
        logs
    }
}

fn away(logs: &Logs) -> Logs {
    let medians = medians();
    std::array::from_fn(|index| logs[index] - medians[index])
}
