//! Numbers in, numbers out: quantiles, histograms, intervals, trends,
//! comparisons and tests of randomness.
//!
//! It must not know requests, files or what its numbers measure: a value is a
//! `u64` or an `f64`, a moment is a `u64`, and nothing here reads a clock or
//! draws a random number but from a seed that its caller gives or its docs
//! name. Whatever too little data cannot give is `None`.
//!
//! Start at [`Quantile`] for what a percentile is, at [`Histogram`] and
//! [`Selection`] for how one is found exactly in bounded memory, and at
//! [`woodruff`] for how far it can be trusted.

mod backlog;
mod course;
mod draws;
mod episodes;
mod histogram;
mod interval;
mod omission;
mod paired;
mod quantile;
mod ramp;
mod randomness;
mod replay;
mod rounds;
mod selection;
mod series;
mod sign_flip;
mod trend;

pub use backlog::{Backlog, KeepingUp, smallest_visible_shortfall};
pub use course::{Course, Levels};
pub use episodes::Episodes;
pub use histogram::{Bucket, Histogram};
pub use interval::{Batch, RankInterval, woodruff};
pub use omission::fill_omitted;
pub use paired::{ExactInterval, Paired, holm, no_overlap, plain_rule, sd};
pub use quantile::{Quantile, nearest_rank};
pub use ramp::{Found, Height, Step, Unclear, WidthFrom, crossing, overshoot, saturation, steepest};
pub use randomness::{
    AD_ESTIMATED_1_PERCENT, AD_ESTIMATED_5_PERCENT, AD_KNOWN_1_PERCENT, AD_KNOWN_5_PERCENT,
    anderson_darling_estimated_rate, anderson_darling_known_rate, count_z, dispersion, exponential_distance,
};
pub use replay::Replay;
pub use rounds::{rounds_for, rounds_needed, sign_flip_floor, smallest_visible};
pub use selection::{Selected, Selection};
pub use series::{coefficient_of_variation, lag_1_correlation, mann_kendall_z, median, theil_sen_slope};
pub use trend::{Goes, Trend, mann_kendall_p, mann_kendall_s};
