-- Members write comments below lectures, where the course allows it.

-- allow builds-index comments_of_lecture: before this version only imports wrote comments, and members read while it is built.
create index comments_of_lecture
  on comments (school_id, lecture_id, created_at, id) where parent_id is null;

alter table courses add column comments_allowed boolean not null default true;
comment on column courses.comments_allowed is
  'whether people who have the course read and write comments below its lectures';
