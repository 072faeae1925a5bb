//! The tool information interface of MPI. A variable that is bound to a communicator is looked up
//! by the address of the communicator's handle.

use crate::world;
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle, Symbol, c_name, call};
use std::ptr;

handwritten! {
    "MPI_T_pvar_handle_alloc" "PMPI_T_pvar_handle_alloc":
    (session: Handle, index: c_int, object: Address, handle: Address, count: Address) {
        let exchanged = Exchanged::of(object, || binding_of_pvar(index));
        // SAFETY: the arguments are those that the program passed to this function, with the object
        // exchanged.
        unsafe { forward(session, index, exchanged.address(object), handle, count) }
    };
}

handwritten! {
    "MPI_T_cvar_handle_alloc" "PMPI_T_cvar_handle_alloc":
    (index: c_int, object: Address, handle: Address, count: Address) {
        let exchanged = Exchanged::of(object, || binding_of_cvar(index));
        // SAFETY: the arguments are those that the program passed to this function, with the object
        // exchanged.
        unsafe { forward(index, exchanged.address(object), handle, count) }
    };
}

handwritten! {
    "MPI_T_event_handle_alloc" "PMPI_T_event_handle_alloc":
    (index: c_int, object: Address, info: Handle, registration: Address) {
        let exchanged = Exchanged::of(object, || binding_of_event(index));
        // SAFETY: the arguments are those that the program passed to this function, with the object
        // exchanged.
        unsafe { forward(index, exchanged.address(object), info, registration) }
    };
}

/// The handle that replaces that of the program, if that is the world.
struct Exchanged(Option<Wide>);

/// Memory for a handle of either width. The handle is at its start.
#[repr(C)]
struct Wide(Handle);

impl Exchanged {
    /// Reads the handle at `object`. The address has a meaning only if `binding` returns that the
    /// variable is bound to a communicator.
    fn of(object: Address, binding: impl FnOnce() -> Option<c_int>) -> Self {
        let (Some(abi), Some(replacement)) = (abi::get(), world::replacement()) else {
            return Self(None);
        };
        if object.is_null() || binding() != Some(abi.bind_comm) {
            return Self(None);
        }
        // SAFETY: the variable is bound to a communicator, so the program has passed the address of
        // one.
        let comm = unsafe { abi.handle_at(object, 0) };
        if !world::is_exchanged(comm) {
            return Self(None);
        }
        let mut wide = Wide(0);
        // SAFETY: there is room for a handle of either width.
        unsafe { abi.store_handle((&raw mut wide).cast(), replacement) };
        Self(Some(wide))
    }

    /// The address from which MPI must read the handle.
    fn address(&self, object: Address) -> Address {
        match &self.0 {
            Some(wide) => ptr::from_ref(wide).cast_mut().cast(),
            None => object,
        }
    }
}

/// `fn name = Name(arguments);` defines a function that asks `Name` to what the variable or event
/// of an index is bound. `none` stands for an argument that is not needed, and `binding` for the
/// address of the answer.
macro_rules! bindings {
    ($($(#[$doc:meta])* fn $rust:ident = $name:ident($($arg:ident),*);)+) => {$(
        $(#[$doc])*
        fn $rust(index: c_int) -> Option<c_int> {
            static INFO: Symbol = Symbol::new(c_name!("PMPI_T_", stringify!($name)));
            let info = INFO.get()?;
            let mut bound = -1;
            // SAFETY: the function has this signature, and MPI allows null for every result that is
            // not needed.
            let code = unsafe {
                call!(info.as_ptr(), (c_int, $(argument_type!($arg)),*),
                    (index, $(argument!($arg, bound)),*))
            };
            (code == 0).then_some(bound)
        }
    )+};
}

macro_rules! argument_type {
    (none) => { Address };
    (binding) => { *mut c_int };
}

macro_rules! argument {
    (none, $bound:ident) => {
        ptr::null_mut::<libc::c_void>()
    };
    (binding, $bound:ident) => {
        &raw mut $bound
    };
}

bindings! {
    /// MPI 4.0, section 15.3.6.
    fn binding_of_cvar = cvar_get_info(none, none, none, none, none, none, none, binding, none);
    /// MPI 4.0, section 15.3.7.
    fn binding_of_pvar = pvar_get_info(none, none, none, none, none, none, none, none, binding, none, none, none);
    /// MPI 4.0, section 15.3.8.
    fn binding_of_event = event_get_info(none, none, none, none, none, none, none, none, none, none, binding);
}
