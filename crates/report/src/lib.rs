//! Draws what analysis says: text for a terminal, JSON for machines, and one
//! HTML page that needs no network.
//!
//! Every function takes a finished [`analysis::Summary`] (or one run of it) and
//! returns a `String`. This crate must not know how a number is computed, where
//! samples lie, or which terminal or browser will show it; it prints nothing.
//! What it may do with a number is round it, and compare two of them so that
//! the sentence beside a picture says what the picture shows.
//!
//! Start at [`text::quick_look`], the screen most people see; [`html::page`]
//! and [`json::summary`] say the same at more length. How numbers are written
//! is decided in `numbers`, and what the demo teaches in `lesson`.

mod arms;
mod doubts;
#[cfg(test)]
mod fixtures;
pub mod html;
pub mod json;
mod lesson;
mod numbers;
pub mod text;
mod words;
