-- A renewed secret and the one before it are both accepted for a day.

alter table clients
  add column old_secret_hash bytea check (length(old_secret_hash) = 32),
  add column old_secret_expires_at timestamptz(3),
  add constraint clients_old_secret_expires check ((old_secret_hash is null) = (old_secret_expires_at is null)),
  add constraint clients_old_secret_has_new check (old_secret_hash is null or secret_hash is not null);
comment on column clients.old_secret_hash is 'the secret before the last renewal; accepted until old_secret_expires_at';
