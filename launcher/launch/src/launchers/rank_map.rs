//! The description of the hosts of ranks that MPICH 5.0's launcher passes to its library where the
//! user gives `-rankmap`. It is a list of blocks with repetitions, and loses ranks for some maps:
//! the library then takes ranks of two hosts for neighbours that share memory.

/// An element of the description.
#[derive(Clone, Copy, Debug)]
enum Element {
    /// `hosts` hosts from `first` on, each with `ranks` ranks. Rank `from` is the first of them.
    Block {
        first: usize,
        hosts: usize,
        ranks: usize,
        from: usize,
    },
    /// The elements from `start` on come so many times.
    Repeated { start: usize, times: usize },
}

/// Whether the library is told the host of every rank as it is. `hosts` has a number from 0 for the
/// host of each rank.
pub(super) fn is_announced_rightly(hosts: &[usize]) -> bool {
    expanded(&described(hosts)) == hosts
}

/// The description that the launcher makes.
///
/// It goes through the ranks. A rank on the host of the rank before belongs to the last element,
/// which adds nothing where that is a repetition: here ranks are lost. Two blocks of the same size
/// on hosts that follow each other become one. Where a block starts on this host already, and the
/// ranks since then come again, they become a repetition.
fn described(hosts: &[usize]) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    // The last block since the last repetition that starts on each host.
    let mut starts = vec![None; hosts.iter().max().map_or(0, |most| most + 1)];
    let mut rank = 0;
    while rank < hosts.len() {
        let host = hosts[rank];
        if rank > 0 && hosts[rank - 1] == host {
            if let Some(Element::Block { ranks, .. }) = elements.last_mut() {
                *ranks += 1;
            }
            rank += 1;
            continue;
        }
        join_last(&mut elements, &mut starts);
        if let Some(start) = starts[host]
            && let Some(Element::Block { from, .. }) = elements.get(start)
            && let length = rank - from
            && let times = repetitions(hosts, *from, length)
            && times > 1
        {
            rank = from + length * times;
            elements.push(Element::Repeated { start, times });
            starts.fill(None);
            continue;
        }
        starts[host] = Some(elements.len());
        elements.push(Element::Block {
            first: host,
            hosts: 1,
            ranks: 1,
            from: rank,
        });
        rank += 1;
    }
    join_last(&mut elements, &mut starts);
    elements
}

/// Joins the last two elements if they are blocks of the same size on hosts that follow each other.
fn join_last(elements: &mut Vec<Element>, starts: &mut [Option<usize>]) {
    if let [
        ..,
        Element::Block {
            first,
            hosts,
            ranks,
            ..
        },
        Element::Block {
            first: next,
            ranks: as_many,
            ..
        },
    ] = &mut elements[..]
        && ranks == as_many
        && *first + *hosts == *next
    {
        *hosts += 1;
        starts[*next] = None;
        elements.pop();
    }
}

/// How often the `length` ranks from `from` on come one time after the other.
fn repetitions(hosts: &[usize], from: usize, length: usize) -> usize {
    let (pattern, rest) = hosts[from..].split_at(length);
    1 + rest
        .chunks(length)
        .take_while(|chunk| *chunk == pattern)
        .count()
}

/// The host of every rank by a description.
fn expanded(elements: &[Element]) -> Vec<usize> {
    let mut hosts = Vec::new();
    // Where the ranks of each element start.
    let mut places = Vec::new();
    for element in elements {
        places.push(hosts.len());
        match *element {
            Element::Block {
                first,
                hosts: many,
                ranks,
                ..
            } => hosts
                .extend((first..first + many).flat_map(|host| std::iter::repeat_n(host, ranks))),
            Element::Repeated { start, times } => {
                let again = hosts[places[start]..].to_vec();
                (1..times).for_each(|_| hosts.extend_from_slice(&again));
            }
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts of 8 ranks on 2 hosts, 4 ranks each, for which `mpiexec -v` of MPICH 5.0.2 announces
    /// other hosts. Bit 7 of a layout is the host of rank 0, bit 0 that of rank 7.
    const WRONG: [u8; 10] = [39, 86, 89, 90, 92, 163, 165, 166, 169, 216];

    #[test]
    fn of_all_layouts_of_8_ranks_on_2_hosts_those_are_refused_that_mpich_announces_wrongly() {
        let layouts = (0..=u8::MAX).filter(|layout| layout.count_ones() == 4);
        let host = |layout: u8, rank: u32| usize::from(layout >> (7 - rank) & 1);
        let wrong: Vec<u8> = layouts
            .clone()
            .filter(|&layout| {
                let hosts: Vec<usize> = (0..8).map(|rank| host(layout, rank)).collect();
                !is_announced_rightly(&hosts)
            })
            .collect();
        assert_eq!(layouts.count(), 70);
        assert_eq!(wrong, WRONG);
    }

    #[test]
    fn blocks_turns_and_any_order_without_repetitions_are_announced_rightly() {
        for hosts in [
            &[0, 0, 1, 1, 2, 2][..],
            &[0, 1, 2, 0, 1, 2],
            &[2, 1, 0, 0, 1, 2],
            &[0],
        ] {
            assert!(is_announced_rightly(hosts), "{hosts:?}");
        }
    }
}
