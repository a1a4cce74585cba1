-- Whether a file belongs to a lecture or a product, which decide who downloads it, or is shown on the page of a course.
create index concurrently if not exists lectures_by_file on lectures (school_id, file_id) where file_id is not null;
create index concurrently if not exists digital_products_by_file on digital_products (school_id, file_id) where file_id is not null;
create index concurrently if not exists courses_by_cover on courses (school_id, cover_file_id) where cover_file_id is not null;
