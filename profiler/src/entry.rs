//! From a line of the table to exported functions.

use crate::lengths::Lengths;
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

/// An array of as many items as there are ranks to send to.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Sends<T>(pub(crate) *const T);
/// An array of as many items as there are ranks to receive from.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Receives<T>(pub(crate) *const T);

/// The width of displacements in a function whose counts are of this one.
pub(crate) trait Width {
    type Displacement;
}

impl Width for c_int {
    type Displacement = c_int;
}

impl Width for i64 {
    type Displacement = Offset;
}

/// An argument of a `_c` function as its plain form takes it; only counts and displacements change.
pub(crate) trait Narrow {
    type Plain;
    fn narrow(self, lengths: &Lengths) -> Option<Self::Plain>;
}

impl Narrow for i64 {
    type Plain = c_int;
    fn narrow(self, _: &Lengths) -> Option<c_int> {
        self.try_into().ok()
    }
}

macro_rules! arrays {
    ($($array:ident<$item:ty> of $length:ident;)+) => {$(
        impl Narrow for $array<$item> {
            type Plain = $array<c_int>;
            fn narrow(self, lengths: &Lengths) -> Option<$array<c_int>> {
                lengths.copy(self.0, lengths.$length).map($array)
            }
        }
    )+};
}
arrays! {
    Sends<i64> of sends;
    Sends<Offset> of sends;
    Receives<i64> of receives;
    Receives<Offset> of receives;
}

macro_rules! unchanged {
    ($($type:ty),+) => {$(
        impl Narrow for $type {
            type Plain = Self;
            fn narrow(self, _: &Lengths) -> Option<Self> {
                Some(self)
            }
        }
    )+};
}
unchanged!(c_int, Handle, Address, Offset);

/// `Name Name: (arguments) WHEN expression;` exports `MPI_Name` and `PMPI_Name`. The expression runs in the outermost
/// call only: `before` forwarding, or `after` it when it succeeded; one after `counts` is the message that is sent, and
/// one after `uncounted` means nothing: what the call itself calls is not the program's. `timed` calls matter only where
/// the time does. Where it does, a call is of the class that the constant `CLASS` of the module says.
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
        with_large_vectors! { $name: $args sized (crate::lengths::Lengths::none()) $when $action; }
    )+)+};
}

