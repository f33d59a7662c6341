//! Starting the processes, and stopping them in the right order.

use std::io;
use std::time::Duration;

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::args::{
    AllArgs, ApiArgs, ApiProcess, FlushArgs, PartsArgs, Process, ProviderProcess, ResetArgs, TicketsArgs,
    WorkerArgs, WorkerProcess,
};
use crate::cache::{Cache, Redis};
use crate::client::{Answer, Peer};
use crate::error::{TicketsError, Why};
use crate::parts::{self, Parts};
use crate::random::Random;
use crate::serve::{address_of, listen, serve};
use crate::worker::Worker;
use crate::{api, provider};

/// Where the provider listens when it is a process of its own.
const PROVIDER_PORT: u16 = 8701;

/// How long a running API or provider may take to reset itself.
const RESET_PATIENCE: Duration = Duration::from_secs(10);

/// Runs one process until SIGTERM or SIGINT, or does what was asked. `announce`
/// is called with a line for people once there is something to tell: an API or
/// a provider says `listening on ADDRESS`, a worker `working`.
pub fn run(args: TicketsArgs, announce: impl Fn(&str)) -> Result<(), TicketsError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Why::EventLoop { source })?;
    let process = args.process.unwrap_or(Process::All(args.all));
    let work = async {
        match process {
            Process::All(args) => run_all(args, &announce).await,
            Process::Api(args) => run_api(args, &announce).await,
            Process::Worker(args) => run_worker(args, &announce).await,
            Process::Provider(args) => run_provider(args, &announce).await,
            Process::Reset(args) => reset(args, &announce).await,
            Process::Flush(args) => flush(args, &announce).await,
        }
    };
    let result = runtime.block_on(work);
    // A database that hangs must not hold the process: its thread is left behind.
    runtime.shutdown_background();
    Ok(result?)
}

async fn run_all(args: AllArgs, announce: &impl Fn(&str)) -> Result<(), Why> {
    let stop = stop_signal(args.end.with_parent)?;
    let parts = Parts::new(&args.parts)?;
    if args.fresh {
        parts::reset(&parts).await.map_err(Why::Reset)?;
    }
    let provider_listener = listen(args.provider.address(0))?;
    let provider_url = format!("http://{}", address_of(&provider_listener)?);
    let listener = listen(args.api.address())?;
    announce(&format!("provider on {provider_url}"));
    announce(&format!("listening on {}", address_of(&listener)?));

    // The provider goes last: jobs that may still finish need it.
    let (stop_provider, provider_stop) = watch::channel(false);
    let provider = serve(provider_listener, provider::router(args.provider.behaviour()), provider_stop);
    let worker = worker(parts.clone(), &args.worker, &provider_url)?;
    let working = stop.clone();
    let working = async {
        worker.run(working).await;
        stop_provider.send_replace(true);
        Ok(())
    };
    tokio::try_join!(serve(listener, api_router(parts, &args.api), stop), working, provider).map(drop)
}

async fn run_api(args: ApiProcess, announce: &impl Fn(&str)) -> Result<(), Why> {
    let stop = stop_signal(args.end.with_parent)?;
    let router = api_router(Parts::new(&args.parts)?, &args.api);
    let listener = listen(args.api.address())?;
    announce(&format!("listening on {}", address_of(&listener)?));
    serve(listener, router, stop).await
}

async fn run_worker(args: WorkerProcess, announce: &impl Fn(&str)) -> Result<(), Why> {
    let stop = stop_signal(args.end.with_parent)?;
    let worker = worker(Parts::new(&args.parts)?, &args.worker, &args.provider)?;
    announce("working");
    worker.run(stop).await;
    Ok(())
}

async fn run_provider(args: ProviderProcess, announce: &impl Fn(&str)) -> Result<(), Why> {
    let stop = stop_signal(args.end.with_parent)?;
    let listener = listen(args.provider.address(PROVIDER_PORT))?;
    announce(&format!("listening on {}", address_of(&listener)?));
    serve(listener, provider::router(args.provider.behaviour()), stop).await
}

fn api_router(parts: Parts, args: &ApiArgs) -> axum::Router {
    api::router(parts, args.allowance(), args.max_body)
}

fn worker(parts: Parts, args: &WorkerArgs, provider_url: &str) -> Result<Worker, Why> {
    let provider = Peer::new(provider_url, args.provider_patience).map_err(Why::Usage)?;
    // Workers that start together must not draw the same pauses.
    let chance = Random::new(u64::from(std::process::id()));
    Ok(Worker { parts, provider, habits: args.habits(), chance })
}

async fn reset(args: ResetArgs, announce: &impl Fn(&str)) -> Result<(), Why> {
    match &args.api {
        Some(url) => ask(url, "/reset").await?,
        None => reset_parts(&args.parts).await?,
    }
    if let Some(url) = &args.provider {
        ask(url, "/reset").await?;
    }
    announce("back to the seeded data set");
    Ok(())
}

async fn reset_parts(args: &PartsArgs) -> Result<(), Why> {
    parts::reset(&Parts::new(args)?).await.map_err(Why::Reset)
}

async fn flush(args: FlushArgs, announce: &impl Fn(&str)) -> Result<(), Why> {
    match (&args.cache, &args.api) {
        (Some(url), _) => Redis::new(url)?.flush().await?,
        (None, Some(url)) => ask(url, "/flush").await?,
        (None, None) => return Err(Why::Usage("say which cache: --cache URL, or --api URL".to_owned())),
    }
    announce("the cache is empty");
    Ok(())
}

async fn ask(url: &str, path: &str) -> Result<(), Why> {
    let peer = Peer::new(url, RESET_PATIENCE).map_err(Why::Usage)?;
    match peer.post(path, &json!({})).await {
        Answer::Done(_) => Ok(()),
        Answer::Failed(why) => Err(Why::Peer(why)),
        Answer::Later(_) => Err(Why::Peer(format!("{url}{path} is answered with 429"))),
    }
}

/// Becomes true at SIGTERM, SIGINT and, if so asked, when standard input ends.
fn stop_signal(with_parent: bool) -> Result<watch::Receiver<bool>, Why> {
    let cannot = |source| Why::EventLoop { source };
    let mut terminate = signal(SignalKind::terminate()).map_err(cannot)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
    let (stop, stopped) = watch::channel(false);
    if with_parent {
        let stop = stop.clone();
        // Whoever started us holds the other end; when it is gone, however it
        // ended, so are we. On a thread of its own: this read cannot be ended.
        std::thread::spawn(move || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            stop.send_replace(true);
        });
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.send_replace(true);
    });
    Ok(stopped)
}
