//! Logs of NCCL and RCCL (`NCCL_DEBUG=INFO`, perhaps one file for each process by
//! `NCCL_DEBUG_FILE`).
//!
//! | line | what is read |
//! |---|---|
//! | `comm C rank R nranks N cudaDev D ... commId I` | a GPU is a rank of a communicator |
//! | `Channel K/CHANNELS : 0 1 2 3` | the ring of a channel, in ranks of the communicator |
//! | `AllReduce: opCount .. count N datatype T .. root R comm C` | a call |
//! | `Send: ...` with `root P` | a message to rank P of the communicator |
//!
//! Collectives run along the rings that the log prints, the bytes divided evenly among the
//! channels; where a communicator has no ring in the log, along its ranks in order. NCCL cuts the
//! lines of long rings; these are left out, and a note says so. A log without calls gives one byte
//! to every channel between neighbours of a ring, and a note says so. The communicator that all
//! processes are members of numbers the ranks. A launcher may have put words before each line, such
//! as `[1,0]<stdout>:` or the time.

use super::job_calls::refuse;
use super::nccl_rings::ring;
use super::operations::{self, RecordedCall};
use super::{JobCalls, element_types, input};
use rankfold_base::words::counted;
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::{CommError, Result};
use rankfold_wire::Operation;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "nccl-log",
        recognises: |head| input::has(head, &[" NCCL INFO "]),
    },
    summary: "logs of NCCL or RCCL with NCCL_DEBUG=INFO, one file or those of all processes",
    read: Read::Set(read),
    phases: None,
};

/// What separates who writes a line from what the line says.
const MARK: &str = " NCCL INFO ";

/// A GPU of a process: what a rank is. Host, process and CUDA device.
type Gpu = (String, String, u64);

/// A communicator, by its `commId`.
#[derive(Default)]
struct LoggedCommunicator {
    size: usize,
    by_rank: BTreeMap<u32, Gpu>,
    /// Ranks of the communicator in the order of each channel's ring.
    rings: BTreeMap<u32, Vec<u32>>,
    /// Channels whose rings are cut in the log.
    cut: BTreeSet<u32>,
}

impl LoggedCommunicator {
    /// Ranks of the communicator in the order of each ring that is known. The order of the ranks
    /// stands in where all rings are cut.
    fn rings(&self) -> Vec<Vec<u32>> {
        let in_order = (0..self.size as u32).collect();
        match (self.rings.is_empty(), self.cut.is_empty()) {
            (true, false) => vec![in_order],
            _ => self.rings.values().cloned().collect(),
        }
    }
}

/// The ranks of a ring that older releases of NCCL write; they leave out the others without a word.
const SHOWN: usize = 20;

/// The thread that writes a line, `host:pid:tid`, with the host and process before the last colon.
/// Words of a launcher may stand before it, or be attached to it: `[1,0]<stdout>:host:pid:tid`.
fn thread(writer: &str) -> Option<(String, String)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let of_word = |word: &str| {
        let mut parts = word.rsplitn(4, ':');
        let (tid, pid, host) = (parts.next()?, parts.next()?, parts.next()?);
        let is_thread = is_number(tid) && is_number(pid) && !host.is_empty() && !is_number(host);
        is_thread.then(|| (format!("{host}:{pid}:{tid}"), format!("{host}:{pid}")))
    };
    // The device stands behind the thread, and a time may stand before it.
    writer.split_whitespace().rev().find_map(of_word)
}

/// A call as a line has it.
struct LoggedCall {
    name: String,
    count: u64,
    datatype: u64,
    root: u32,
    file: PathBuf,
    line: usize,
    /// Communicator and rank in it.
    caller: (String, u32),
}

#[derive(Default)]
struct Log {
    communicators: BTreeMap<String, LoggedCommunicator>,
    /// Communicator and rank in it, by process and address.
    by_address: BTreeMap<(String, String), (String, u32)>,
    /// The communicator that a thread set up last: lines of rings do not name theirs.
    by_thread: BTreeMap<String, String>,
    calls: Vec<LoggedCall>,
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut log = Log::default();
    for file in files {
        let contents = input::contents(file)?;
        let text = String::from_utf8_lossy(&contents);
        for (number, line) in (1..).zip(text.lines()) {
            log.add(line, file, number)
                .map_err(|problem| CommError::malformed(file, number, problem))?;
        }
    }
    let job = log.job(&files[0])?;
    job.reading(part, &files[0])
}

