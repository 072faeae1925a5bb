//! `bluegene`: mapping file of Blue Gene. Line r is `x y z t` (L, P) or `a b c d e t` (Q) of rank
//! r.

use super::coordinates::{grid, seat};
use super::order;
use super::output::joined;
use super::text::{each_line, lines, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `bluegene`.
pub(super) struct BlueGene;

impl MapfileFormat for BlueGene {
    described!(
        "bluegene",
        "Blue Gene: line r is x y z t of rank r (BGLMPI_MAPPING=FILE), or a b c d e t (runjob --mapping FILE)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let grid = grid(
            machine,
            self.name(),
            |dims| dims == 3 || dims == 5,
            "three or five",
        )?;
        let line = |rank| {
            let (at, place) = seat(rank, placement, machine, grid);
            format!("{} {place}\n", joined(at, " "))
        };
        let ranks = placement.ranks();
        let text = (0..ranks).map(line).collect();
        let usage = match grid.dims().len() {
            3 => format!("BGLMPI_MAPPING={{}} mpirun -np {ranks} ./app"),
            _ => format!("runjob --np {ranks} --mapping {{}} : ./app"),
        };
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        point(lines(text).next()?.1)?;
        let points = each_line(text, file, |line| {
            point(line).ok_or_else(|| format!("{line:?} is neither x y z t nor a b c d e t"))
        });
        Some(points.map(|points| RankPlaces::Coordinates(points).into()))
    }
}

/// Whether `content` is a list of points and no rank order, which may have as many numbers a line.
pub(super) fn is_certain(content: &[u8]) -> bool {
    let Some(text) = utf8(content) else {
        return false;
    };
    let mut all = lines(text).map(|(_, line)| point(line).map(|point| point.len()));
    let first = all.next().flatten();
    let mut rest = all.peekable();
    let are_alike = first.is_some() && rest.peek().is_some() && rest.all(|it| it == first);
    are_alike && !matches!(order::read(content, ""), Some(Ok(_)))
}

fn point(line: &str) -> Option<Vec<u32>> {
    let point: Option<Vec<u32>> = line.split_whitespace().map(|x| x.parse().ok()).collect();
    point.filter(|point| point.len() == 4 || point.len() == 6)
}
