//! Importers: turn the files in which other programs describe a machine into a [`Description`].
//!
//! There is one file for each kind of importer; [`IMPORTERS`] lists all of them. An importer never
//! panics, whatever the text.
#![forbid(unsafe_code)]

mod cloud;
mod cray_xt;
mod hwloc;
mod infiniband;
mod job;
mod job_hosts;
mod lattice;
mod layers;
mod lft;
mod libtopomap;
mod load;
pub mod named;
mod nccl_topology;
mod rule;
mod scotch;
mod slurm;
mod slurm_levels;
mod slurm_network;
mod slurm_yaml;
mod technology;
mod tree;
mod xname;

pub use cloud::kubernetes::of_labels;
pub use infiniband::{Cable, Subnet, Traced, traces};
pub use job::JobNetwork;
pub use job_hosts::JobHosts;
pub use load::Importers;
use rankfold_base::files::not_text;
use rankfold_machine::hosts::{self, UNUSABLE};
use rankfold_machine::{Description, Insides};
use roxmltree::{Document, ParsingOptions};
pub use rule::{PRESETS, Preset, Rule};
use std::path::Path;
pub use technology::Technology;
pub use tree::BLOCKS;

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
    /// [`ImportError`] if the file cannot be read or is no text.
    pub fn read(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let problem = match rankfold_base::files::read(path) {
            Ok(bytes) if bytes.contains(&0) => not_text(&bytes),
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                return Ok(Self { file, text });
            }
            Err(error) => format!("cannot read it: {error}"),
        };
        Err(ImportError::whole(file, problem))
    }

    /// The text as XML.
    ///
    /// # Errors
    /// [`ImportError`] with the line at which the text is no XML, or has too many elements.
    pub fn xml(&self) -> Result<Document<'_>> {
        let options = ParsingOptions {
            allow_dtd: true,
            nodes_limit: MOST_ELEMENTS,
            ..ParsingOptions::default()
        };
        Document::parse_with_options(&self.text, options).map_err(|error| {
            let line = error.pos().row as usize;
            let source = self;
            SourceLine { source, line }.bad(format!("this is not XML: {error}"))
        })
    }
}

/// Limit on the XML elements of a file, which bounds the memory that a bad file can take. Chosen by
/// hand.
const MOST_ELEMENTS: u32 = 1 << 22;

/// An importer of one kind of file.
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
    pub for_job: Option<ReadForJob>,
    /// What these networks are made of.
    pub technology: Technology,
    /// Reads the files.
    pub read: fn(&[Source]) -> Result<Description>,
}

/// Reads files for a job. The names are the hosts of the job that were added to the network.
pub type ReadForJob = fn(&[Source], &JobHosts) -> Result<(Description, Vec<String>)>;

/// The importers of this crate.
pub const IMPORTERS: &[Importer] = &[
    cloud::topograph::IMPORTER,
    cloud::aws::IMPORTER,
    cloud::gcp::IMPORTER,
    cloud::oci::IMPORTER,
    cloud::azure::IMPORTER,
    cloud::kubernetes::IMPORTER,
    hwloc::HWLOC,
    nccl_topology::NCCL_TOPOLOGY,
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
    pub fn import(&self, sources: Vec<Source>) -> Result<Description> {
        let read = |network: &[Source]| Ok(((self.read)(network)?, ()));
        Ok(self.with_insides(sources, read)?.0)
    }

    /// Reads the network by `read`, and the insides of the hosts from files of hwloc.
    fn with_insides<T>(
        &self,
        sources: Vec<Source>,
        read: impl FnOnce(&[Source]) -> Result<(Description, T)>,
    ) -> Result<(Description, T)> {
        let (mut description, notes) = self.read_with_insides(sources, read)?;
        self.technology.complete(&mut description);
        Ok((description, notes))
    }

    fn read_with_insides<T>(
        &self,
        sources: Vec<Source>,
        read: impl FnOnce(&[Source]) -> Result<(Description, T)>,
    ) -> Result<(Description, T)> {
        if self.name == hwloc::HWLOC.name {
            return read(&sources);
        }
        let is_inside =
            |source: &Source| (hwloc::HWLOC.recognises)(source) && !(self.recognises)(source);
        let (insides, network): (Vec<_>, Vec<_>) = sources.into_iter().partition(is_inside);
        if let (Some(inside), []) = (insides.last(), &network[..]) {
            return Err(ImportError::whole(
                &inside.file,
                format!(
                    "describes what is inside a host, not the network between hosts: give a file of kind {} as well",
                    self.name
                ),
            ));
        }
        let (mut description, notes) = read(&network)?;
        let mut names = description.hosts.iter().filter(|name| *name != UNUSABLE);
        if let Some(problem) = names.find_map(|name| hosts::check(name).err()) {
            let file = network.first().map_or(self.name, |source| &source.file);
            return Err(ImportError::whole(file, problem));
        }
        if !insides.is_empty() {
            hwloc::add(&mut description, &insides)?;
        }
        Ok((description, notes))
    }
}

/// The importers of this crate alone, for tests.
#[cfg(test)]
const ALL: Importers = Importers(&[IMPORTERS]);

/// Whether a line begins with one of these words.
fn has_line(source: &Source, starts: &[&str]) -> bool {
    let mut lines = source.text.lines().map(str::trim_start);
    lines.any(|line| starts.iter().any(|start| line.starts_with(start)))
}

/// The inside of one host, from the XML of hwloc or NCCL, for every node.
///
/// # Errors
/// [`ImportError`] with file and line.
pub fn inside(source: &Source) -> Result<Insides> {
    let inside = if nccl_topology::recognises(source) {
        nccl_topology::inside(source)
    } else {
        hwloc::inside(source)
    };
    inside.map(Insides::everywhere)
}

/// What is read of a file, or the error in it.
pub type Result<T, E = ImportError> = std::result::Result<T, E>;

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

impl ImportError {
    /// What is wrong with a file as a whole.
    pub fn whole(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: None,
            problem: problem.into(),
        }
    }
}

/// A line of a source.
#[derive(Clone, Copy, Debug)]
pub struct SourceLine<'a> {
    /// The source.
    pub source: &'a Source,
    /// Counted from 1.
    pub line: usize,
}

impl SourceLine<'_> {
    /// What is wrong in this line.
    pub fn bad(self, problem: impl Into<String>) -> ImportError {
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
    use super::{ALL, Source};

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let scratch = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(scratch.path(), "\u{feff}SwitchName=s Nodes=n0\n").unwrap();
        let source = Source::read(scratch.path()).unwrap();
        assert_eq!(ALL.kind_of(&source).map(|kind| kind.name), Some("slurm"));
    }

    #[test]
    fn a_program_is_no_text_to_import() {
        let scratch = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(scratch.path(), b"\x7fELF\x02\x00").unwrap();
        let Err(error) = Source::read(scratch.path()) else {
            panic!("it was read");
        };
        let problem = error.problem;
        assert!(problem.contains("it seems to be a program"), "{problem}");
    }

    #[test]
    fn a_file_is_of_one_kind_and_named_where_there_is_no_network() {
        let source = |text: &str| Source {
            file: "f".into(),
            text: text.into(),
        };
        let both = source(r#"{"Reservations": [], "told": "<topology"}"#);
        assert_eq!(ALL.kind_of(&both).map(|kind| kind.name), Some("aws"));
        let inside = source("<topology></topology>");
        for (kind, source) in [("aws", both), ("slurm", inside)] {
            let error = ALL.named(kind).import(vec![source]).unwrap_err();
            assert!(error.to_string().starts_with("f"), "{error}");
        }
    }
}
