//! Makes exported functions of the lines of the tables in `exports`.
//!
//! Every exported function forwards the call, with unchanged arguments, to the function of the same
//! name in the next library: `MPI_X` to `MPI_X`, and `PMPI_X` to `PMPI_X`. Only in the outermost
//! call, which the program itself made, does the function do anything else. A call from inside of
//! MPI or of another tool is forwarded and nothing more. The word before the expression of a line
//! says what the outermost call does:
//!
//! * `before`: evaluates the expression, then forwards the call.
//! * `after`: forwards the call, then evaluates the expression if the call returned `MPI_SUCCESS`.
//! * `beside`: as `before`, in every call, not only in the outermost one. What callbacks of the
//!   program send during the call is counted.
//! * `during`: in every call, evaluates the expression, forwards the call, and drops the value of
//!   the expression when the call has returned.
//! * `last`: as `before`, in every call.
//! * `counts`: the expression is a `Message` that is sent, or a `Completion`. The function counts
//!   it, unless MPI returns an error.
//! * `uncounted`: counts nothing, and marks the thread as inside MPI, so that what MPI sends during
//!   the call is not counted either.
//! * `timed`: as `uncounted` while calls are timed; otherwise forwards the call only.
//!
//! An expression may ask MPI about the handles of a call only if the call has succeeded. Asked
//! about an invalid handle, MPI would call the error handler of the program once more, or end the
//! program. So an expression after `before` asks MPI nothing.
//!
//! An error handler may leave a call by an exception or by `longjmp`. An exception unwinds through
//! these functions and drops their guards. After a `longjmp`,
//! [`Guard`](crate::thread::guard::Guard) finds out by the stack that the call is over.
//!
//! While calls are timed, the time of each call is added to its function, in the class of calls
//! that the constant `CLASS` in the module of the table names.

/// `Name Name: (arguments) WORD expression;` exports `MPI_Name` and `PMPI_Name` for every name of
/// the line.
macro_rules! plain {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        entry!(concat!("MPI_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name)), i32, absent, $args, $when $action);
    )+)+};
}

/// As `plain!`, and also exports `MPI_Name_c` and `PMPI_Name_c`, in which `Count` is 64 bits wide.
/// Where the loaded MPI lacks these, and the counts fit, the plain form is called: mpi4py calls a
/// large-count function wherever this library exports it.
macro_rules! with_large_counts {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        with_large_vectors! {
            $name: $args sized (rankfold_abi::arguments::count_arrays::CountArrays::none()) $when $action;
        }
    )+)+};
}

/// As `with_large_counts!`, for functions that take arrays of counts. The expression after `sized`
/// says how long the arrays are.
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

/// As `extension!`, and also exports `MPIX_Name_c` and `PMPIX_Name_c`. Where the loaded MPI lacks
/// these, the plain form is not called in their place.
macro_rules! extension_with_large_counts {
    ($($name:ident: $args:tt $when:ident $action:expr;)+) => {$(
        extension! { $name: $args $when $action; }
        entry!(concat!("MPIX_", stringify!($name), "_c"), i64, absent, $args, $when $action);
        entry!(concat!("PMPIX_", stringify!($name), "_c"), i64, absent, $args, $when $action);
    )+};
}

/// `Name Iname Name_init: (arguments) sized (arrays) call;` exports the blocking, the nonblocking
/// and the persistent form of a collective. The persistent form is also exported as the extension
/// `MPIX_Name_init` of Open MPI 4. `call` is counted at once, or, in the persistent form, whenever
/// its request is started.
macro_rules! collective {
    ($($now:ident $soon:ident $often:ident: ($($arg:ident: $type:ty),*) sized ($arrays:expr) $call:expr;)+) => {$(
        with_large_vectors! { $now: ($($arg: $type),*) sized ($arrays) after $call.count(); }
        with_large_vectors! { $soon: ($($arg: $type,)* request: Address) sized ($arrays.kept())
            after $call.nonblocking().count(); }
        with_large_vectors! { $often: ($($arg: $type,)* info: Handle, request: Address) sized ($arrays.kept())
            after persistent::remember(request, $call.nonblocking().all()); }
        extension! { $often: ($($arg: $type,)* info: Handle, request: Address)
            after persistent::remember(request, $call.nonblocking().all()); }
    )+};
}

