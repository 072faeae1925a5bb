//! From a line of the table to exported functions.

use libc::{c_int, c_void};

/// Any MPI handle by value: 32 bits wide in the MPICH family, a pointer elsewhere; passed on as it came.
pub(crate) type Handle = usize;
/// Any pointer.
pub(crate) type Address = *mut c_void;

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
    ($($type:ty)+) => {$(
        impl Narrow for $type {
            type Plain = Self;
            fn narrow(self) -> Option<Self> {
                Some(self)
            }
        }
    )+};
}
unchanged!(c_int Handle Address);

/// `Name Name: (arguments) before|after expression;` exports `MPI_Name` and `PMPI_Name`. The expression runs in the
/// outermost call only: `before` forwarding, or `after` it when it succeeded.
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

macro_rules! entry {
    ($symbol:expr, $count:ty, $missing:tt, ($($arg:ident: $type:ty),*), $when:ident $action:expr) => {
        const _: () = {
            #[allow(dead_code, reason = "not every function has a count")]
            type Count = $count;
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn entry($($arg: $type),*) -> libc::c_int {
                static NEXT: crate::symbol::Symbol =
                    crate::symbol::Symbol::new(crate::symbol::c_name!($symbol));
                let guard = crate::guard::Guard::enter();
                let forward = || match NEXT.get() {
                    // SAFETY: the next library's function of this name has this signature.
                    Some(next) => unsafe { call!(next, ($($type),*), ($($arg),*)) },
                    None => missing!($missing, ($($arg: $type),*)),
                };
                act!($when, guard, forward, $action)
            }
        };
    };
}

macro_rules! act {
    (before, $guard:ident, $forward:ident, $action:expr) => {{
        if $guard.outermost() {
            $action;
        }
        $forward()
    }};
    (after, $guard:ident, $forward:ident, $action:expr) => {{
        let code = $forward();
        if code == 0 && $guard.outermost() {
            $action;
        }
        code
    }};
}

macro_rules! call {
    ($function:expr, ($($type:ty),*), ($($value:expr),*)) => {{
        let function: unsafe extern "C" fn($($type),*) -> libc::c_int =
            std::mem::transmute($function.as_ptr());
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
                unsafe { call!(plain, ($($type),*), ($($arg),*)) }
            }
            (None, ..) => crate::entry::ERR_ABSENT,
            _ => crate::entry::ERR_COUNT,
        }
    }};
}

pub(crate) use {act, call, entry, missing, plain, with_large_counts};
