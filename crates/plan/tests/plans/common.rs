//! Plans as texts, with their rows in memory.

use plan::{Plan, PlanErrors, PlanFile};
use std::io;
use std::path::Path;

/// A plan that lacks nothing, for a table of one's own behind it.
pub const HEAD: &str = r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "5/s" }
"#;

/// The plan in `text`, as a file `checkout.toml` beside some rows.
pub fn resolve(text: &str) -> Result<Plan, PlanErrors> {
    // The texts begin with the line end that raw strings begin with.
    PlanFile::parse("checkout.toml", text.trim_start_matches('\n'))?.resolve_reading(&rows)
}

/// What is said about the plan in `text`.
pub fn errors(text: &str) -> String {
    match resolve(text) {
        Ok(plan) => panic!("nothing is wrong with it: {plan:#?}"),
        Err(errors) => errors.to_string(),
    }
}

/// Four requests in five seconds, none in the third and fourth.
const ACCESS_LOG: &str = "\
1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 17
1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"POST /b?c=d HTTP/1.1\" 201 2
1.2.3.4 - - [10/Oct/2026:13:55:37 +0000] \"GET /a HTTP/1.1\" 200 17
1.2.3.4 - - [10/Oct/2026:13:55:40 +0000] \"DELETE /b HTTP/1.1\" 204 -
";

/// The files beside every plan.
pub fn rows(path: &Path) -> io::Result<Vec<u8>> {
    let text = match path.to_str() {
        Some("customers.csv") => "customer,score\nc-00001,0.250000\nc-00002,0.5\n",
        Some("customers.jsonl") => "{\"customer\": \"c \\\"1\\\"\", \"score\": 0.25, \"tags\": [1, \"x\"]}\n",
        Some("uneven.csv") => "customer,score\nc-00001\n",
        Some("empty.csv") => "customer,score\n",
        Some("access.log") => ACCESS_LOG,
        Some("times.txt") => "0.25\n0.5\n2.125\n",
        Some("broken.log") => {
            "1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 17\noops\n\
             1.2.3.4 - - [10/Oct/2026:13:55:39 +0000] \"GET /a HTTP/1.1\" 200 17\n"
        }
        Some("back.log") => {
            "1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 17\n\
             1.2.3.4 - - [10/Oct/2026:13:55:34 +0000] \"GET /a HTTP/1.1\" 200 17\n"
        }
        Some("proxy.log") => {
            "1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"CONNECT other:443 HTTP/1.1\" 200 17\n\
             1.2.3.4 - - [10/Oct/2026:13:55:37 +0000] \"GET /a HTTP/1.1\" 200 17\n"
        }
        Some("nothing.log") => "",
        _ => return Err(io::ErrorKind::NotFound.into()),
    };
    Ok(text.into())
}
