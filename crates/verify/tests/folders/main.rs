//! Whole results folders, as the tester makes them and as they should not be.

mod agrees;
mod common;
mod damage;
mod finds;
mod finds_planned;
mod planned;
mod shaped;
