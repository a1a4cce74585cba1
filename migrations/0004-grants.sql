-- Grants: a code becomes an authorization with a token pair, which is refreshed until it is revoked.

create table authorization_codes (
  id uuid primary key,
  hash bytea not null check (length(hash) = 32),
  school_id uuid not null,
  client_id text not null,
  user_id uuid not null,
  audience text not null check (audience in ('member', 'operator')),
  scopes text[] not null,
  resource text,
  redirect_uri text not null,
  code_challenge text not null,
  nonce text,
  authenticated_at timestamptz(3) not null,
  device text not null default '',
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  pair_id uuid,
  foreign key (school_id, client_id) references clients,
  foreign key (school_id, user_id) references school_members,
  check ((consumed_at is null) = (pair_id is null)),
  check (audience = 'operator' or resource is not null)
) with (fillfactor = 90);
-- Finds the codes of one app (to withdraw them) and of one client or member (to delete it). Not a partial
-- index on consumed_at: the update that consumes a code would then no longer be a HOT update.
create index authorization_codes_by_client on authorization_codes (school_id, client_id, user_id);
comment on table authorization_codes is 'grants: a consent on its way to the client; single use is one conditional update';
comment on column authorization_codes.pair_id is 'the pair it was exchanged for: a retry of our own is told from a replay by it';

create table authorizations (
  id uuid primary key,
  school_id uuid not null,
  client_id text not null,
  user_id uuid,
  audience text not null check (audience in ('member', 'operator')),
  scopes text[] not null,
  resource text,
  code_id uuid,
  device text not null default '' check (length(device) <= 200),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  foreign key (school_id, client_id) references clients,
  foreign key (school_id, user_id) references school_members
) with (fillfactor = 90);
create index authorizations_by_person on authorizations (school_id, user_id, id);
create index authorizations_by_client on authorizations (school_id, client_id, id);
create index authorizations_by_code on authorizations (code_id);
comment on table authorizations is 'grants: one completed authorization; ending it ends every pair at once';
comment on column authorizations.user_id is 'null: a record without a resource owner, refused as not bound to a user';
comment on column authorizations.last_used_at is 'true to within the lifetime of an access token';

create table token_pairs (
  id uuid primary key,
  authorization_id uuid not null references authorizations on delete cascade,
  bound_school_id uuid references schools,
  scopes text[] not null,
  access_hash bytea not null check (length(access_hash) = 32),
  refresh_hash bytea not null check (length(refresh_hash) = 32),
  previous_id uuid,
  issued_at timestamptz(3) not null default now(),
  access_expires_at timestamptz(3) not null,
  refresh_expires_at timestamptz(3) not null,
  first_used_at timestamptz(3),
  revoked_at timestamptz(3)
) with (fillfactor = 90);
create index token_pairs_by_authorization on token_pairs (authorization_id);
comment on table token_pairs is 'grants: an access token and its refresh token, one revocation stamp';
comment on column token_pairs.bound_school_id is 'what the token response calls school_id; null on operator pairs and on member pairs older than the binding';
comment on column token_pairs.previous_id is 'the pair this one was refreshed from; no foreign key, since a purged parent has nothing left to retire';
