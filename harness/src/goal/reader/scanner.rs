//! Words, numbers and signs of a GOAL file, with their positions.
//!
//! The file passes through a window that holds the current line. If a statement continues after a comment of several
//! lines, the window holds all of it.

use std::io::{self, Read};
use std::ops::Range;

use super::GoalError;
use super::positions::Position;

const CHUNK: usize = 1 << 17;

/// Largest window: a line, or a statement with its comments. Without a limit, an endless device would fill the memory.
const MOST: usize = 1 << 26;

/// Narrows a number that was checked before.
pub(super) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A word, by its range in the window; valid until the next statement begins.
#[derive(Debug, Clone)]
pub(super) struct Word {
    start: u64,
    end: u64,
}

/// Classes of bytes: part of a word, part of a number; signs and line ends end both.
const WORD: u8 = 1;
const SIGN: u8 = 2;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128u8 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD,
            b'\n' | b';' | b':' | b'{' | b'}' => SIGN,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

#[inline(always)]
fn is(byte: u8, kinds: u8) -> bool {
    KINDS[byte as usize] & kinds != 0
}

pub(super) struct Scanner<R> {
    input: R,
    /// The text, with a sentinel byte at its end. Its last line is incomplete, except at the end of the file.
    window: Vec<u8>,
    /// End of the whole lines.
    whole: usize,
    offset: u64,
    at: usize,
    /// Bytes before this are no longer needed.
    needed: usize,
    line: u32,
    /// Position of the line in the file, and how many of its bytes so far continue a character.
    line_start: u64,
    continued: u64,
    /// Whether the file was read to its end, and the error that ended it.
    is_all: bool,
    pub failure: Option<io::Error>,
}

impl<R: Read> Scanner<R> {
    pub fn new(input: R) -> Self {
        let mut scanner = Self {
            input,
            window: vec![0],
            whole: 0,
            offset: 0,
            at: 0,
            needed: 0,
            line: 1,
            line_start: 0,
            continued: 0,
            is_all: false,
            failure: None,
        };
        scanner.fill();
        scanner
    }

    pub fn bytes(&self) -> u64 {
        self.offset + self.length() as u64
    }

    #[inline]
    fn length(&self) -> usize {
        self.window.len() - 1
    }

    #[cold]
    fn fill(&mut self) {
        self.window.drain(..self.needed);
        self.offset += self.needed as u64;
        self.at -= self.needed;
        self.needed = 0;
        self.window.pop();
        self.whole = self.at;
        while self.whole == self.at && !self.is_all {
            let start = self.window.len();
            if start > MOST {
                let error = format!("the line or statement at line {} is longer than {} MiB", self.line, MOST >> 20);
                self.failure = Some(io::Error::other(error));
                self.is_all = true;
                break;
            }
            self.window.resize(start + CHUNK.max(start), 0);
            let read = loop {
                match self.input.read(&mut self.window[start..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        self.failure = Some(error);
                        break 0;
                    }
                    Ok(read) => break read,
                }
            };
            self.is_all = read == 0;
            self.window.truncate(start + read);
            let newline = self.window[start..].iter().rposition(|&byte| byte == b'\n');
            self.whole = newline.map_or(self.whole, |newline| start + newline + 1);
        }
        if self.is_all {
            self.whole = usize::MAX;
        }
        self.window.push(0);
    }

    #[inline]
    pub fn position(&self) -> Position {
        let before = self.offset + self.at as u64 - self.line_start - self.continued;
        Position { line: self.line, column: narrow(before + 1) }
    }

    /// Forgets the previous statement.
    #[inline]
    pub fn begin_statement(&mut self) {
        self.needed = self.at;
    }

