//! From a line of the table to exported functions.

use libc::{c_int, c_void};

/// Any MPI handle by value: 32 bits wide in the MPICH family, a pointer elsewhere; passed on as it came.
pub(crate) type Handle = usize;
/// Any pointer.
pub(crate) type Address = *mut c_void;

/// `MPI_Aint` and `MPI_Offset`: as wide in a `_c` function as in the plain one.
pub(crate) type Offset = isize;

/// `MPI_ERR_COUNT`, the same in every family.
pub(crate) const ERR_COUNT: c_int = 2;
/// What a call returns that the loaded MPI does not have; `MPI_ERR_OTHER` of Open MPI and the standard ABI.
pub(crate) const ERR_ABSENT: c_int = 16;

/// An argument of a `_c` function as its plain form takes it; only counts change.
pub(crate) trait Narrow {
    type Plain;
    fn narrow(self) -> Option<Self::Plain>;
}

impl Narrow for i64 {
    type Plain = c_int;
    fn narrow(self) -> Option<c_int> {
        self.try_into().ok()
    }
}

macro_rules! unchanged {
    ($($type:ty),+) => {$(
        impl Narrow for $type {
            type Plain = Self;
            fn narrow(self) -> Option<Self> {
                Some(self)
            }
        }
    )+};
}
unchanged!(c_int, Handle, Address, Offset, *const c_int);

/// `Name Name: (arguments) WHEN expression;` exports `MPI_Name` and `PMPI_Name`. The expression runs in the outermost
/// call only: `before` forwarding, or `after` it when it succeeded; one after `counts` is the message that is sent, and
/// one after `uncounted` means nothing: what the call itself calls is not the program's.
macro_rules! plain {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        entry!(concat!("MPI_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name)), i32, absent, $args, $when $action);
    )+)+};
}

/// As `plain!`, and `MPI_Name_c` and `PMPI_Name_c` too, in which `Count` is 64 bits wide. Where the loaded MPI lacks
/// those, counts that fit go to the plain form: mpi4py takes our export as a sign that the function exists.
macro_rules! with_large_counts {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        plain! { $name: $args $when $action; }
        entry!(concat!("MPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("MPI_", stringify!($name))), $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("PMPI_", stringify!($name))), $args, $when $action);
    )+)+};
}

/// As `plain!`, for `MPIX_Name` and `PMPIX_Name`.
macro_rules! extension {
    ($($($name:ident)+: $args:tt $when:ident $action:expr;)+) => {$($(
        entry!(concat!("MPIX_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPIX_", stringify!($name)), i32, absent, $args, $when $action);
    )+)+};
}

macro_rules! entry {
    ($symbol:expr, $count:ty, $missing:tt, ($($arg:ident: $type:ty),*), $when:ident $action:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            use crate::guard::Guard;
            use crate::symbol;
            use libc::c_void;
            use std::ptr::NonNull;
            use std::sync::atomic::{AtomicPtr, Ordering};

            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;

            /// The next library's function of this name; `find` until that was looked for.
            static NEXT: AtomicPtr<c_void> = AtomicPtr::new(find as *mut c_void);

            #[cold]
            unsafe extern "C" fn find($($arg: $type),*) -> c_int {
                let next = symbol::function(symbol::c_name!($symbol));
                let next = next.map_or(absent as *mut c_void, NonNull::as_ptr);
                NEXT.store(next, Ordering::Relaxed);
                // SAFETY: the caller's promise.
                unsafe { forward($($arg),*) }
            }

            #[allow(unused_variables, reason = "not every missing function has a substitute")]
            unsafe extern "C" fn absent($($arg: $type),*) -> c_int {
                missing!($missing, ($($arg: $type),*))
            }

            #[inline(always)]
            unsafe fn forward($($arg: $type),*) -> c_int {
                let next = NEXT.load(Ordering::Relaxed);
                // SAFETY: a function of this signature; what it makes of the arguments is the caller's promise.
                unsafe { call!(next, ($($type),*), ($($arg),*)) }
            }

            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn entry($($arg: $type),*) -> c_int {
                let Some(_guard) = Guard::enter() else {
                    // SAFETY: the arguments are the program's.
                    return unsafe { forward($($arg),*) };
                };
                act!($when, $action, ($($arg: $type),*))
            }
        };
    };
}

macro_rules! act {
    (before, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        $action;
        // SAFETY: the arguments are the program's.
        unsafe { forward($($arg),*) }
    }};
    (after, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        // SAFETY: the arguments are the program's.
        let code = unsafe { forward($($arg),*) };
        if code == 0 {
            $action;
        }
        code
    }};
    (uncounted, $nothing:expr, ($($arg:ident: $type:ty),*)) => {{
        // SAFETY: the arguments are the program's.
        unsafe { forward($($arg),*) }
    }};
    // Both ways out end in a call with the same arguments: the quick one has nothing to save.
    (counts, $message:expr, ($($arg:ident: $type:ty),*)) => {{
        #[cold]
        #[inline(never)]
        unsafe extern "C" fn unknown($($arg: $type),*) -> c_int {
            $message.count();
            // SAFETY: the arguments are the program's.
            unsafe { forward($($arg),*) }
        }
        if $message.count_known() {
            // SAFETY: the arguments are the program's.
            unsafe { forward($($arg),*) }
        } else {
            // SAFETY: as above.
            unsafe { unknown($($arg),*) }
        }
    }};
}

macro_rules! call {
    ($function:expr, ($($type:ty),*), ($($value:expr),*)) => {{
        let function: unsafe extern "C" fn($($type),*) -> libc::c_int =
            std::mem::transmute($function);
        function($($value),*)
    }};
}

macro_rules! missing {
    (absent, $args:tt) => {
        crate::entry::ERR_ABSENT
    };
    ((narrowed $plain:expr), ($($arg:ident: $type:ty),*)) => {{
        static PLAIN: crate::symbol::Symbol =
            crate::symbol::Symbol::new(crate::symbol::c_name!($plain));
        match (PLAIN.get(), $(crate::entry::Narrow::narrow($arg)),*) {
            (Some(plain), $(Some($arg)),*) => {
                #[allow(dead_code, reason = "not every function has a count")]
                type Count = libc::c_int;
                // SAFETY: the plain form has this signature once counts are `int`.
                unsafe { call!(plain.as_ptr(), ($($type),*), ($($arg),*)) }
            }
            (None, ..) => crate::entry::ERR_ABSENT,
            _ => crate::entry::ERR_COUNT,
        }
    }};
}

pub(crate) use {act, call, entry, extension, missing, plain, with_large_counts};
