//! One server, one line, and stalls that stop it: all times in seconds.

/// A seeded generator (SplitMix64), so that a failing seed can be run again.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// Uniform above 0 and up to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    pub fn exponential(&mut self, mean: f64) -> f64 {
        -self.uniform().ln() * mean
    }
}

/// Stalls of 0.1 s until `end`, on average every 4 s.
pub fn stalls(chance: &mut Chance, end: f64, gap: fn(&mut Chance) -> f64) -> Vec<(f64, f64)> {
    let mut stalls = Vec::new();
    let mut at = 4.0 * chance.uniform();
    while at < end {
        stalls.push((at, at + 0.1));
        at += gap(chance);
    }
    stalls
}

/// A quarter earlier or later than every 4 s.
pub fn jittered(chance: &mut Chance) -> f64 {
    4.0 * (0.75 + 0.5 * chance.uniform())
}

/// By chance alone: now and then two at once.
pub fn by_chance(chance: &mut Chance) -> f64 {
    chance.exponential(4.0)
}

/// A server that takes requests in the order in which they come and works on
/// nothing during a stall.
pub struct Server {
    stalls: Vec<(f64, f64)>,
    next_stall: usize,
    free: f64,
}

impl Server {
    pub fn new(stalls: Vec<(f64, f64)>) -> Server {
        Server { stalls, next_stall: 0, free: 0.0 }
    }

    /// When a request that comes at `at` and takes `work` is done.
    pub fn serve(&mut self, at: f64, mut work: f64) -> f64 {
        let mut now = self.free.max(at);
        while let Some(&(began, ended)) = self.stalls.get(self.next_stall) {
            if now + work <= began {
                break;
            }
            work -= (began - now).max(0.0);
            now = now.max(ended);
            self.next_stall += 1;
        }
        self.free = now + work;
        self.free
    }
}

/// (came, done) of requests at `rate` over `length`, by chance or evenly,
/// served in an exponential time of mean `service`.
pub fn open(
    chance: &mut Chance,
    rate: f64,
    even: bool,
    service: f64,
    length: f64,
    stalls: Vec<(f64, f64)>,
) -> Vec<(f64, f64)> {
    let mut server = Server::new(stalls);
    let mut came = 0.0;
    let mut all = Vec::with_capacity((rate * length * 1.1) as usize);
    loop {
        came += if even { 1.0 / rate } else { chance.exponential(1.0 / rate) };
        if came >= length {
            return all;
        }
        all.push((came, server.serve(came, chance.exponential(service))));
    }
}

/// Waits of a loop on `connections` that together aim at `rate`: each sends
/// again an interval after its last sending, or with its answer if that is later.
pub fn paced(
    chance: &mut Chance,
    rate: f64,
    connections: u32,
    service: f64,
    length: f64,
    stalls: Vec<(f64, f64)>,
) -> Vec<f64> {
    let mut server = Server::new(stalls);
    let interval = f64::from(connections) / rate;
    let mut next: Vec<f64> =
        (0..connections).map(|user| interval * f64::from(user) / f64::from(connections)).collect();
    let mut waits = Vec::new();
    loop {
        let user = (0..next.len()).min_by(|a, b| next[*a].total_cmp(&next[*b])).expect("a connection");
        let sent = next[user];
        if sent >= length {
            return waits;
        }
        let done = server.serve(sent, chance.exponential(service));
        waits.push(done - sent);
        next[user] = done.max(sent + interval);
    }
}
