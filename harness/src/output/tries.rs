//! Attempts that are repeated when another process was faster, up to a limit.

use std::io;
use std::path::Path;

use crate::output::interruption;

use super::unwritten;
use crate::base::failure::Result;

const MOST: u32 = 100;

/// Attempts in a directory.
pub(super) struct Tries<'a> {
    directory: &'a Path,
    made: u32,
}

impl<'a> Tries<'a> {
    pub fn new(directory: &'a Path) -> Self {
        Self { directory, made: 0 }
    }

    /// Counts one more attempt.
    ///
    /// # Errors
    /// There were too many, or a signal asks to stop.
    pub fn again(&mut self) -> Result {
        self.made += 1;
        let why = if interruption::is_interrupted() {
            "interrupted"
        } else if self.made == MOST {
            "its file system gives one file several inode numbers, as FUSE and CIFS can (mount with `serverino`); name \
             a directory of another file system"
        } else {
            return Ok(());
        };
        Err(unwritten(self.directory)(io::Error::other(why)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_end() {
        let mut tries = Tries::new(Path::new("there"));
        let explanation = (0..MOST).find_map(|_| tries.again().err()).unwrap().message;
        assert!(
            explanation.contains("`there`") && explanation.contains("inode numbers"),
            "{explanation}"
        );
    }
}
