//! The calls of all ranks of a job, joined.

use super::operations::has_root;
use rankfold_base::Rank;
use rankfold_base::words::counted;
use rankfold_collectives::{self as collective, MpiLibrary, ProfiledCollectives};
use rankfold_formats::{Collectives, Reading, RunPart};
use rankfold_graph::{Builder, CommError, Declared, Entry, Result, exchange};
use rankfold_wire::{Collective, Communicator, Form, Operation};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most ranks of a job. A record of more is treated as damaged. Chosen by hand; not measured.
const MOST_RANKS: usize = 1 << 24;

/// Number of missing ranks that an error names.
const NAMED: usize = 8;

/// A group of ranks of a job: an index into the groups of its [`JobCalls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupId(u32);

/// Calls that are added up: those of one operation on one group, with one root and of similar size.
type CallKey = (GroupId, Operation, Option<u32>, u32);

/// What one rank says of such calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CallTotal {
    calls: u64,
    bytes: u64,
}

/// The calls of all ranks of a job.
#[derive(Debug)]
pub(super) struct JobCalls {
    /// World size, and the file that gives it.
    world: Option<(usize, PathBuf)>,
    /// The file of every rank that was read.
    files: BTreeMap<u32, PathBuf>,
    /// Members of every group, in the order of their ranks in the group.
    groups: Vec<Vec<u32>>,
    by_members: BTreeMap<Vec<u32>, GroupId>,
    /// For every name of a group, the groups of that name and the files that name them.
    by_name: BTreeMap<String, Vec<(GroupId, PathBuf)>>,
    /// What every member says of its calls.
    calls: BTreeMap<CallKey, BTreeMap<u32, CallTotal>>,
    messages: Vec<Entry>,
    /// The host of every rank; empty if the hosts are not known.
    hosts: Vec<String>,
    notes: Vec<String>,
}

impl JobCalls {
    pub(super) fn new() -> Self {
        Self {
            world: None,
            files: BTreeMap::new(),
            groups: Vec::new(),
            by_members: BTreeMap::new(),
            by_name: BTreeMap::new(),
            calls: BTreeMap::new(),
            messages: Vec::new(),
            hosts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Notes that `file` holds the calls of `rank` in a world of `ranks` ranks.
    ///
    /// # Errors
    /// [`CommError::Refused`] if another file holds this rank, or names another world size.
    pub(super) fn add_rank(&mut self, rank: u32, ranks: usize, file: &Path) -> Result<()> {
        if let Some((known, other)) = &self.world
            && *known != ranks
        {
            return refuse(
                file,
                format!(
                    "a world of {ranks} ranks, but {} is of a world of {known}: are these files of two jobs?",
                    other.display()
                ),
            );
        }
        if ranks > MOST_RANKS {
            return refuse(
                file,
                format!("a world of {ranks} ranks, more than any job has"),
            );
        }
        self.world.get_or_insert_with(|| (ranks, file.to_owned()));
        if rank as usize >= ranks {
            return refuse(file, format!("rank {rank} in a world of {ranks} ranks"));
        }
        match self.files.insert(rank, file.to_owned()) {
            Some(other) if other != file => refuse(
                file,
                format!(
                    "rank {rank} is in {} as well: are these files of two jobs?",
                    other.display()
                ),
            ),
            _ => Ok(()),
        }
    }

    /// World size as far as it is known.
    fn ranks(&self) -> usize {
        self.world.as_ref().map_or(0, |(ranks, _)| *ranks)
    }

    /// The group with these members, given in the order of their ranks in the group.
    ///
    /// # Errors
    /// A message, if a member is named twice or is outside the world.
    pub(super) fn group(&mut self, members: &[u32]) -> Result<GroupId, String> {
        if let Some(&known) = self.by_members.get(members) {
            return Ok(known);
        }
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("rank {} is in a group twice", pair[0]));
        }
        let ranks = self.ranks();
        match sorted.last() {
            None => return Err("a group has no members".into()),
            Some(&last) if last as usize >= ranks => {
                return Err(format!(
                    "rank {last} is in a group, but the world has {ranks} ranks"
                ));
            }
            Some(_) => {}
        }
        let group = GroupId(u32::try_from(self.groups.len()).map_err(|_| "too many groups")?);
        self.groups.push(members.to_vec());
        self.by_members.insert(members.to_vec(), group);
        Ok(group)
    }

