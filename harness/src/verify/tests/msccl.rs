//! What the reader of MSCCL XML refuses, and what it notes.
