//! The simulated AI provider: it classifies a ticket and drafts a reply, each
//! in about the time that a real one takes, for as many calls a minute as its
//! quota allows.
//!
//! How long calls take is chosen so that a ticket that never waits gets its
//! reply after 2.4 s at the median and after less than 3.4 s always.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::bucket::{Allowance, Bucket};
use crate::clock;
use crate::page::{self, Page};
use crate::random::Random;
use crate::refusal::{Refusal, parse, unknown_path, wrong_method};

/// How long a classification takes, in seconds: anything between these.
const CLASSIFY_S: (f64, f64) = (0.5, 1.1);
/// How long a reply takes, likewise.
const DRAFT_S: (f64, f64) = (0.9, 2.3);

/// A text with this in it is never answered.
const UNANSWERABLE: &str = "[unanswerable]";

/// How the provider behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviour {
    pub(crate) quota: Allowance,
    /// How many times faster than a real one it answers.
    pub(crate) speed: f64,
    /// The share of calls within the quota that fail, from 0 to 1.
    pub(crate) fail_share: f64,
    pub(crate) seed: u64,
}

struct Provider {
    behaviour: Behaviour,
    bucket: Mutex<Bucket>,
    random: Random,
    answered: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
}

impl Provider {
    fn bucket(&self) -> MutexGuard<'_, Bucket> {
        self.bucket.lock().expect("nothing panics while it holds this lock")
    }

    /// One call within the quota, in its time.
    async fn call(&self, (shortest_s, longest_s): (f64, f64), text: &str) -> Result<(), Refusal> {
        let taken = self.bucket().take(self.behaviour.quota, clock::now());
        if let Err(wait) = taken {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Refusal::TooMany { what: "the quota is used up", wait });
        }
        let length_s = self.random.between(shortest_s, longest_s) / self.behaviour.speed;
        let fails = self.random.uniform() < self.behaviour.fail_share || text.contains(UNANSWERABLE);
        sleep(Duration::from_secs_f64(length_s)).await;
        if fails {
            self.failed.fetch_add(1, Ordering::Relaxed);
            return Err(Refusal::Failing("the model gave no answer"));
        }
        self.answered.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn page(&self) -> String {
        let mut page = Page::default();
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        page.counter("provider_answered_total", "Calls answered.", count(&self.answered));
        page.counter("provider_failed_total", "Calls that failed.", count(&self.failed));
        page.counter(
            "provider_refused_total",
            "Calls refused because the quota was used up.",
            count(&self.refused),
        );
        let level = self.bucket().level(self.behaviour.quota, clock::now());
        page.gauge("provider_quota_calls", "Calls that the quota allows at once now.", level.floor());
        page.text()
    }
}

/// The provider's endpoints.
pub(crate) fn router(behaviour: Behaviour) -> Router {
    let provider = Provider {
        behaviour,
        bucket: Mutex::new(Bucket::full(behaviour.quota, clock::now())),
        random: Random::new(behaviour.seed),
        answered: AtomicU64::default(),
        failed: AtomicU64::default(),
        refused: AtomicU64::default(),
    };
    Router::new()
        .route("/classify", post(classify))
        .route("/reply", post(reply))
        .route("/reset", post(reset))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::new(provider))
}

type Shared = State<Arc<Provider>>;
type Body = Result<Bytes, BytesRejection>;

#[derive(Deserialize)]
struct Classify {
    text: String,
}

#[derive(Deserialize)]
struct Draft {
    text: String,
    category: String,
    name: String,
}

async fn classify(State(provider): Shared, body: Body) -> Result<Json<Value>, Refusal> {
    let asked: Classify = parse(body)?;
    provider.call(CLASSIFY_S, &asked.text).await?;
    Ok(Json(json!({ "category": category(&asked.text) })))
}

async fn reply(State(provider): Shared, body: Body) -> Result<Json<Value>, Refusal> {
    let asked: Draft = parse(body)?;
    provider.call(DRAFT_S, &asked.text).await?;
    Ok(Json(json!({ "reply": draft(&asked) })))
}

async fn reset(State(provider): Shared) -> Json<Value> {
    *provider.bucket() = Bucket::full(provider.behaviour.quota, clock::now());
    Json(json!({ "quota": provider.behaviour.quota.burst }))
}

async fn healthz() -> &'static str {
    "ok\n"
}

async fn metrics(State(provider): Shared) -> impl IntoResponse {
    ([(CONTENT_TYPE, page::CONTENT_TYPE)], provider.page())
}

/// The first that fits: the words that customers use for it, and its name.
const CATEGORIES: [(&[&str], &str); 4] = [
    (&["refund", "money back", "invoice", "charged"], "payment"),
    (&["parcel", "deliver", "tracking", "late"], "delivery"),
    (&["broken", "damaged", "defect", "crack"], "damage"),
    (&["password", "log in", "login", "account"], "account"),
];

fn category(text: &str) -> &'static str {
    let text = text.to_lowercase();
    let found = CATEGORIES.iter().find(|(words, _)| words.iter().any(|word| text.contains(word)));
    found.map_or("other", |(_, name)| *name)
}

fn draft(asked: &Draft) -> String {
    let next = match asked.category.as_str() {
        "payment" => "We have checked your payment, and what is due to you is on its way.",
        "delivery" => "We have asked the carrier where your parcel is, and will write again tomorrow.",
        "damage" => "A new one leaves our warehouse today; keep the old one until we collect it.",
        "account" => "We have sent you a link with which you can enter your account again.",
        _ => "A colleague will look into this today.",
    };
    format!("Dear {},\n\nthank you for writing to us. {next}\n\nYour shop", asked.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_found_by_the_customers_own_words() {
        for (text, name) in [
            ("I want a REFUND", "payment"),
            ("Where is my parcel?", "delivery"),
            ("The cup arrived damaged", "damage"),
            ("cannot log in", "account"),
            ("Hello", "other"),
        ] {
            assert_eq!(category(text), name, "{text}");
        }
    }

    #[test]
    fn a_ticket_that_never_waits_takes_2_4_s_at_the_median_and_3_4_s_at_most() {
        let random = Random::new(1);
        let mut took: Vec<f64> = (0..10_000)
            .map(|_| random.between(CLASSIFY_S.0, CLASSIFY_S.1) + random.between(DRAFT_S.0, DRAFT_S.1))
            .collect();
        took.sort_by(f64::total_cmp);
        let (p50, p95, max) = (took[5_000], took[9_500], took[9_999]);
        assert!((p50 - 2.4).abs() < 0.03, "p50 {p50}");
        assert!((3.0..3.2).contains(&p95), "p95 {p95}");
        assert!(max < 3.4, "max {max}");
    }
}
