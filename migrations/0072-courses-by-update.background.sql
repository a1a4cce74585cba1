-- Courses sorted by the last change.
create index concurrently if not exists courses_by_update
  on courses (school_id, updated_at, id);
