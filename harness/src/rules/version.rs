//! Versions of libraries that read files differently.

use super::Dialect;

/// A version of a library; it stands for those up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Open MPI 4.1.
    OpenMpi4,
    /// Open MPI 5.0, from 5.0.7 on.
    OpenMpi5,
    /// Open MPI 6.0.
    OpenMpi6,
    /// MPICH 4.0.
    Mpich40,
    /// MPICH 4.3.
    Mpich43,
    /// Intel MPI 2019 to 2021.12.
    Intel2021,
    /// Intel MPI from 2021.13 on, whose numbers are presets.
    Intel2021Presets,
}

impl Version {
    /// All.
    pub const ALL: [Self; 7] = [
        Self::OpenMpi4,
        Self::OpenMpi5,
        Self::OpenMpi6,
        Self::Mpich40,
        Self::Mpich43,
        Self::Intel2021,
        Self::Intel2021Presets,
    ];

    /// Library and version.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi4 => "Open MPI 4.1",
            Self::OpenMpi5 => "Open MPI 5.0",
            Self::OpenMpi6 => "Open MPI 6.0",
            Self::Mpich40 => "MPICH 4.0",
            Self::Mpich43 => "MPICH 4.3",
            Self::Intel2021 => "Intel MPI 2021.12",
            Self::Intel2021Presets => "Intel MPI 2021.13",
        }
    }

    /// Its word on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        self.name().rsplit(' ').next().unwrap_or_default()
    }
}

impl Dialect {
    /// The versions that castbench tells apart, the one that is read by default first.
    #[must_use]
    pub fn versions(self) -> &'static [Version] {
        match self {
            Self::Openmpi => &[Version::OpenMpi5, Version::OpenMpi4, Version::OpenMpi6],
            Self::Openmpi6 => &[Version::OpenMpi6],
            Self::Mpich => &[Version::Mpich43, Version::Mpich40],
            Self::Intel => &[Version::Intel2021, Version::Intel2021Presets],
            Self::Ucc | Self::Nccl => &[],
        }
    }

    /// The version of this word.
    ///
    /// # Errors
    /// Which there are.
    pub fn version(self, word: &str) -> Result<Version, String> {
        let all = self.versions();
        all.iter().copied().find(|version| version.key() == word).ok_or_else(|| match all {
            [] => format!("all versions of this library read a file in one way; remove the option instead of `{word}`"),
            _ => {
                let known: Vec<&str> = all.iter().map(|version| version.key()).collect();
                format!("castbench does not know how `{word}` of this library reads; it knows {}", known.join(", "))
            }
        })
    }
}
