-- A school can be suspended: nothing answers at its origin, and its clocks stand still.

alter table schools add column suspended_at timestamptz(3);
comment on column schools.suspended_at is
  'since when the school is suspended: its requests are answered with 503, and nothing of it expires';

create table resumptions (
  school_id uuid primary key references schools,
  until timestamptz(3) not null default now(),
  clock text not null,
  position text
);
comment on table resumptions is
  'schools: schools that are being resumed: what was to expire is moved behind the pause, which ends at until; clock and position say how far that has come';
