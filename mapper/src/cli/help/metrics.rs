//! `rankfold help metrics`.

use super::Topic;

pub(super) const METRICS: Topic = Topic {
    name: "metrics",
    summary: "what every figure means: predicted time, hop-bytes, congestion (dor, static, amp), hybrid, bounds",
    text: || TEXT.to_owned(),
};

const TEXT: &str = "\
Time
  predicted time       the longer of busiest link and overhead, + longest latency + s x mean transfer: what all messages take. In seconds where the machine says bytes per second, else in bytes over one link
  busiest link         bytes over bandwidth of the link with most to carry
  overhead             what the rank with most messages spends on sending and receiving them; no placement changes it
  longest latency      messages times latencies on the way of the pair that waits longest
  mean transfer        all messages crossing all their links, over the ranks
  s                    how much of it counts: 0 if a rank's messages are all under way at once, 1 if ranks exchange partner by partner, 0.25 where nothing tells (--exchange, or the profile)

Distance
  hop-bytes            bytes times hops, over all pairs of ranks; a hop is a link on the way, none inside a node
  hops per byte        hop-bytes over all bytes between different ranks
  average dilation     mean hops of the pairs that communicate, whatever their bytes; maximum dilation: the most
  levels inside nodes  bytes times levels between cores, where the inside of nodes is known (--node)

Congestion: bytes over bandwidth of a link, one direction of a cable
  max congestion (dor)     the busiest link where messages go dimension by dimension, as tori and meshes route
  max congestion (static)  the busiest link where every destination has its fixed way: forwarding tables, or d-mod-k
  max congestion (amp)     the busiest link if messages were split evenly over all minimal paths (Hoefler and Snir 2011)
  max congestion (estimate)  every message on the least loaded of its shortest paths, as LibTopoMap (eval --estimate)
  non-zero average, variance  over the links that carry anything (PTRAM 2016: NZCA and NZCV)
  hybrid               hop-bytes + max congestion + non-zero average + variance, in units of the heaviest message (PTRAM 2016)

How good is good
  block order          ranks one after the other onto nodes: what a launcher does by itself; shown beside every placement
  lower bound          no placement is below it: certified, for time, hop-bytes and max congestion
  still to gain        the share of the value that any other placement could save at most: 1 - bound / value. Where nothing is, the placement is certified as the best there is. (gap, in --json alone, is relative to the bound: value / bound - 1)

All figures are of directed bytes: what rank i sends j and j sends i count both. Bytes are those of point-to-point
messages, neighbourhood collectives and remote memory access; --collectives adds a model of the others.
";
