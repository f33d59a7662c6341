//! The service as its users meet it: real processes, over both sets of parts.
//!
//! Each test is written once and runs embedded (SQLite, a cache inside the
//! process) and on PostgreSQL with Redis, in a schema and under a prefix of its
//! own.

// Before the modules, which use it.
/// Runs each test over both sets of parts.
macro_rules! over_both {
    ($($name:ident,)*) => {
        mod embedded {
            $(#[test]
            fn $name() {
                super::$name(&$crate::parts::Parts::embedded());
            })*
        }
        mod on_postgres_and_redis {
            $(#[test]
            #[ignore = "needs postgres and redis: `cargo xtask test` brings them"]
            fn $name() {
                super::$name(&$crate::parts::Parts::real(stringify!($name)));
            })*
        }
    };
}

mod answers;
mod client;
mod killed;
mod lost;
mod parts;
mod process;
mod providers;
mod proxy;
mod retries;
mod stopping;
