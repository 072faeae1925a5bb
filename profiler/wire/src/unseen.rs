//! Ways in which a program moves data outside the calls that are counted.

named! {
    /// A way of moving data that is not counted.
    pub enum Unseen {
        /// The program created a window of shared memory, in which ranks load and store.
        SharedWindows = "loads and stores in shared-memory windows",
        /// An OpenSHMEM library is loaded.
        OpenShmem = "OpenSHMEM",
        /// NCCL or AMD's RCCL is loaded.
        Nccl = "NCCL",
    }
}
