//! The head of a journal: the run and the process that wrote it.

use super::sizes::Sizes;
use rankfold_preload::mapping;
use rankfold_wire::journal::{State, layout as at};

/// The contents of the head of a journal.
pub(crate) struct Head<'a> {
    pub(crate) run: &'a str,
    pub(crate) stamp: u64,
    pub(crate) rank: u32,
    pub(crate) ranks: u32,
    pub(crate) host: &'a str,
    pub(crate) mpi: &'a str,
    pub(crate) program: &'a str,
}

impl Head<'_> {
    /// The head in the form of the file. Texts that are too long for their field are cut.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut page = vec![0; at::HEAD];
        let mut put = |offset: usize, size: usize, value: &[u8]| {
            let place = page.iter_mut().skip(offset).take(size);
            place.zip(value).for_each(|(to, from)| *to = *from);
        };
        put(0, at::MAGIC.len(), &at::MAGIC);
        put(at::MAGIC.len(), 4, &at::VERSION.to_le_bytes());
        put(at::STATE, 4, &(State::Running as u32).to_le_bytes());
        put(at::RANK, 4, &self.rank.to_le_bytes());
        put(at::RANKS, 4, &self.ranks.to_le_bytes());
        put(at::PAGE, 4, &(mapping::page() as u32).to_le_bytes());
        let empty = Sizes::place(0) as u32;
        put(at::EMPTY_SIZE, 4, &empty.to_le_bytes());
        put(at::STAMP, 8, &self.stamp.to_le_bytes());
        let texts = [
            (at::RUN, self.run),
            (at::HOST, self.host),
            (at::MPI, self.mpi),
            (at::PROGRAM, self.program),
        ];
        for ((offset, size), text) in texts {
            put(offset, size - 1, text.as_bytes());
        }
        page
    }
}
