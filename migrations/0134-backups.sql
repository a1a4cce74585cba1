-- One of the processes backs the database up when it is due.

alter table installations
  add column backed_up_at timestamptz(3),
  add column backup_lease_until timestamptz(3);
comment on table installations is
  'setup: one row; a value sealed with the secret of the installation, when readiness last proved that rows can be written, the moment of the last good backup that a server made by itself, and until when one of them works on the next';
