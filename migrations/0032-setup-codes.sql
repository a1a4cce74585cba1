-- An installation without a school offers a page that makes the first one, to the person who can read the log.

create table setup_codes (
  single boolean primary key default true check (single),
  code_hash bytea not null,
  made_at timestamptz(3) not null default now(),
  tries integer not null default 0 check (tries >= 0)
);
comment on table setup_codes is
  'setup: the one code that makes the first school; here and not in memory, because several processes serve its page';
