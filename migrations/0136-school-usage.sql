-- What each school uses, for an operator who looks for a noisy one.

create table school_usage (
  school_id uuid not null references schools,
  begins_at timestamptz(3) not null,
  requests bigint not null,
  statements bigint not null,
  cpu_micros bigint not null,
  bytes bigint not null,
  primary key (school_id, begins_at)
);
create index school_usage_by_time on school_usage (begins_at);
comment on table school_usage is
  'schools: what processes counted for a school in five minutes, kept for a day: CPU of Node, bytes of its connections';
