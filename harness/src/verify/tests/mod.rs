mod model;
mod msccl;
mod mutations;
