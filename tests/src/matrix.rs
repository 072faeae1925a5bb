//! Traffic matrices: from a profile, and from other sources that the profile is compared with.

use anyhow::{Context, Result, bail, ensure};
use rankfold_wire::Profile;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Traffic from one rank to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes of payload.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}

/// Traffic by source and destination. Pairs without a message have no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix(BTreeMap<(u32, u32), Traffic>);

impl Matrix {
    /// The point-to-point traffic in a profile.
    #[must_use]
    pub fn of_profile(profile: &Profile) -> Self {
        let mut matrix = Self::default();
        for (source, row) in (0..).zip(&profile.rows) {
            for peer in &row.peers {
                matrix.add(source, peer.rank, peer.bytes, peer.messages);
            }
        }
        matrix
    }

    /// The traffic in the files `DIRECTORY/*.prof` of Open MPI's monitoring component. Lines `E
    /// source destination N bytes M msgs sent ...` are the program's own messages.
    ///
    /// # Errors
    /// No such file, or a line of another form.
    pub fn of_monitoring(directory: &Path) -> Result<Self> {
        let mut matrix = Self::default();
        let mut files = 0;
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.extension().is_none_or(|e| e != "prof") {
                continue;
            }
            files += 1;
            for line in fs::read_to_string(&path)?.lines() {
                if line.starts_with("E\t") {
                    matrix
                        .add_monitored(line)
                        .with_context(|| format!("{}: {line:?}", path.display()))?;
                }
            }
        }
        ensure!(
            files > 0,
            "the monitoring component wrote nothing to {}",
            directory.display()
        );
        Ok(matrix)
    }

    /// The traffic that a test program prints, in lines `sent SOURCE DESTINATION BYTES MESSAGES`.
    ///
    /// # Errors
    /// A line of another form, or none at all.
    pub fn of_program(stdout: &str) -> Result<Self> {
        let mut matrix = Self::default();
        for line in stdout.lines().filter_map(|line| line.strip_prefix("sent ")) {
            let numbers: Vec<u64> = line
                .split_whitespace()
                .map(|word| word.parse().with_context(|| format!("{line:?}")))
                .collect::<Result<_>>()?;
            let [source, destination, bytes, messages] = numbers[..] else {
                bail!("{line:?} does not hold four numbers");
            };
            matrix.add(source.try_into()?, destination.try_into()?, bytes, messages);
        }
        ensure!(
            !matrix.0.is_empty(),
            "the program said nothing of what it sent: {stdout}"
        );
        Ok(matrix)
    }

    /// The matrix in which every rank sends `messages` messages of `bytes` to the next one.
    #[must_use]
    pub fn ring(ranks: u32, bytes: u64, messages: u64) -> Self {
        let mut matrix = Self::default();
        for rank in 0..ranks {
            matrix.add(rank, (rank + 1) % ranks, bytes * messages, messages);
        }
        matrix
    }

    /// Adds messages to one entry.
    pub fn add(&mut self, source: u32, destination: u32, bytes: u64, messages: u64) {
        let traffic = self.0.entry((source, destination)).or_default();
        traffic.bytes += bytes;
        traffic.messages += messages;
    }

    /// Bytes of every pair with traffic.
    pub fn bytes(&self) -> impl Iterator<Item = ((u32, u32), u64)> {
        self.0.iter().map(|(&pair, traffic)| (pair, traffic.bytes))
    }

    /// Pairs with traffic.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.0.len()
    }

    /// Fails unless both matrices are equal. The message lists the entries that differ.
    ///
    /// # Errors
    /// They differ.
    pub fn must_equal(&self, expected: &Self) -> Result<()> {
        let mut differences = Vec::new();
        for key in self
            .0
            .keys()
            .chain(expected.0.keys().filter(|k| !self.0.contains_key(k)))
        {
            let (is, should) = (self.0.get(key), expected.0.get(key));
            if is != should {
                differences.push(format!(
                    "{} -> {}: {is:?}, expected {should:?}",
                    key.0, key.1
                ));
            }
        }
        ensure!(
            differences.is_empty(),
            "{} of {} entries differ:\n{}",
            differences.len(),
            expected.pairs(),
            differences.join("\n")
        );
        Ok(())
    }

    fn add_monitored(&mut self, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            "E",
            source,
            destination,
            bytes,
            "bytes",
            messages,
            "msgs",
            "sent",
            ..,
        ] = words[..]
        else {
            bail!("not of the form E source destination N bytes M msgs sent");
        };
        self.add(
            source.parse()?,
            destination.parse()?,
            bytes.parse()?,
            messages.parse()?,
        );
        Ok(())
    }
}
