-- Lists of expired and of revoked enrollments, of a school and of a course, in the order in which they are shown.

create index concurrently if not exists enrollments_by_end on enrollments (school_id, expires_at, id)
  where revoked_at is null and expires_at is not null;

create index concurrently if not exists enrollments_by_end_in_course on enrollments (school_id, course_id, expires_at, id)
  where revoked_at is null and expires_at is not null;

create index concurrently if not exists enrollments_revoked_by_start on enrollments (school_id, enrolled_at, id)
  where revoked_at is not null;

create index concurrently if not exists enrollments_revoked_in_course on enrollments (school_id, course_id, enrolled_at, id)
  where revoked_at is not null;
