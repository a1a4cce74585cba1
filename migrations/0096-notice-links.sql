-- A mail about a new browser, passkey or second factor has a link "it was not me", which ends everything.
create table notice_links (
  id uuid primary key,
  secret_hash bytea not null constraint notice_links_secret_hash_check check (length(secret_hash) = 32),
  school_id uuid not null references schools,
  user_id uuid not null references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index notice_links_by_user on notice_links (user_id);
comment on table notice_links is 'people: links "it was not me" in mails about an account, each good once';
