//! Makes exported functions of the lines of the table.
//!
//! Every exported function forwards the call to the function of the same name in the next library,
//! `MPI_X` to `MPI_X` and `PMPI_X` to `PMPI_X`, so that tools behind this library see the call. If
//! a tool makes the call come here a second time, the world is exchanged already.

/// What an exported function does where the loaded MPI lacks it. `absent` fails, and a `narrowed`
/// function calls the named plain form, if the loaded MPI has that and the counts fit. Only a
/// caller that looks up a function by name can call a missing one. That is mpi4py, so the error
/// code is the one by which mpi4py recognises a missing function.
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

/// Defines one exported function, from a line that `build.rs` makes: its name, the type of its
/// counts, what it does where the MPI lacks it, its arguments that are communicators, and all its
/// arguments.
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
                // SAFETY: the arguments are those that the program passed to this function, with
                // the world exchanged.
                unsafe { forward($($arg),*) }
            }
        };
    };
}

/// `Name Name: (arguments) expression;` exports `MPI_Name` and `PMPI_Name` for every name. They
/// evaluate the expression, in which `forward` is the next function of the name. A name in quotes
/// is exported unchanged.
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
