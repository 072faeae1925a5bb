//! The maximum of many values that change one by one.

/// A binary tree of maxima, stored in level order: every inner entry is the maximum of its two
/// children, the root of all values. Updates take O(log n).
pub(super) struct MaxTree {
    places: Vec<f64>,
    first_leaf: usize,
}

impl MaxTree {
    pub(super) fn new(values: &[f64]) -> Self {
        let first_leaf = values.len().next_power_of_two();
        let mut highest = Self {
            places: vec![0.0; 2 * first_leaf],
            first_leaf,
        };
        highest.places[first_leaf..first_leaf + values.len()].copy_from_slice(values);
        for place in (1..first_leaf).rev() {
            highest.places[place] = highest.below(place);
        }
        highest
    }

    /// The maximum; 0 if there are no values.
    pub(super) fn get(&self) -> f64 {
        self.places[1]
    }

    pub(super) fn set(&mut self, index: usize, value: f64) {
        let mut place = self.first_leaf + index;
        self.places[place] = value;
        while place > 1 {
            place /= 2;
            let highest = self.below(place);
            if self.places[place] == highest {
                return;
            }
            self.places[place] = highest;
        }
    }

    fn below(&self, place: usize) -> f64 {
        self.places[2 * place].max(self.places[2 * place + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_is_known_after_every_change() {
        let mut values: Vec<f64> = (0..21).map(|i| f64::from(i * 8 % 21)).collect();
        let mut highest = MaxTree::new(&values);
        for step in 0..200 {
            let (index, value) = (step * 5 % 21, (step * 37 % 50) as f64);
            values[index] = value;
            highest.set(index, value);
            assert_eq!(highest.get(), values.iter().copied().fold(0.0, f64::max));
        }
        assert_eq!(MaxTree::new(&[]).get(), 0.0);
    }
}
