comment on column browser_sessions.methods is 'what the person proved at authenticated_at: password, passkey, code, recovery_code, mail_link; trusted_device if no code was asked for in a trusted browser';

create table authenticators (
  user_id uuid primary key references users,
  sealed_secret bytea not null check (length(sealed_secret) <= 200),
  last_step bigint not null,
  created_at timestamptz(3) not null default now()
) with (fillfactor = 90);
comment on table authenticators is 'people: the authenticator app of a person, confirmed by a code; password sign-ins ask for one while the row stands';
comment on column authenticators.sealed_secret is 'sealed for the user_id';
comment on column authenticators.last_step is 'the time step of the last code that was used; no code of it or of an earlier one works again';

create table recovery_codes (
  user_id uuid not null references authenticators on delete cascade,
  hash bytea not null check (length(hash) = 32),
  primary key (user_id, hash)
);
comment on table recovery_codes is 'people: keyed hashes of the codes that work once in place of the authenticator app; a used one is deleted';

create table trusted_devices (
  id uuid primary key,
  secret_hash bytea not null check (length(secret_hash) = 32),
  school_id uuid not null references schools,
  user_id uuid not null references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index trusted_devices_by_user on trusted_devices (user_id);
create index trusted_devices_by_expiry on trusted_devices (expires_at);
comment on table trusted_devices is 'people: browsers in which a password sign-in at one school does not ask for a code, for 30 days';
