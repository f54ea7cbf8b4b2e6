//! Plans in files, whose names can have values of axes: `mine-{K}.json` is a file for each number of ranks.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use algorithms::error::Error;

use super::kept::{Answer, Kept};
use super::plan::{self, Loaded};
use super::point::PlanPoint;
use crate::base::units::joined;
use crate::output;
use crate::verify::json;
use crate::verify::read;
use crate::verify::shape::{MAX_BYTES, Shape};

/// Reads a plan; the error says where in the text, and what was expected.
type Read = fn(&Path, Vec<u8>, &Shape) -> Result<Loaded, String>;

/// What each ending of a name means: plans of castbench, and schedules.
const READERS: [(&str, Read); 4] = [
    ("json", |_, text, shape| {
        json::read(&text, shape).map(Loaded::from)
    }),
    ("goal", plan::read),
    ("xml", plan::read),
    ("et", plan::read),
];

/// Files with plans.
pub struct Files {
    directory: PathBuf,
    /// Their name, with axes in braces.
    pattern: String,
    axes: Vec<&'static str>,
    read: Read,
    /// By name and number of ranks.
    known: Mutex<Kept<(String, u32)>>,
}

impl Files {
    /// The files with this name beside a configuration.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn new(directory: &Path, pattern: &str, axes: &[&'static str]) -> Result<Self, String> {
        let ending = pattern.rsplit_once('.').map_or("", |(_, ending)| ending);
        let read = READERS
            .iter()
            .find(|(known, _)| *known == ending)
            .map(|(_, read)| *read)
            .ok_or_else(|| {
                let endings = joined(
                    " or ",
                    READERS.iter().map(|(ending, _)| format!("`.{ending}`")),
                );
                format!("expected a name that ends with {endings}")
            })?;
        let mut named = Vec::new();
        for piece in pattern.split('{').skip(1) {
            let key = piece
                .split_once('}')
                .map(|(key, _)| key)
                .ok_or("expected `}` after `{`")?;
            let axis = axes.iter().find(|axis| **axis == key);
            named.push(
                *axis.ok_or_else(|| format!("expected one of {} in braces", axes.join(", ")))?,
            );
        }
        let own = Self {
            directory: directory.to_owned(),
            pattern: pattern.to_owned(),
            axes: named,
            read,
            known: Mutex::default(),
        };
        if own.axes.is_empty() && !own.directory.join(pattern).is_file() {
            return Err("there is no such file".to_owned());
        }
        Ok(own)
    }

    /// Whether the name has the value of this axis.
    pub fn names(&self, key: &str) -> bool {
        self.axes.contains(&key)
    }

    /// The files that there are, by name.
    ///
    /// # Errors
    /// Input or output that fails.
    pub fn existing(&self) -> io::Result<Vec<PathBuf>> {
        if self.axes.is_empty() {
            return Ok(read::all(self.directory.join(&self.pattern)));
        }
        let mut found = vec![self.directory.clone()];
        for part in Path::new(&self.pattern).iter() {
            let next = found
                .into_iter()
                .map(|folder| named(&folder, part))
                .collect::<Result<Vec<_>, _>>()?;
            found = next.into_iter().flatten().collect();
        }
        Ok(found.into_iter().flat_map(read::all).collect())
    }

    /// The plan of a point.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is no file, [`Error::Given`] for a file that cannot be read.
    pub fn plan(&self, point: &PlanPoint, shape: &Shape) -> Answer {
        let name = (self.name(point), shape.ranks);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&name) {
            return known;
        }
        let (found, bytes) = self.load(&name.0, point, shape);
        lock().keep(name, bytes, &found);
        found
    }

    fn name(&self, point: &PlanPoint) -> String {
        self.axes.iter().fold(self.pattern.clone(), |name, key| {
            name.replace(
                &format!("{{{key}}}"),
                &point.value(key).unwrap_or_default().to_string(),
            )
        })
    }

    /// The plan in a file, and how long its text is.
    fn load(&self, name: &str, point: &PlanPoint, shape: &Shape) -> (Answer, usize) {
        let path = self.directory.join(name);
        let file = path.display();
        let mut text = Vec::new();
        let read =
            output::open(&path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text));
        let bytes = text.len();
        let answer = match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.axes.is_empty() => {
                let axis = self.axes[0];
                let value = point.value(axis).unwrap_or_default().to_string();
                let expected = format!("expected a value with a plan: there is no file `{file}`");
                Err(Error::Parameter {
                    symbol: axis,
                    axis,
                    value,
                    expected,
                })
            }
            Err(error) => Err(Error::Given(format!(
                "cannot read the plan `{file}`: {error}"
            ))),
            Ok(_) if bytes as u64 > MAX_BYTES => {
                let most = MAX_BYTES >> 20;
                Err(Error::Given(format!(
                    "the plan `{file}` is longer than {most} MiB; give a command instead"
                )))
            }
            Ok(_) => (self.read)(&path, text, shape)
                .map(Arc::new)
                .map_err(|reason| Error::Given(format!("{file}: {reason}"))),
        };
        (answer, bytes)
    }
}

