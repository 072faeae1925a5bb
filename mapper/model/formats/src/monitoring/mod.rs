//! Files of Open MPI's monitoring component, one file `NAME.R.prof` for each rank R, or all ranks
//! in one file.
//!
//! Written by runs with `--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca
//! pml_monitoring_filename NAME`. These lines are read:
//!
//! | line | meaning |
//! |---|---|
//! | `E source destination N bytes M msgs sent ...` | messages with the application's tags |
//! | `S source destination ...` | put by the source |
//! | `R source destination ...` | got by the source: the bytes go from destination to source |
//! | `I source destination ...` | messages inside of collectives, if asked for |
//! | `D MPI_COMM_WORLD procs: 0,1,...` | the ranks of the world |
//!
//! These are not read: `C`, `O2A`, `A2O` and `A2A` (volumes of collectives), and the histogram at
//! the end of each line. A run with `pml_monitoring_enable 1` counts messages inside of collectives
//! in its `E` lines.

use super::text::{self, Lines, fields};
use super::{Collectives, Keeps, Mark, Read, Reader, Reading, RunPart, Writer};
use rankfold_base::Rank;
use rankfold_collectives as collective;
use rankfold_graph::{Builder, CommError, Declared, Entry, Result, Traffic, WriteError};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Ending of the file names.
pub(super) const ENDING: &str = "prof";

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending(ENDING),
    summary: "files of Open MPI's monitoring component: one, several, their directory or the name before .R.prof",
    read: Read::Set(read),
    phases: None,
};

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: "prof",
    summary: "file of Open MPI's monitoring component, all ranks in one",
    keeps: Keeps {
        direction: true,
        itself: true,
        messages: true,
        weights: false,
    },
    write,
};

/// Name of the world communicator in a `D` line.
const WORLD: &[u8] = b"MPI_COMM_WORLD";

fn read(paths: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let files = files(paths)?;
    let refuse = |problem: &str| Err(CommError::unusable(&files[0], problem));
    if part.phase.is_some() {
        return refuse("a .prof file has no named phases: --phase needs a profile (.rfp)");
    }
    let inside = match part.collectives {
        Collectives::AsSent => true,
        Collectives::By(model) if model.name() == collective::MEASURED => true,
        Collectives::By(_) => {
            return refuse(
                "a .prof file holds the messages that collectives really sent: --collectives auto adds them; no model is needed",
            );
        }
        _ => false,
    };
    let mut traffic = Builder::growing();
    for file in &files {
        add(Lines::open(file)?, inside, &mut traffic)?;
    }
    let traffic = traffic
        .finish()
        .map_err(|error| CommError::refused(&files[0], &error))?;
    complete(&files, traffic.ranks())?;
    let notes = Vec::new();
    Ok(Reading {
        traffic,
        declared: Declared::default(),
        hosts: Vec::new(),
        notes,
    })
}

/// Adds the lines of one file. Messages inside of collectives are added only if `inside`.
fn add<R: BufRead>(mut lines: Lines<'_, R>, inside: bool, traffic: &mut Builder) -> Result<()> {
    while lines.advance_to_data(b'#')? {
        let line = lines.current();
        let done = match line.split(|&byte| byte == b'\t').next() {
            Some(b"I") if !inside => Ok(()),
            Some(kind @ (b"E" | b"I" | b"S" | b"R")) => {
                volume(line, kind == b"R").and_then(|entry| {
                    let pushed = traffic.push(entry);
                    pushed.map_err(|error| error.to_string())
                })
            }
            Some(b"D") => world(line).map(|ranks| traffic.reach(ranks)),
            Some(b"C" | b"O2A" | b"A2O" | b"A2A") => Ok(()),
            _ => Err("not a line of Open MPI's monitoring component".into()),
        };
        done.map_err(|problem| lines.malformed(problem))?;
    }
    Ok(())
}

/// Parses `KIND source destination N bytes M msgs sent`, perhaps followed by a histogram. If
/// `fetched`, the bytes went from destination to source.
fn volume(line: &[u8], fetched: bool) -> Result<Entry, String> {
    const FORM: &str = "the line must be: kind source destination N bytes M msgs sent";
    let mut words = fields(line).skip(1);
    let mut word = || words.next().ok_or(FORM);
    let (source, destination, bytes) = (word()?, word()?, word()?);
    if word()? != b"bytes" {
        return Err(FORM.into());
    }
    let messages = text::whole(word()?).ok_or(FORM)?;
    if (word()?, word()?) != (b"msgs", b"sent") {
        return Err(FORM.into());
    }
    let source = Rank(text::rank("source", source)?);
    let destination = Rank(text::rank("destination", destination)?);
    let (from, to) = if fetched {
        (destination, source)
    } else {
        (source, destination)
    };
    Ok(Entry {
        from,
        to,
        bytes: text::whole(bytes).ok_or(FORM)?,
        messages,
    })
}

