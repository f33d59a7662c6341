//! Draws what analysis says: text for a terminal, Markdown for a page beside
//! the code, JSON for machines, and one HTML page that needs no network.
//!
//! Every function takes a finished [`analysis::Summary`] (or one run of it) and
//! returns a `String`. This crate must not know how a number is computed, where
//! samples lie, or which terminal or browser will show it; it prints nothing.
//! What it may do with a number is round it, compare two of them so that the
//! sentence beside a picture says what the picture shows, and name the middle,
//! the least and the largest of an arm's rounds, or their sum.
//!
//! Start at [`text::quick_look`], the screen most people see; [`html::page`]
//! and [`json::summary`] say the same at more length. An experiment with rounds
//! is drawn by [`text::experiment`], [`markdown::experiment`] and
//! [`html::page`], all three from the parts in `experiment`, which hold its
//! sentences and tables. How numbers are written is decided in `numbers`, and
//! what the demo teaches in `lesson`.

mod arms;
mod doubts;
mod experiment;
#[cfg(test)]
mod fixtures;
pub mod html;
pub mod json;
mod lesson;
pub mod markdown;
mod numbers;
mod table;
pub mod text;
mod words;