/// What there is in a folder by a name, in which digits may stand for axes.
fn named(folder: &Path, name: &OsStr) -> io::Result<Vec<PathBuf>> {
    let Some(pattern) = name.to_str().filter(|name| name.contains('{')) else {
        return Ok(vec![folder.join(name)]);
    };
    let parent = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let found = match parent.read_dir() {
        // A folder that an axis names need not have all that the name says.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(vec![]);
        }
        found => found?,
    };
    let mut names: Vec<String> = found
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter_map(|name| name.into_string().ok())
        .collect();
    names.retain(|found| is_made_of(pattern, found));
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Whether a name has digits where a pattern has braces. The work is the product of their lengths, at most.
fn is_made_of(pattern: &str, name: &str) -> bool {
    let (begin, rest) = pattern.split_once('{').unwrap_or((pattern, ""));
    // Whether what was read of the pattern can stand for so many bytes of the name.
    let mut ends = vec![false; name.len() + 1];
    ends[begin.len().min(name.len())] = name.starts_with(begin);
    for piece in rest.split('{').filter(|_| pattern.contains('{')) {
        let Some((_, literal)) = piece.split_once('}') else {
            return false;
        };
        let mut next = vec![false; ends.len()];
        let mut is_in_digits = false;
        for (at, digit) in name.bytes().enumerate() {
            is_in_digits = digit.is_ascii_digit() && (is_in_digits || ends[at]);
            if is_in_digits && name.as_bytes()[at + 1..].starts_with(literal.as_bytes()) {
                next[at + 1 + literal.len()] = true;
            }
        }
        ends = next;
    }
    ends[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_for_axes() {
        for (pattern, name, is_made) in [
            ("a-{K}.json", "a-16.json", true),
            ("a-{K}.json", "a-.json", false),
            ("a-{K}.json", "a-x.json", false),
            ("{K}{n}.json", "12.json", true),
            ("{K}{n}.json", "1.json", false),
            ("a.json", "a.json", true),
            ("a.json", "a.jso", false),
            ("a.json", "a.json2", false),
            ("{K}-{n}", "1-", false),
            ("{K}-{n}", "-1", false),
            ("{K}-{n}", "12-34", true),
            ("{K}1{n}", "2113", true),
            ("{K}1{n}", "21", false),
            ("é{K}é", "é1é", true),
            (&"{K}".repeat(9), &"1".repeat(9), true),
            (&"{K}".repeat(9), &"1".repeat(8), false),
            // All ways to share the digits are as many as C(119, 19).
            (
                &format!("{}x.json", "{K}".repeat(20)),
                &format!("{}.json", "1".repeat(120)),
                false,
            ),
            (
                &format!("{}x.json", "{K}".repeat(20)),
                &format!("{}x.json", "1".repeat(120)),
                true,
            ),
        ] {
            assert_eq!(is_made_of(pattern, name), is_made, "{pattern} {name}");
        }
    }
}
