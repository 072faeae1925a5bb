//! Every rank tells some others something, and nobody knows who will be told: the dynamic sparse
//! data exchange of Hoefler, Siebert and Lumsdaine ("Scalable communication protocols for dynamic
//! sparse data exchange", PPoPP 2010, section 3.3).
//!
//! Messages are sent synchronously, so a rank whose messages are all sent knows that they were
//! received, and enters a barrier that does not block. It receives until the barrier is over: then
//! everybody's were.

use super::lane::{LONGER, Lane};
use super::wait::{LONGEST, Pending, Result, SHORTEST, Trouble};
use libc::c_int;
use rankfold_abi::{self as abi, mpi};
use std::collections::VecDeque;
use std::mem;
use std::thread;
use std::time::Instant;

/// Most bytes of a message.
pub const MOST: usize = 1 << 14;

/// Another tag than that of all other messages: a rank that knows that the exchange is over sends
/// those to ones that do not yet.
const TAG: c_int = super::lane::TAG - 1;

/// Messages under way at once.
const WINDOW: usize = 32;

/// Sends each of `messages`, of at most [`MOST`] bytes, to its rank, and hands those that come to
/// `visit`, each in a buffer of
/// [`MOST`] bytes. Collective.
///
/// # Errors
/// [`Trouble`].
pub fn exchange(
    lane: &Lane,
    messages: impl IntoIterator<Item = (u32, Vec<u8>)>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result {
    let mut left = messages.into_iter();
    let mut under_way: VecDeque<Pending<Vec<u8>>> = VecDeque::new();
    let mut incoming = receive(lane)?;
    let mut barrier: Option<Pending<()>> = None;
    let (mut late, mut nap) = (lane.deadline(LONGER), SHORTEST);
    loop {
        let mut moved = false;
        if incoming.is_done()? {
            let next = receive(lane)?;
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
            under_way.push_back(send(lane, to, message)?);
            moved = true;
        }
        if let Some(barrier) = &mut barrier {
            if barrier.is_done()? {
                break;
            }
        } else if under_way.is_empty() {
            barrier = Some(enter(lane)?);
            moved = true;
        }
        if moved {
            (late, nap) = (lane.deadline(LONGER), SHORTEST);
            continue;
        }
        if Instant::now() >= late {
            return Err(Trouble::Late(None));
        }
        thread::sleep(nap);
        nap = (nap + nap / 8).min(LONGEST);
    }
    incoming.cancel(lane.deadline(1))
}

fn receive(lane: &Lane) -> Result<Pending<Vec<u8>>> {
    let any = abi::get().map_or(-1, |abi| abi.any_source);
    let (byte, comm) = (lane.byte, lane.comm);
    let room = vec![0; MOST];
    // SAFETY: the communicator is alive, and the buffer lives until the message has come, or for
    // good; nobody sends more.
    Pending::start(room, |room, request| unsafe {
        let into = room.as_mut_ptr().cast();
        mpi::irecv(into, MOST as i32, byte, any, TAG, comm, request)
    })
}

fn send(lane: &Lane, to: u32, message: Vec<u8>) -> Result<Pending<Vec<u8>>> {
    let (byte, comm, dest) = (lane.byte, lane.comm, to.cast_signed());
    let length = message.len() as i32;
    // SAFETY: the communicator is alive, and the bytes live until they are sent, or for good.
    Pending::start(message, |message, request| unsafe {
        mpi::issend(message.as_ptr(), length, byte, dest, TAG, comm, request)
    })
}

fn enter(lane: &Lane) -> Result<Pending<()>> {
    // SAFETY: the communicator is alive; every rank of it enters when its messages are sent.
    Pending::start((), |(), request| unsafe {
        mpi::ibarrier(lane.comm, request)
    })
}
