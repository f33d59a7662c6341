//! The API: takes tickets in, and tells how they stand.

mod attachments;
mod metrics;
mod tickets;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::map_response_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::bucket::Allowance;
use crate::page;
use crate::parts::{self, Parts};
use crate::refusal::{Refusal, unknown_path, wrong_method};

/// All that the endpoints share.
pub(crate) struct Api {
    pub(crate) parts: Parts,
    pub(crate) allowance: Allowance,
    pub(crate) counters: Counters,
}

/// What this process has answered to `POST /tickets`.
#[derive(Default)]
pub(crate) struct Counters {
    /// With 202.
    accepted: AtomicU64,
    /// Those of them that were there already, by their key.
    repeated: AtomicU64,
    /// With 429.
    limited: AtomicU64,
    /// With 503.
    unavailable: AtomicU64,
}

type Shared = State<Arc<Api>>;

/// The API's endpoints.
pub(crate) fn router(parts: Parts, allowance: Allowance, max_body: usize) -> Router {
    let api = Arc::new(Api { parts, allowance, counters: Counters::default() });
    let counted = map_response_with_state(Arc::clone(&api), metrics::count);
    Router::new()
        .route("/tickets", post(tickets::create).layer(counted))
        .route("/tickets/{id}", get(tickets::read))
        .route("/tickets/{id}/attachments/{name}", put(attachments::upload).get(attachments::download))
        .route("/customers", get(customers))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics_page))
        .route("/reset", post(reset))
        .route("/flush", post(flush))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(max_body))
        .with_state(api)
}

/// Ready for tickets means: the database answers.
async fn healthz(State(api): Shared) -> Result<&'static str, Refusal> {
    api.parts.database.check().await?;
    Ok("ok\n")
}

async fn metrics_page(State(api): Shared) -> Result<Response, Refusal> {
    let counts = api.parts.database.counts().await?;
    Ok(([(CONTENT_TYPE, page::CONTENT_TYPE)], metrics::page(&counts, &api.counters)).into_response())
}

/// Every customer as CSV, for whoever wants to send tickets in their names. No
/// name has a comma in it.
async fn customers(State(api): Shared) -> Result<Response, Refusal> {
    let all = api.parts.database.customers().await?;
    let lines = all.iter().map(|one| format!("{},{},{}\n", one.id, one.name, one.plan));
    let csv: String = std::iter::once("customer,name,plan\n".to_owned()).chain(lines).collect();
    Ok(([(CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response())
}

async fn reset(State(api): Shared) -> Result<Json<Value>, Refusal> {
    parts::reset(&api.parts).await?;
    Ok(Json(json!({ "reset": true })))
}

async fn flush(State(api): Shared) -> Result<Json<Value>, Refusal> {
    api.parts.cache.flush().await?;
    Ok(Json(json!({ "flushed": true })))
}
