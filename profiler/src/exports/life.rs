//! The beginning and the end of a run, and of the handles used in it.

use crate::entry::{Address, Handle, act, call, entry, missing, plain};
use crate::{epoch, finish, journal, session};
use libc::c_int;

plain! {
    Type_free: (datatype: Address) before epoch::next();
    Comm_free Comm_disconnect: (comm: Address) before epoch::next();
    Win_free: (window: Address) before epoch::next();

    Init: (argc: Address, argv: Address) after session::start();
    Init_thread: (argc: Address, argv: Address, required: c_int, provided: Address) after session::start();
    Finalize: () before finish::finish();
    Abort: (comm: Handle, code: c_int) before journal::abort();
}
