//! Charter to come.
fn main() {}
