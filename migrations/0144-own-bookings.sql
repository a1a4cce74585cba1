-- Members change their own bookings, and have an address from which calendars read them.

alter table consulting_services add column changes_until_hours integer;
comment on column consulting_services.changes_until_hours is
  'members move and cancel their own seats until this long before the start; null if they do not';

create table calendar_feeds (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null check (length(secret_hash) = 32),
  created_at timestamptz(3) not null default now(),
  primary key (school_id, id),
  unique (school_id, user_id),
  foreign key (school_id, user_id) references school_members
);
create index calendar_feeds_of_person on calendar_feeds (user_id);
comment on table calendar_feeds is
  'people: the private address from which the calendar of a member reads their bookings; only a hash of its secret';
