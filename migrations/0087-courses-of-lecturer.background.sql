-- The first courses of a lecturer in the order of their ids, without reading all.
create index concurrently if not exists course_lecturers_of_person on course_lecturers (school_id, user_id, course_id);
