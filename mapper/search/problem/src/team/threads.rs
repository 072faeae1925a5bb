//! Teams of threads, which stand in for teams of processes in tests.

use super::Team;
use std::sync::{Arc, Barrier, Mutex};

/// What the members share: a buffer for what each sends, and a barrier. An exchange passes the
/// barrier twice: when all have written their buffers, and when all have read them.
#[derive(Debug)]
struct Table {
    said: Mutex<Vec<Vec<u8>>>,
    meeting: Barrier,
}

/// One member of a team of threads.
#[derive(Debug)]
struct Member {
    me: usize,
    table: Arc<Table>,
}

impl Team for Member {
    fn size(&self) -> usize {
        self.table.said.lock().unwrap().len()
    }

    fn me(&self) -> usize {
        self.me
    }

    fn all_gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        self.table.said.lock().unwrap()[self.me] = mine.to_vec();
        self.table.meeting.wait();
        let all = self.table.said.lock().unwrap().clone();
        self.table.meeting.wait();
        all
    }

    fn min_loc(&self, mine: (f64, u64)) -> (f64, u64) {
        let all = self.all_gather(&postcard::to_allocvec(&mine).unwrap());
        let all = all.iter().map(|said| postcard::from_bytes(said).unwrap());
        all.min_by(|a: &(f64, u64), b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .unwrap()
    }
}

/// Runs `work` on every member of a team of this size, each on a thread pool of its own, and
/// returns the results by member.
pub fn all<T: Send>(size: usize, work: impl Fn(&dyn Team) -> T + Sync) -> Vec<T> {
    let table = Arc::new(Table {
        said: Mutex::new(vec![Vec::new(); size]),
        meeting: Barrier::new(size),
    });
    let member = |me| Member {
        me,
        table: Arc::clone(&table),
    };
    let run = |member: Member| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(|| work(&member))
    };
    std::thread::scope(|scope| {
        let members = (0..size).map(member);
        let members: Vec<_> = members.map(|it| scope.spawn(|| run(it))).collect();
        members.into_iter().map(|m| m.join().unwrap()).collect()
    })
}
