-- A start compares the secret with the one that sealed the signing keys, before it serves with a wrong one.

create table installations (
  single boolean primary key default true check (single),
  secret_check bytea not null,
  written_at timestamptz(3) not null default now()
);
comment on table installations is
  'setup: one row; a value sealed with the secret of the installation, and when readiness last proved that rows can be written';