    /// The group of this name with these members. Groups of one name may be several, as the rows of
    /// a grid are, but no rank is in two of them.
    ///
    /// # Errors
    /// [`CommError::Refused`] as [`JobCalls::group`], and if two groups of this name overlap.
    pub(super) fn named_group(
        &mut self,
        name: &str,
        members: &[u32],
        file: &Path,
    ) -> Result<GroupId> {
        let group = self
            .group(members)
            .or_else(|problem| refuse(file, problem))?;
        let of_name = self.by_name.entry(name.to_owned()).or_default();
        for (other, named_in) in of_name.iter() {
            if *other == group {
                return Ok(group);
            }
            let others = &self.groups[other.0 as usize];
            if let Some(both) = members.iter().find(|member| others.contains(member)) {
                return refuse(
                    file,
                    format!(
                        "group {name:?} is {members:?} here and {others:?} in {}: rank {both} is in both; are these files of two jobs?",
                        named_in.display()
                    ),
                );
            }
        }
        of_name.push((group, file.to_owned()));
        Ok(group)
    }

    /// Members of a group.
    pub(super) fn members(&self, group: GroupId) -> &[u32] {
        &self.groups[group.0 as usize]
    }

    /// Adds a call of `rank`. `bytes` are counted as [`Collective`] defines it, `root` is a rank in
    /// the group.
    pub(super) fn collective(
        &mut self,
        rank: u32,
        group: GroupId,
        op: Operation,
        root: Option<u32>,
        bytes: u64,
    ) {
        self.equal_collectives(rank, group, op, root, bytes, 1);
    }

    /// Adds a call of `rank` from a record that names no roots. The first member of the group
    /// stands for the root, and a note tells so after the words `no_roots`.
    pub(super) fn collective_without_root(
        &mut self,
        rank: u32,
        group: GroupId,
        op: Operation,
        bytes: u64,
        no_roots: &str,
    ) {
        let root = has_root(op).then_some(0);
        if root.is_some() {
            self.note(format!(
                "{no_roots}: the first member of a group stands for the root"
            ));
        }
        self.collective(rank, group, op, root, bytes);
    }

    /// Adds several calls of `rank` with `bytes` each.
    pub(super) fn equal_collectives(
        &mut self,
        rank: u32,
        group: GroupId,
        op: Operation,
        root: Option<u32>,
        bytes: u64,
        calls: u64,
    ) {
        let size = u64::BITS - bytes.leading_zeros();
        let totals = self.calls.entry((group, op, root, size)).or_default();
        let total = totals.entry(rank).or_default();
        total.calls += calls;
        total.bytes = total.bytes.saturating_add(bytes.saturating_mul(calls));
    }

    /// Adds a message, as its sender tells it.
    pub(super) fn message(&mut self, from: u32, to: u32, bytes: u64) {
        self.messages.push(Entry {
            from: Rank(from),
            to: Rank(to),
            bytes,
            messages: 1,
        });
    }

    /// Notes that the ranks fill hosts one after the other, with `each` on a host.
    pub(super) fn fill_hosts(&mut self, each: usize) {
        let hosts = (0..self.ranks()).map(|rank| format!("node {}", rank / each.max(1)));
        self.hosts = hosts.collect();
    }

