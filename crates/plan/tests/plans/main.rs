//! Whole plans as texts: good ones and what they mean, bad ones and what is
//! said about them, and what holds for any text.

mod bad_arms;
mod bad_comparisons;
mod bad_guesses;
mod bad_replays;
mod bad_requests;
mod bad_shapes;
mod bad_values;
mod common;
mod completions;
mod good;
mod properties;
mod readings;
mod shapes;
