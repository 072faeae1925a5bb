//! From the table of functions to exported functions.
//!
//! Every exported function calls the next library's function of its own name, `MPI_X` the next `MPI_X` and `PMPI_X` the next
//! `PMPI_X`, so that tools behind this library see the call. A call that comes twice through here, as one of a tool does, comes with
//! the exchanged communicator the second time.

/// The function behind an exported one, found on the first call, as `forward`; and `absent`, which is called where there is none.
macro_rules! next {
    ($symbol:expr, $missing:tt, ($($arg:ident: $type:ty),*)) => {
        use std::sync::atomic::{AtomicPtr, Ordering};

        /// `find` until the function was looked for, `absent` if there is none.
        static NEXT: AtomicPtr<libc::c_void> = AtomicPtr::new(find as *mut libc::c_void);

        /// Looks for the next library's function, and forwards the first call to it.
        #[cold]
        unsafe extern "C-unwind" fn find($($arg: $type),*) -> libc::c_int {
            let next = rankfold_abi::function(rankfold_abi::c_name!($symbol));
            let next = next.map_or(absent as *mut libc::c_void, std::ptr::NonNull::as_ptr);
            NEXT.store(next, Ordering::Relaxed);
            // SAFETY: `find` stands in for the function, so its caller passes what the function asks for.
            unsafe { forward($($arg),*) }
        }

        #[allow(unused_variables, reason = "not every missing function has a substitute")]
        unsafe extern "C-unwind" fn absent($($arg: $type),*) -> libc::c_int {
            missing!($missing, ($($arg: $type),*))
        }

        /// # Safety
        /// The arguments are what the MPI function of this name asks for.
        #[inline(always)]
        unsafe fn forward($($arg: $type),*) -> libc::c_int {
            let next = NEXT.load(Ordering::Relaxed);
            // SAFETY: `next` is the MPI function of this name, or `find` or `absent`, which have its signature.
            unsafe { rankfold_abi::call!(next, ($($type),*), ($($arg),*)) }
        }
    };
}

/// What is done where the loaded MPI lacks the function: `absent` fails, and a `narrowed` function calls the plain form that is named,
/// when that is there and takes the counts. mpi4py takes our export as a sign that the function exists.
macro_rules! missing {
    (absent, $args:tt) => {
        crate::wrappers::UNAVAILABLE
    };
    ((narrowed $plain:expr, $arrays:expr), $args:tt) => {
        match rankfold_abi::narrowed!($plain, $arrays, $args) {
            Ok(code) => code,
            Err(rankfold_abi::ERR_ABSENT) => crate::wrappers::UNAVAILABLE,
            Err(code) => code,
        }
    };
}

/// One line of what `build.rs` makes of the table: the name, the type of its counts, what is done where the MPI lacks it, its
/// arguments that are communicators, and all its arguments.
macro_rules! wrapper {
    ($symbol:literal, $count:ty, $missing:tt, [$($comm:ident),+], ($($arg:ident: $type:ty),*)) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;
            #[allow(dead_code, reason = "nor displacements")]
            type Displacement = <Count as rankfold_abi::arguments::Count>::Displacement;
            #[allow(dead_code, reason = "nor a unit of them")]
            type Unit = <Count as rankfold_abi::arguments::Count>::Unit;

            next!($symbol, $missing, ($($arg: $type),*));

            #[unsafe(export_name = $symbol)]
            unsafe extern "C-unwind" fn entry($($arg: $type),*) -> libc::c_int {
                $(let $comm = crate::world::exchanged($comm);)+
                // SAFETY: the arguments are those that the program passed to this very function, the world exchanged.
                unsafe { forward($($arg),*) }
            }
        };
    };
}

/// `Name Name: (arguments) expression;` exports `MPI_Name` and `PMPI_Name` for every name, which evaluate the expression; in it,
/// `forward` is the next function of the name. A name in quotes is exported as it stands.
macro_rules! special {
    ($($($name:ident)+: $args:tt $body:expr;)+) => {$($(
        special!(@ concat!("MPI_", stringify!($name)), $args, $body);
        special!(@ concat!("PMPI_", stringify!($name)), $args, $body);
    )+)+};
    ($($($name:literal)+: $args:tt $body:expr;)+) => {$($(
        special!(@ $name, $args, $body);
    )+)+};
    (@ $symbol:expr, ($($arg:ident: $type:ty),*), $body:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            next!($symbol, absent, ($($arg: $type),*));

            #[unsafe(export_name = $symbol)]
            unsafe extern "C-unwind" fn entry($($arg: $type),*) -> libc::c_int {
                $body
            }
        };
    };
}
