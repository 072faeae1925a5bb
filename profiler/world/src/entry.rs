//! From the table of functions to exported functions.
//!
//! Every exported function calls the next library's function of its own name, `MPI_X` the next
//! `MPI_X` and `PMPI_X` the next `PMPI_X`, so that tools behind this library see the call. A call
//! that comes twice through here, as one of a tool does, comes with the exchanged communicator the
//! second time.

/// What is done where the loaded MPI lacks the function: `absent` fails, and a `narrowed` function
/// calls the plain form that is named, when that is there and takes the counts. Who calls a
/// function that is missing has looked whether it is there, and found our export: mpi4py, which
/// gets its own code for one that is not.
macro_rules! missing {
    (absent, $args:tt) => {
        rankfold_abi::UNAVAILABLE
    };
    ((narrowed $plain:expr, $arrays:expr), $args:tt) => {
        match rankfold_abi::narrowed!($plain, $arrays, $args) {
            Ok(code) => code,
            Err(rankfold_abi::ERR_ABSENT) => rankfold_abi::UNAVAILABLE,
            Err(code) => code,
        }
    };
}

/// One line of what `build.rs` makes of the table: the name, the type of its counts, what is done
/// where the MPI lacks it, its arguments that are communicators, and all its arguments.
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

            rankfold_abi::next!($symbol, ($($arg: $type),*), missing!($missing, ($($arg: $type),*)));

            #[unsafe(export_name = $symbol)]
            unsafe extern "C-unwind" fn entry($($arg: $type),*) -> libc::c_int {
                $(let $comm = crate::world::exchanged($comm);)+
                // SAFETY: the arguments are those that the program passed to this very function,
                // the world exchanged.
                unsafe { forward($($arg),*) }
            }
        };
    };
}

/// `Name Name: (arguments) expression;` exports `MPI_Name` and `PMPI_Name` for every name, which
/// evaluate the expression; in it, `forward` is the next function of the name. A name in quotes is
/// exported as it stands.
macro_rules! handwritten {
    ($($($name:ident)+: $args:tt $body:expr;)+) => {$($(
        handwritten!(@ concat!("MPI_", stringify!($name)), $args, $body);
        handwritten!(@ concat!("PMPI_", stringify!($name)), $args, $body);
    )+)+};
    ($($($name:literal)+: $args:tt $body:expr;)+) => {$($(
        handwritten!(@ $name, $args, $body);
    )+)+};
    (@ $symbol:expr, ($($arg:ident: $type:ty),*), $body:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            rankfold_abi::next!($symbol, ($($arg: $type),*), missing!(absent, ($($arg: $type),*)));

            #[unsafe(export_name = $symbol)]
            unsafe extern "C-unwind" fn entry($($arg: $type),*) -> libc::c_int {
                $body
            }
        };
    };
}
