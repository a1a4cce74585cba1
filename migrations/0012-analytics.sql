-- Analytics: what cannot be counted later from the other tables.

create table learning_days (
  school_id uuid not null,
  day date not null,
  user_id uuid not null,
  primary key (school_id, day, user_id),
  foreign key (school_id, user_id) references school_members
);
create index learning_days_by_user on learning_days (school_id, user_id);
comment on table learning_days is 'analytics: who learned on a day; progress rows only remember the last time';
