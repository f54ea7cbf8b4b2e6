//! Symmetric positive definite matrices, as a whole or as a product of few columns.

use std::ops::{Index, IndexMut};

/// A square matrix, row by row.
#[derive(Debug, Clone)]
pub struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// The matrix with these entries.
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let entries = (0..size * size)
            .map(|at| entry(at / size, at % size))
            .collect();
        Self { size, entries }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// The product with a vector on both sides.
    pub fn between(&self, one: &[f64], other: &[f64]) -> f64 {
        dot(one, &self.times(other))
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size)
            .map(|row| dot(self.row(row), vector))
            .collect()
    }

    /// The lower triangle whose product with its transpose is this symmetric positive definite matrix, after Cholesky.
    pub fn root(mut self) -> Self {
        for row in 0..self.size {
            for column in 0..=row {
                let rest = self[(row, column)]
                    - dot(&self.row(row)[..column], &self.row(column)[..column]);
                // Rounding may leave a matrix that is all but singular with a pivot below zero.
                let pivot = || rest.max(f64::MIN_POSITIVE).sqrt();
                self[(row, column)] = if row == column {
                    pivot()
                } else {
                    rest / self[(column, column)]
                };
            }
        }
        self
    }

    /// The inverse of a symmetric positive definite matrix; `size` cubed / 1.5 multiplications.
    pub fn inverse(self) -> Self {
        let size = self.size;
        let root = self.root();
        let mut lower = Self::new(size, |row, column| f64::from(u8::from(row == column)));
        for row in 0..size {
            let (above, own) = lower.entries.split_at_mut(row * size);
            for before in 0..row {
                add(
                    &mut own[..=before],
                    -root[(row, before)],
                    &above[before * size..][..=before],
                );
            }
            let pivot = root[(row, row)];
            own[..=row].iter_mut().for_each(|entry| *entry /= pivot);
        }
        let mut inverse = Self::new(size, |_, _| 0.0);
        for row in 0..size {
            for column in 0..=row {
                let factor = lower[(row, column)];
                add(
                    &mut inverse.entries[column * size..][..=column],
                    factor,
                    &lower.row(row)[..=column],
                );
            }
        }
        Self::new(size, |row, column| {
            inverse[(row.max(column), row.min(column))]
        })
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[row * self.size + column]
    }
}

/// Columns of equal length. A smooth covariance of many points is the product of few columns with their transpose, so that
/// nothing here takes the cube of the number of points.
#[derive(Debug, Default)]
pub struct Columns(Vec<Vec<f64>>);

