//! `rankfold help metrics`.

use super::Topic;

pub(super) const METRICS: Topic = Topic {
    name: "metrics",
    summary: "what every figure means: predicted time, hop-bytes, congestion (dor, static, amp), hybrid, bounds",
    text: || TEXT.to_owned(),
};

const TEXT: &str = "\
Time
  predicted time       how long all messages take. In seconds if the machine gives bandwidths in bytes per second, otherwise in bytes over one link
  predicted by replay  all messages of an exchange are followed from event to event; messages on one link share it fairly. Ranks exchange messages in the turns that the profile tells; where it tells none, the time is 1 - s of the time with all partners at once and s of the time partner by partner. Times the number of exchanges. Up to 1024 ranks, as far as the work allows; map and run replay at efforts balanced and best
  predicted by T       elsewhere: T = the longer of busiest link and overhead, + longest latency + s x mean transfer (predicted_by in --json tells which)
  busiest link         time of the link that needs longest: its bytes over its bandwidth. Where nobody knows which way half-way ties of a torus go, three quarters of their bytes count on each way; figures of congestion take them upwards
  overhead             time that the rank with most messages spends on sending and receiving them; no placement changes it
  longest latency      messages times latencies along the route, for the pair of ranks where this is largest
  mean transfer        time in which all messages cross all their links, divided by the number of ranks
  s                    how ranks exchange messages with their partners: 0 if a rank's messages are all under way at once, 1 if ranks exchange partner by partner, 0.25 if unknown (set by --exchange or the profile)

Distance
  hop-bytes            bytes times hops, summed over all pairs of ranks; a hop is a link on the route; ranks on one node are 0 hops apart
  hops per byte        hop-bytes divided by all bytes between different ranks
  average dilation     mean number of hops over the pairs that communicate, whatever their bytes; maximum dilation: the largest number of hops
  levels inside nodes  bytes times levels between cores, and between cores and the nearest network adapter for bytes that leave or enter the node, where the inside of nodes is known (--node)

Congestion of a link: its bytes over its bandwidth, for one direction of a cable
  max congestion (dor)     the busiest link if messages go dimension by dimension, as tori and meshes route
  max congestion (static)  the busiest link if every destination has a fixed route: forwarding tables, or d-mod-k
  max congestion (amp)     the busiest link if messages are split evenly over all minimal paths (Hoefler and Snir 2011)
  max congestion (estimate)  the busiest link if every message takes the least loaded of its shortest paths, as in LibTopoMap (eval --estimate)
  non-zero average, variance  mean and variance over the links that carry anything (PTRAM 2016: NZCA and NZCV)
  hybrid               hop-bytes + max congestion + non-zero average + variance, in units of the heaviest message (PTRAM 2016)

How good a placement is
  block order          ranks one after the other onto nodes, as most launchers do by default; shown beside every placement
  lower bound          no placement has a lower value; certified for time, hop-bytes and max congestion. Of up to 16 ranks on nodes of their own it is the fewest hop-bytes of all placements, proved by branch and bound, where that takes about a second (map, efforts balanced and best)
  still to gain        the largest share of the value that another placement could save: 1 - bound / value. If it is 0, the placement is certified to be optimal. (gap, in --json only, is relative to the bound: value / bound - 1)

All figures count directed bytes: what rank i sends to j, and what j sends to i. They include point-to-point messages, neighbourhood collectives and remote memory access. map and run add all other collectives where a placement can shorten them; everywhere, --collectives adds them: by a model, or as the MPI library sent them.
";
