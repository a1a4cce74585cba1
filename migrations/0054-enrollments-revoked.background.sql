-- Enrollments that were revoked.
create index concurrently if not exists enrollments_revoked
  on enrollments (school_id, created_at, id) where revoked_at is not null;
