//! When bytes came, as the kernel tells it with them.
//!
//! The kernel stamps by the wall clock, and a run is timed by the monotonic one.
//! Both are read after each wait; where their distance has jumped, somebody has
//! set the wall clock, and no stamp of that turn is believed.

use crate::clock::MonotonicClock;
use model::Nanos;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd};
use rustix::io::Errno;
use std::io::IoSliceMut;

/// How far the two clocks may drift apart between two waits; waits end after a
/// tenth of a second at the latest, and clocks are slewed by a thousandth at most.
const DRIFT: i64 = 200_000;

/// What is known of the kernel's stamps.
pub(super) struct Stamps {
    /// How far the wall clock is ahead of the run's.
    ahead: i64,
    /// Whether the stamps of this turn can be believed.
    are_sound: bool,
    /// Whether every socket so far keeps them.
    are_kept: bool,
    control: Vec<u8>,
}

impl Stamps {
    pub fn new(clock: &MonotonicClock) -> Stamps {
        let control = nix::cmsg_space!(nix::sys::time::TimeSpec);
        Stamps { ahead: clock.wall_ahead(), are_sound: true, are_kept: true, control }
    }

    /// Asks the kernel to stamp what comes on this socket.
    pub fn ask_for(&mut self, socket: &impl AsFd) {
        self.are_kept &= setsockopt(&socket.as_fd(), sockopt::ReceiveTimestampns, &true).is_ok();
    }

    /// Whether bytes may be read later than they come without losing their time.
    pub fn are_kept(&self) -> bool {
        self.are_kept
    }

    /// Compares the clocks; once after each wait.
    pub fn compare(&mut self, clock: &MonotonicClock) {
        let ahead = clock.wall_ahead();
        self.are_sound = (ahead - self.ahead).abs() <= DRIFT;
        self.ahead = ahead;
    }

    /// A stamp on the run's clock; `None` if it cannot be believed.
    fn on_the_runs_clock(&self, wall: i64) -> Option<Nanos> {
        let moment = u64::try_from(wall - self.ahead).ok()?;
        self.are_sound.then_some(Nanos(moment))
    }
}

/// Reads what is there: how many bytes, and when the last of them came.
pub(super) fn receive(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
    stamps: &mut Stamps,
) -> Result<(usize, Option<Nanos>), Errno> {
    let mut parts = [IoSliceMut::new(buffer)];
    let flags = MsgFlags::MSG_DONTWAIT;
    let (count, wall) = {
        let told = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut stamps.control), flags)
            .map_err(|error| Errno::from_raw_os_error(error as i32))?;
        let wall = told.cmsgs().ok().and_then(|mut all| {
            all.find_map(|one| match one {
                ControlMessageOwned::ScmTimestampns(at) => Some(at.tv_sec() * 1_000_000_000 + at.tv_nsec()),
                _ => None,
            })
        });
        (told.bytes, wall)
    };
    Ok((count, wall.and_then(|wall| stamps.on_the_runs_clock(wall))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock as _;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let near = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
        (near, listener.accept().expect("a peer").0)
    }

    #[test]
    fn bytes_carry_the_moment_at_which_they_came_and_not_that_of_reading() {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let mut stamps = Stamps::new(&clock);
        let (near, mut far) = pair();
        stamps.ask_for(&near);
        assert!(stamps.are_kept());
        // The kernel begins to stamp some time after the first socket asked for it.
        clock.sleep_until(Nanos::from_millis(50));
        let before = clock.now();
        far.write_all(b"hello").expect("sent");
        let after = clock.now();
        clock.sleep_until(after + Nanos::from_millis(20));
        stamps.compare(&clock);
        let mut buffer = [0; 64];
        let (count, at) = receive(near.as_fd(), &mut buffer, &mut stamps).expect("read");
        let (at, slack) = (at.expect("a stamp"), Nanos::from_millis(1));
        assert_eq!(&buffer[..count], b"hello");
        assert!(before.saturating_sub(slack) <= at && at <= after + slack, "{before} {at} {after}");
        let nothing = receive(near.as_fd(), &mut buffer, &mut stamps);
        assert_eq!(nothing.expect_err("nothing there"), Errno::AGAIN);
        drop(far);
        assert_eq!(receive(near.as_fd(), &mut buffer, &mut stamps), Ok((0, None)));
    }

    #[test]
    fn a_wall_clock_that_was_set_takes_no_stamp_with_it() {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let mut stamps = Stamps::new(&clock);
        let wall = stamps.ahead + 5_000;
        assert_eq!(stamps.on_the_runs_clock(wall), Some(Nanos(5_000)));
        // Somebody had set it an hour back, and sets it right again now.
        stamps.ahead -= 3_600_000_000_000;
        stamps.compare(&clock);
        assert_eq!(stamps.on_the_runs_clock(wall), None);
        stamps.compare(&clock);
        assert!(stamps.on_the_runs_clock(wall).is_some(), "the next turn is sound again");
        assert_eq!(stamps.on_the_runs_clock(stamps.ahead - 1), None, "before the run began");
    }
}
