//! The mapper as a process: started, waited for and read, within a time that grows with the ranks.

use rankfold_preload::warning::warn;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What to start, and the nodes of the machine it is told of: a file with the words of a command, one a line, an empty line, and the
/// names of hosts in node order, one a line.
pub(super) struct Mapper {
    words: Vec<OsString>,
    nodes: Vec<String>,
}

/// Who sends to whom, as declared: from, to, weight.
pub(super) type Edges = Vec<(u32, u32, i64)>;

impl Mapper {
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = fs::read(path)
            .map_err(|error| warn(format_args!("cannot read {}: {error}", path.display())))
            .ok()?;
        let mut lines = bytes.split(|&byte| byte == b'\n');
        let words = lines.by_ref().take_while(|line| !line.is_empty());
        let words: Vec<OsString> = words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect();
        let nodes = lines.filter(|line| !line.is_empty());
        let nodes: Vec<String> = nodes
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        (!words.is_empty() && !nodes.is_empty()).then_some(Self { words, nodes })
    }

    /// The host of every vertex: an index into `names`, of which `room` tells how many processes are there. `None` where there is no answer in time.
    pub(super) fn ask(
        &self,
        edges: &Edges,
        names: &[String],
        room: &[usize],
    ) -> Option<Vec<usize>> {
        let vertices: usize = room.iter().sum();
        let scratch = Scratch::new()?;
        let (matrix, hosts) = (scratch.0.join("declared.mtx"), scratch.0.join("hosts"));
        let places: Vec<Option<usize>> = self
            .nodes
            .iter()
            .map(|node| names.iter().position(|name| is_same(node, name)))
            .collect();
        if names.len() != places.iter().flatten().count() {
            warn(
                "topologies are not reordered: the job is on hosts that the machine does not have",
            );
            return None;
        }
        let list = places
            .iter()
            .zip(&self.nodes)
            .map(|(place, node)| match place {
                Some(host) => format!("{node} slots={}\n", room[*host]),
                None => "-\n".to_owned(),
            });
        fs::write(&hosts, list.collect::<String>()).ok()?;
        fs::write(&matrix, as_matrix(edges, vertices)).ok()?;
        let told = self.run(&matrix, &hosts, vertices)?;
        let nodes = told.lines().map(|line| line.trim().parse::<usize>().ok());
        let of_vertex: Option<Vec<usize>> = nodes.map(|node| *places.get(node?)?).collect();
        of_vertex.filter(|of_vertex| of_vertex.len() == vertices)
    }

    /// What the mapper prints.
    fn run(&self, matrix: &Path, hosts: &Path, vertices: usize) -> Option<String> {
        let output = hosts.with_file_name("map");
        let budget = Duration::from_secs(1) + Duration::from_micros(200) * vertices as u32;
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .arg("--hosts")
            .arg(hosts)
            .args(["--to", "nodes", "--effort", "fast", "--threads", "1", "-o"])
            .args([&output, &matrix.to_owned()])
            // It is no process of the program's.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| {
                let name = self.words[0].display();
                warn(format_args!(
                    "topologies are not reordered: cannot start {name}: {error}"
                ));
            })
            .ok()?;
        if ends_well(&mut child, budget) {
            return fs::read_to_string(output).ok();
        }
        warn(format_args!(
            "a topology of {vertices} ranks is not reordered: the mapper had no answer within {} s",
            budget.as_secs_f64()
        ));
        None
    }
}

/// Waits for the child; one that takes longer than `budget` is ended.
fn ends_well(child: &mut Child, budget: Duration) -> bool {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begun.elapsed() < budget => thread::sleep(Duration::from_millis(1)),
            // Another reaper has taken it, as a program may that waits for any child of its own; or it takes too long.
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// Short and full names of a host are the same.
fn is_same(one: &str, other: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    one.eq_ignore_ascii_case(other) || short(one) == short(other)
}

/// In the Matrix Market format, row = sender.
fn as_matrix(edges: &Edges, vertices: usize) -> String {
    let number = edges.len();
    let mut text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{vertices} {vertices} {number}\n"
    );
    for (from, to, weight) in edges {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} {} {weight}", from + 1, to + 1);
    }
    text
}

/// A directory that goes with this.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Option<Self> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let name = format!(
            "rankfold-reorder-{}-{}",
            std::process::id(),
            now.unwrap_or_default().as_nanos()
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).ok()?;
        Some(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
