//! `fujitsu`: coordinate file of Fujitsu's `mpiexec`. Line r is `(x,y,z)`, the node of rank r in
//! the job's shape.

use super::coordinates::{grid, seat};
use super::output::joined;
use super::text::{each_line, lines, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `fujitsu`, for Fugaku and related systems.
pub(super) struct Fujitsu;

impl MapfileFormat for Fujitsu {
    described!(
        "fujitsu",
        "Fujitsu: mpiexec --vcoordfile FILE (line r is (x,y,z), the node of rank r)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let grid = grid(machine, self.name(), |dims| dims <= 3, "up to three")?;
        let line = |rank| {
            let (at, _) = seat(rank, placement, machine, grid);
            format!("({})\n", joined(at, ","))
        };
        let ranks = placement.ranks();
        let text = (0..ranks).map(line).collect();
        let usage = format!("mpiexec -n {ranks} --vcoordfile {{}} ./app");
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        lines(text).next()?.1.starts_with('(').then_some(())?;
        let points = each_line(text, file, |line| {
            point(line).ok_or_else(|| format!("{line:?} is not (x), (x,y) or (x,y,z)"))
        });
        Some(points.map(|points| RankPlaces::Coordinates(points).into()))
    }
}

fn point(line: &str) -> Option<Vec<u32>> {
    let inner = line.strip_prefix('(')?.strip_suffix(')')?;
    let point: Option<Vec<u32>> = inner.split(',').map(|x| x.trim().parse().ok()).collect();
    point.filter(|point| (1..=3).contains(&point.len()))
}
