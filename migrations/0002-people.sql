-- People: one identity across all schools. Email, password, name and picture belong to the person;
-- a school owns only the membership row.

create table users (
  id uuid primary key,
  email text check (length(email) between 3 and 320 and email like '%_@_%'),
  name text not null check (length(name) between 1 and 200),
  avatar_url text check (length(avatar_url) <= 2000),
  password_hash text,
  password_changed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  deleted_at timestamptz(3),
  check ((email is null) = (deleted_at is not null)),
  check (deleted_at is null or password_hash is null)
);
create unique index users_email on users (lower(email));
comment on table users is 'people: a person, the same at every school';
comment on column users.deleted_at is 'the person is gone; the row stays so that money rows keep their owner';

create table school_members (
  school_id uuid not null references schools,
  user_id uuid not null references users,
  roles text[] not null check (
    roles <@ array['owner', 'admin', 'lecturer', 'student']
    and cardinality(roles) <= 4 and array_position(roles, null) is null),
  joined_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, user_id)
);
create index school_members_by_user on school_members (user_id);
create index school_members_by_time on school_members (school_id, joined_at, user_id);
create index school_members_staff on school_members (school_id, user_id)
  where roles && array['owner', 'admin', 'lecturer'];
comment on table school_members is 'people: the roles of a person at a school; a row without roles has left';

create table browser_sessions (
  id uuid primary key,
  secret_hash bytea not null check (length(secret_hash) = 32),
  school_id uuid not null references schools,
  user_id uuid not null references users,
  device text not null default '' check (length(device) <= 200),
  authenticated_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
) with (fillfactor = 90);
create index browser_sessions_by_user on browser_sessions (user_id);
comment on table browser_sessions is 'people: a signed-in browser at one school''s origin; only the hash of its secret is kept';

create table password_resets (
  id uuid primary key,
  secret_hash bytea not null check (length(secret_hash) = 32),
  school_id uuid not null references schools,
  user_id uuid not null references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index password_resets_by_user on password_resets (user_id);
comment on table password_resets is 'people: links for a forgotten password, each good once';

create table sign_in_throttles (
  bucket bytea primary key check (length(bucket) = 32),
  failures integer not null check (failures >= 0),
  window_ends_at timestamptz(3) not null
) with (fillfactor = 90);
comment on table sign_in_throttles is 'people: failed sign-ins per account and per address; the bucket is a keyed hash';

create trigger users_touch before update on users for each row execute function touch_row();
create trigger school_members_touch before update on school_members for each row execute function touch_row();
