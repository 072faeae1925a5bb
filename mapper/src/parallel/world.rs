//! The processes of `MPI_COMM_WORLD`.

use super::fingerprint::fingerprint;
use super::{Processes, ReportedElsewhere, Usage};
use crate::error::Error;
use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use rankfold_problem::team::Team;
use std::fmt;
use std::sync::Mutex;

/// Variables in which launchers pass the number of processes of the job.
const SIZES: [&str; 4] = [
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "PMIX_SIZE",
    "MPI_LOCALNRANKS",
];

/// Maximum number of bytes in one MPI call, whose counts are signed 32-bit integers.
const PIECE: usize = 1 << 30;

/// The processes that were started together. Dropping this value ends MPI.
pub(super) struct World {
    size: usize,
    me: usize,
    used: Mutex<Usage>,
    /// Ends MPI when dropped, so it is the last field.
    _universe: Universe,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of {}", self.me, self.size)
    }
}

impl World {
    /// Starts MPI.
    ///
    /// # Errors
    /// [`Error::Processes`] on the first process, [`ReportedElsewhere`] on the others.
    pub(super) fn start() -> anyhow::Result<Self> {
        let refused =
            || Error::Processes("this MPI does not allow calls from a second thread".into());
        // The search runs on its own threads; one of them makes all MPI calls.
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or_else(refused)?;
        if threading < Threading::Serialized {
            return Err(refused().into());
        }
        let world = SimpleCommunicator::world();
        let size = usize::try_from(world.size()).expect("there are processes");
        let me = usize::try_from(world.rank()).expect("processes are counted from 0");
        abort_on_panic();
        let world = Self {
            size,
            me,
            used: Mutex::new(Usage {
                dealt_seconds: 0.0,
                sent_bytes: 0,
                exchanges: 0,
            }),
            _universe: universe,
        };
        world.check_launcher()?;
        world.check_equal()?;
        Ok(world)
    }

    /// Refuses a job whose launcher belongs to another MPI library: such a launcher starts N
    /// processes that each see an `MPI_COMM_WORLD` of size 1.
    fn check_launcher(&self) -> Result<(), Error> {
        let size = SIZES.iter().find_map(|&name| {
            let size: usize = std::env::var(name).ok()?.parse().ok()?;
            Some((name, size))
        });
        match size {
            Some((name, size)) if self.size == 1 && size > 1 => Err(Error::Processes(format!(
                "{size} processes were started ({name}), each alone in its MPI_COMM_WORLD: this program was built for {}, so start it with the mpirun of that MPI",
                mpi::environment::library_version()
                    .unwrap_or_default()
                    .lines()
                    .next()
                    .unwrap_or_default()
            ))),
            _ => Ok(()),
        }
    }

    fn check_equal(&self) -> anyhow::Result<()> {
        let mine = fingerprint()?.to_le_bytes();
        let all = self.all_gather(&mine);
        let other = all.iter().position(|theirs| *theirs != all[0]);
        match (other, self.me) {
            (None, _) => Ok(()),
            (Some(other), 0) => Err(Error::Processes(format!(
                "process {other} runs another program or other arguments than process 0: start the same command on all hosts"
            ))
            .into()),
            (Some(_), _) => Err(ReportedElsewhere.into()),
        }
    }

    fn sent(&self, bytes: usize) {
        let mut used = self.used.lock().expect("nobody panics with it");
        used.sent_bytes += (bytes * (self.size - 1)) as u64;
        used.exchanges += 1;
    }
}

impl Team for World {
    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn all_gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        let world = SimpleCommunicator::world();
        let mut lengths = vec![0u64; self.size];
        world.all_gather_into(&(mine.len() as u64), &mut lengths[..]);
        self.sent(mine.len());
        let total: u64 = lengths.iter().sum();
        assert!(
            total <= i32::MAX as u64,
            "results of {total} bytes are too many for one exchange"
        );
        let counts: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
        let starts = counts.iter().scan(0, |end, &count| {
            let start = *end;
            *end += count;
            Some(start)
        });
        let starts: Vec<i32> = starts.collect();
        let mut all = vec![0u8; total as usize];
        let mut parts = PartitionMut::new(&mut all[..], counts, &starts[..]);
        world.all_gather_varcount_into(mine, &mut parts);
        let parts = starts.iter().zip(&lengths);
        parts
            .map(|(&start, &length)| all[start as usize..][..length as usize].to_vec())
            .collect()
    }

    fn min_loc(&self, (value, of): (f64, u64)) -> (f64, u64) {
        let mut all = vec![0u64; 2 * self.size];
        let mine = [value.to_bits(), of];
        SimpleCommunicator::world().all_gather_into(&mine[..], &mut all[..]);
        self.sent(size_of_val(&mine));
        let all = all.chunks(2).map(|of| (f64::from_bits(of[0]), of[1]));
        all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .expect("there are processes")
    }

    fn spent(&self, seconds: f64) {
        self.used
            .lock()
            .expect("nobody panics with it")
            .dealt_seconds += seconds;
    }
}

impl Processes for World {
    fn broadcast(&self, first: Option<Vec<u8>>) -> Vec<u8> {
        let world = SimpleCommunicator::world();
        let root = world.process_at_rank(0);
        let mut length = first.as_ref().map_or(0, Vec::len) as u64;
        root.broadcast_into(&mut length);
        let mut content = first.unwrap_or_else(|| vec![0; length as usize]);
        for piece in content.chunks_mut(PIECE) {
            root.broadcast_into(piece);
        }
        content
    }

    fn usage(&self) -> Option<Vec<Usage>> {
        let used = *self.used.lock().expect("nobody panics with it");
        let mine = [
            used.dealt_seconds.to_bits(),
            used.sent_bytes,
            used.exchanges,
        ];
        let mut all = vec![0u64; 3 * self.size];
        SimpleCommunicator::world().all_gather_into(&mine[..], &mut all[..]);
        let all = all.chunks(3).map(|of| Usage {
            dealt_seconds: f64::from_bits(of[0]),
            sent_bytes: of[1],
            exchanges: of[2],
        });
        Some(all.collect())
    }
}

/// Ends all processes if one panics. Otherwise the others would wait for it forever.
fn abort_on_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        // Not a note: a panic is reported even with `--quiet`.
        eprintln!("rankfold: a process has failed, all others are ended, too");
        SimpleCommunicator::world().abort(1);
    }));
}
