-- Jobs: long work that no request waits for. A job is a whole task with a cursor, not a row for each thing that it does.

create table jobs (
  school_id uuid not null references schools,
  id uuid not null,
  kind text not null constraint jobs_kind_check check (length(kind) <= 100 and kind ~ '^[a-z_]+\.[a-z_]+$'),
  title text not null constraint jobs_title_check check (length(title) between 1 and 300),
  input jsonb not null,
  scopes text[] not null default '{}',
  can_cancel boolean not null default true,
  state text not null default 'waiting' constraint jobs_state_check
    check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  cursor jsonb,
  done_count bigint not null default 0,
  total_count bigint,
  result jsonb,
  problem text constraint jobs_problem_check check (length(problem) <= 2000),
  files jsonb not null default '[]',
  via text not null,
  user_id uuid,
  client_id text,
  authorization_id uuid,
  request_id text,
  worker uuid,
  lease_until timestamptz(3),
  attempts integer not null default 0,
  cancel_requested boolean not null default false,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  expires_at timestamptz(3),
  primary key (school_id, id),
  constraint jobs_leased_while_running check ((state = 'running') = (worker is not null and lease_until is not null)),
  constraint jobs_finished_with_time check
    ((state in ('done', 'failed', 'cancelled')) = (finished_at is not null and expires_at is not null))
);
-- Unique: no more than one job of a school runs, in whatever process.
create unique index jobs_running on jobs (school_id) where state = 'running';
create index jobs_waiting on jobs (school_id, id) where state = 'waiting';
create index jobs_by_time on jobs (school_id, created_at, id);
create index jobs_expired on jobs (expires_at) where expires_at is not null;
comment on table jobs is 'jobs: a task that runs in the background, how far it is, and what came of it';
comment on column jobs.scopes is 'a token needs all of them to see the job';
comment on column jobs.cursor is 'where the next step begins; it moves in the transaction of the step';
comment on column jobs.files is 'keys in the file store, in the order of their bytes; removed with the row';
comment on column jobs.worker is 'the run that holds the lease; a run whose lease ended may write nothing';
comment on column jobs.attempts is 'how often it was begun since its last step';
