//! Joins the journals of the processes that use NCCL to one job.

mod join;
mod membership;
mod totals;

pub use join::{JoinedJob, join};

use crate::profile::{Outcome, Profile};
use crate::unseen::Unseen;

impl Profile {
    /// Adds what the processes of the job did with NCCL. The profile of an MPI program must have
    /// the same ranks on the same hosts.
    ///
    /// # Errors
    /// A sentence that says how the two differ. The profile is unchanged then.
    pub fn add_nccl(&mut self, job: JoinedJob) -> Result<(), String> {
        let manifest = &mut self.manifest;
        if self.rows.len() != job.ranks {
            return Err(format!(
                "NCCL's journals are of {} ranks, the MPI program had {}",
                job.ranks,
                self.rows.len()
            ));
        }
        let hosts = manifest.hosts.iter().zip(&job.hosts).enumerate();
        let known = |(_, (mpi, nccl)): &(usize, (&String, &String))| {
            !mpi.is_empty() && !nccl.is_empty() && mpi != nccl
        };
        if let Some((rank, (mpi, nccl))) = hosts.into_iter().find(known) {
            return Err(format!(
                "rank {rank} is on {mpi} for MPI and on {nccl} for NCCL"
            ));
        }
        if manifest.outcome == Outcome::Finalized && job.outcome != Outcome::Finalized {
            manifest.outcome = job.outcome;
        }
        self.unseen.retain(|way| *way != Unseen::Nccl);
        self.nccl = Some(job.traffic);
        Ok(())
    }
}
