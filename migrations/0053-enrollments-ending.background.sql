-- Enrollments that have ended.
create index concurrently if not exists enrollments_ending
  on enrollments (school_id, expires_at) where revoked_at is null and expires_at is not null;