impl Log {
    fn add(&mut self, line: &str, file: &Path, number: usize) -> Result<(), String> {
        let Some((writer, said)) = line.split_once(MARK) else {
            return Ok(());
        };
        let Some((thread, process)) = thread(writer) else {
            return Ok(());
        };
        let (thread, process) = (thread.as_str(), process.as_str());
        if said.contains(" commId ") {
            self.add_member(said, process, thread)
        } else if let Some((channel, ring)) = ring(said) {
            self.add_ring(channel, ring?, thread)
        } else if said.contains(": opCount ") {
            self.add_call(said, process, file, number)
        } else {
            Ok(())
        }
    }

    /// A line of an initialisation, which is logged at its start and at its end.
    fn add_member(&mut self, said: &str, process: &str, thread: &str) -> Result<(), String> {
        let word = |name| after(said, name).ok_or_else(|| format!("no {name:?} in the line"));
        let number = |name| {
            let word: &str = word(name)?;
            word.parse::<u32>()
                .map_err(|_| format!("{name} {word:?} is no number"))
        };
        let id = word("commId")?.to_owned();
        let (rank, size) = (number("rank")?, number("nranks")? as usize);
        let (host, pid) = process.rsplit_once(':').unwrap_or((process, ""));
        let gpu = (
            host.to_owned(),
            pid.to_owned(),
            u64::from(number("cudaDev")?),
        );
        let known = self.communicators.entry(id.clone()).or_default();
        if known.size != 0 && known.size != size {
            return Err(format!(
                "communicator {id} has {size} ranks here and {} before: are these logs of two jobs?",
                known.size
            ));
        }
        known.size = size;
        if let Some(other) = known.by_rank.insert(rank, gpu.clone())
            && other != gpu
        {
            return Err(format!(
                "rank {rank} of communicator {id} is device {} of process {} of {} here and device {} of process {} of {} before: are these logs of two jobs?",
                gpu.2, gpu.1, gpu.0, other.2, other.1, other.0
            ));
        }
        let address = (process.to_owned(), word("comm")?.to_owned());
        self.by_address.insert(address, (id.clone(), rank));
        self.by_thread.insert(thread.to_owned(), id);
        Ok(())
    }

