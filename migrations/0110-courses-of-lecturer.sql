-- allow drops-index course_lecturers_by_user: course_lecturers_of_person begins with the same columns.
drop index if exists course_lecturers_by_user;