/// As `with_large_counts!`, of functions that take arrays of counts, as long as the expression behind `sized` says.
macro_rules! with_large_vectors {
    ($($name:ident: $args:tt sized ($lengths:expr) $when:ident $action:expr;)+) => {$(
        plain! { $name: $args $when $action; }
        entry!(concat!("MPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("MPI_", stringify!($name)), $lengths), $args, $when $action);
        entry!(concat!("PMPI_", stringify!($name), "_c"), i64,
            (narrowed concat!("PMPI_", stringify!($name)), $lengths), $args, $when $action);
    )+};
}

/// As `plain!`, for `MPIX_Name` and `PMPIX_Name`.
macro_rules! extension {
    ($($name:ident: $args:tt $when:ident $action:expr;)+) => {$(
        entry!(concat!("MPIX_", stringify!($name)), i32, absent, $args, $when $action);
        entry!(concat!("PMPIX_", stringify!($name)), i32, absent, $args, $when $action);
    )+};
}

/// `Name Iname Name_init: (arguments) sized (lengths) call;` exports the blocking, the nonblocking and the persistent
/// form, which Open MPI 4 has as an extension; the call counts itself.
macro_rules! collective {
    ($($now:ident $soon:ident $often:ident: ($($arg:ident: $type:ty),*) sized ($lengths:expr) $call:expr;)+) => {$(
        with_large_vectors! { $now: ($($arg: $type),*) sized ($lengths) before $call.count(); }
        with_large_vectors! { $soon: ($($arg: $type,)* request: Address) sized ($lengths.kept()) before $call.count(); }
        with_large_vectors! { $often: ($($arg: $type,)* info: Handle, request: Address) sized ($lengths.kept())
            after persistent::remember(request, $call.all()); }
        extension! { $often: ($($arg: $type,)* info: Handle, request: Address)
            after persistent::remember(request, $call.all()); }
    )+};
}

macro_rules! entry {
    ($symbol:expr, $count:ty, $missing:tt, ($($arg:ident: $type:ty),*), $when:ident $action:expr) => {
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        const _: () = {
            use crate::symbol;
            use libc::c_void;
            use std::ptr::NonNull;
            use std::sync::atomic::{AtomicPtr, Ordering};

            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;
            #[allow(dead_code, reason = "nor displacements")]
            type Displacement = <Count as crate::entry::Width>::Displacement;

            /// The next library's function of this name; `find` until that was looked for.
            static NEXT: AtomicPtr<c_void> = AtomicPtr::new(find as *mut c_void);

            #[cold]
            unsafe extern "C" fn find($($arg: $type),*) -> libc::c_int {
                let next = symbol::function(symbol::c_name!($symbol));
                let next = next.map_or(absent as *mut c_void, NonNull::as_ptr);
                NEXT.store(next, Ordering::Relaxed);
                // SAFETY: the caller's promise.
                unsafe { forward($($arg),*) }
            }

            #[allow(unused_variables, reason = "not every missing function has a substitute")]
            unsafe extern "C" fn absent($($arg: $type),*) -> libc::c_int {
                missing!($missing, ($($arg: $type),*))
            }

            #[inline(always)]
            unsafe fn forward($($arg: $type),*) -> libc::c_int {
                let next = NEXT.load(Ordering::Relaxed);
                // SAFETY: a function of this signature; what it makes of the arguments is the caller's promise.
                unsafe { call!(next, ($($type),*), ($($arg),*)) }
            }

            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn entry($($arg: $type),*) -> libc::c_int {
                enter!($when, $action, ($($arg: $type),*))
            }
        };
    };
}

macro_rules! enter {
    // Both ways end in a call with the same arguments: the quick one has nothing to save.
    (counts, $message:expr, ($($arg:ident: $type:ty),*)) => {{
        #[cold]
        #[inline(never)]
        unsafe extern "C" fn unknown($($arg: $type),*) -> libc::c_int {
            if !crate::epoch::counting() {
                // SAFETY: the arguments are the program's.
                return unsafe { forward($($arg),*) };
            }
            let Some(_guard) = $message.count_found() else {
                return enter!(before, $message.count(), ($($arg: $type),*));
            };
            // SAFETY: as above.
            unsafe { forward($($arg),*) }
        }
        let Some(_guard) = $message.count_known() else {
            // SAFETY: the arguments are the program's.
            return unsafe { unknown($($arg),*) };
        };
        // SAFETY: as above.
        unsafe { forward($($arg),*) }
    }};
    ($when:ident, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let Some(_guard) = entered!($when) else {
            // SAFETY: the arguments are the program's.
            return unsafe { forward($($arg),*) };
        };
        act!($when, $action, ($($arg: $type),*))
    }};
}

macro_rules! entered {
    (timed) => {
        if crate::epoch::timing() {
            crate::guard::Guard::enter()
        } else {
            None
        }
    };
    ($when:ident) => {
        crate::guard::Guard::enter()
    };
}

macro_rules! act {
    (before, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        $action;
        let _clock = crate::time::Clock::start(CLASS);
        // SAFETY: the arguments are the program's.
        unsafe { forward($($arg),*) }
    }};
    (after, $action:expr, ($($arg:ident: $type:ty),*)) => {{
        let clock = crate::time::Clock::start(CLASS);
        // SAFETY: the arguments are the program's.
        let code = unsafe { forward($($arg),*) };
        drop(clock);
        if code == 0 {
            $action;
        }
        code
    }};
    ($forwarded:ident, $nothing:expr, ($($arg:ident: $type:ty),*)) => {{
        let _clock = crate::time::Clock::start(CLASS);
        // SAFETY: the arguments are the program's.
        unsafe { forward($($arg),*) }
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
    ((narrowed $plain:expr, $lengths:expr), ($($arg:ident: $type:ty),*)) => {{
        static PLAIN: crate::symbol::Symbol =
            crate::symbol::Symbol::new(crate::symbol::c_name!($plain));
        let lengths = $lengths;
        match (PLAIN.get(), $(crate::entry::Narrow::narrow($arg, &lengths)),*) {
            (Some(plain), $(Some($arg)),*) => {
                #[allow(dead_code, reason = "not every function has a count")]
                type Count = libc::c_int;
                #[allow(dead_code, reason = "nor displacements")]
                type Displacement = libc::c_int;
                // SAFETY: the plain form has this signature once counts are `int`.
                unsafe { call!(plain.as_ptr(), ($($type),*), ($($arg),*)) }
            }
            (None, ..) => crate::entry::ERR_ABSENT,
            _ => crate::entry::ERR_COUNT,
        }
    }};
}
