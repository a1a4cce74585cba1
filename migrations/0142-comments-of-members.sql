-- Members write comments below lectures, where the course allows it.

alter table courses add column comments_allowed boolean not null default true;
comment on column courses.comments_allowed is
  'whether people who have the course read and write comments below its lectures';
