//! Runs the mapper as a child process, and reads its answer, within a time that grows with the
//! number of ranks.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The command of the mapper, and the nodes of the machine for which the mapper is asked. Both come
/// from a file: the words of the command, one in each line, an empty line, and the names of the
/// hosts in node order, one in each line.
pub(crate) struct Mapper {
    words: Vec<OsString>,
    nodes: Vec<String>,
}

/// Whether the first rank has to stay the first process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstRank {
    Stays,
    MayMove,
}

/// The hosts of some processes, numbered in the order of the processes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Hosts {
    pub(crate) names: Vec<String>,
    /// Number of processes on each host.
    pub(crate) room: Vec<usize>,
    /// The host of each process.
    pub(crate) of_process: Vec<usize>,
    /// The kind of rank that each process is for, from 1; empty where all are alike.
    pub(crate) kinds: Vec<u32>,
}

impl<'a> FromIterator<&'a str> for Hosts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(processes: I) -> Self {
        let (mut hosts, mut numbers) = (Self::default(), HashMap::new());
        for name in processes {
            let host = *numbers.entry(name).or_insert(hosts.names.len());
            if host == hosts.names.len() {
                hosts.names.push(name.to_owned());
                hosts.room.push(0);
            }
            hosts.room[host] += 1;
            hosts.of_process.push(host);
        }
        hosts
    }
}

impl Mapper {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let bytes =
            fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let mut lines = bytes.split(|&byte| byte == b'\n');
        let words = lines.by_ref().take_while(|line| !line.is_empty());
        let words: Vec<OsString> = words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect();
        let nodes = lines.filter(|line| !line.is_empty());
        let nodes: Vec<String> = nodes
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        if words.is_empty() || nodes.is_empty() {
            return Err(format!(
                "{} does not name a mapper and hosts",
                path.display()
            ));
        }
        Ok(Self { words, nodes })
    }

    /// The host of every rank, such that every process gets one rank. `matrix` is the communication
    /// graph in the Matrix Market format, if the command does not name it itself. If the first rank
    /// `stays`, it gets a process on the host of the first process, and the answer is not predicted
    /// to be slower than the order of the processes.
    ///
    /// # Errors
    /// The reason why there is no answer within `budget`.
    pub(crate) fn ask(
        &self,
        matrix: Option<&str>,
        hosts: &Hosts,
        first_rank: FirstRank,
        budget: Duration,
    ) -> Result<Vec<usize>, String> {
        let ranks: usize = hosts.room.iter().sum();
        let place = |node: &String| hosts.names.iter().position(|name| is_same(node, name));
        let places: Vec<Option<usize>> = self.nodes.iter().map(place).collect();
        if hosts.names.len() != places.iter().flatten().count() {
            return Err("the job is on hosts that the machine does not have".into());
        }
        let list = places
            .iter()
            .zip(&self.nodes)
            .map(|(place, node)| match place {
                Some(host) => format!("{node} slots={}\n", hosts.room[*host]),
                None => "-\n".to_owned(),
            });
        let scratch = Scratch::new().map_err(unwritable)?;
        scratch.write("hosts", &list.collect::<String>())?;
        if let Some(matrix) = matrix {
            scratch.write(MATRIX, matrix)?;
        }
        if first_rank == FirstRank::Stays {
            let node = |host: &usize| places.iter().position(|place| *place == Some(*host));
            let nodes = hosts.of_process.iter().filter_map(node);
            let lines: String = nodes.map(|node| format!("{node}\n")).collect();
            scratch.write(STARTED, &lines)?;
            let kinds = hosts.kinds.iter().map(|kind| format!("{kind}\n"));
            scratch.write(KINDS, &kinds.collect::<String>())?;
        }
        let kinds = (!hosts.kinds.is_empty()).then_some(("--weights", KINDS));
        let started = (first_rank == FirstRank::Stays).then_some(("--started", STARTED));
        let text = match started {
            None => self.run(&scratch, matrix.is_some(), &[], budget),
            Some(started) => {
                let files: Vec<_> = [started].into_iter().chain(kinds).collect();
                self.run(&scratch, matrix.is_some(), &files, budget)
            }
        }?;
        let nodes = text.lines().map(|line| line.trim().parse::<usize>().ok());
        let of_rank: Option<Vec<usize>> = nodes.map(|node| *places.get(node?)?).collect();
        let of_rank = of_rank.filter(|of_rank| of_rank.len() == ranks);
        of_rank.ok_or_else(|| "the mapper's answer is for another job".to_owned())
    }

    /// Runs the mapper, and returns the answer that it has written.
    fn run(
        &self,
        scratch: &Scratch,
        matrix: bool,
        files: &[(&str, &str)],
        budget: Duration,
    ) -> Result<String, String> {
        let (hosts, output) = (scratch.0.join("hosts"), scratch.0.join("map"));
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .arg("--hosts")
            .arg(hosts)
            .args("--to nodes --effort hurried --threads 1 -o".split(' '))
            .arg(&output)
            .args(matrix.then(|| scratch.0.join(MATRIX)))
            .args(
                files
                    .iter()
                    .flat_map(|(option, file)| [option.into(), scratch.0.join(file)]),
            )
            // The mapper is not an MPI process, so no library is preloaded into it.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", self.words[0].display()))?;
        match end(&mut child, budget) {
            Some(true) => fs::read_to_string(output).map_err(unwritable),
            Some(false) => Err("the mapper has failed".into()),
            None => Err(format!(
                "the mapper had no answer within {} s",
                budget.as_secs_f64()
            )),
        }
    }
}

