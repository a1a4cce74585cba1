-- Members are reminded of what comes.

create table reminders (
  school_id uuid primary key references schools,
  until timestamptz(3) not null default now()
);
comment on table reminders is
  'notifications: up to which moment the members of a school were reminded of what comes';
insert into reminders (school_id) select id from schools;

alter table lectures add column announce_at timestamptz(3);
comment on column lectures.announce_at is
  'when its students are told that it is open; null if it was imported, opens for each at another time, or is from before they were told';
