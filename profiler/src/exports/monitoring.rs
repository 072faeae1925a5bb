//! Functions of Open MPI's component `monitoring` that are taken in the component's place.

use crate::monitoring;
use libc::c_int;
use rankfold_abi::Handle;

/// The function with which the component counts a message.
const _: () = {
    rankfold_abi::next!(
        "mca_common_monitoring_record_pml",
        (rank: c_int, bytes: usize, tag: c_int),
        0
    );

    /// Counts a message, and passes it on to the component. The component's function returns
    /// nothing, so what this one returns has no meaning.
    ///
    /// # Safety
    /// Called by Open MPI only.
    #[unsafe(no_mangle)]
    unsafe extern "C-unwind" fn mca_common_monitoring_record_pml(
        rank: c_int,
        bytes: usize,
        tag: c_int,
    ) -> c_int {
        monitoring::sends(rank, bytes);
        // SAFETY: the arguments are those that Open MPI passed to this function.
        unsafe { forward(rank, bytes, tag) }
    }
};

/// The function that notes the name of a communicator that is about to be freed, for the component
/// of collectives.
const _: () = {
    rankfold_abi::next!("mca_common_monitoring_coll_cache_name", (comm: Handle), 0);

    /// Does nothing while the component of collectives is turned off, where the function ends the
    /// program under Open MPI 4.1.4 and 5.0.11. What is returned has no meaning.
    ///
    /// # Safety
    /// Called by Open MPI only.
    #[unsafe(no_mangle)]
    unsafe extern "C-unwind" fn mca_common_monitoring_coll_cache_name(comm: Handle) -> c_int {
        if monitoring::is_wanted() {
            return 0;
        }
        // SAFETY: the argument is the one that Open MPI passed to this function.
        unsafe { forward(comm) }
    }
};
