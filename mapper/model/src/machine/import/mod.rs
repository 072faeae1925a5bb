//! Importers: turn the files in which other programs describe a machine into a [`Description`].
//!
//! There is one file for each kind of importer; [`IMPORTERS`] lists all of them. An importer never
//! panics, whatever the text.

mod cloud;
mod cray_xt;
mod hostlist;
mod hwloc;
mod infiniband;
mod job;
mod job_hosts;
mod lattice;
mod layers;
mod lft;
mod libtopomap;
mod rule;
mod scotch;
mod simgrid;
mod slurm;
mod slurm_network;
mod slurm_yaml;
mod tree;
mod xname;

use super::{Description, Insides};
pub use hostlist::expand as expand_hosts;
pub use infiniband::{Cable, Subnet, Traced, traces};
pub use job::JobNetwork;
use job_hosts::JobHosts;
pub use rule::{PRESETS, Preset, Rule};
use std::path::Path;

/// A text for an importer.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the file in error messages.
    pub file: String,
    /// The contents of the file.
    pub text: String,
}

impl Source {
    /// Reads a file. Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let file = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self {
                file,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            }),
            Err(error) => Err(ImportError {
                file,
                line: None,
                problem: format!("cannot read it: {error}"),
            }),
        }
    }
}

/// An importer of one kind of file. [`IMPORTERS`] lists all importers.
///
/// ```
/// use rankfold_model::machine::import::{IMPORTERS, Source};
///
/// let scotch = IMPORTERS.iter().find(|kind| kind.name == "scotch").expect("it is listed");
/// let source = Source { file: "target".into(), text: "torus2D 4 8".into() };
/// // The first size varies fastest in Scotch, the last one in a spec.
/// assert!(scotch.import(vec![source])?.to_string().contains("torus:8x4"));
/// # Ok::<(), rankfold_model::machine::import::ImportError>(())
/// ```
#[derive(Debug)]
pub struct Importer {
    /// The KIND of `rankfold machine import KIND FILES`.
    pub name: &'static str,
    /// The files that the importer reads, for help.
    pub about: &'static str,
    /// Whether a text is one of these files. Texts that nothing marks are recognised by no
    /// importer.
    pub recognises: fn(&Source) -> bool,
    /// Reads the part of the files that concerns a job. Files of this kind may describe several
    /// networks, or lack hosts of the job. `None` for kinds whose files always describe one
    /// network.
    for_job: Option<ReadForJob>,
    /// Reads the files.
    pub read: fn(&[Source]) -> Result<Description, ImportError>,
}

/// Reads files for a job. The names are the hosts of the job that were added to the network.
type ReadForJob = fn(&[Source], &JobHosts) -> Result<(Description, Vec<String>), ImportError>;

/// All importers. A text that several recognise is read by the first of them.
pub const IMPORTERS: &[Importer] = &[
    cloud::topograph::IMPORTER,
    cloud::aws::IMPORTER,
    cloud::gcp::IMPORTER,
    cloud::oci::IMPORTER,
    cloud::azure::IMPORTER,
    cloud::kubernetes::IMPORTER,
    hwloc::HWLOC,
    simgrid::SIMGRID,
    infiniband::INFINIBAND,
    slurm::TOPOLOGY,
    slurm_yaml::TOPOLOGY,
    slurm::ADDRESSES,
    xname::XNAME,
    cray_xt::CRAY_XT,
    scotch::SCOTCH,
    libtopomap::LIBTOPOMAP,
];

impl Importer {
    /// Reads the files. Files of hwloc among files of another kind describe the insides of the
    /// hosts.
    ///
    /// # Errors
    /// [`ImportError`] with file and line.
    pub fn import(&self, sources: Vec<Source>) -> Result<Description, ImportError> {
        let read = |network: &[Source]| Ok(((self.read)(network)?, ()));
        Ok(self.with_insides(sources, read)?.0)
    }

    /// Reads the network by `read`, and the insides of the hosts from files of hwloc.
    fn with_insides<T>(
        &self,
        sources: Vec<Source>,
        read: impl FnOnce(&[Source]) -> Result<(Description, T), ImportError>,
    ) -> Result<(Description, T), ImportError> {
        if self.name == hwloc::HWLOC.name {
            return read(&sources);
        }
        let is_inside =
            |source: &Source| kind_of(source).is_some_and(|kind| kind.name == hwloc::HWLOC.name);
        let (insides, network): (Vec<_>, Vec<_>) = sources.into_iter().partition(is_inside);
        if let (Some(inside), []) = (insides.last(), &network[..]) {
            return Err(ImportError {
                file: inside.file.clone(),
                line: None,
                problem: format!(
                    "describes what is inside a host, not the network between hosts: give a file of kind {} as well",
                    self.name
                ),
            });
        }
        let (mut description, told) = read(&network)?;
        if !insides.is_empty() {
            hwloc::add(&mut description, &insides)?;
        }
        Ok((description, told))
    }
}

/// The importer of a name.
///
/// # Panics
/// If no importer has this name.
#[must_use]
pub fn importer(name: &str) -> &'static Importer {
    let found = IMPORTERS.iter().find(|kind| kind.name == name);
    found.expect("the name is one of the list")
}

/// The importer that recognises a text by its content; `None` if no importer does, as with a list
/// of host names.
#[must_use]
pub fn kind_of(source: &Source) -> Option<&'static Importer> {
    IMPORTERS.iter().find(|kind| (kind.recognises)(source))
}

/// Whether a line begins with one of these words.
fn has_line(source: &Source, starts: &[&str]) -> bool {
    let mut lines = source.text.lines().map(str::trim_start);
    lines.any(|line| starts.iter().any(|start| line.starts_with(start)))
}

/// The inside of one host, from the XML of hwloc, for every node.
///
/// # Errors
/// [`ImportError`] with file and line.
pub fn inside(source: &Source) -> Result<Insides, ImportError> {
    hwloc::inside(source).map(Insides::everywhere)
}

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// The line, counted from 1; `None` if the error concerns the whole file.
    pub line: Option<usize>,
    /// What is wrong, and how to correct it.
    pub problem: String,
}

/// A line of a source.
#[derive(Clone, Copy, Debug)]
struct SourceLine<'a> {
    source: &'a Source,
    /// Counted from 1.
    line: usize,
}

impl SourceLine<'_> {
    fn bad(self, problem: impl Into<String>) -> ImportError {
        ImportError {
            file: self.source.file.clone(),
            line: Some(self.line),
            problem: problem.into(),
        }
    }
}

/// The lines of a source that are not blank, each with its position and trimmed of white space.
fn lines(source: &Source) -> impl Iterator<Item = (SourceLine<'_>, &str)> {
    (1..)
        .zip(source.text.lines())
        .map(move |(line, text)| (SourceLine { source, line }, text.trim()))
        .filter(|(_, text)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Source, importer, kind_of};

    #[test]
    fn a_file_is_of_one_kind_and_named_where_there_is_no_network() {
        let source = |text: &str| Source {
            file: "f".into(),
            text: text.into(),
        };
        let both = source(r#"{"Reservations": [], "told": "<topology"}"#);
        assert_eq!(kind_of(&both).map(|kind| kind.name), Some("aws"));
        let inside = source("<topology></topology>");
        for (kind, source) in [("aws", both), ("slurm", inside)] {
            let error = importer(kind).import(vec![source]).unwrap_err();
            assert!(error.to_string().starts_with("f"), "{error}");
        }
    }
}