    fn add_ring(
        &mut self,
        channel: u32,
        ring: Option<Vec<u32>>,
        thread: &str,
    ) -> Result<(), String> {
        let id = self.by_thread.get(thread);
        let known = id.and_then(|id| self.communicators.get_mut(id));
        let known = known.ok_or(
            "a ring before the line of its communicator (with commId, NCCL 2.17 or later)",
        )?;
        let is_whole = |ring: &Vec<u32>| ring.len() < SHOWN || ring.len() >= known.size;
        let Some(ring) = ring.filter(is_whole) else {
            known.cut.insert(channel);
            return Ok(());
        };
        let mut sorted = ring.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..known.size as u32) {
            return Err(format!(
                "the ring {ring:?} does not hold each of the {} ranks of its communicator once",
                known.size
            ));
        }
        known.rings.insert(channel, ring);
        Ok(())
    }

    fn add_call(
        &mut self,
        said: &str,
        process: &str,
        file: &Path,
        line: usize,
    ) -> Result<(), String> {
        let word = |name| after(said, name).ok_or_else(|| format!("no {name:?} in the call"));
        let number = |name| {
            let word: &str = word(name)?;
            word.parse::<u64>()
                .map_err(|_| format!("{name} {word:?} is no number"))
        };
        let address = (process.to_owned(), word("comm")?.to_owned());
        let caller = self.by_address.get(&address).cloned().ok_or_else(|| {
            format!(
                "a call on communicator {}, whose initialisation is not in the logs",
                address.1
            )
        })?;
        let root = number("root")?;
        self.calls.push(LoggedCall {
            name: said.split(':').next().unwrap_or_default().to_owned(),
            count: number("count")?,
            datatype: number("datatype")?,
            root: u32::try_from(root).map_err(|_| format!("root {root} is no rank"))?,
            file: file.to_owned(),
            line,
            caller,
        });
        Ok(())
    }

    /// The rank of every GPU: that in the communicator of all GPUs.
    fn world(&self, first: &Path) -> Result<BTreeMap<&Gpu, u32>> {
        for (id, known) in &self.communicators {
            let mut ranks = 0..known.size as u32;
            if let Some(missing) = ranks.find(|rank| !known.by_rank.contains_key(rank)) {
                return refuse(
                    first,
                    format!(
                        "rank {missing} of the {} ranks of communicator {id} is missing; give the logs of all processes",
                        known.size
                    ),
                );
            }
        }
        let all = self.communicators.values();
        let gpus: std::collections::BTreeSet<&Gpu> =
            all.flat_map(|known| known.by_rank.values()).collect();
        let largest = self.communicators.values().max_by_key(|known| known.size);
        let Some(largest) = largest else {
            return refuse(
                first,
                "the log names no communicators: record it with NCCL_DEBUG=INFO and INIT among NCCL_DEBUG_SUBSYS (NCCL 2.17 or later)",
            );
        };
        if largest.size != gpus.len() {
            return refuse(
                first,
                format!(
                    "no communicator holds all {} GPUs (the largest has {}): their ranks in the job are not known, or these are logs of two jobs",
                    gpus.len(),
                    largest.size
                ),
            );
        }
        Ok(largest
            .by_rank
            .iter()
            .map(|(&rank, gpu)| (gpu, rank))
            .collect())
    }

    fn job(&self, first: &Path) -> Result<JobCalls> {
        let world = self.world(first)?;
        let mut job = JobCalls::new();
        for &rank in world.values() {
            job.add_rank(rank, world.len(), first)?;
        }
        let members = |id: &str, order: &[u32]| -> Vec<u32> {
            let known = &self.communicators[id];
            order
                .iter()
                .map(|rank| world[&known.by_rank[rank]])
                .collect()
        };
        for call in &self.calls {
            self.add_to(&mut job, call, &members)
                .map_err(|problem| CommError::malformed(&call.file, call.line, problem))?;
        }
        let cut: usize = self
            .communicators
            .values()
            .map(|known| known.cut.len())
            .sum();
        if cut > 0 {
            job.note(format!(
                "NCCL has cut the lines of {} in the log: they are left out, and the order of the ranks stands in where a communicator has no other",
                counted(cut, "ring")
            ));
        }
        if self.calls.is_empty() {
            job.note(
                "the log holds no calls (NCCL_DEBUG_SUBSYS=INIT,GRAPH,COLL logs them): every channel between two neighbours of a ring counts as one byte"
                    .into(),
            );
            for (id, known) in &self.communicators {
                for ring in known.rings().iter().filter(|ring| ring.len() > 1) {
                    let ranks = members(id, ring);
                    for (at, &from) in ranks.iter().enumerate() {
                        job.message(from, ranks[(at + 1) % ranks.len()], 1);
                    }
                }
            }
        }
        Ok(job)
    }

    /// Adds a call: a message, or a share of the bytes for the ring of every channel.
    fn add_to(
        &self,
        job: &mut JobCalls,
        call: &LoggedCall,
        members: &impl Fn(&str, &[u32]) -> Vec<u32>,
    ) -> Result<(), String> {
        let (id, rank) = &call.caller;
        let known = &self.communicators[id];
        let in_order: Vec<u32> = (0..known.size as u32).collect();
        let ranks = members(id, &in_order);
        let own = ranks[*rank as usize];
        let size = element_types::of_nccl(call.datatype)?;
        let bytes = call.count.checked_mul(size);
        let bytes = bytes.ok_or("the call has more than 2^64 bytes")?;
        let other = |rank: u32| {
            let rank = ranks.get(rank as usize).copied();
            rank.ok_or_else(|| format!("root {} is outside the communicator", call.root))
        };
        let op = match operations::named(&call.name)? {
            RecordedCall::Silent | RecordedCall::Receive => return Ok(()),
            RecordedCall::Send => {
                job.message(own, other(call.root)?, bytes);
                return Ok(());
            }
            RecordedCall::Collective(op) => op,
        };
        let whole = match op {
            // NCCL counts the part that one member gets.
            Operation::ReduceScatterBlock => bytes.saturating_mul(known.size as u64),
            _ => bytes,
        };
        let root = other(call.root)?;
        let mut rings = known.rings();
        if rings.is_empty() || op == Operation::Alltoall {
            rings = vec![in_order];
        }
        let channels = rings.len() as u64;
        for (channel, ring) in (0..channels).zip(&rings) {
            let share = whole / channels + u64::from(channel < whole % channels);
            let ranks = members(id, ring);
            let at = ranks.iter().position(|&member| member == root);
            let root = at.filter(|_| operations::has_root(op)).map(|at| at as u32);
            let group = job.group(&ranks)?;
            job.collective(own, group, op, root, share);
        }
        Ok(())
    }
}

/// The word after the word `name`.
fn after<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    let mut words = said.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}
