//! Importers: what tools say about a machine, as a [`Description`].
//!
//! One file a kind, listed in [`IMPORTERS`]. An importer never panics, whatever the text.

mod cloud;
mod hostlist;
mod hwloc;
mod infiniband;
mod lattice;
mod layers;
mod lft;
mod rule;
mod scotch;
mod slurm;
mod slurm_yaml;
mod tree;

use super::{Description, Insides};
pub use hostlist::expand as expand_hosts;
pub use infiniband::{Cable, Subnet, Traced, traces};
pub use rule::{PRESETS, Preset, Rule};
use std::path::Path;

/// A text an importer reads.
#[derive(Clone, Debug)]
pub struct Source {
    /// What messages call it.
    pub file: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// Reads a file; what is not UTF-8 in it is replaced.
    ///
    /// # Errors
    /// [`ImportError`] if it cannot be read.
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

/// A kind of text machines are imported from. One file per kind, listed in [`IMPORTERS`].
///
/// ```
/// use rankfold_model::machine::import::{IMPORTERS, Source};
///
/// let scotch = IMPORTERS.iter().find(|kind| kind.name == "scotch").expect("it is listed");
/// let source = Source { file: "target".into(), text: "torus2D 4 8".into() };
/// assert!(scotch.import(vec![source])?.to_string().contains("torus:8x4")); // the first size is fastest
/// # Ok::<(), rankfold_model::machine::import::ImportError>(())
/// ```
#[derive(Debug)]
pub struct Importer {
    /// The KIND of `rankfold machine import KIND FILES`.
    pub name: &'static str,
    /// The files it takes, for help.
    pub about: &'static str,
    /// Reads them.
    pub read: fn(&[Source]) -> Result<Description, ImportError>,
}

/// Every kind there is.
pub const IMPORTERS: &[Importer] = &[
    infiniband::INFINIBAND,
    slurm::TOPOLOGY,
    slurm_yaml::TOPOLOGY,
    slurm::ADDRESSES,
    cloud::TOPOGRAPH,
    cloud::AWS,
    rule::XNAME,
    hwloc::HWLOC,
    scotch::SCOTCH,
];

impl Importer {
    /// Reads the files; hwloc's among those of another kind tell what is inside its hosts.
    ///
    /// # Errors
    /// [`ImportError`], naming file and line.
    pub fn import(&self, sources: Vec<Source>) -> Result<Description, ImportError> {
        if self.name == hwloc::HWLOC.name {
            return (self.read)(&sources);
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
        let mut description = (self.read)(&network)?;
        if !insides.is_empty() {
            hwloc::add(&mut description, &insides)?;
        }
        Ok(description)
    }
}

/// The importer of this name.
///
/// # Panics
/// There is none.
#[must_use]
pub fn importer(name: &str) -> &'static Importer {
    let found = IMPORTERS.iter().find(|kind| kind.name == name);
    found.expect("the name is one of the list")
}

/// The kind of a text, as its content tells; `None` where it may be anything, such as a list of
/// host names.
#[must_use]
pub fn kind_of(source: &Source) -> Option<&'static Importer> {
    let line = |starts: &[&str]| {
        let mut lines = source.text.lines().map(str::trim_start);
        lines.any(|line| starts.iter().any(|start| line.starts_with(start)))
    };
    let told = [
        (cloud::is_topograph(source), "topograph"),
        (cloud::is_aws(source), "aws"),
        (hwloc::recognises(source), "hwloc"),
        (
            line(&["Switch\t", "Ca\t", "switchguid="]) || lft::recognises(source),
            "infiniband",
        ),
        (
            line(&["SwitchName=", "BlockName=", "RingName=", "TorusName="]),
            "slurm",
        ),
        (line(&["- topology:", "---", "topology:"]), "slurm-yaml"),
    ];
    told.into_iter()
        .find(|(is, _)| *is)
        .map(|(_, name)| importer(name))
}

/// What hwloc's XML of one host says of every node.
///
/// # Errors
/// [`ImportError`], naming file and line.
pub fn inside(source: &Source) -> Result<Insides, ImportError> {
    hwloc::inside(source).map(Insides::everywhere)
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// Counted from 1; none if the whole file is wrong.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// A place in the sources.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    source: &'a Source,
    /// Counted from 1.
    line: usize,
}

impl Place<'_> {
    fn bad(self, problem: impl Into<String>) -> ImportError {
        ImportError {
            file: self.source.file.clone(),
            line: Some(self.line),
            problem: problem.into(),
        }
    }
}

/// The lines of a source that are not blank, without white space around them, and their places.
fn lines(source: &Source) -> impl Iterator<Item = (Place<'_>, &str)> {
    (1..)
        .zip(source.text.lines())
        .map(move |(line, text)| (Place { source, line }, text.trim()))
        .filter(|(_, text)| !text.is_empty())
}

/// What compares names as people count: digits by their value, so that n2 comes before n10.
fn natural(name: &str) -> Vec<(u64, char)> {
    let mut key = Vec::new();
    let mut in_number = false;
    for c in name.chars() {
        match (c.to_digit(10), key.last_mut()) {
            (Some(digit), Some((number, _))) if in_number => {
                *number = u64::saturating_add(u64::saturating_mul(*number, 10), digit.into());
            }
            (Some(digit), _) => key.push((digit.into(), '0')),
            (None, _) => key.push((u64::MAX, c)),
        }
        in_number = c.is_ascii_digit();
    }
    key
}

#[cfg(test)]
mod tests {
    use super::{Source, importer, kind_of, natural};

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

    #[test]
    fn names_sort_as_people_count() {
        let mut names = ["n10", "n2", "m", "n2-ib", "n01"];
        names.sort_by_key(|n| natural(n));
        assert_eq!(names, ["m", "n01", "n2", "n2-ib", "n10"]);
    }
}
