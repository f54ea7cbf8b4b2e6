//! What the model leaves of measured times, as a Gaussian process over bytes and ranks.
//!
//! Residuals of one collective are alike, those of one algorithm more so, and more the nearer bytes and ranks are.

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;

use rayon::prelude::*;

use super::features::COUNT;
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
    /// The shares of the parameters in the modelled time.
    pub shares: [f64; COUNT],
    /// The standard deviation that the collective has in common, and the algorithm beside it.
    pub deviation: f64,
}

/// What residuals have in common whose bytes are so far apart, as logarithms: a share.
pub fn in_common(bytes: f64) -> f64 {
    (-0.5 * (bytes / BYTES).powi(2)).exp()
}

/// The covariance of two residuals before any is measured.
pub fn covariance(one: &Site, other: &Site) -> f64 {
    if one.collective != other.collective {
        return 0.0;
    }
    let [nodes, node] = [
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
    let bytes = in_common(one.log_bytes - other.log_bytes);
    bytes * job * common * one.deviation * other.deviation
}

/// A process with its measured residuals: a part for each collective, because residuals of different ones are independent.
///
/// The parameters of the model are as uncertain as the residuals leave them: many times with the same error say no more of a parameter than one.
#[derive(Debug)]
pub struct Process {
    parts: Vec<Part>,
    /// The covariance of the logarithms of the parameters.
    pub parameters: Matrix,
}

/// What the factors of a covariance may leave open on its diagonal, of variances near 0.1.
const OPEN: f64 = 1e-10;

#[derive(Debug)]
struct Part {
    /// The numbers of its residuals among all.
    numbers: Vec<usize>,
    sites: Vec<Site>,
    /// The inverse of the covariance with noise is 1 less the product of these with their transpose, over the noise.
    columns: Columns,
    /// The same if the parameters of the model are as uncertain as they are.
    uncertain: Columns,
    /// The inverse of the covariance times the shares of each parameter.
    slopes: Vec<Vec<f64>>,
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
    pub covariance: Box<dyn Fn(usize, usize) -> f64 + Send + 'a>,
}

impl Process {
    /// A process of these residuals, with the inverse of the covariance of parameters before any measurement; their number times the square of
    /// the number of columns, some 20 for each algorithm and number of nodes.
    pub fn new(residuals: &[(Site, f64)], precision: &Matrix) -> Self {
        let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, (site, _)) in residuals.iter().enumerate() {
            of.entry(site.collective).or_default().push(number);
        }
        let mut parts: Vec<Part> = of
            .into_par_iter()
            .map(|(_, numbers)| Part::new(residuals, numbers))
            .collect();
        let parameters = Matrix::new(COUNT, |row, column| {
            let known = parts.iter().map(|part| part.says(row, column));
            precision[(row, column)] + known.sum::<f64>()
        })
        .inverse();
        let root = parameters.clone().root();
        for part in &mut parts {
            part.uncertain = part.columns.with(&part.slopes, &root, VARIANCE.sqrt());
        }
        Self { parts, parameters }
    }

    /// The mean of a sum of measured residuals, each times a factor, and its variance. All are of one collective.
    pub fn at(&self, sum: &[(f64, Site)]) -> (f64, f64) {
        let all = |(one, site): &(f64, Site)| -> f64 {
            sum.iter()
                .map(|(other, of)| one * other * covariance(site, of))
                .sum::<f64>()
                + one * one * VARIANCE
        };
        let mut shares = [0.0; COUNT];
        for (factor, site) in sum {
            let own = shares.iter_mut().zip(site.shares);
            own.for_each(|(all, own)| *all += factor * own);
        }
        let (mean, known) = self
            .parts
            .iter()
            .find(|part| part.sites[0].collective == sum[0].1.collective)
            .map_or((0.0, 0.0), |part| part.at(sum, &shares, &self.parameters));
        let before = sum.iter().map(all).sum::<f64>() + self.parameters.between(&shares, &shares);
        (mean, (before - known).max(VARIANCE))
    }

    /// The covariance of the logarithms of the parameters if a collective had not been measured.
    pub fn without(&self, collective: usize) -> Matrix {
        let part = self
            .parts
            .iter()
            .find(|part| part.sites[0].collective == collective);
        let precision = self.parameters.clone().inverse();
        let known = |row, column| part.map_or(0.0, |part| part.says(row, column));
        Matrix::new(COUNT, |row, column| {
            precision[(row, column)] - known(row, column)
        })
        .inverse()
    }

    /// How far each residual is from what all others of its collective say.
    pub fn surprises(&self) -> Vec<Surprise> {
        let of = |part: &Part, at: usize| {
            let [precision, uncertain] = [&part.columns, &part.uncertain]
                .map(|columns| (1.0 - columns.product(at, at)) / VARIANCE);
            let error = part.weights[at] / precision;
            Surprise {
                number: part.numbers[at],
                deviations: error.abs() * uncertain.sqrt(),
                error,
            }
        };
        let parts = self.parts.iter();
        parts
            .flat_map(|part| (0..part.sites.len()).map(move |at| of(part, at)))
            .collect()
    }

    /// The residuals with each `key` of a collective, predicted from the others of the collective; none where there is one key.
    pub fn left_out(&self, key: impl Fn(&Site) -> f64) -> Vec<LeftOut<'_>> {
        let mut all = Vec::new();
        for part in &self.parts {
            let sites = &part.sites;
            let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for (at, site) in sites.iter().enumerate() {
                groups.entry(key(site).to_bits()).or_default().push(at);
            }
            let groups = groups
                .into_values()
                .filter(|group| group.len() < sites.len());
            all.extend(groups.map(|group| (part, group)));
        }
        all.into_par_iter()
            .map(|(part, group)| part.left_out(group))
            .collect()
    }
}

