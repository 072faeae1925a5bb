//! From a line of a table in `exports` to exported functions.
//!
//! Every exported function forwards to the next library's function of its own name, `MPI_X` to
//! `MPI_X` and `PMPI_X` to `PMPI_X`, with the arguments as they came. What else it does happens in
//! the outermost call only, the one that the program itself made: a call that comes from inside of
//! MPI, or of another tool, is forwarded and nothing more. The word before the expression of a line
//! says what that is:
//!
//! | word | in the outermost call |
//! |---|---|
//! | `before` | the expression is evaluated, then the call is forwarded |
//! | `after` | the call is forwarded, then the expression is evaluated if it returned `MPI_SUCCESS` |
//! | `beside` | as `before`, in every call; what the program's own callbacks send during the call is the program's: it is counted |
//! | `last` | as `before`, in every call |
//! | `counts` | the expression is a `Message` that is sent, or a `Completion`: it is counted, unless MPI refuses it |
//! | `uncounted` | nothing is counted; but the call marks the thread as inside MPI, so that what it sends is not counted either |
//! | `timed` | as `uncounted` while calls are timed, and otherwise nothing |
//!
//! An expression asks MPI about the handles of a call only in a call that has succeeded with them:
//! what MPI is asked about a handle that is none would raise the program's error handlers once
//! more, or end it. So `before` is for expressions that ask nothing.
//!
//! An error handler may leave a call by an exception, which runs through these functions and ends
//! what they have begun, or by `longjmp`, after which [`Guard`](crate::thread::guard::Guard) finds
//! out for itself that the call is over.
//!
//! While calls are timed, the time of each goes to the class of calls that the constant `CLASS` of
//! the table's module names.

/// `Name Name: (arguments) WORD expression;` exports `MPI_Name` and `PMPI_Name` for every name of
/// the line.
macro_rules! plain {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        entry!(concat!("MPI_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name)), i32, absent, $args, $when $action);
    )+)+};
}

/// As `plain!`, and `MPI_Name_c` and `PMPI_Name_c` too, in which `Count` is 64 bits wide. Where the
/// loaded MPI lacks those, counts that fit go to the plain form: mpi4py takes our export as a sign
/// that the function exists.
macro_rules! with_large_counts {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        with_large_vectors! {
            $name: $args sized (rankfold_abi::arguments::count_arrays::CountArrays::none()) $when $action;
        }
    )+)+};
}