    /// Adds a remark for the user.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Checks that every rank was read, and expands the collectives. `first` is the file that
    /// errors name.
    ///
    /// # Errors
    /// [`CommError::Refused`].
    pub(super) fn reading(mut self, part: &RunPart<'_>, first: &Path) -> Result<Reading> {
        if let Some((set, _)) = part.settings.first() {
            return refuse(
                first,
                format!("--set {set}: a record has no variables; launches have"),
            );
        }
        let ranks = self.ranks();
        if part.phase.is_some() {
            return refuse(
                first,
                "records of GPU jobs have no phases: --phase needs a profile (.rfp)",
            );
        }
        let missing: Vec<u32> = (0..ranks as u32)
            .filter(|rank| !self.files.contains_key(rank))
            .collect();
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().take(NAMED).map(u32::to_string).collect();
            let more = if missing.len() > NAMED { ", ..." } else { "" };
            return refuse(
                first,
                format!(
                    "{} of {ranks} missing: {}{more}; give the files of all ranks",
                    counted(missing.len(), "rank"),
                    names.join(", ")
                ),
            );
        }
        let rows = self.joined_calls();
        let communicators: Vec<Communicator> = self
            .groups
            .iter()
            .map(|group| communicator(group))
            .collect();
        let library = MpiLibrary::default();
        let plane = ProfiledCollectives {
            communicators: &communicators,
            collectives: &rows,
            blocks: &[],
            hosts: &self.hosts,
            library: &library,
        };
        let model = match part.collectives {
            Collectives::AsSent => {
                return Err(CommError::refused(first, &CommError::NotMeasured));
            }
            Collectives::LeftOut => None,
            Collectives::By(model) => Some(model),
            Collectives::LeftOutWithNote | Collectives::IfTheyCanMatter => {
                Some(collective::OF_GPU_JOBS)
            }
        };
        let mut notes = std::mem::take(&mut self.notes);
        let mut add = || {
            let mut traffic = Builder::new(ranks);
            for &message in &self.messages {
                traffic.push(message)?;
            }
            if let Some(model) = model {
                let left_out = plane.add(model, &mut traffic)?;
                notes.extend(left_out.iter().map(ToString::to_string));
                if !rows.is_empty() {
                    notes.push(format!(
                        "collectives are modelled as {} carries them out (--collectives NAME chooses another model)",
                        model.name()
                    ));
                }
            }
            traffic.finish()
        };
        let traffic = add().map_err(|error| CommError::refused(first, &error))?;
        Ok(Reading {
            // NCCL serves all partners of a rank at once, over its channels.
            traffic: traffic.with_exchange(Some(exchange::ALL)),
            declared: Declared {
                gpu_job: true,
                ..Declared::default()
            },
            hosts: Vec::new(),
            notes,
        })
    }

    /// One row for all calls of a kind. All members of a group make the same calls; where records
    /// end at different times, the member with most calls counts, and a note says so.
    fn joined_calls(&mut self) -> Vec<Collective> {
        let mut uneven = 0;
        let mut rows = Vec::new();
        for (&(group, op, root, _), totals) in &self.calls {
            let most = totals
                .values()
                .max_by_key(|total| (total.calls, total.bytes));
            let most = most.copied().unwrap_or_default();
            let everyone = totals.len() == self.groups[group.0 as usize].len();
            if !everyone || totals.values().any(|total| total.calls != most.calls) {
                uneven += 1;
            }
            rows.push(Collective {
                comm: group.0,
                op,
                root,
                bytes: most.bytes,
                calls: most.calls,
                form: Form::default(),
            });
        }
        if uneven > 0 {
            self.notes.push(format!(
                "in {uneven} of {} kinds of calls the members of a group disagree on the number of calls: the highest number counts",
                rows.len()
            ));
        }
        rows
    }
}

fn communicator(members: &[u32]) -> Communicator {
    Communicator {
        members: members.iter().copied().map(Some).collect(),
        remote: std::iter::empty().collect(),
    }
}

pub(super) fn refuse<T>(path: &Path, problem: impl Into<String>) -> Result<T> {
    Err(CommError::unusable(path, problem))
}