impl Columns {
    /// The columns whose product with their transpose is a symmetric positive definite matrix, up to `open` on its diagonal:
    /// Cholesky, the largest pivot first. The length times the square of the number of columns / 2 multiplications.
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> f64, open: f64) -> Self {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut left: Vec<f64> = (0..size).map(|at| entry(at, at)).collect();
        while let Some(pivot) = (0..size).max_by(|&one, &other| left[one].total_cmp(&left[other])) {
            if left[pivot] <= open {
                break;
            }
            let mut column: Vec<f64> = (0..size).map(|at| entry(at, pivot)).collect();
            columns
                .iter()
                .for_each(|before| add(&mut column, -before[pivot], before));
            let root = left[pivot].sqrt();
            column.iter_mut().for_each(|value| *value /= root);
            left.iter_mut()
                .zip(&column)
                .for_each(|(left, value)| *left -= value * value);
            left[pivot] = 0.0;
            columns.push(column);
        }
        Self(columns)
    }

    /// The columns `W` with `W W^T = C (D + sign C^T C)^-1 C^T`, where `C` are these columns and `D` is a multiple of one.
    pub fn over(mut self, diagonal: f64, sign: f64) -> Self {
        let entry = |row: usize, column: usize| {
            let product = if column <= row {
                sign * dot(&self.0[row], &self.0[column])
            } else {
                0.0
            };
            product + if row == column { diagonal } else { 0.0 }
        };
        let root = Matrix::new(self.0.len(), entry).root();
        for at in 0..self.0.len() {
            let (before, own) = self.0.split_at_mut(at);
            before
                .iter()
                .zip(root.row(at))
                .for_each(|(column, factor)| add(&mut own[0], -factor, column));
            own[0].iter_mut().for_each(|value| *value /= root[(at, at)]);
        }
        self
    }

    /// These columns, and others times a lower triangle and a factor.
    pub fn with(&self, others: &[Vec<f64>], lower: &Matrix, factor: f64) -> Self {
        let mut all = self.0.clone();
        for at in 0..others.len() {
            let mut sum = vec![0.0; others[at].len()];
            for (row, column) in others.iter().enumerate().skip(at) {
                add(&mut sum, factor * lower[(row, at)], column);
            }
            all.push(sum);
        }
        Self(all)
    }

    /// These rows of the columns.
    pub fn rows(&self, indices: &[usize]) -> Self {
        Self(
            self.0
                .iter()
                .map(|column| indices.iter().map(|&row| column[row]).collect())
                .collect(),
        )
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The product of two rows.
    pub fn product(&self, one: usize, other: usize) -> f64 {
        self.0
            .iter()
            .map(|column| column[one] * column[other])
            .sum()
    }

    /// A row.
    pub fn row(&self, row: usize) -> Vec<f64> {
        self.0.iter().map(|column| column[row]).collect()
    }

    /// The product of the transpose with a vector.
    pub fn along(&self, vector: &[f64]) -> Vec<f64> {
        self.0.iter().map(|column| dot(column, vector)).collect()
    }

    /// The product of the columns and their transpose with a vector.
    pub fn square_times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; vector.len()];
        self.0
            .iter()
            .zip(self.along(vector))
            .for_each(|(column, factor)| add(&mut product, factor, column));
        product
    }
}

/// The scalar product.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    let ((ones, one), (others, other)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    // One sum would wait for each of its additions.
    let mut sums = [0.0; 8];
    for (one, other) in ones.iter().zip(others) {
        for at in 0..8 {
            sums[at] += one[at] * other[at];
        }
    }
    let rest = one.iter().zip(other).map(|(one, other)| one * other);
    sums.into_iter().chain(rest).sum()
}

fn add(to: &mut [f64], factor: f64, of: &[f64]) {
    for (to, of) in to.iter_mut().zip(of) {
        *to += factor * of;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hilbert(row: usize, column: usize) -> f64 {
        1.0 / (1 + row + column) as f64
    }

    fn one(row: usize, column: usize) -> f64 {
        f64::from(u8::from(row == column))
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = Matrix::new(9, |row, column| {
            hilbert(row, column) + 0.5 * one(row, column)
        });
        let inverse = matrix.clone().inverse();
        for row in 0..9 {
            let product = matrix.times(inverse.row(row));
            assert!((0..9).all(|column| (product[column] - one(row, column)).abs() < 1e-12));
        }
    }

    /// A Hilbert matrix of 60 rows is the product of fewer than 20 columns, and with noise has this inverse.
    #[test]
    fn few_columns_hold_a_smooth_matrix() {
        let columns = Columns::new(60, hilbert, 1e-13);
        assert!(columns.count() < 20, "{}", columns.count());
        let near =
            |row, column| (columns.product(row, column) - hilbert(row, column)).abs() < 1e-12;
        assert!((0..60).all(|row| (0..60).all(|column| near(row, column))));
        let inverse = Matrix::new(60, |row, column| {
            hilbert(row, column) + 0.25 * one(row, column)
        })
        .inverse();
        let over = columns.over(0.25, 1.0);
        let found = |row, column| (one(row, column) - over.product(row, column)) / 0.25;
        assert!(
            (0..60).all(|row| (0..60).all(|at| (found(row, at) - inverse[(row, at)]).abs() < 1e-9))
        );
    }
}
