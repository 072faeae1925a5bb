//! The operators of reductions that MPI defines.

use crate::abi::Abi;
use crate::handle::Handle;
use crate::symbol::{c_name, data};
use std::ffi::CStr;
use std::sync::OnceLock;

/// The kind of an MPICH handle is in the bits from this one on.
const MPICH_KIND: u32 = 24;
/// All handles of the standard ABI that MPI itself defines are below this number: MPI 5.0, section
/// 20.3.
const STANDARD_END: Handle = 1 << 10;
/// The objects of Open MPI whose addresses are the handles of its own operators.
const OPEN_MPI: [&CStr; 12] = [
    c_name!("ompi_mpi_op_max"),
    c_name!("ompi_mpi_op_min"),
    c_name!("ompi_mpi_op_sum"),
    c_name!("ompi_mpi_op_prod"),
    c_name!("ompi_mpi_op_land"),
    c_name!("ompi_mpi_op_band"),
    c_name!("ompi_mpi_op_lor"),
    c_name!("ompi_mpi_op_bor"),
    c_name!("ompi_mpi_op_lxor"),
    c_name!("ompi_mpi_op_bxor"),
    c_name!("ompi_mpi_op_maxloc"),
    c_name!("ompi_mpi_op_minloc"),
];

impl Abi {
    /// Whether `operator` is one that MPI defines, and not one that the program has made. MPI is
    /// not asked.
    #[must_use]
    pub fn defines(&self, operator: Handle) -> bool {
        let operator = operator & self.mask;
        if self.width == 4 {
            return operator >> MPICH_KIND == self.sum >> MPICH_KIND;
        }
        operator < STANDARD_END || of_open_mpi().contains(&operator)
    }
}

/// The addresses of Open MPI's own operators. An operator that the library lacks is 0, which is no
/// handle.
fn of_open_mpi() -> &'static [Handle; OPEN_MPI.len()] {
    static FOUND: OnceLock<[Handle; OPEN_MPI.len()]> = OnceLock::new();
    FOUND.get_or_init(|| OPEN_MPI.map(|name| data(name).map_or(0, |object| object.as_ptr().addr())))
}

#[cfg(test)]
mod tests {
    use crate::abi::STANDARD;

    #[test]
    fn an_operator_at_an_address_is_the_programs_own() {
        assert!(STANDARD.defines(STANDARD.sum));
        assert!(STANDARD.defines(STANDARD.no_op));
        assert!(!STANDARD.defines(0x7fff_1234_5678));
    }
}
