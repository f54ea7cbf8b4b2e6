//! Words, numbers and signs of a GOAL file, with their positions.
//!
//! The file is read line by line; a line goes on behind a comment of several lines. Comments become blanks, one for each character.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use super::{GoalError, Position};

/// The longest line with its comments. Without a limit, an endless device would fill the memory.
const MOST: usize = 1 << 26;

/// Narrows a number that was checked before.
pub(super) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A word, by its range in the line; valid until the next line is read.
pub(super) type Word = Range<usize>;

/// Whether each byte is of a word. One look in a table is quicker than three comparisons.
const IN_WORD: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        all[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    all
};

#[inline(always)]
fn is_word(byte: u8) -> bool {
    static TABLE: [bool; 256] = IN_WORD;
    TABLE[byte as usize]
}

/// A number of any length, if it fits.
#[cold]
fn long(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

pub(super) struct Scanner<R> {
    input: BufReader<R>,
    /// The line, with a sentinel byte at its end.
    line: Vec<u8>,
    at: usize,
    /// The number of the line, and where those begin in it that follow in its comments.
    number: usize,
    further: Vec<usize>,
    /// Whether what is read ahead can have comments: one look at all of it is quicker than one at each line.
    has_slash: bool,
    /// How many bytes were read, and the error that ended it.
    pub bytes: u64,
    pub failure: Option<io::Error>,
}

impl<R: Read> Scanner<R> {
    /// A scanner in front of the first line.
    pub fn new(input: R) -> Self {
        let (line, further) = (b"\n\0".to_vec(), Vec::new());
        Self {
            input: BufReader::with_capacity(1 << 17, input),
            line,
            at: 0,
            number: 0,
            further,
            has_slash: false,
            bytes: 0,
            failure: None,
        }
    }

    /// Reads the next line; at the end of the file it is empty.
    #[inline]
    fn next_line(&mut self) -> Result<(), GoalError> {
        self.number += 1 + self.further.len();
        self.further.clear();
        self.line.clear();
        self.at = 0;
        if !self.take_line() {
            self.read_line();
        }
        let read = if self.has_slash && self.line.contains(&b'/') {
            self.blank_comments()
        } else {
            Ok(())
        };
        self.line.push(0);
        read
    }

    /// Takes what was read ahead of the line, and returns whether it is all of it, as of most lines.
    #[inline]
    fn take_line(&mut self) -> bool {
        let mut ahead = self.input.buffer();
        // Reading from memory does not fail.
        let read = ahead.read_until(b'\n', &mut self.line).unwrap_or(0);
        self.input.consume(read);
        self.bytes += read as u64;
        self.line.last() == Some(&b'\n')
    }

    /// Reads more of the line, and returns whether there was more.
    fn read_line(&mut self) -> bool {
        let room = MOST.saturating_sub(self.line.len()) as u64;
        let ahead = self.input.buffer().len();
        let read = self
            .input
            .by_ref()
            .take(room)
            .read_until(b'\n', &mut self.line)
            .unwrap_or_else(|error| {
                self.failure = Some(error);
                0
            });
        if read > ahead {
            self.has_slash = self.line.contains(&b'/') || self.input.buffer().contains(&b'/');
        }
        if self.line.len() == MOST {
            let error = format!(
                "the line or statement at line {} is longer than {} MiB",
                self.number,
                MOST >> 20
            );
            self.failure = Some(io::Error::other(error));
        }
        self.bytes += read as u64;
        read > 0 && self.failure.is_none()
    }

    #[cold]
    fn blank_comments(&mut self) -> Result<(), GoalError> {
        let is_slash = |byte: &u8| *byte == b'/';
        if let Some(start) = self
            .line
            .iter()
            .position(is_slash)
            .filter(|at| self.line.get(at + 1) == Some(&b'/'))
        {
            let end = self.line.len() - usize::from(self.line.ends_with(b"\n"));
            self.line.drain(start..end);
            return Ok(());
        }
        let find = |text: &[u8], sign: &[u8]| text.windows(2).position(|two| two == sign);
        let (mut blanked, mut from) = (Vec::with_capacity(self.line.len()), 0);
        while let Some(start) = self.line[from..]
            .iter()
            .position(|&byte| byte == b'/')
            .map(|at| from + at)
        {
            blanked.extend(&self.line[from..start]);
            from = start + 1;
            match self.line.get(from) {
                Some(b'/') => from = self.line.len() - usize::from(self.line.ends_with(b"\n")),
                Some(b'*') => {
                    let mut inside = start + 2;
                    while find(&self.line[inside..], b"*/").is_none() {
                        inside = self.line.len().max(inside + 1) - 1;
                        if !self.read_line() {
                            self.at = blanked.len();
                            let error = self.error("this comment is not closed; write `*/`");
                            self.at = self.line.len();
                            return Err(error);
                        }
                    }
                    from = inside + find(&self.line[inside..], b"*/").unwrap_or(0) + 2;
                    for &byte in self.line[start..from]
                        .iter()
                        .filter(|byte| **byte & 0xc0 != 0x80)
                    {
                        blanked.push(b' ');
                        self.further
                            .extend((byte == b'\n').then_some(blanked.len()));
                    }
                }
                _ => blanked.push(b'/'),
            }
        }
        blanked.extend(&self.line[from..]);
        self.line = blanked;
        Ok(())
    }

    #[inline]
    pub fn position(&self) -> Position {
        let (further, begin) = if self.further.is_empty() {
            (0, 0)
        } else {
            self.further_line()
        };
        Position {
            line: narrow((self.number + further) as u64),
            column: narrow((self.at - begin + 1) as u64),
        }
    }

    /// How many lines of comments begin before this position, and where the last one begins.
    #[cold]
    fn further_line(&self) -> (usize, usize) {
        let further = self.further.partition_point(|&begin| begin <= self.at);
        (
            further,
            further.checked_sub(1).map_or(0, |last| self.further[last]),
        )
    }

    #[inline]
    pub fn text(&self, word: &Word) -> &[u8] {
        &self.line[word.clone()]
    }

    /// Whether the file ends here, after a line that is not ended or is empty.
    pub fn at_end(&self) -> bool {
        self.at == self.line.len() - 1
    }

    /// An error at this position, followed by the text there.
    pub fn error(&self, message: impl Into<String>) -> GoalError {
        self.position().error(message)
    }

    /// A syntax error at which reading stopped, or the damage to the file that caused it.
    pub fn damaged(&self, error: GoalError) -> GoalError {
        let line = &self.line[..self.line.len() - 1];
        let rest = &line[self.at..];
        let character = rest
            .utf8_chunks()
            .next()
            .map(|chunk| chunk.valid().chars().next());
        match character {
            None if self.bytes == 0 => self.error("the file is empty; transfer it again"),
            Some(Some('\0')) => {
                self.error("a NUL byte: the file is binary or damaged; transfer it again")
            }
            Some(None) => self.error(
                "a byte that is not UTF-8: the file is binary or damaged; transfer it again",
            ),
            Some(Some(other)) if !other.is_ascii() => GoalError {
                message: format!(
                    "{}; found `{}`, U+{:04X}",
                    error.message,
                    other.escape_debug(),
                    u32::from(other)
                ),
                ..error
            },
            // The last line; `}` ends the last rank of a whole file.
            _ if !rest.iter().any(u8::is_ascii_whitespace)
                && !line.trim_ascii_end().ends_with(b"}") =>
            {
                GoalError {
                    message: format!(
                        "{}; the file ends here, so it may be truncated",
                        error.message
                    ),
                    ..error
                }
            }
            _ => error,
        }
    }

    /// The next byte; 0 at the end.
    #[inline]
    fn peek(&self) -> u8 {
        self.line[self.at]
    }

    /// Skips blanks between the words of a statement.
    #[inline(always)]
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// Skips everything between two statements.
    #[inline]
    pub fn skip_separators(&mut self) -> Result<(), GoalError> {
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => self.next_line()?,
                b';' => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    #[inline(always)]
    pub fn word(&mut self) -> Option<Word> {
        if !is_word(self.peek()) || self.peek().is_ascii_digit() {
            return None;
        }
        let start = self.at;
        // The sentinel byte ends the word.
        while is_word(self.peek()) {
            self.at += 1;
        }
        Some(start..self.at)
    }

    /// Reads exactly this word.
    #[inline(always)]
    pub fn keyword(&mut self, keyword: &str, expected: &str) -> Result<(), GoalError> {
        self.skip_blanks();
        let end = self.at + keyword.len();
        let is_there =
            self.line.get(self.at..end) == Some(keyword.as_bytes()) && !is_word(self.line[end]);
        if is_there {
            self.at = end;
            return Ok(());
        }
        Err(self.error(expected))
    }

    /// Takes this sign, if it is here.
    #[inline]
    pub fn take(&mut self, sign: u8) -> bool {
        let found = self.peek() == sign;
        self.at += usize::from(found);
        found
    }

    /// Reads exactly this sign.
    pub fn punctuation(&mut self, sign: u8, expected: &str) -> Result<(), GoalError> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    fn is_any(&self) -> bool {
        self.line[self.at..].starts_with(b"-1") && !is_word(self.line[self.at + 2])
    }

    /// Takes `-1`, if it is here.
    #[inline]
    pub fn take_any(&mut self) -> bool {
        self.skip_blanks();
        let is_any = self.is_any();
        self.at += if is_any { 2 } else { 0 };
        is_any
    }

    #[inline]
    pub fn number(&mut self, what: &str, most: u64) -> Result<u64, GoalError> {
        self.skip_blanks();
        let start = self.at;
        let mut short = 0u64;
        while let digit @ b'0'..=b'9' = self.peek() {
            short = short.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        // 19 digits always fit.
        let digits = &self.line[start..self.at];
        let value = if digits.len() < 20 {
            Some(short)
        } else {
            long(digits)
        };
        match value.filter(|&value| value <= most) {
            _ if self.at == start => Err(self.expected_number(what)),
            Some(value) => Ok(value),
            None => {
                self.at = start;
                Err(self.error(format!("{what} is at most {most}")))
            }
        }
    }

    #[cold]
    fn expected_number(&self, what: &str) -> GoalError {
        let is_any = self.is_any() && matches!(what, "a tag" | "the number of a rank");
        let any = if is_any {
            "; only a `recv` takes `-1`, meaning any"
        } else {
            ""
        };
        self.error(format!("expected {what}, a whole number from 0{any}"))
    }

    /// Checks that the statement ends.
    #[inline]
    pub fn end_of_statement(&mut self) -> Result<(), GoalError> {
        self.skip_blanks();
        match self.peek() {
            b'\n' | b';' | b'}' => Ok(()),
            0 if self.at_end() => Ok(()),
            _ => Err(self.error("expected the end of the line")),
        }
    }
}
