-- Idempotency: stored answers to writes; a client that did not receive an answer can repeat the request.

create table idempotent_answers (
  school_id uuid not null references schools,
  key_hash bytea not null check (length(key_hash) = 32),
  fingerprint bytea not null check (length(fingerprint) = 32),
  status integer not null check (status between 200 and 499),
  headers jsonb not null check (jsonb_typeof(headers) = 'object'),
  body text not null,
  answered_at timestamptz(3) not null default now(),
  primary key (school_id, key_hash)
);
create index idempotent_answers_by_time on idempotent_answers (answered_at);
comment on table idempotent_answers is 'idempotency: the answer to a write, kept a day and found by a hash of its key, authorization, method and path';
