//! The mapper that ranks start themselves: inside `MPI_Init` where the job has other hosts than the
//! plan, and inside `MPI_Cart_create` and the like where MPI may reorder the ranks.

use crate::discovery::{DiscoveredMachine, MachineArgument, with_absolute_path};
use anyhow::Context;
use rankfold_console::output;
use rankfold_mapper::cli::constraints::ConstraintArgs;
use rankfold_mapper::cli::options::NodeArgs;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};

/// The command line of the mapper for one machine.
pub(crate) struct RankMapper {
    program: PathBuf,
    /// The profile to map; `None` where the ranks write the communication graph themselves.
    profile: Option<PathBuf>,
    machine: MachineArgument,
    /// The file of `--node`: the inside of the nodes.
    node: Option<PathBuf>,
    /// The flags of constraints on the map.
    constraints: Vec<OsString>,
    /// The names of all hosts of the machine, in node order.
    hosts: Vec<String>,
}

impl RankMapper {
    /// The mapper of this program for the machine `found`.
    ///
    /// # Errors
    /// The path of this program is unknown.
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
            constraints: Vec::new(),
            hosts: found.hardware.names.clone().unwrap_or_default(),
        })
    }

    /// The same with constraints on the map.
    pub(crate) fn keeping(self, constraints: &ConstraintArgs) -> Self {
        Self {
            constraints: constraints.words(),
            ..self
        }
    }

    /// Writes the command line into `file` for the ranks: a word a line, an empty line, and a host
    /// a line. A machine that has no name of its own is written into a machine file beside it.
    ///
    /// # Errors
    /// A word is empty or holds a line break, or a file cannot be written.
    pub(crate) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let machine = match &self.machine {
            MachineArgument::Named(name) => with_absolute_path(name),
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
        words.extend(self.constraints.iter().cloned());
        let mut bytes = Vec::new();
        for word in &words {
            let word = word.as_bytes();
            if word.is_empty() || word.contains(&b'\n') {
                let word = String::from_utf8_lossy(word);
                anyhow::bail!(
                    "a rank cannot be given the word {word:?}: it is empty or has several lines"
                );
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
            constraints: vec!["--apart".into(), "0::4".into()],
            hosts: vec!["b".into(), "a".into()],
        };
        mapper.write(&file).unwrap();
        let machine = file.with_extension("toml");
        assert_eq!(std::fs::read_to_string(&machine).unwrap(), "slots = 1\n");
        let text = std::fs::read_to_string(&file).unwrap();
        let machine = machine.display();
        assert_eq!(
            text,
            format!("/opt/rankfold\nmap\n/p.rfp\n--machine\n{machine}\n--apart\n0::4\n\nb\na\n")
        );
        mapper.machine = MachineArgument::Named("torus:2".into());
        mapper.profile = Some("/two\nlines".into());
        assert!(mapper.write(&file).is_err());
    }
}
