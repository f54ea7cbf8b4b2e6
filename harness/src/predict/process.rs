//! What the model leaves of measured times, as a Gaussian process over bytes and ranks.
//!
//! Residuals of one collective are alike, those of one algorithm more so, and more the nearer bytes and ranks are.

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;

use super::linear::{Columns, Matrix, dot};

/// Length along the logarithm of bytes.
const BYTES: f64 = 2.2;
/// Length along the logarithms of nodes, and of the ranks of a node.
const RANKS: f64 = 2.5;
/// What only calls on equal nodes have in common, because they are of one job: a share of the variance.
const JOB: f64 = 0.2;
/// Standard deviation of a measurement.
const NOISE: f64 = 0.12;
/// Its variance.
pub const VARIANCE: f64 = NOISE * NOISE;
/// Standard deviations on either side that hold 90 % of a normal distribution.
pub const NINETY: f64 = 1.645;

/// Where a residual is. Equal numbers of collectives and algorithms are equal ones.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The number of its collective.
    pub collective: usize,
    /// The number of its algorithm among those of all collectives.
    pub algorithm: usize,
    /// The logarithm of its bytes.
    pub log_bytes: f64,
    /// The logarithm of its nodes.
    pub log_nodes: f64,
    /// The logarithm of the ranks of a node.
    pub log_node: f64,
    /// The standard deviation that the collective has in common, and the algorithm beside it.
    pub deviation: f64,
}

/// The covariance of two residuals before any is measured.
pub fn covariance(one: &Site, other: &Site) -> f64 {
    if one.collective != other.collective {
        return 0.0;
    }
    let [bytes, nodes, node] = [
        (one.log_bytes - other.log_bytes) / BYTES,
        (one.log_nodes - other.log_nodes) / RANKS,
        (one.log_node - other.log_node) / RANKS,
    ];
    let common = if one.algorithm == other.algorithm {
        2.0
    } else {
        1.0
    };
    let job = if (nodes, node) == (0.0, 0.0) {
        1.0
    } else {
        (1.0 - JOB) * (-0.5 * (nodes * nodes + node * node)).exp()
    };
    (-0.5 * bytes * bytes).exp() * job * common * one.deviation * other.deviation
}

/// A process with its measured residuals: a part for each collective, because residuals of different ones are independent.
#[derive(Debug)]
pub struct Process(Vec<Part>);

/// What the factors of a covariance may leave open on its diagonal, of variances near 0.1.
const OPEN: f64 = 1e-10;

#[derive(Debug)]
struct Part {
    /// The numbers of its residuals among all.
    numbers: Vec<usize>,
    sites: Vec<Site>,
    /// The inverse of the covariance with noise is 1 less the product of these with their transpose, over the noise.
    columns: Columns,
    weights: Vec<f64>,
}

/// A residual and what all others of its collective say.
#[derive(Debug, Clone, Copy)]
pub struct Surprise {
    /// Its number among all.
    pub number: usize,
    /// How far it is from what they say, in standard deviations of that.
    pub deviations: f64,
    /// Measured less predicted.
    pub error: f64,
}

/// Residuals that were predicted without them.
pub struct LeftOut<'a> {
    /// Their numbers.
    pub numbers: Vec<usize>,
    /// Measured less predicted.
    pub errors: Vec<f64>,
    /// What two of the errors, by their index here, were expected to have in common.
    pub covariance: Box<dyn Fn(usize, usize) -> f64 + 'a>,
}

