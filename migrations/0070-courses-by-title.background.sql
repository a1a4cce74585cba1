-- Courses sorted by title, also as choices in forms.
create index concurrently if not exists courses_by_title
  on courses (school_id, title collate "C", id);
