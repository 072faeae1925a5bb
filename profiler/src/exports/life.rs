//! Functions that begin and end a run, and those that free objects or duplicate communicators.

use crate::objects::duplication::Duplication;
use crate::run::{children, finish, sessions, start};
use crate::{freed, journal, phase};
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = None;

plain! {
    Type_free: (datatype: Address) beside freed::datatype();
    Comm_free Comm_disconnect: (comm: Address) beside freed::communicator_at(comm);
    Win_free: (window: Address) beside freed::window();
    Comm_dup: (comm: Handle, new: Address) during Duplication::of(comm);
    Comm_dup_with_info: (comm: Handle, info: Handle, new: Address) during Duplication::of(comm);

    Init: (argc: Address, argv: Address) after start::start();
    Init_thread: (argc: Address, argv: Address, required: c_int, provided: Address) after start::start();
    Finalize: () last finish::finish();
    Session_init: (info: Handle, errors: Handle, session: Address) after sessions::opened(session);
    Session_finalize: (session: Address) before sessions::closing(session);
    Comm_spawn:
        (command: Address, arguments: Address, number: c_int, info: Handle, root: c_int, comm: Handle, children: Address, errors: Address)
        after children::spawned(root, comm);
    Comm_spawn_multiple:
        (number: c_int, commands: Address, arguments: Address, numbers: Address, infos: Address, root: c_int, comm: Handle, children: Address, errors: Address)
        after children::spawned(root, comm);
    // `MPI_Pcontrol` is variadic. If a second argument was passed, it is where `argument` is.
    Pcontrol: (level: c_int, argument: Address) before phase::control(level, argument);
    Abort: (comm: Handle, code: c_int) before journal::abort();
}
