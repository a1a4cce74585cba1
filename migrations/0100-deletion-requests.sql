-- A person may ask to be deleted, at one school or as a whole. It is done after a waiting time in which they can change their mind.
create table deletion_requests (
  id uuid primary key,
  user_id uuid not null references users (id),
  school_id uuid references schools (id),
  requested_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null,
  blocked_at timestamptz(3),
  constraint deletion_requests_once unique nulls not distinct (user_id, school_id)
);
comment on table deletion_requests is 'people: people who asked to be deleted, until it is done or they changed their mind';
comment on column deletion_requests.school_id is 'where they are to be forgotten; null for the whole account';
comment on column deletion_requests.blocked_at is 'when it was due and could not be done, because a school would have had no owner';
create index deletion_requests_by_time on deletion_requests (due_at);
create index deletion_requests_by_school on deletion_requests (school_id);

-- A member who was forgotten stays as a row without a name, because payments refer to it.
alter table school_members add column forgotten_at timestamptz(3);
comment on column school_members.forgotten_at is 'since when the school knows neither name nor email of this person, who asked for it; null again with the next role';

create function remember_member() returns trigger language plpgsql as $$
begin
  new.forgotten_at := null;
  new.signed_in_at := null;
  return new;
end $$;
comment on function remember_member is 'A forgotten member who gets a role again begins anew: the school sees the name that it typed until they sign in.';
create trigger school_members_remember before update on school_members
  for each row when (old.forgotten_at is not null and new.roles <> '{}') execute function remember_member();