/// The time that the mapper may take for `ranks` ranks: what the user has set, or a second and a
/// fifth of a second for every thousand ranks. Chosen by hand:
/// `--effort hurried` takes one to two seconds for 4096 ranks on a dragonfly (changelog).
pub(crate) fn budget(ranks: usize, given: Option<Duration>) -> Duration {
    let usual = || Duration::from_secs(1) + Duration::from_micros(200) * ranks as u32;
    given.unwrap_or_else(usual)
}

/// Waits for the child, and returns whether it has succeeded. A child that takes longer than
/// `budget` is killed, and the result is `None`.
fn end(child: &mut Child, budget: Duration) -> Option<bool> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if begun.elapsed() < budget => thread::sleep(Duration::from_millis(1)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            // The program has waited for any of its children, and has taken the child's status.
            Err(_) => return Some(false),
        }
    }
}

/// Whether two names are those of the same host. Either may be short or full.
fn is_same(one: &str, other: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    one.eq_ignore_ascii_case(other) || short(one) == short(other)
}

/// The file name of the matrix in the scratch directory.
const MATRIX: &str = "declared.mtx";

/// The file name of the nodes of all processes in the scratch directory.
const STARTED: &str = "started";

/// The file name of the kinds of all processes in the scratch directory.
const KINDS: &str = "kinds";

fn unwritable(error: impl Display) -> String {
    format!("no file for the mapper: {error}")
}

/// A directory for this user alone, which is removed when this value is dropped. Nothing can be in
/// its place before it is made.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Self> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let name = format!(
            "rankfold-mapper-{}-{}",
            std::process::id(),
            now.unwrap_or_default().as_nanos()
        );
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.0.join(name), text).map_err(unwritable)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapper(script: &str, nodes: &[&str]) -> Mapper {
        let words = ["sh", "-c", script, "sh"];
        Mapper {
            words: words.map(OsString::from).into(),
            nodes: nodes.iter().map(ToString::to_string).collect(),
        }
    }

    /// A command that ignores its options and writes an answer into the file behind `-o`.
    const ANSWER: &str = "while [ \"$1\" != -o ]; do shift; done; printf '2\\n0\\n2\\n' > \"$2\"";

    #[test]
    fn an_answer_in_nodes_becomes_one_in_hosts() {
        let hosts: Hosts = ["c", "a.site", "c"].into_iter().collect();
        assert_eq!(
            (&hosts.room[..], &hosts.of_process[..]),
            (&[2, 1][..], &[0, 1, 0][..])
        );
        let budget = Duration::from_secs(20);
        let answer = mapper(ANSWER, &["A", "b", "c"]).ask(None, &hosts, FirstRank::MayMove, budget);
        assert_eq!(answer, Ok(vec![0, 1, 0]));
        let unknown = mapper(ANSWER, &["a", "b"]).ask(None, &hosts, FirstRank::MayMove, budget);
        assert!(unknown.unwrap_err().contains("does not have"));
    }

    #[test]
    fn nobody_else_can_read_what_the_mapper_is_given() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new().unwrap();
        let mode = fs::metadata(&scratch.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_mapper_that_takes_too_long_or_fails_is_told() {
        let hosts: Hosts = ["a"].into_iter().collect();
        let ask = |script, budget| {
            let answer = mapper(script, &["a"]).ask(None, &hosts, FirstRank::Stays, budget);
            answer.unwrap_err()
        };
        let begun = Instant::now();
        let slow = ask("exec sleep 60", Duration::from_millis(300));
        assert!(slow.contains("no answer within 0.3 s"), "{slow}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        // On a busy machine a shell takes longer than the budget above to start and to end.
        let failed = ask("exit 3", Duration::from_secs(30));
        assert!(failed.contains("has failed"), "{failed}");
        assert_eq!(budget(4096, None), Duration::from_micros(1_819_200));
    }
}
