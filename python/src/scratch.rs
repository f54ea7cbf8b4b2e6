//! Files for what the program reads from files, and Python has in memory: profiles, schedules, rows.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

use castbench::base::failure::{Code, Failure};
use castbench::output;
use pyo3::prelude::*;
use tempfile::TempDir;

use crate::running::raised;

/// A directory that is made with the first file and removed after the call.
#[derive(Default)]
pub struct Scratch {
    directory: OnceCell<TempDir>,
    profiles: Cell<u32>,
}

impl Scratch {
    /// Writes a file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.path()?.join(name);
        output::write(&path, bytes)?;
        Ok(path)
    }

    /// Where the files are.
    pub fn path(&self) -> Result<&Path, Failure> {
        if self.directory.get().is_none() {
            let made = TempDir::with_prefix("castbench-");
            let made = made.map_err(|error| Failure::write(&std::env::temp_dir(), &error))?;
            // It was empty.
            let _ = self.directory.set(made);
        }
        Ok(self.directory.get().map_or(Path::new(""), TempDir::path))
    }

    /// Writes the file of a machine profile.
    pub fn write_profile(&self, profile: &toml::Table) -> PyResult<PathBuf> {
        let text = toml_of(profile)?;
        self.profiles.set(self.profiles.get() + 1);
        let name = format!("machine-{}.toml", self.profiles.get());
        self.write(&name, text.as_bytes())
            .map_err(|failure| raised(&failure))
    }

    /// A failure that names these files without their directory.
    pub fn without_directory(&self, mut failure: Failure) -> Failure {
        if let Some(directory) = self.directory.get() {
            let directory = directory.path().display().to_string();
            let message = failure.message.replace(&format!("{directory}/"), "");
            failure.message = message.replace(&format!("`{directory}`"), "the configuration");
        }
        failure
    }
}

/// The TOML of a table.
pub fn toml_of(table: &toml::Table) -> PyResult<String> {
    toml::to_string(table).map_err(|error| {
        raised(&Failure::new(
            Code::Configuration,
            format_args!("the configuration is not TOML: {error}"),
        ))
    })
}
