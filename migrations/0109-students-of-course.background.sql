-- The students of a course in the order of their ids.
create index concurrently if not exists enrollments_of_course on enrollments (school_id, course_id, user_id);
