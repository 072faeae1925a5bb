//! The search for ranks that take several slots: for their cells, and back.

use super::{Request, SelectError, Selection, Watch};
use rankfold_assess::{Case, CellCase};
use rankfold_base::Placement;
use rankfold_problem::team::Team;

/// What a search has found, for the cells of ranks where these take several slots.
///
/// # Errors
/// Those of [`super::search`], and no placement of the cells keeps all constraints.
pub(super) fn search(
    case: Case<'_>,
    request: &Request,
    team: &dyn Team,
    watch: Watch<'_>,
) -> Result<Selection, SelectError> {
    if case.constraints.sizes().are_one() {
        return super::search(case, request, team, watch);
    }
    let cells = CellCase::of(&case)?;
    let of_cells = Case::new(&cells.graph, &cells.machine).keeping(cells.constraints.clone());
    let found = super::search(of_cells, request, team, watch)?;
    let placed = |placement: &Placement| cells.of_ranks(placement, &case);
    Ok(found.of_ranks(&case, request, team, &placed))
}