/// As `with_large_counts!`, for functions that take arrays of counts; the expression after `sized`
/// says how long these are.
macro_rules! with_large_vectors {
    ($($name:ident: $args:tt sized ($arrays:expr) $when:ident $action:expr;)+) => {$(
        plain! { $name: $args $when $action; }
        entry!(concat!("MPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("MPI_", stringify!($name)), $arrays), $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("PMPI_", stringify!($name)), $arrays), $args, $when $action);
    )+};
}

/// As `plain!`, for `MPIX_Name` and `PMPIX_Name`.
macro_rules! extension {
    ($($name:ident: $args:tt $when:ident $action:expr;)+) => {$(
        entry!(concat!("MPIX_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPIX_", stringify!($name)), i32, absent, $args, $when $action);
    )+};
}

/// As `extension!`, and `MPIX_Name_c` and `PMPIX_Name_c` too; the plain form is no substitute for
/// them.
macro_rules! extension_with_large_counts {
    ($($name:ident: $args:tt $when:ident $action:expr;)+) => {$(
        extension! { $name: $args $when $action; }
        entry!(concat!("MPIX_", stringify!($name), "_c"), i64, absent, $args, $when $action);
        entry!(concat!("PMPIX_", stringify!($name), "_c"), i64, absent, $args, $when $action);
    )+};
}

/// `Name Iname Name_init: (arguments) sized (arrays) call;` exports the blocking, the nonblocking
/// and the persistent form of a collective, the last also as the extension that Open MPI 4 has.
/// `call` counts itself: at once, or whenever the persistent request starts.
macro_rules! collective {
    ($($now:ident $soon:ident $often:ident: ($($arg:ident: $type:ty),*) sized ($arrays:expr) $call:expr;)+) => {$(
        with_large_vectors! { $now: ($($arg: $type),*) sized ($arrays) after $call.count(); }
        with_large_vectors! { $soon: ($($arg: $type,)* request: Address) sized ($arrays.kept()) after $call.count(); }
        with_large_vectors! { $often: ($($arg: $type,)* info: Handle, request: Address) sized ($arrays.kept())
            after persistent::remember(request, $call.all()); }
        extension! { $often: ($($arg: $type,)* info: Handle, request: Address)
            after persistent::remember(request, $call.all()); }
    )+};
}

/// One exported function: its name, the type of its counts, what it does where the loaded MPI lacks
/// it (as `missing!` says), its arguments, and the word and the expression of its line.
macro_rules! entry {
    ($symbol:expr, $count:ty, $missing:tt, ($($arg:ident: $type:ty),*), $when:ident $action:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;
            #[allow(dead_code, reason = "nor displacements")]
            type Displacement = <Count as rankfold_abi::arguments::Count>::Displacement;

            rankfold_abi::next!($symbol, ($($arg: $type),*), missing!($missing, ($($arg: $type),*)));

            #[unsafe(export_name = $symbol)]
            unsafe extern "C-unwind" fn entry($($arg: $type),*) -> libc::c_int {
                enter!($when, $action, ($($arg: $type),*))
            }
        };
    };
}

/// The body of an exported function.
macro_rules! enter {
    // Counted at once when the thread knows all it takes (communicator, receiver and datatype of a
    // recent send), and otherwise in a function of its own, once MPI has accepted the call. The
    // other branch ends in a call with the arguments as they came, which the compiler can make a
    // jump: the usual branch then saves no registers for it.
    (counts, $message:expr, ($($arg:ident: $type:ty),*)) => {{
        #[cold]
        #[inline(never)]
        unsafe extern "C-unwind" fn unknown($($arg: $type),*) -> libc::c_int {
            if !crate::epoch::counting() {
                // SAFETY: the arguments are those that the program passed to this very function.
                return unsafe { forward($($arg),*) };
            }
            let Some(counted) = $message.count_found() else {
                return enter!(after, $message.count(), ($($arg: $type),*));
            };
            let guard = crate::thread::guard::Guard::new();
            guard.hold(counted.thread);
            // SAFETY: the arguments are those that the program passed to this very function.
            let code = unsafe { forward($($arg),*) };
            guard.leave(counted.thread);
            counted.ended(code)
        }
        let Some(counted) = $message.count_known() else {
            // SAFETY: `unknown` asks of its arguments what this function does, and they are passed
            // on unchanged.
            return unsafe { unknown($($arg),*) };
        };
        let guard = crate::thread::guard::Guard::new();
        guard.hold(counted.thread);
        // SAFETY: the arguments are those that the program passed to this very function.
        let code = unsafe { forward($($arg),*) };
        guard.leave(counted.thread);
        counted.ended(code)
    }};
    (beside, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        crate::degrade::guarded(|| $action);
        // SAFETY: the arguments are those that the program passed to this very function.
        unsafe { forward($($arg),*) }
    }};
    (last, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let guard = crate::thread::guard::Guard::new();
        guard.enter();
        crate::degrade::guarded(|| $action);
        // SAFETY: the arguments are those that the program passed to this very function.
        unsafe { forward($($arg),*) }
    }};
    ($when:ident, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let guard = crate::thread::guard::Guard::new();
        // What begins and ends things, which has no class, does so for the program whoever calls
        // it.
        if !wanted!($when) || !guard.enter() || (CLASS.is_some() && crate::tool::makes_this_call()) {
            // SAFETY: the arguments are those that the program passed to this very function.
            return unsafe { forward($($arg),*) };
        }
        act!($when, $action, ($($arg: $type),*))
    }};
}

/// Whether an outermost call has anything to do.
macro_rules! wanted {
    (timed) => {
        crate::epoch::timing()
    };
    ($when:ident) => {
        true
    };
}

/// What the outermost call does.
macro_rules! act {
    (before, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        crate::degrade::guarded(|| $action);
        let _clock = crate::thread::time::Clock::start(CLASS);
        // SAFETY: the arguments are those that the program passed to this very function.
        unsafe { forward($($arg),*) }
    }};
    (after, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let clock = crate::thread::time::Clock::start(CLASS);
        // SAFETY: the arguments are those that the program passed to this very function.
        let code = unsafe { forward($($arg),*) };
        drop(clock);
        if code == 0 {
            crate::degrade::guarded(|| $action);
        }
        code
    }};
    ($forwarded:ident, $nothing:expr, ($($arg:ident: $type:ty),*)) => {{
        let _clock = crate::thread::time::Clock::start(CLASS);
        // SAFETY: the arguments are those that the program passed to this very function.
        unsafe { forward($($arg),*) }
    }};
}

/// What is done where the loaded MPI lacks the function: `absent` fails as a function of MPI does,
/// and a `narrowed` function calls the plain form that is named, when that is there and takes the
/// counts.
macro_rules! missing {
    (absent, $args:tt) => {
        crate::absent::fail(CLASS, rankfold_abi::ERR_ABSENT)
    };
    ((narrowed $plain:expr, $arrays:expr), ($($arg:ident: $type:ty),*)) => {{
        match rankfold_abi::narrowed!($plain, $arrays, ($($arg: $type),*)) {
            Ok(code) => code,
            Err(code) => crate::absent::fail(CLASS, code),
        }
    }};
}