    #[inline]
    pub fn text(&self, word: &Word) -> &[u8] {
        &self.window[self.range(word)]
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the word is in the window")]
    fn range(&self, word: &Word) -> Range<usize> {
        (word.start - self.offset) as usize..(word.end - self.offset) as usize
    }

    pub fn at_end(&self) -> bool {
        self.at == self.length()
    }

    /// An error at this position, followed by the text there.
    pub fn error(&self, message: impl Into<String>) -> GoalError {
        self.position().error(message)
    }

    /// A syntax error at which reading stopped, or the damage to the file that caused it.
    pub fn damaged(&self, error: GoalError) -> GoalError {
        let rest = &self.window[self.at..self.length()];
        let character = rest.utf8_chunks().next().map(|chunk| chunk.valid().chars().next());
        // `}` ends the last rank of a whole file.
        let is_whole = || self.window[..self.length()].trim_ascii_end().ends_with(b"}");
        match character {
            None if self.bytes() == 0 => self.error("the file is empty; transfer it again"),
            Some(Some('\0')) => self.error("a NUL byte: the file is binary or damaged; transfer it again"),
            Some(None) => self.error("a byte that is not UTF-8: the file is binary or damaged; transfer it again"),
            Some(Some(other)) if !other.is_ascii() => GoalError {
                message: format!("{}; found `{}`, U+{:04X}", error.message, other.escape_debug(), u32::from(other)),
                ..error
            },
            _ if self.is_all && !rest.iter().any(u8::is_ascii_whitespace) && !is_whole() => {
                GoalError { message: format!("{}; the file ends here, so it may be truncated", error.message), ..error }
            }
            _ => error,
        }
    }

    /// The next byte; 0 at the end.
    #[inline]
    fn peek(&self) -> u8 {
        self.window[self.at]
    }

    /// Skips blanks and comments between the words of a statement.
    #[inline(always)]
    pub fn skip_blanks(&mut self) -> Result<(), GoalError> {
        self.at += usize::from(self.peek() == b' ');
        if is(self.peek(), WORD | SIGN) { Ok(()) } else { self.skip_any_blanks() }
    }

    fn skip_any_blanks(&mut self) -> Result<(), GoalError> {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips everything between two statements.
    #[inline]
    pub fn skip_separators(&mut self) -> Result<(), GoalError> {
        loop {
            self.skip_blanks()?;
            match self.peek() {
                b'\n' => {
                    self.needed = self.at;
                    self.next_line();
                }
                b';' => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    #[inline]
    fn next_line(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.offset + self.at as u64;
        self.continued = 0;
        if self.at == self.whole {
            self.fill();
        }
    }

    #[cold]
    fn comment(&mut self) -> Result<(), GoalError> {
        let start = self.position();
        let from = self.at;
        match self.window[self.at + 1] {
            b'/' => {
                let rest = &self.window[self.at..self.length()];
                self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                self.count_continued(from);
                Ok(())
            }
            b'*' => {
                self.at += 2;
                let mut from = from;
                while !self.window[self.at..self.length()].starts_with(b"*/") {
                    if self.at_end() {
                        return Err(start.error("this comment is not closed; write `*/`"));
                    }
                    if self.peek() == b'\n' {
                        self.next_line();
                        from = self.at;
                    } else {
                        self.at += 1;
                    }
                }
                self.at += 2;
                self.count_continued(from);
                Ok(())
            }
            _ => Err(self.error("expected a comment, `// ...` or `/* ... */`")),
        }
    }

    /// Counts bytes that continue a character; only comments have them.
    fn count_continued(&mut self, from: usize) {
        let continued = self.window[from..self.at].iter().filter(|&&byte| byte & 0xc0 == 0x80).count();
        self.continued += continued as u64;
    }

    #[inline(always)]
    pub fn word(&mut self) -> Option<Word> {
        if !is(self.peek(), WORD) || self.peek().is_ascii_digit() {
            return None;
        }
        let start = self.at;
        // The sentinel byte ends the word.
        while is(self.peek(), WORD) {
            self.at += 1;
        }
        Some(Word { start: self.offset + start as u64, end: self.offset + self.at as u64 })
    }

    /// Reads exactly this word.
    #[inline(always)]
    pub fn keyword(&mut self, keyword: &str, expected: &str) -> Result<(), GoalError> {
        self.skip_blanks()?;
        let end = self.at + keyword.len();
        let is_there = self.window.get(self.at..end) == Some(keyword.as_bytes()) && !is(self.window[end], WORD);
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
        if self.take(sign) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn is_any(&self) -> bool {
        self.window[self.at..].starts_with(b"-1") && !is(self.window[self.at + 2], WORD)
    }

    /// Takes `-1`, if it is here.
    #[inline]
    pub fn take_any(&mut self) -> Result<bool, GoalError> {
        self.skip_blanks()?;
        let is_any = self.is_any();
        self.at += if is_any { 2 } else { 0 };
        Ok(is_any)
    }

    #[inline]
    pub fn number(&mut self, what: &str, most: u64) -> Result<u64, GoalError> {
        self.skip_blanks()?;
        let start = self.at;
        let mut value = 0u64;
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        // Numbers of up to 19 digits fit in 64 bits.
        if (1..20).contains(&(self.at - start)) && value <= most {
            Ok(value)
        } else {
            self.odd_number(start, what, most)
        }
    }

    /// Reads a long number, or reports one that is too large or missing.
    #[cold]
    fn odd_number(&mut self, start: usize, what: &str, most: u64) -> Result<u64, GoalError> {
        let mut digits = self.window[start..self.at].iter().map(|digit| u64::from(digit - b'0'));
        let value = digits.try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(digit));
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
        let any = if is_any { "; only a `recv` takes `-1`, meaning any" } else { "" };
        self.error(format!("expected {what}, a whole number from 0{any}"))
    }

    /// Checks that the statement ends.
    #[inline]
    pub fn end_of_statement(&mut self) -> Result<(), GoalError> {
        self.skip_blanks()?;
        match self.peek() {
            b'\n' | b';' | b'}' => Ok(()),
            0 if self.at_end() => Ok(()),
            _ => Err(self.error("expected the end of the line")),
        }
    }
}