/// The inverse of a part of an inverse covariance.
enum Block {
    Whole(Matrix),
    /// The inverse of 1 less few columns is 1 and as many.
    Few(Columns),
}

impl Block {
    fn new(columns: &Columns, indices: &[usize]) -> Self {
        if indices.len() > columns.count() {
            return Self::Few(columns.rows(indices).over(1.0, -1.0));
        }
        let rows: Vec<Vec<f64>> = indices.iter().map(|&row| columns.row(row)).collect();
        let entry = |row: usize, column: usize| {
            let one = if row == column { 1.0 } else { 0.0 };
            (one - dot(&rows[row], &rows[column])) / VARIANCE
        };
        Self::Whole(Matrix::new(indices.len(), entry).inverse())
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        match self {
            Self::Whole(matrix) => matrix.times(vector),
            Self::Few(columns) => {
                let own = vector.iter().zip(columns.square_times(vector));
                own.map(|(value, more)| VARIANCE * (value + more)).collect()
            }
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Whole(matrix) => matrix[(row, column)],
            Self::Few(columns) => {
                let one = if row == column { 1.0 } else { 0.0 };
                VARIANCE * (one + columns.product(row, column))
            }
        }
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
        let slope = |parameter: usize| -> Vec<f64> {
            let shares: Vec<f64> = sites.iter().map(|site| site.shares[parameter]).collect();
            let taken = columns.square_times(&shares);
            let slope = shares.iter().zip(taken);
            slope
                .map(|(share, taken)| (share - taken) / VARIANCE)
                .collect()
        };
        Self {
            slopes: (0..COUNT).map(slope).collect(),
            numbers,
            sites,
            uncertain: Columns::default(),
            columns,
            weights,
        }
    }

    /// What its residuals say of two parameters.
    fn says(&self, row: usize, column: usize) -> f64 {
        let own = self.sites.iter().zip(&self.slopes[row.max(column)]);
        own.map(|(site, slope)| site.shares[row.min(column)] * slope)
            .sum()
    }

    /// These residuals, predicted from all others.
    fn left_out(&self, indices: Vec<usize>) -> LeftOut<'_> {
        let weights: Vec<f64> = indices.iter().map(|&index| self.weights[index]).collect();
        let numbers = indices.iter().map(|&index| self.numbers[index]).collect();
        let uncertain = Block::new(&self.uncertain, &indices);
        LeftOut {
            numbers,
            errors: Block::new(&self.columns, &indices).times(&weights),
            covariance: Box::new(move |one, other| uncertain.at(one, other)),
        }
    }

    /// The mean of a sum of residuals with these shares of the parameters, and the variance that the measured ones explain.
    fn at(&self, sum: &[(f64, Site)], shares: &[f64], parameters: &Matrix) -> (f64, f64) {
        let near = |known: &Site| {
            sum.iter()
                .map(|(factor, site)| factor * covariance(site, known))
                .sum()
        };
        let near: Vec<f64> = self.sites.iter().map(near).collect();
        let along = self.uncertain.along(&near);
        let slopes: Vec<f64> = self.slopes.iter().map(|slope| dot(slope, &near)).collect();
        (
            dot(&near, &self.weights),
            (dot(&near, &near) - dot(&along, &along)) / VARIANCE
                + 2.0 * parameters.between(shares, &slopes),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The variance of a new time is that of a process whose covariance has the parameters in it.
    #[test]
    fn parameters_are_known_as_far_as_correlated_residuals_tell() {
        let site = |number: usize| Site {
            collective: number % 2,
            algorithm: number % 3,
            log_bytes: number as f64,
            log_nodes: 2.0 + (number % 4) as f64,
            log_node: 0.0,
            shares: std::array::from_fn(|at| {
                f64::from(u8::from(at % 5 == number % 5)) / (1 + at) as f64
            }),
            deviation: 0.2,
        };
        let residuals: Vec<(Site, f64)> = (0..12).map(|number| (site(number), 0.1)).collect();
        let prior =
            |row: usize, column: usize| 0.3 + if row == column { 1.0 + row as f64 } else { 0.0 };
        let process = Process::new(&residuals, &Matrix::new(COUNT, prior).inverse());
        let before = Matrix::new(COUNT, prior);
        let all = |one: &Site, other: &Site| {
            covariance(one, other) + before.between(&one.shares, &other.shares)
        };
        let known = Matrix::new(residuals.len(), |row, column| {
            let noise = if row == column { VARIANCE } else { 0.0 };
            all(&residuals[row].0, &residuals[column].0) + noise
        });
        let own = site(17);
        let near: Vec<f64> = residuals.iter().map(|(site, _)| all(site, &own)).collect();
        let expected = all(&own, &own) + VARIANCE - known.inverse().between(&near, &near);
        let variance = process.at(&[(1.0, own)]).1;
        assert!((variance - expected).abs() < 1e-6, "{variance} {expected}");
    }
}