/// Defines one exported function. The arguments are its name, the type of its counts, what it does
/// where the loaded MPI lacks it (see `missing!`), its arguments, and the word and expression of
/// its line.
macro_rules! entry {
    ($symbol:expr, $count:ty, $missing:tt, ($($arg:ident: $type:ty),*), $when:ident $action:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;
            #[allow(dead_code, reason = "nor displacements")]
            type Displacement = <Count as rankfold_abi::arguments::Count>::Displacement;

            #[allow(dead_code, reason = "nor a clock")]
            const CALL: Option<crate::thread::time::TimedCall> =
                crate::thread::time::call_of(CLASS, $symbol);

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
    // There are two ways to count a message. If the thread has cached all that it needs (the
    // communicator, receiver and datatype of a recent send), the message is counted before the
    // call. Otherwise a separate function counts it after MPI has accepted the call. That function
    // is called last and with unchanged arguments, so the compiler can make the call a jump, and
    // the cached way saves no registers for it.
    (counts, $message:expr, ($($arg:ident: $type:ty),*)) => {{
        #[cold]
        #[inline(never)]
        unsafe extern "C-unwind" fn unknown($($arg: $type),*) -> libc::c_int {
            if !crate::epoch::counting() {
                // SAFETY: the arguments are those that the program passed to this function.
                return unsafe { forward($($arg),*) };
            }
            let Some(counted) = $message.count_found() else {
                return enter!(sending, $message.count(), ($($arg: $type),*));
            };
            let guard = crate::thread::guard::Guard::new();
            guard.hold(counted.thread);
            // SAFETY: the arguments are those that the program passed to this function.
            let code = unsafe { forward($($arg),*) };
            guard.leave(counted.thread);
            counted.ended(code)
        }
        let Some(counted) = $message.count_known() else {
            // SAFETY: `unknown` has the preconditions of this function, and gets its arguments
            // unchanged.
            return unsafe { unknown($($arg),*) };
        };
        let guard = crate::thread::guard::Guard::new();
        guard.hold(counted.thread);
        // SAFETY: the arguments are those that the program passed to this function.
        let code = unsafe { forward($($arg),*) };
        guard.leave(counted.thread);
        counted.ended(code)
    }};
    (beside, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        crate::degrade::guarded(|| $action);
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward($($arg),*) }
    }};
    (during, $state:expr, ($($arg:ident: $type:ty),*)) => {{
        let _state = $state;
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward($($arg),*) }
    }};
    (last, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let guard = crate::thread::guard::Guard::new();
        guard.enter();
        crate::degrade::guarded(|| $action);
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward($($arg),*) }
    }};
    ($when:ident, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let guard = crate::thread::guard::Guard::new();
        // Functions without a class begin and end a run or an object. They act for the program even
        // if a tool calls them.
        if !wanted!($when) || !guard.enter() || (CLASS.is_some() && crate::tool::makes_this_call()) {
            // SAFETY: the arguments are those that the program passed to this function.
            return unsafe { forward($($arg),*) };
        }
        act!($when, $action, ($($arg: $type),*))
    }};
}

/// Whether an outermost call has anything to do besides forwarding.
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
        let _clock = crate::thread::time::Clock::start(CALL);
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward($($arg),*) }
    }};
    (after, $action:expr, $args:tt) => {
        act!(once, |code: libc::c_int| code == 0, $action, $args)
    };
    (sending, $action:expr, $args:tt) => {
        act!(once, crate::counted::message::was_sent, $action, $args)
    };
    (once, $counts:expr, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let clock = crate::thread::time::Clock::start(CALL);
        // SAFETY: the arguments are those that the program passed to this function.
        let code = unsafe { forward($($arg),*) };
        drop(clock);
        if ($counts)(code) {
            crate::degrade::guarded(|| $action);
        }
        code
    }};
    ($forwarded:ident, $nothing:expr, ($($arg:ident: $type:ty),*)) => {{
        let _clock = crate::thread::time::Clock::start(CALL);
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward($($arg),*) }
    }};
}

/// What an exported function does where the loaded MPI lacks it. `absent` fails as a function of
/// MPI fails. `narrowed` calls the named plain form, if the loaded MPI has that and the counts fit.
macro_rules! missing {
    (absent, $args:tt) => {
        crate::missing_function::fail(CLASS, rankfold_abi::ERR_ABSENT)
    };
    ((narrowed $plain:expr, $arrays:expr), ($($arg:ident: $type:ty),*)) => {{
        match rankfold_abi::narrowed!($plain, $arrays, ($($arg: $type),*)) {
            Ok(code) => code,
            Err(code) => crate::missing_function::fail(CLASS, code),
        }
    }};
}
