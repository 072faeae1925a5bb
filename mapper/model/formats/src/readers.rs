//! The formats that a program reads, and the choice among them.

use crate::{Collectives, Mark, Read, Reader, Reading, RunPart, content, mat, monitoring};
use rankfold_base::words::{natural_key, seems};
use rankfold_graph::{CommError, Result};
use std::path::{Path, PathBuf};

/// The formats that a program reads, as lists of several crates. The first format that fits a file
/// reads it.
///
/// ```
/// use rankfold_formats::{READERS, Readers};
///
/// let readers = Readers(&[READERS]);
/// assert!(readers.iter().any(|reader| reader.name() == ".mtx"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Readers(pub &'static [&'static [Reader]]);

impl Readers {
    /// All formats.
    pub fn iter(self) -> impl Iterator<Item = &'static Reader> {
        self.0.iter().copied().flatten()
    }

    /// Reads the communication of one run. The ending of the first file name (before `.gz`) selects
    /// the format, or the content of the first file where no format has that ending. A directory
    /// stands for the files in it.
    ///
    /// # Errors
    /// [`CommError`], always naming the file.
    pub fn read(self, paths: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
        let Some(path) = paths.first() else {
            return Err(CommError::Empty);
        };
        if let [directory] = paths
            && directory.is_dir()
            && let Some((reader, files)) = self.recognised_in(directory)?
            && let Read::Set(read) = reader.read
        {
            return read(&files, part);
        }
        self.of(path)?.read(paths, part)
    }

    /// The names of the phases of a run, in the order of its file.
    ///
    /// # Errors
    /// [`CommError`], naming the file: some formats have no phases.
    pub fn phases(self, paths: &[PathBuf]) -> Result<Vec<String>> {
        let path = paths.first().ok_or(CommError::Empty)?;
        match self.recognised(path).and_then(|reader| reader.phases) {
            Some(phases) => phases(path),
            None => {
                let with_phases = self.iter().filter(|reader| reader.phases.is_some());
                let known: Vec<String> = with_phases.map(Reader::name).collect();
                let known = known.join(", ");
                let problem = format!("it has no phases: --phases needs one of {known}");
                Err(CommError::unusable(path, problem))
            }
        }
    }

    /// The reader of a file, by the ending of its name or by its content.
    fn recognised(self, path: &Path) -> Option<&'static Reader> {
        let ending = ending(path);
        let by_ending = self.iter().find(|reader| reader.has_ending(ending));
        // Endings of tables are also given to matrices that white space separates.
        let is_table = ["csv", "mtx"].map(Some).contains(&ending);
        let is_matrix = || is_table && mat::is_square(&content::head(path));
        by_ending.filter(|_| !is_matrix()).or_else(|| {
            let head = content::head(path);
            self.iter().find(|reader| reader.recognises(&head))
        })
    }

    /// The files in a directory that one of these formats recognises, in the order of their names
    /// with numbers compared by value, and that reader. `None` if no file is recognised.
    ///
    /// # Errors
    /// [`CommError::Refused`] if files of two formats are in the directory.
    fn recognised_in(self, directory: &Path) -> Result<Option<(&'static Reader, Vec<PathBuf>)>> {
        let entries = std::fs::read_dir(directory);
        let entries = entries.map_err(|source| CommError::unreadable(directory, source))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file())
            .collect();
        files.sort_by_cached_key(|path| natural_key(&path.to_string_lossy()));
        let mut of_kind: Option<(&'static Reader, Vec<PathBuf>)> = None;
        for file in files {
            let start = content::head(&file);
            let Some(reader) = self.iter().find(|reader| reader.recognises(&start)) else {
                continue;
            };
            match &mut of_kind {
                None => of_kind = Some((reader, vec![file])),
                Some((known, list)) if std::ptr::eq(*known, reader) => list.push(file),
                Some((known, list)) => {
                    return Err(CommError::unusable(
                        directory,
                        format!(
                            "the directory holds records of two kinds, {} ({}) and {} ({}): name the files of one",
                            known.name(),
                            list[0].display(),
                            reader.name(),
                            file.display()
                        ),
                    ));
                }
            }
        }
        Ok(of_kind)
    }

    fn of(self, path: &Path) -> Result<&'static Reader> {
        self.recognised(path)
            .ok_or_else(|| match std::fs::metadata(path) {
                Err(source) => CommError::unreadable(path, source),
                Ok(_) => CommError::Unrecognised {
                    path: path.to_owned(),
                    seems: seems(&content::head(path)),
                },
            })
    }
}

impl Reader {
    /// Name of the format in messages: the ending with its dot, or a name of its own.
    #[must_use]
    pub fn name(&self) -> String {
        match self.mark {
            Mark::Ending(ending) => format!(".{ending}"),
            Mark::Content { name, .. } => name.to_owned(),
        }
    }

    /// Whether the format has this ending.
    fn has_ending(&self, ending: Option<&str>) -> bool {
        matches!(self.mark, Mark::Ending(own) if Some(own) == ending)
    }

    /// Whether a file that starts with these bytes is of the format. False for formats that an
    /// ending marks.
    pub(crate) fn recognises(&self, head: &[u8]) -> bool {
        match self.mark {
            Mark::Ending(_) => false,
            Mark::Content { recognises, .. } => recognises(head),
        }
    }

    fn read(&self, paths: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
        let name = self.name();
        let path = &paths[0];
        match (&self.read, paths) {
            (Read::Set(read), paths) => read(paths, part),
            (_, [_, second, ..]) => Err(CommError::unusable(
                second,
                format!("a second file, but a {name} file is a whole run"),
            )),
            _ if let Some((set, _)) = part.settings.first() => Err(CommError::unusable(
                path,
                format!("--set {set}: a {name} file has no variables; launches have"),
            )),
            (Read::Profile(read), _) => read(path, part),
            (Read::Matrix(_), _) if part.phase.is_some() => Err(CommError::unusable(
                path,
                format!("a {name} file has no phases: --phase needs a profile (.rfp)"),
            )),
            (Read::Matrix(_), _)
                if matches!(part.collectives, Collectives::By(_) | Collectives::AsSent) =>
            {
                Err(CommError::unusable(
                    path,
                    format!(
                        "a {name} file has no list of collectives: --collectives needs a profile (.rfp)"
                    ),
                ))
            }
            (Read::Matrix(read), _) => read(path),
        }
    }
}

/// The ending that selects the format of a file. A set of files of Open MPI's monitoring is named
/// by what its names begin with.
fn ending(path: &Path) -> Option<&str> {
    if monitoring::is_set(path) {
        return Some(monitoring::ENDING);
    }
    let is_packed = path.extension().is_some_and(|ending| ending == "gz");
    let named = if is_packed {
        Path::new(path.file_stem()?)
    } else {
        path
    };
    named.extension().and_then(|ending| ending.to_str())
}
