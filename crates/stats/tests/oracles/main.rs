//! What the arithmetic says of simulated queues, against closed forms and
//! against the truth that only a simulation knows.

mod comparisons;
mod queue;
mod shapes;

use doorclock_stats::{
    Backlog, Batch, Histogram, Quantile, RankInterval, fill_omitted, nearest_rank, woodruff,
};
use queue::{Chance, by_chance, jittered, open, paced, stalls};

const NANOS: f64 = 1e9;

/// The waits in nanoseconds, in rising order.
fn sorted(waits: impl IntoIterator<Item = f64>) -> Vec<u64> {
    let mut waits: Vec<u64> = waits.into_iter().map(|wait| (wait * NANOS) as u64).collect();
    waits.sort_unstable();
    waits
}

fn waits(requests: &[(f64, f64)]) -> impl Iterator<Item = f64> {
    requests.iter().map(|(came, done)| done - came)
}

fn quantile(sorted: &[u64], quantile: Quantile) -> f64 {
    nearest_rank(sorted, quantile).expect("requests") as f64 / NANOS
}

#[track_caller]
fn close(found: f64, expected: f64, within: f64) {
    assert!((found / expected - 1.0).abs() < within, "{found} is not {expected}");
}

#[test]
fn queues_wait_as_the_formulas_say() {
    // Waits in service times, of Poisson (M/M/1) and even arrivals (D/M/1):
    // p_q = −ln(1−q)/(1−ρ), and with 1−σ for 1−ρ where σ = e^−(1−σ)/ρ.
    let cases = [
        (0.5, false, 1.386, 9.210),
        (0.5, true, 0.870, 5.779),
        (0.7, false, 2.310, 15.351),
        (0.7, true, 1.300, 8.640),
    ];
    for (utilisation, even, p50, p99) in cases {
        let requests = open(&mut Chance::new(1), utilisation, even, 1.0, 1e6, Vec::new());
        let sorted = sorted(waits(&requests));
        close(quantile(&sorted, Quantile::P50), p50, 0.02);
        close(quantile(&sorted, Quantile::P99), p99, 0.04);
    }
}

/// A minute at half of 1,092/s with about 15 stalls, as (came, done).
fn stalled_minute(seed: u64) -> Vec<(f64, f64)> {
    stalled(seed, 60.0, by_chance)
}

/// `length` seconds at half of 1,092/s with stalls on average every 4 s.
fn stalled(seed: u64, length: f64, gap: fn(&mut Chance) -> f64) -> Vec<(f64, f64)> {
    let mut chance = Chance::new(seed);
    let stalls = stalls(&mut chance, length, gap);
    open(&mut chance, 546.0, false, 1.0 / 1092.0, length, stalls)
}

/// The p99's interval in seconds, from twenty batches of equal time.
fn interval(requests: &[(f64, f64)], length: f64) -> (f64, f64) {
    let sorted = sorted(waits(requests));
    let p99 = quantile(&sorted, Quantile::P99);
    let mut batches = [Batch::default(); 20];
    for (came, done) in requests {
        let batch = &mut batches[(came / length * 20.0) as usize];
        batch.n += 1;
        batch.above += u64::from(((done - came) * NANOS) as u64 > (p99 * NANOS) as u64);
    }
    let RankInterval { low, high } = woodruff(&batches).expect("some are slower");
    let at = |rank: u64| sorted[rank as usize - 1] as f64 / NANOS;
    (at(low), high.map_or(f64::INFINITY, at))
}

#[test]
fn the_interval_of_a_p99_covers_the_truth_in_nine_of_ten_runs() {
    // The truths are long-run figures of another simulation, of 40,000 s.
    covers(60.0, by_chance, 0.0864);
    covers(120.0, jittered, 0.0836);
}

#[track_caller]
fn covers(length: f64, gap: fn(&mut Chance) -> f64, truth: f64) {
    let mut all = Histogram::new(10);
    let runs = (0..200).map(|seed| stalled(seed, length, gap));
    let covered = runs.filter(|run| {
        waits(run).for_each(|wait| all.record((wait * NANOS) as u64));
        let (low, high) = interval(run, length);
        low <= truth && truth <= high
    });
    let covered = covered.count();
    let here = all.value_at_rank(Quantile::P99.rank(all.count())).expect("requests");
    close(here as f64 / NANOS, truth, 0.03);
    assert!(covered >= 176, "{covered} of 200 over {length} s");
    assert!(covered < 200, "an interval that always covers is too wide to be one of 95 %");
}

/// What the backlog of a minute at this share of 1,000/s says.
fn kept_up(seed: u64, utilisation: f64) -> Option<bool> {
    let length = 60.0;
    let requests = open(&mut Chance::new(seed), 1000.0 * utilisation, false, 0.001, length, Vec::new());
    let mut backlog = Backlog::new(0, (length * NANOS) as u64);
    for (came, done) in requests {
        backlog.arrive((came * NANOS) as u64);
        backlog.complete((done * NANOS) as u64);
    }
    backlog.judge(Some(1000.0 * length)).kept_up
}

#[test]
fn a_busy_server_keeps_up_and_an_overloaded_one_is_found_out() {
    let runs = 30;
    let count =
        |utilisation, verdict| (0..runs).filter(|seed| kept_up(*seed, utilisation) == verdict).count();
    assert_eq!(count(0.9, Some(false)), 0, "false alarms at 0.9");
    assert!(count(0.9, Some(true)) >= 24, "at 0.9 most runs can tell that it kept up");
    assert_eq!(count(1.05, Some(false)), 30, "found at 1.05");
}

#[test]
fn stalls_of_a_server_that_keeps_up_are_no_shortfall() {
    for seed in 0..30 {
        let mut backlog = Backlog::new(0, 60_000_000_000);
        for (came, done) in stalled_minute(seed) {
            backlog.arrive((came * NANOS) as u64);
            backlog.complete((done * NANOS) as u64);
        }
        assert_eq!(backlog.judge(None).kept_up, Some(true), "seed {seed}");
    }
}

#[test]
fn a_paced_loop_hides_its_stalls_and_the_queue_aware_interval_brings_them_back() {
    let length = 3000.0;
    let mut chance = Chance::new(5);
    let stalls = stalls(&mut chance, length, jittered);
    let truth = open(&mut chance, 546.0, false, 1.0 / 1092.0, length, stalls.clone());
    let truth = quantile(&sorted(waits(&truth)), Quantile::P99);
    let mut seen = Histogram::new(10);
    for wait in paced(&mut chance, 546.0, 8, 1.0 / 1092.0, length, stalls) {
        seen.record((wait * NANOS) as u64);
    }
    let p99 = |histogram: &Histogram| {
        let rank = Quantile::P99.rank(histogram.count());
        histogram.value_at_rank(rank).expect("requests") as f64 / NANOS / truth
    };
    let interval = (8.0 / 546.0 * NANOS) as u64;
    let (raw, hdr, mended) =
        (p99(&seen), p99(&fill_omitted(&seen, interval)), p99(&fill_omitted(&seen, interval / 2)));
    assert!(raw < 0.15, "raw {raw} of the truth");
    assert!((0.7..0.88).contains(&hdr), "HdrHistogram's rule {hdr} of the truth");
    assert!((0.93..1.07).contains(&mended), "with the interval halved {mended} of the truth");
}
