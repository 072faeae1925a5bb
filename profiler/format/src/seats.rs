//! The seats record: where every rank really sits, as seen from inside the processes.

/// One rank's seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// What `gethostname` said.
    pub host: String,
    /// Lowest world rank of the shared-memory group the MPI library puts this rank in.
    pub shared_with: u32,
}

/// Entry r is the seat of rank r.
pub type Seats = Vec<Seat>;
