//! The API's numbers: what is in the queue by the database's own count, and
//! what this process has answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::{Api, Counters};
use crate::database::Counts;
use crate::page::Page;

/// Counts one answer to `POST /tickets`.
pub(super) async fn count(State(api): State<Arc<Api>>, answer: Response) -> Response {
    let counter = match answer.status() {
        StatusCode::ACCEPTED => &api.counters.accepted,
        StatusCode::TOO_MANY_REQUESTS => &api.counters.limited,
        StatusCode::SERVICE_UNAVAILABLE => &api.counters.unavailable,
        _ => return answer,
    };
    counter.fetch_add(1, Ordering::Relaxed);
    answer
}

pub(super) fn page(counts: &Counts, counters: &Counters) -> String {
    let mut page = Page::default();
    let mut jobs = |name: &str, help: &str, value: i64| page.gauge(name, help, value as f64);
    jobs("tickets_queued", "Jobs in the queue.", counts.queued);
    jobs("tickets_ready", "Jobs in the queue whose time has come.", counts.ready);
    jobs("tickets_running", "Jobs that a worker has.", counts.running);
    jobs(
        "tickets_done_last_minute",
        "Tickets that got their reply within the last 60 s.",
        counts.succeeded_last_min,
    );
    page.gauge(
        "tickets_oldest_seconds",
        "How long the oldest job in the queue has been there; 0 with none.",
        counts.oldest_ms.unwrap_or(0) as f64 / 1e3,
    );
    let mut total = |name: &str, help: &str, value: i64| page.counter(name, help, value as f64);
    total("tickets_done_total", "Tickets that got their reply.", counts.succeeded);
    total("tickets_dead_total", "Tickets given up on.", counts.dead);
    total("tickets_provider_calls_total", "Calls to the provider within its quota.", counts.spent.calls);
    total(
        "tickets_provider_refusals_total",
        "Calls that the provider refused with 429.",
        counts.spent.refusals,
    );
    let mut answers = |name: &str, help: &str, count: &AtomicU64| {
        page.counter(name, help, count.load(Ordering::Relaxed) as f64);
    };
    answers("tickets_answers_202_total", "Tickets answered with 202.", &counters.accepted);
    answers(
        "tickets_answers_202_repeated_total",
        "Those of them whose key was known already.",
        &counters.repeated,
    );
    answers("tickets_answers_429_total", "Tickets answered with 429.", &counters.limited);
    answers("tickets_answers_503_total", "Tickets answered with 503.", &counters.unavailable);
    page.text()
}