impl Process {
    /// A process of these residuals; their number times the square of the number of columns, some 20 for each algorithm and number of nodes.
    pub fn new(residuals: &[(Site, f64)]) -> Self {
        let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, (site, _)) in residuals.iter().enumerate() {
            of.entry(site.collective).or_default().push(number);
        }
        Self(
            of.into_values()
                .map(|numbers| Part::new(residuals, numbers))
                .collect(),
        )
    }

    /// The mean of a sum of measured residuals, each times a factor, and its variance. All are of one collective.
    pub fn at(&self, sum: &[(f64, Site)]) -> (f64, f64) {
        let all = |(one, site): &(f64, Site)| -> f64 {
            sum.iter()
                .map(|(other, of)| one * other * covariance(site, of))
                .sum::<f64>()
                + one * one * VARIANCE
        };
        let (mean, known) = self
            .0
            .iter()
            .find(|part| part.sites[0].collective == sum[0].1.collective)
            .map_or((0.0, 0.0), |part| part.at(sum));
        (
            mean,
            (sum.iter().map(all).sum::<f64>() - known).max(VARIANCE),
        )
    }

    /// How far each residual is from what all others of its collective say.
    pub fn surprises(&self) -> Vec<Surprise> {
        let of = |part: &Part, at: usize| {
            let precision = (1.0 - part.columns.product(at, at)) / VARIANCE;
            Surprise {
                number: part.numbers[at],
                deviations: (part.weights[at] / precision.sqrt()).abs(),
                error: part.weights[at] / precision,
            }
        };
        let parts = self.0.iter();
        parts
            .flat_map(|part| (0..part.sites.len()).map(move |at| of(part, at)))
            .collect()
    }

    /// The residuals with each `key` of a collective, predicted from the others of the collective; none where there is one key.
    pub fn left_out(&self, key: impl Fn(&Site) -> f64) -> Vec<LeftOut<'_>> {
        let mut all = Vec::new();
        for part in &self.0 {
            let sites = &part.sites;
            let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for (at, site) in sites.iter().enumerate() {
                groups.entry(key(site).to_bits()).or_default().push(at);
            }
            let groups = groups
                .into_values()
                .filter(|group| group.len() < sites.len());
            all.extend(groups.map(|group| part.left_out(group)));
        }
        all
    }
}

impl Part {
    fn new(residuals: &[(Site, f64)], numbers: Vec<usize>) -> Self {
        let (sites, values): (Vec<Site>, Vec<f64>) =
            numbers.iter().map(|&number| residuals[number]).unzip();
        let columns = Columns::new(
            sites.len(),
            |row, column| covariance(&sites[row], &sites[column]),
            OPEN,
        )
        .over(VARIANCE, 1.0);
        let taken = columns.square_times(&values);
        let weights = values
            .iter()
            .zip(taken)
            .map(|(value, taken)| (value - taken) / VARIANCE)
            .collect();
        Self {
            numbers,
            sites,
            columns,
            weights,
        }
    }

    /// These residuals, predicted from all others.
    fn left_out(&self, indices: Vec<usize>) -> LeftOut<'_> {
        let weights: Vec<f64> = indices.iter().map(|&index| self.weights[index]).collect();
        let numbers = indices.iter().map(|&index| self.numbers[index]).collect();
        if indices.len() <= self.columns.count() {
            let covariance = Matrix::new(indices.len(), |row, column| {
                let one = if row == column { 1.0 } else { 0.0 };
                (one - self.columns.product(indices[row], indices[column])) / VARIANCE
            })
            .inverse();
            return LeftOut {
                numbers,
                errors: covariance.times(&weights),
                covariance: Box::new(move |one, other| covariance[(one, other)]),
            };
        }
        // The inverse of 1 less few columns is 1 and as many.
        let columns = self.columns.rows(&indices).over(1.0, -1.0);
        let more = columns.square_times(&weights);
        let errors = weights.iter().zip(more);
        LeftOut {
            numbers,
            errors: errors
                .map(|(weight, more)| VARIANCE * (weight + more))
                .collect(),
            covariance: Box::new(move |one, other| {
                let own = if one == other { 1.0 } else { 0.0 };
                VARIANCE * (own + columns.product(one, other))
            }),
        }
    }

    /// The mean of a sum of residuals, and the variance that the measured ones explain.
    fn at(&self, sum: &[(f64, Site)]) -> (f64, f64) {
        let near = |known: &Site| {
            sum.iter()
                .map(|(factor, site)| factor * covariance(site, known))
                .sum()
        };
        let near: Vec<f64> = self.sites.iter().map(near).collect();
        let along = self.columns.along(&near);
        (
            dot(&near, &self.weights),
            (dot(&near, &near) - dot(&along, &along)) / VARIANCE,
        )
    }
}

/// The probability that a standard normal number is below z, within 1e-7: Abramowitz and Stegun, 7.1.26.
pub fn below(z: f64) -> f64 {
    let x = z.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let tail = 0.5 * t * terms.into_iter().fold(0.0, |sum, term| sum * t + term) * (-x * x).exp();
    if z > 0.0 { 1.0 - tail } else { tail }
}

/// The value that this share of the values do not exceed, between two of them if need be. NaN without values.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = share * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most the number of values"
    )]
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    values[below] + (at - at.floor()) * (values[above] - values[below])
}
