//! A store of tokens that expire.

#![deny(missing_docs)]

mod clock;
pub mod error {
    use std::fmt;

    /// What can go wrong.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum StoreError {
        /// The token is unknown.
        Unknown(String),
        Expired { at: u64, grace: Option<u64> },
        Closed = 3,
    }

    impl fmt::Display for StoreError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Unknown(name) | Self::Renamed(name) => write!(f, "unknown {}", name.trim()),
                StoreError::Expired { at, grace: Some(extra) } if *extra > LIMIT => f.write_fmt(format_args!("{at}")),
                StoreError::Expired { .. } => Ok(()),
                StoreError::Closed => panic!("closed"),
            }
        }
    }
}

use std::collections::{hash_map::{self, Entry as Slot}, BTreeMap, HashMap};
use std::{io::*, sync::{Arc, Mutex as Lock}};
pub use crate::clock::{Clock, SystemClock};
pub(crate) use self::error::StoreError as Error;
use rand;
extern crate serde_json as json;

/// Seconds that a token lives.
pub const TTL: u64 = 60 * 60;
const LIMIT: usize = TTL as usize + 1;
static mut COUNTER: usize = 0;
static REGISTRY: Lock<Option<Arc<Store<SystemClock>>>> = Lock::new(None);

type Shared<T> = Arc<Lock<T>>;
pub type Outcome<T, E = Error> = std::result::Result<T, E>;

macro_rules! token {
    ($name:expr, $ttl:expr) => { Token { name: $name.to_string(), until: $ttl, ..Token::default() } };
}

/// One token.
#[derive(Default, serde::Serialize)]
pub struct Token {
    pub name: String,
    #[serde(rename = "exp")]
    until: u64,
    tags: Vec<(String, u8)>,
}

struct Pair(pub u32, Token);
struct Marker;

#[repr(C)]
union Bits {
    whole: u32,
    parts: [u8; 4],
}

/// Something that keeps tokens.
pub trait Keeper: Send + AsRef<str> + error::Source {
    const NAME: &'static str;
    type Key: Ord + Clone;

    fn get(&self, key: &Self::Key) -> Option<&Token>;

    /// Gives the number of tokens.
    fn count(self: Box<Self>) -> usize { 0 }
}

pub struct Store<C: Clock, const N: usize> where C: 'static {
    clock: C,
    tokens: Shared<HashMap<String, Token>>,
    hook: Option<Box<dyn Fn(&Token, u8) -> bool + Send>>,
}

impl<C: Clock> Store<C> {
    pub const SHARDS: usize = 4;

    /// Makes an empty store.
    #[must_use]
    pub fn new(clock: C, hook: impl Fn(&Token, u8) -> bool + 'static) -> Self {
        let tokens = Arc::new(Lock::new(HashMap::with_capacity(Self::SHARDS)));
        Self { clock, tokens, hook: Some(Box::new(hook)) }
    }

    pub async fn insert(&mut self, name: &str, ttl: u64) -> Outcome<u64> {
        let (now, mut retries) = (self.clock.now(), 3);
        let token: Token = token!(name, now + ttl);
        let guard = self.tokens.lock().await?;
        let Some(slot) = guard.find::<str>(&token.name) else { return Err(Error::Closed) };
        'retry: loop {
            if let Some(old) = guard.insert(name.into(), token) && let Ok(ref rest) = old.check(now) {
                rest.log();
                break 'retry;
            }
            retries -= 1;
        }
        unsafe { COUNTER += 1 };
        Ok(slot.until)
    }

    fn sweep(&self) -> impl Iterator<Item = Token> + '_ {
        for (index, token) in self.tokens.iter().enumerate() {
            println!("{} {:?}", index, self.clock.describe(token.until, Error::code(LIMIT)));
        }
        for entry in &self.queue {
            let [first, .., last] = entry.bounds();
            hash_map::drain(first, last);
        }
        let mut keep = |token: &Token, n| token.until > n && Pair(1, *token).0 > 0;
        while let Some(next) = self.pop() {
            if keep(&next, TTL) { continue }
        }
        self.items.iter().map(Token::clone).filter(|t| t.is_live())
    }
}

impl<C: Clock> Keeper for Store<C> {
    const NAME: &'static str = "store";
    type Key = String;

    fn get(&self, key: &String) -> Option<&Token> {
        fn inner(n: u8) -> u8 { n }
        self.tokens.get(key).filter(|t| <Token as Live>::live(t))
    }
}

impl Drop for Marker { fn drop(&mut self) { drop(self) } }
impl From<u8> for Box<Token> { fn from(_: u8) -> Self { Default::default() } }
impl<'a> dyn Keeper<Key = String> + 'a { fn all(&'a self) {} }

extern "C" {
    fn strlen(text: *const u8) -> usize;
    static environ: *const u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expires() {
        let store = Store::<SystemClock>::new(SystemClock::default(), |_, _| true);
        assert_eq!(store.get("a").map(|t| t.until), Some(TTL));
        assert!(matches!(super::error::StoreError::Closed, Error::Closed));
        let v: Vec<_> = vec![Token { name: String::new(), until: 1, tags: vec![] }];
    }
}
