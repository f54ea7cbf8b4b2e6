//! The positions of the operations in a file.

use super::{GoalError, Of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character of that line, from 1.
    pub column: u32,
}

impl Position {
    pub const START: Self = Self { line: 1, column: 1 };

    pub fn error(self, message: impl Into<String>) -> GoalError {
        GoalError { line: self.line, column: self.column, message: message.into(), of: Of::Text }
    }
}

/// The positions of operations in order, two bytes each in most cases: lines since the previous one, and column.
#[derive(Debug, Default)]
pub(super) struct Positions {
    bytes: Vec<u8>,
    last: u32,
}

impl Positions {
    /// Adds a position, at or after the last one.
    pub fn push(&mut self, Position { line, column }: Position) {
        for mut number in [line - self.last, column] {
            while number >= 128 {
                self.bytes.push(low(number) | 128);
                number >>= 7;
            }
            self.bytes.push(low(number));
        }
        self.last = line;
    }

    /// The positions of all operations.
    pub fn all(&self) -> impl Iterator<Item = Position> {
        let mut bytes = self.bytes.iter();
        let mut number = move || {
            let (mut number, mut shift) = (0u32, 0);
            loop {
                let byte = *bytes.next()?;
                number |= u32::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    return Some(number);
                }
            }
        };
        let mut line = 0;
        std::iter::from_fn(move || {
            line += number()?;
            Some(Position { line, column: number()? })
        })
    }

    /// The position of an operation. Cost: linear in the operations before it.
    pub fn get(&self, operation: u32) -> Option<Position> {
        self.all().nth(operation as usize)
    }
}

fn low(number: u32) -> u8 {
    (number & 127) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written() {
        let mut positions = Positions::default();
        let all = [(1, 1), (1, 127), (2, 128), (130, 20_000), (130, 1), (3_000_000_000, u32::MAX), (u32::MAX, 5)];
        let all = all.map(|(line, column)| Position { line, column });
        all.iter().for_each(|&position| positions.push(position));
        for (operation, position) in (0..).zip(all) {
            assert_eq!(positions.get(operation), Some(position));
        }
        assert_eq!(positions.get(7), None);
    }
}
