//! MPI, as a file of C that the user's `mpicc` compiles at first use: `calls.c`.
//!
//! So one castbench runs over any MPI, and its own build needs none. The result is kept in the user's cache, by the
//! digest of what it is made from. All unsafe code of castbench is here: the file exports the functions that this one
//! declares, a [`Request`] owns its buffer, and MPI ends all ranks after an error.
#![expect(
    unsafe_code,
    reason = "functions of a loaded library have no types of their own"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::{mem, process};

use libloading::os::unix::{Library as Loaded, RTLD_GLOBAL, RTLD_NOW};

use super::compiled::compiled;
use crate::error::Error;
use crate::library::Library;
use crate::task::length;
use crate::wire::Call;

/// A communicator or a request, as the file has it.
type Handle = isize;

/// Declares the functions of the file once: a field each, found by its name.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            _library: Loaded,
        }

        impl Functions {
            /// SAFETY: the library is a compiled `calls.c`.
            unsafe fn find(library: Loaded) -> Result<Self, libloading::Error> {
                Ok(Self {
                    $($name: *unsafe { library.get(concat!("castbench_", stringify!($name)).as_bytes()) }?,)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    compiled_with: fn() -> *const c_char;
    room: fn() -> c_int;
    version: fn(*mut c_char) -> c_int;
    host: fn(*mut c_char) -> c_int;
    start: fn() -> c_int;
    finish: fn();
    abort: fn(c_int);
    rank: fn() -> c_int;
    size: fn() -> c_int;
    send: fn(*const u8, c_int, c_int, c_int) -> Handle;
    receive: fn(*mut u8, c_int, c_int, c_int) -> Handle;
    ibcast: fn(Handle, *mut u8, c_int, c_int) -> Handle;
    test: fn(*mut Handle) -> c_int;
    probe: fn(c_int, c_int, *mut c_int, *mut c_int) -> c_int;
    take: fn(*mut u8, c_int, c_int, c_int);
    first: fn(c_int) -> Handle;
    gather_all: fn(*const u8, c_int, *mut u8);
    collective: fn(c_int, Handle, c_int, *const u8, *mut u8, c_int);
}

/// MPI, started. Only the thread that started it calls it, so it is not `Sync`. Dropping it ends MPI.
pub struct Mpi {
    functions: Functions,
    /// The name and version of the library that is loaded.
    pub library: String,
    _thread: PhantomData<*const c_void>,
}

/// The first ranks of all, for functions of the library.
pub struct Team(Handle);

/// A message under way, or a non-blocking function, with its buffer.
#[must_use]
pub struct Request {
    handle: Handle,
    buffer: Vec<u8>,
    is_open: bool,
}

impl Drop for Request {
    /// MPI may still write to the buffer: nothing may run after this.
    fn drop(&mut self) {
        if self.is_open {
            process::abort();
        }
    }
}

/// The lengths of messages and the numbers of ranks are checked where they are read, and fit.
fn int(number: impl TryInto<c_int>) -> c_int {
    number.try_into().unwrap_or(c_int::MAX)
}

impl Mpi {
    /// Compiles the calls if that was not done before, loads them, and starts MPI.
    ///
    /// # Errors
    /// [`Error::Launched`] in words: no compiler, no directory, another library than it was compiled with.
    pub fn start() -> Result<Self, Error> {
        let file = compiled()?;
        let failed = |why: &str| Error::Launched(format!("MPI cannot be started: {why}"));
        let shown = file.display();
        // Open MPI's plugins look for its symbols among the global ones.
        // SAFETY: compiled from `calls.c`, in a directory that only this user writes to; loading it runs nothing of it.
        let functions = unsafe {
            Loaded::open(Some(&file), RTLD_NOW | RTLD_GLOBAL)
                .and_then(|library| Functions::find(library))
        };
        let functions = functions.map_err(|error| {
            failed(&format!(
                "`{shown}` cannot be loaded: {error}; load the module of the MPI that `mpicc` belongs to"
            ))
        })?;
        // SAFETY: a text of the file; MPI allows the question for its version before its start.
        let with = unsafe { CStr::from_ptr((functions.compiled_with)()) };
        let with = with.to_string_lossy().into_owned();
        let library = functions.text(functions.version);
        if !library.contains(&with) {
            return Err(failed(&format!(
                "`{shown}` was compiled with {with}, and the library that is loaded is {}; load the module of one \
                 MPI, for `mpicc` and for the libraries, or remove the file: it is compiled again",
                name(&library)
            )));
        }
        // SAFETY: called once, by the thread that keeps the result.
        match unsafe { (functions.start)() } {
            0 => Ok(Self {
                functions,
                library,
                _thread: PhantomData,
            }),
            1 => Err(failed("it is already running")),
            _ => Err(failed("it supports no second thread in the process")),
        }
    }

    /// The name of this host.
    pub fn host(&self) -> String {
        self.functions.text(self.functions.host)
    }

    pub fn rank(&self) -> u32 {
        // SAFETY: MPI runs.
        u32::try_from(unsafe { (self.functions.rank)() }).unwrap_or_default()
    }

    /// The number of ranks.
    pub fn size(&self) -> u32 {
        // SAFETY: MPI runs.
        u32::try_from(unsafe { (self.functions.size)() }).unwrap_or_default()
    }

    /// Ends all ranks.
    pub fn abort(&self, code: i32) -> ! {
        // SAFETY: MPI runs.
        unsafe { (self.functions.abort)(code) }
        process::exit(code)
    }

    /// Begins to send.
    pub fn send(&self, bytes: Vec<u8>, to: u32, tag: i32) -> Request {
        // SAFETY: the request keeps the bytes until it is complete.
        let handle =
            unsafe { (self.functions.send)(bytes.as_ptr(), int(bytes.len()), int(to), tag) };
        Request::new(handle, bytes)
    }

    /// Begins to receive a message of as many bytes as there is room, or fewer.
    pub fn receive(&self, mut into: Vec<u8>, from: u32, tag: i32) -> Request {
        let length = int(into.len());
        // SAFETY: the request keeps the room, which nothing else can use, until it is complete.
        let handle = unsafe { (self.functions.receive)(into.as_mut_ptr(), length, int(from), tag) };
        Request::new(handle, into)
    }

    /// Begins a broadcast.
    pub fn broadcast(&self, team: &Team, mut buffer: Vec<u8>, root: u32) -> Request {
        let (start, length) = (buffer.as_mut_ptr(), int(buffer.len()));
        // SAFETY: as for a receive.
        let handle = unsafe { (self.functions.ibcast)(team.0, start, length, int(root)) };
        Request::new(handle, buffer)
    }

    /// The buffer, if the request is complete. A request that was complete before has an empty one.
    pub fn test(&self, request: &mut Request) -> Option<Vec<u8>> {
        // SAFETY: the request is not complete, because a complete one is not open.
        request.is_open =
            request.is_open && unsafe { (self.functions.test)(&raw mut request.handle) } == 0;
        (!request.is_open).then(|| mem::take(&mut request.buffer))
    }

    /// A message that has arrived from a rank, or from any rank if none is named, with its sender.
    pub fn arrived(&self, from: Option<u32>, tag: i32) -> Option<(u32, Vec<u8>)> {
        let (mut sender, mut bytes) = (0, 0);
        // SAFETY: both places are there.
        let arrived = unsafe {
            (self.functions.probe)(from.map_or(-1, int), tag, &raw mut sender, &raw mut bytes)
        };
        if arrived == 0 {
            return None;
        }
        let mut into = vec![0; usize::try_from(bytes).unwrap_or_default()];
        // SAFETY: room for the message that has arrived; only this thread receives.
        unsafe { (self.functions.take)(into.as_mut_ptr(), bytes, sender, tag) }
        Some((u32::try_from(sender).unwrap_or_default(), into))
    }

    /// The bytes of each rank, in the order of ranks; all ranks call this.
    pub fn gather_all(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let all = |own: &[u8]| {
            let mut into = vec![0; own.len() * self.size() as usize];
            // SAFETY: room for as many bytes of each rank; every rank gives as many.
            unsafe {
                (self.functions.gather_all)(own.as_ptr(), int(own.len()), into.as_mut_ptr());
            }
            into
        };
        let lengths: Vec<usize> = all(&own.len().to_ne_bytes())
            .chunks_exact(size_of::<usize>())
            .map(|bytes| bytes.try_into().map_or(0, usize::from_ne_bytes))
            .collect();
        let longest = lengths.iter().copied().max().unwrap_or_default();
        let mut padded = own.to_vec();
        padded.resize(longest, 0);
        let texts = all(&padded);
        lengths
            .iter()
            .enumerate()
            .map(|(rank, length)| texts[rank * longest..][..*length].to_vec())
            .collect()
    }

    /// The first ranks; all of them call this.
    pub fn first(&self, ranks: u32) -> Team {
        // SAFETY: MPI runs.
        Team(unsafe { (self.functions.first)(int(ranks)) })
    }

    /// A call of a blocking function of the library, ready to be timed. `given` and `got` are the operands of this rank.
    ///
    /// # Errors
    /// In words: an operand is shorter than the function reads or writes.
    pub fn call<'o>(
        &'o self,
        call: Call,
        team: &'o Team,
        given: &'o [u8],
        got: &'o mut [u8],
    ) -> Result<impl FnOnce() + use<'o>, String> {
        let (Call { function, root, .. }, rank) = (call, self.rank());
        let bytes = length(call.bytes)?;
        // A broadcast is in place.
        let gives = match function.is_broadcast() {
            true => 0,
            false => function.gives(call.ranks, root, rank).len(),
        };
        let gets = function.gets(call.ranks, root, rank).len();
        if given.len() < gives * bytes || got.len() < gets * bytes {
            return Err(format!("{}: an operand is too short", function.name()));
        }
        // An exclusive scan writes to rank 0, too, where its result is undefined.
        let mut undefined = vec![0; if got.is_empty() { bytes } else { 0 }];
        let number = Library::ALL.iter().position(|known| known.0 == function);
        Ok(move || {
            let into = match got.is_empty() {
                true => undefined.as_mut_ptr(),
                false => got.as_mut_ptr(),
            };
            // SAFETY: both operands have the blocks that the function reads and writes.
            unsafe {
                (self.functions.collective)(
                    int(number.unwrap_or(Library::ALL.len())),
                    team.0,
                    int(root),
                    given.as_ptr(),
                    into,
                    int(bytes),
                );
            }
        })
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // SAFETY: MPI runs, and no request is open.
        unsafe { (self.functions.finish)() }
    }
}

impl Functions {
    /// What a function writes into a text.
    fn text(&self, write: unsafe extern "C" fn(*mut c_char) -> c_int) -> String {
        // SAFETY: the file says how long the texts can be.
        let bytes = unsafe {
            let mut bytes = vec![0_u8; usize::try_from((self.room)()).unwrap_or_default()];
            let length = usize::try_from(write(bytes.as_mut_ptr().cast())).unwrap_or_default();
            bytes.truncate(length);
            bytes
        };
        let text = String::from_utf8_lossy(&bytes);
        text.trim_end_matches('\0').trim().to_owned()
    }
}

impl Request {
    fn new(handle: Handle, buffer: Vec<u8>) -> Self {
        Self {
            handle,
            buffer,
            is_open: true,
        }
    }
}

/// The name and the version of a library: more follows, such as how it was built.
pub fn name(library: &str) -> String {
    let first = library.lines().next().unwrap_or_default();
    let name = first.split(',').next().unwrap_or_default();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