/// World size according to a `D` line: one more than the highest rank of its list. 0 for other
/// communicators.
fn world(line: &[u8]) -> Result<usize, String> {
    let mut columns = line.split(|&byte| byte == b'\t').skip(1);
    if columns.next() != Some(WORLD) {
        return Ok(0);
    }
    let list = columns.next().and_then(|list| list.strip_prefix(b"procs:"));
    let list = list.ok_or("the line must be: D MPI_COMM_WORLD procs: 0,1,...")?;
    let mut ranks = 0;
    for rank in list.trim_ascii().split(|&byte| byte == b',') {
        ranks = ranks.max(text::rank("member", rank)? as usize + 1);
    }
    Ok(ranks)
}

/// Whether `path` stands for files of this format although it lacks the ending: a directory, or the
/// name before `.R.prof`.
pub(super) fn is_set(path: &Path) -> bool {
    path.is_dir() || (!path.exists() && rank_file(path, 0).exists())
}

/// Resolves the paths of the command line to the files of one run.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let [path] = paths else {
        return Ok(paths.to_vec());
    };
    let unreadable = |source| CommError::unreadable(path, source);
    let (directory, stem) = if path.is_dir() {
        (path.clone(), None)
    } else if let Some((stem, _)) = numbered(path) {
        (beside(path), Some(stem))
    } else if path.exists() {
        return Ok(vec![path.clone()]);
    } else if let Some(stem) = [path.clone(), path.with_extension("")]
        .iter()
        .find(|stem| rank_file(stem, 0).exists())
    {
        (
            beside(path),
            stem.file_name().and_then(|s| s.to_str()).map(str::to_owned),
        )
    } else {
        return Err(unreadable(std::io::ErrorKind::NotFound.into()));
    };
    let mut sets = std::collections::BTreeMap::<String, Vec<(u64, PathBuf)>>::new();
    for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == ENDING) {
            let name = || file.to_string_lossy().into_owned();
            let (set, rank) = numbered(&file).unwrap_or_else(|| (name(), 0));
            sets.entry(set).or_default().push((rank, file));
        }
    }
    if let Some(stem) = stem {
        sets.retain(|set, _| *set == stem);
    }
    let names: Vec<&String> = sets.keys().collect();
    if names.len() > 1 {
        return Err(CommError::unusable(
            path,
            format!(
                "the directory holds several sets of .prof files, {names:?}: name a file of one"
            ),
        ));
    }
    let Some((_, mut set)) = sets.pop_first() else {
        return Err(CommError::unusable(
            path,
            "no .prof file is in this directory",
        ));
    };
    set.sort();
    Ok(set.into_iter().map(|(_, file)| file).collect())
}

/// The directory that holds a file.
fn beside(path: &Path) -> PathBuf {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// Splits `STEM.R.prof` into the stem and R.
fn numbered(path: &Path) -> Option<(String, u64)> {
    let name = path.file_name()?.to_str()?;
    let (stem, rank) = name.strip_suffix(".prof")?.rsplit_once('.')?;
    Some((stem.to_owned(), text::whole(rank.as_bytes())?))
}

fn rank_file(stem: &Path, rank: usize) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(format!(".{rank}.{ENDING}"));
    name.into()
}

/// Checks that a set of one file a rank has the file of every rank.
fn complete(files: &[PathBuf], ranks: usize) -> Result<()> {
    let mut there: Vec<u64> = files
        .iter()
        .filter_map(|file| Some(numbered(file)?.1))
        .collect();
    if there.is_empty() || there.len() < files.len() {
        return Ok(());
    }
    there.sort_unstable();
    match (0..ranks as u64).find(|rank| there.binary_search(rank).is_err()) {
        None => Ok(()),
        Some(rank) => Err(CommError::unusable(
            &files[0],
            format!("the file of rank {rank} of {ranks} is missing beside it"),
        )),
    }
}

fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    writeln!(output, "# POINT TO POINT")?;
    for Entry {
        from,
        to,
        bytes,
        messages,
    } in traffic.entries()
    {
        writeln!(
            output,
            "E\t{from}\t{to}\t{bytes} bytes\t{messages} msgs sent"
        )?;
    }
    writeln!(output, "# COLLECTIVES")?;
    write!(output, "D\tMPI_COMM_WORLD\tprocs: 0")?;
    for rank in 1..traffic.ranks() {
        write!(output, ",{rank}")?;
    }
    writeln!(output)?;
    Ok(())
}

#[cfg(test)]
mod tests;
