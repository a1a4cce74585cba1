-- A member may ask for a copy of their own data, which takes as long as any other job.
alter table jobs add column of_member boolean not null default false;
comment on column jobs.of_member is 'a member asked for it, about themselves: operators do not see it, and it goes on whatever roles the member has';
