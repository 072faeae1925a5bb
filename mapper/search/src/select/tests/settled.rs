//! What a selection publishes: assessed together at any effort, and block order where little is
//! saved.

use super::*;

#[test]
fn block_order_stays_where_nothing_saves_a_hundredth_of_its_time() {
    // Twelve ranks in a row are well off; two pairs of the others share a link and need not.
    let both = |rank| {
        [
            message(rank, rank + 1, 100_000),
            message(rank + 1, rank, 100_000),
        ]
    };
    let row = (0..11).flat_map(both);
    let of = |bytes| {
        let pairs = [message(12, 14, bytes), message(13, 15, bytes)];
        graph(16, row.clone().chain(pairs).collect())
    };
    let line = machine("mesh:16", 1);
    let request = Request {
        effort: Effort::Fast,
        ..Request::default()
    };
    let placed = |bytes| select(&of(bytes), &line, &request).unwrap();
    let kept = placed(50_400);
    let solved = kept
        .candidates
        .iter()
        .filter_map(|c| c.outcome.as_ref().ok());
    let replayed = solved.filter(|solution| solution.is_finalist);
    let fastest = replayed.map(|s| s.value).fold(f64::INFINITY, f64::min);
    let saving = 1.0 - fastest / kept.block.value;
    assert_eq!(kept.best, 0);
    assert_eq!(*kept.winner().1.placement(), Placement::block(16));
    assert!(saving > 0.0, "{saving}");
    assert_eq!(kept.not_worth_it(), Some((saving, Stays::TooLittle)));
    let changed = placed(150_000);
    assert_ne!(changed.best, 0);
    assert!(changed.winner().1.value < 0.99 * changed.block.value);
    assert_eq!(changed.not_worth_it(), None);
}

#[test]
fn what_is_published_is_replayed_at_any_effort_unless_there_are_many_ranks() {
    let ring = |ranks: usize| {
        let messages = (0..ranks).map(|rank| message(rank, (rank + 1) % ranks, 1000));
        graph(ranks, messages.collect())
    };
    let predicted = |ranks, spec: &str, effort| {
        let request = Request {
            heuristic: Some("block".into()),
            refine: false,
            effort,
            ..Request::default()
        };
        let chosen = select(&ring(ranks), &machine(spec, 1), &request).unwrap();
        let predictor = chosen.predicted.predictor();
        for one in [&chosen.block.assessment, chosen.winner().1.assessment()] {
            assert_eq!(one.time().predictor(), predictor);
            assert_eq!(one.replay().is_some(), predictor == Predictor::Replay);
        }
        chosen.predicted
    };
    for effort in [Effort::Hurried, Effort::Fast, Effort::Balanced] {
        let few = predicted(16, "torus:4x4", effort);
        assert_eq!(few.predictor(), Predictor::Replay, "{effort:?}");
        let ranks = MOST_RANKS + 1;
        let many = predicted(ranks, &format!("mesh:{ranks}"), effort);
        assert_eq!(many, Predicted::TooManyRanks, "{effort:?}");
    }
}
