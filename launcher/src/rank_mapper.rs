//! The mapper that ranks start: inside `MPI_Init` for hosts that are not the planned ones, and for
//! topologies that MPI may reorder.

use crate::discovery::{DiscoveredMachine, MachineArgument};
use anyhow::Context;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::cli::output;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};

/// The command, and the machine that it is told of.
pub(crate) struct RankMapper {
    program: PathBuf,
    /// What it reads, where ranks do not tell that themselves.
    profile: Option<PathBuf>,
    machine: MachineArgument,
    /// What is inside the nodes.
    node: Option<PathBuf>,
    /// The names of all hosts of the machine, in node order.
    hosts: Vec<String>,
}

impl RankMapper {
    /// This program's own mapper for the machine that was `found`.
    ///
    /// # Errors
    /// Nobody knows where this program is.
    pub(crate) fn new(
        found: &DiscoveredMachine,
        nodes: &NodeArgs,
        profile: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            program: std::env::current_exe().context("the path of this program")?,
            profile,
            machine: found.machine.clone(),
            node: nodes.node.clone(),
            hosts: found.hardware.names.clone().unwrap_or_default(),
        })
    }

    /// Writes `file`, which tells a rank all this, and a machine file beside it where that is
    /// needed.
    ///
    /// # Errors
    /// A path that has more than one line, or a file that cannot be written.
    pub(crate) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let machine = match &self.machine {
            MachineArgument::Named(name) => whole(name),
            MachineArgument::Text(text) => {
                let path = file.with_extension("toml");
                output::write(&path, text.as_bytes())?;
                absolute(path)?.into_os_string()
            }
        };
        let mut words: Vec<OsString> = vec![self.program.clone().into(), "map".into()];
        if let Some(profile) = &self.profile {
            words.push(absolute(profile)?.into());
        }
        words.extend(["--machine".into(), machine]);
        if let Some(node) = &self.node {
            words.extend(["--node".into(), absolute(node)?.into()]);
        }
        let mut bytes = Vec::new();
        for word in &words {
            let word = word.as_bytes();
            if word.is_empty() || word.contains(&b'\n') {
                let word = String::from_utf8_lossy(word);
                anyhow::bail!("a rank cannot be told of {word:?}: it has several lines");
            }
            bytes.extend(word);
            bytes.push(b'\n');
        }
        for line in [""]
            .into_iter()
            .chain(self.hosts.iter().map(String::as_str))
        {
            bytes.extend(line.as_bytes());
            bytes.push(b'\n');
        }
        Ok(output::write(file, &bytes)?)
    }
}

/// A value of `--machine` that means the same in any directory.
fn whole(machine: &str) -> OsString {
    const GRAPH_FILE: &str = "file:";
    let (kind, path) = match machine.strip_prefix(GRAPH_FILE) {
        Some(path) => (GRAPH_FILE, path),
        None => ("", machine),
    };
    match absolute(path) {
        Ok(whole) if Path::new(path).is_file() => {
            let mut word = OsString::from(kind);
            word.push(whole);
            word
        }
        _ => machine.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_told_the_command_and_the_hosts_in_node_order() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("mapper");
        let mut mapper = RankMapper {
            program: "/opt/rankfold".into(),
            profile: Some("/p.rfp".into()),
            machine: MachineArgument::Text("slots = 1\n".into()),
            node: None,
            hosts: vec!["b".into(), "a".into()],
        };
        mapper.write(&file).unwrap();
        let machine = file.with_extension("toml");
        assert_eq!(std::fs::read_to_string(&machine).unwrap(), "slots = 1\n");
        let told = std::fs::read_to_string(&file).unwrap();
        let machine = machine.display();
        assert_eq!(
            told,
            format!("/opt/rankfold\nmap\n/p.rfp\n--machine\n{machine}\n\nb\na\n")
        );
        mapper.machine = MachineArgument::Named("torus:2".into());
        mapper.profile = Some("/two\nlines".into());
        assert!(mapper.write(&file).is_err());
    }

    #[test]
    fn only_names_of_files_depend_on_the_directory() {
        assert_eq!(whole("torus:4x4@1,1"), "torus:4x4@1,1");
        let here = absolute("Cargo.toml").unwrap();
        assert_eq!(whole("Cargo.toml"), here);
        assert_eq!(
            whole("file:Cargo.toml"),
            *format!("file:{}", here.display())
        );
    }
}
