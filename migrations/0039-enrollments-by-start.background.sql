-- The sort of enrollments by their start, and the days that analytics count.
create index concurrently if not exists enrollments_by_start on enrollments (school_id, enrolled_at, id);
