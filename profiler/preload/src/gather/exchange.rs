//! A sparse exchange: every rank sends to some ranks, and no rank knows from whom it will receive.
//!
//! This is the nonblocking-consensus algorithm of Hoefler, Siebert and Lumsdaine ("Scalable
//! communication protocols for dynamic sparse data exchange", PPoPP 2010, section 3.3). A rank
//! sends its messages synchronously. When all of them are complete, they were received, and the
//! rank enters a nonblocking barrier. It goes on receiving until the barrier is complete: then the
//! messages of every rank were received. The cost is one message per pair of ranks that exchange
//! data, and one barrier.
//!
//! Different from the paper, a rank keeps at most a fixed number of sends under way, and a rank
//! that makes no progress for too long ends with an error.

use super::endpoint::{Endpoint, LONGER};
use super::wait::{LONGEST, Pending, Result, SHORTEST, Trouble};
use libc::c_int;
use rankfold_abi::{self as abi, mpi};
use std::collections::VecDeque;
use std::mem;
use std::thread;
use std::time::Instant;

/// Maximum length of a message, in bytes. Chosen by hand; not measured.
pub const MOST: usize = 1 << 14;

/// Tag of the messages of the exchange. It differs from the tag of all other messages, because a
/// rank that has finished the exchange may send such messages to a rank that has not.
const TAG: c_int = super::endpoint::TAG - 1;

/// Maximum number of sends of a rank that are under way at once. Chosen by hand; not measured.
const WINDOW: usize = 32;

/// Sends each of `messages`, of at most [`MOST`] bytes, to its rank, and passes every message that
/// arrives to `visit`, in a buffer of [`MOST`] bytes. Collective.
///
/// # Errors
/// [`Trouble`].
pub fn exchange(
    endpoint: &Endpoint,
    messages: impl IntoIterator<Item = (u32, Vec<u8>)>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result {
    let mut left = messages.into_iter();
    let mut under_way: VecDeque<Pending<Vec<u8>>> = VecDeque::new();
    let mut incoming = receive(endpoint)?;
    let mut barrier: Option<Pending<()>> = None;
    let (mut late, mut nap) = (endpoint.deadline(LONGER), SHORTEST);
    loop {
        let mut moved = false;
        if incoming.is_done()? {
            let next = receive(endpoint)?;
            visit(&mem::replace(&mut incoming, next).take());
            moved = true;
        }
        while let Some(first) = under_way.front_mut() {
            if !first.is_done()? {
                break;
            }
            under_way.pop_front();
            moved = true;
        }
        while under_way.len() < WINDOW {
            let Some((to, message)) = left.next() else {
                break;
            };
            under_way.push_back(send(endpoint, to, message)?);
            moved = true;
        }
        if let Some(barrier) = &mut barrier {
            if barrier.is_done()? {
                break;
            }
        } else if under_way.is_empty() {
            barrier = Some(enter(endpoint)?);
            moved = true;
        }
        if moved {
            (late, nap) = (endpoint.deadline(LONGER), SHORTEST);
            continue;
        }
        if Instant::now() >= late {
            return Err(Trouble::Late(None));
        }
        thread::sleep(nap);
        nap = (nap + nap / 8).min(LONGEST);
    }
    incoming.cancel(endpoint.deadline(1))
}

fn receive(endpoint: &Endpoint) -> Result<Pending<Vec<u8>>> {
    let any = abi::get().map_or(-1, |abi| abi.any_source);
    let (byte, comm) = (endpoint.byte, endpoint.comm);
    let room = vec![0; MOST];
    // SAFETY: the communicator is alive, and `Pending` keeps the buffer until a message has
    // arrived, or for good. No rank sends a longer message.
    Pending::start(room, |room, request| unsafe {
        let into = room.as_mut_ptr().cast();
        mpi::irecv(into, MOST as i32, byte, any, TAG, comm, request)
    })
}

fn send(endpoint: &Endpoint, to: u32, message: Vec<u8>) -> Result<Pending<Vec<u8>>> {
    let (byte, comm, dest) = (endpoint.byte, endpoint.comm, to.cast_signed());
    let length = message.len() as i32;
    // SAFETY: the communicator is alive, and `Pending` keeps the bytes until they are sent, or for
    // good.
    Pending::start(message, |message, request| unsafe {
        mpi::issend(message.as_ptr(), length, byte, dest, TAG, comm, request)
    })
}

fn enter(endpoint: &Endpoint) -> Result<Pending<()>> {
    // SAFETY: the communicator is alive, and every rank of it enters the barrier once its messages
    // are sent.
    Pending::start((), |(), request| unsafe {
        mpi::ibarrier(endpoint.comm, request)
    })
}
