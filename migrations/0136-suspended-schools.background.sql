-- Mails, jobs and the purge leave out suspended schools, of which there are few or none.
create index concurrently if not exists schools_suspended on schools (id) where suspended_at is not null;
