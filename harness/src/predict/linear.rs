//! Symmetric positive definite matrices.

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
        let entries = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        Self { size, entries }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| dot(self.row(row), vector)).collect()
    }

    /// The inverse of a symmetric positive definite matrix, after Cholesky; `size` cubed / 1.5 multiplications.
    pub fn inverse(mut self) -> Self {
        let size = self.size;
        for row in 0..size {
            for column in 0..=row {
                let rest = self[(row, column)] - dot(&self.row(row)[..column], &self.row(column)[..column]);
                // Rounding may leave a matrix that is all but singular with a pivot below zero.
                let pivot = || rest.max(f64::MIN_POSITIVE).sqrt();
                self[(row, column)] = if row == column { pivot() } else { rest / self[(column, column)] };
            }
        }
        let mut lower = Self::new(size, |row, column| f64::from(u8::from(row == column)));
        for row in 0..size {
            let (above, own) = lower.entries.split_at_mut(row * size);
            for before in 0..row {
                add(&mut own[..=before], -self[(row, before)], &above[before * size..][..=before]);
            }
            let pivot = self[(row, row)];
            own[..=row].iter_mut().for_each(|entry| *entry /= pivot);
        }
        let mut inverse = Self::new(size, |_, _| 0.0);
        for row in 0..size {
            for column in 0..=row {
                let factor = lower[(row, column)];
                add(&mut inverse.entries[column * size..][..=column], factor, &lower.row(row)[..=column]);
            }
        }
        Self::new(size, |row, column| inverse[(row.max(column), row.min(column))])
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

/// The scalar product.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(to: &mut [f64], factor: f64, of: &[f64]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to += factor * of);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix =
            Matrix::new(9, |row, column| 1.0 / (1 + row + column) as f64 + if row == column { 0.5 } else { 0.0 });
        let inverse = matrix.clone().inverse();
        for row in 0..9 {
            let product = matrix.times(inverse.row(row));
            assert!((0..9).all(|column| (product[column] - f64::from(u8::from(row == column))).abs() < 1e-12));
        }
    }
}
