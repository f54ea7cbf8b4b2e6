//! Words, numbers and signs of a GOAL file, and where they stand.

use super::GoalError;

/// A place in the text, small enough to be kept for every operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    /// The line, from 1.
    pub line: u32,
    /// Bytes before it in that line.
    column: u32,
}

impl Position {
    pub const START: Self = Self { line: 1, column: 0 };

    /// A mistake at this place.
    pub fn error(self, text: &[u8], message: String) -> GoalError {
        let line = text.split(|&byte| byte == b'\n').nth(self.line as usize - 1).unwrap_or_default();
        let before = String::from_utf8_lossy(&line[..line.len().min(self.column as usize)]);
        GoalError { line: self.line, column: narrow(before.chars().count() as u64).saturating_add(1), message }
    }
}

/// What was checked to fit.
pub(super) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Reads a text from front to back.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1, line_start: 0 }
    }

    pub fn position(&self) -> Position {
        Position { line: self.line, column: narrow((self.at - self.line_start) as u64) }
    }

    pub fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// A mistake here, with what stands here.
    pub fn error(&self, message: impl Into<String>) -> GoalError {
        self.error_at(self.position(), message)
    }

    pub fn error_at(&self, position: Position, message: impl Into<String>) -> GoalError {
        position.error(self.text, message.into())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips what stands between two words of a statement.
    pub fn skip_blanks(&mut self) -> Result<(), GoalError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips what stands between two statements.
    pub fn skip_separators(&mut self) -> Result<(), GoalError> {
        loop {
            self.skip_blanks()?;
            match self.peek() {
                Some(b'\n') => self.next_line(),
                Some(b';') => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    fn next_line(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    fn comment(&mut self) -> Result<(), GoalError> {
        let start = self.position();
        match self.text.get(self.at + 1) {
            Some(b'/') => {
                let rest = &self.text[self.at..];
                self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                Ok(())
            }
            Some(b'*') => {
                self.at += 2;
                while !self.text[self.at..].starts_with(b"*/") {
                    match self.peek() {
                        None => return Err(self.error_at(start, "this comment does not end; write `*/`")),
                        Some(b'\n') => self.next_line(),
                        Some(_) => self.at += 1,
                    }
                }
                self.at += 2;
                Ok(())
            }
            _ => Err(self.error("expected a comment, `// ...` or `/* ... */`")),
        }
    }

    /// A word, if one stands here.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        if !rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            return None;
        }
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// This word and no other.
    pub fn keyword(&mut self, keyword: &str, expected: &str) -> Result<(), GoalError> {
        self.skip_blanks()?;
        let at = self.position();
        if self.word() == Some(keyword.as_bytes()) { Ok(()) } else { Err(self.error_at(at, expected)) }
    }

    /// Whether this sign stands here, which is then taken.
    pub fn take(&mut self, sign: u8) -> bool {
        let found = self.peek() == Some(sign);
        self.at += usize::from(found);
        found
    }

    /// This sign and no other.
    pub fn punctuation(&mut self, sign: u8, expected: &str) -> Result<(), GoalError> {
        if self.take(sign) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// A whole number.
    pub fn number(&mut self, what: &str, most: u64) -> Result<u64, GoalError> {
        self.skip_blanks()?;
        let at = self.position();
        let mut value = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let digit = u64::from(digit - b'0');
            let longer = value.unwrap_or(0u64).checked_mul(10).and_then(|value| value.checked_add(digit));
            value = match longer {
                Some(value) if value <= most => Some(value),
                _ => return Err(self.error_at(at, format!("{what} is at most {most}"))),
            };
            self.at += 1;
        }
        value.ok_or_else(|| {
            let any = if self.text[self.at..].starts_with(b"-1") && matches!(what, "a tag" | "the number of a rank") {
                "; `-1`, any of them, is not simulated, for what it takes in depends on who comes first"
            } else {
                ""
            };
            self.error(format!("expected {what}, a whole number from 0{any}"))
        })
    }

    /// Nothing more in this statement.
    pub fn end_of_statement(&mut self) -> Result<(), GoalError> {
        self.skip_blanks()?;
        match self.peek() {
            None | Some(b'\n' | b';' | b'}') => Ok(()),
            Some(_) => Err(self.error("expected the end of the line")),
        }
    }
}
