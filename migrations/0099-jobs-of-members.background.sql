create index concurrently if not exists jobs_of_member on jobs (school_id, user_id, id) where of_member;
