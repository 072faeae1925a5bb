//! Cells of an endless grid: those that are taken, and the cells around them.

use super::template::Template;
use crate::stencil_steps::{Steps, plus};
use std::collections::HashMap;

/// Marks a cell without a member, and a member without cells around it.
const NONE: u32 = u32::MAX;

/// Cells with numbers. The coordinates of a cell are looked up once, when it or a cell next to it
/// is first taken; all later questions use its number.
pub(super) struct CellTable<'a> {
    template: &'a Template,
    numbers: HashMap<Steps, u32>,
    /// Coordinates, by cell number.
    at: Vec<Steps>,
    /// The member that has taken the cell, or [`NONE`], by cell number.
    member: Vec<u32>,
    /// Number of members in the cells around, by cell number.
    members_around: Vec<i32>,
    /// The cells around the cell of every placed member, one member after the other.
    around: Vec<u32>,
    /// Where the cells around a member start in `around`, or [`NONE`], by member.
    place: Vec<u32>,
}

impl<'a> CellTable<'a> {
    pub(super) fn new(template: &'a Template, members: usize) -> Self {
        Self {
            template,
            numbers: HashMap::with_capacity(members),
            at: Vec::new(),
            member: Vec::new(),
            members_around: Vec::new(),
            around: Vec::new(),
            place: vec![NONE; members],
        }
    }

    /// Puts a member into a free cell.
    pub(super) fn take(&mut self, at: Steps, member: u32) {
        let cell = self.number(at);
        self.member[cell as usize] = member;
        let steps = self.template.steps.len();
        self.place[member as usize] = (self.around.len() / steps) as u32;
        for step in &self.template.steps {
            let near = self.number(self.template.reduced(&plus(&at, step)));
            self.members_around[near as usize] += 1;
            self.around.push(near);
        }
    }

    fn number(&mut self, at: Steps) -> u32 {
        *self.numbers.entry(at).or_insert_with(|| {
            self.at.push(at);
            self.member.push(NONE);
            self.members_around.push(0);
            self.at.len() as u32 - 1
        })
    }

    /// Coordinates of a cell.
    pub(super) fn at(&self, cell: u32) -> Steps {
        self.at[cell as usize]
    }

    /// The member that has taken a cell.
    pub(super) fn member(&self, cell: u32) -> Option<u32> {
        Some(self.member[cell as usize]).filter(|&member| member != NONE)
    }

    /// Number of members in the cells around a cell.
    pub(super) fn members_around(&self, cell: u32) -> i32 {
        self.members_around[cell as usize]
    }

    /// The cells around that of a member; none if the member has no cell.
    pub(super) fn around(&self, member: u32) -> &[u32] {
        let steps = self.template.steps.len();
        match self.place[member as usize] {
            NONE => &[],
            place => &self.around[place as usize * steps..][..steps],
        }
    }
}
