create table passkey_handles (
  school_id uuid not null references schools,
  user_id uuid not null references users,
  handle bytea not null check (length(handle) = 32),
  last_challenge_at timestamptz(3) not null,
  primary key (school_id, user_id),
  unique (school_id, handle)
);
create index passkey_handles_by_user on passkey_handles (user_id);
comment on table passkey_handles is 'people: how passkeys name a person at one school; random, so that schools cannot compare people';
comment on column passkey_handles.last_challenge_at is 'a passkey whose challenge is not newer was made before';

create table passkeys (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null check (length(credential_id) between 1 and 1023),
  public_key bytea not null check (length(public_key) <= 4000),
  counter bigint not null,
  transports text[] not null check (cardinality(transports) <= 10),
  backup_eligible boolean not null,
  backed_up boolean not null,
  user_verified boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  last_challenge_at timestamptz(3) not null,
  cloned_at timestamptz(3),
  primary key (school_id, id),
  unique (school_id, credential_id),
  foreign key (school_id, user_id) references passkey_handles
) with (fillfactor = 90);
create index passkeys_by_user on passkeys (user_id, school_id);
comment on table passkeys is 'people: passkeys of a person at one school''s origin; only public keys are kept';
comment on column passkeys.user_verified is 'whether the device asked for a fingerprint, face or PIN at the last use';
comment on column passkeys.last_challenge_at is 'an answer to a challenge that is not newer was given before';
comment on column passkeys.cloned_at is 'its counter went backwards, so there may be a copy; it can no longer be used to sign in';
